// A digest of annotated examples that adds: the sum of their hashes modulo 2^128. So order, split
// and format of the examples do not change it. It tells data sets apart, but does not withstand a
// forger.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arrays/ids.hpp"
#include "fastcausal/row.h"

namespace fastcausal {

constexpr uint64_t SEEDS[2] = {0x243f6a8885a308d3u, 0x13198a2e03707344u};  // digits of pi

// Text i is data[offsets[i]:offsets[i + 1]]. Without offsets there are no texts.
struct Texts {
  const int32_t* offsets;
  const char* data;

  // Hashes a text with each seed in one pass: neither waits for the other.
  void hash(int64_t i, uint64_t (&hashes)[2]) const {
    for (int k = 0; k < 2; k++) hashes[k] = SEEDS[k];
    if (!offsets) return;
    const char* text = data + offsets[i];
    int64_t length = static_cast<int64_t>(offsets[i + 1]) - offsets[i];
    for (uint64_t& hash : hashes) hash = hash_of_none(length, hash);
    for (; length > 0; text += 8, length -= 8) {
      const uint64_t word = first_eight(text, length);
      for (uint64_t& hash : hashes) hash = mixed(hash ^ word);
    }
  }
};

// Two halves of 64 bits. Each sums hashes with a seed of its own.
struct Digest {
  uint64_t low = 0, high = 0;

  // Adds example i. Replaces the hashes of its content by its own.
  void add(const Texts& ids, int64_t i, uint64_t (&hash)[2]) {
    uint64_t id[2];
    ids.hash(i, id);
    for (int k = 0; k < 2; k++) hash[k] = mixed(mixed(SEEDS[k] ^ id[k]) ^ hash[k]);
    low += hash[0];
    high += hash[1] + (low < hash[0]);
  }
};

// Sums examples that have an id and a text.
inline Digest digest_texts(const Texts& ids, const Texts& contents, int64_t n) {
  Digest sum;
  for (int64_t i = 0; i < n; i++) {
    uint64_t hash[2];
    contents.hash(i, hash);
    sum.add(ids, i, hash);
  }
  return sum;
}

// Sums rows that have an id and numbers, column by column: the hashes of a block of rows do not
// wait for one another.
inline Digest digest_numbers(const Texts& ids, const int64_t* const* columns, int64_t n_columns,
                             int64_t n) {
  constexpr int64_t BLOCK = 256;
  Digest sum;
  for (int64_t start = 0; start < n; start += BLOCK) {
    const int64_t size = std::min(BLOCK, n - start);
    uint64_t hashes[BLOCK][2];
    for (int64_t i = 0; i < size; i++)
      for (int k = 0; k < 2; k++) hashes[i][k] = hash_of_none(8 * n_columns, SEEDS[k]);
    for (int64_t c = 0; c < n_columns; c++)
      for (int64_t i = 0; i < size; i++)
        for (uint64_t& hash : hashes[i])
          hash = mixed(hash ^ static_cast<uint64_t>(columns[c][start + i]));
    for (int64_t i = 0; i < size; i++) sum.add(ids, start + i, hashes[i]);
  }
  return sum;
}

// Hashes the sorted spans of a relation. Roles count by name.
inline uint64_t hash_of_relation(const Row* row, const Row* end, const uint64_t* roles,
                                 uint64_t seed) {
  uint64_t hash = seed;
  for (; row != end; row++) {
    const auto start = static_cast<uint64_t>(static_cast<uint32_t>(row->start));
    hash = mixed(hash ^ roles[row->role]);
    hash = mixed(hash ^ (start << 32 | static_cast<uint32_t>(row->stop)));
  }
  return mixed(hash + 1);
}

// Sums examples that have an id and relations. Relations add within an example; empty ones count
// nothing. `roles` has space for two numbers per role. `each`, unless null, receives both halves
// per example.
inline Digest digest_relations(const Row* rows, const int64_t* row_offsets,
                               const int64_t* relation_offsets, int64_t n, const Texts& ids,
                               const Texts& role_names, int64_t n_roles, uint64_t* roles,
                               uint64_t* each) {
  for (int64_t r = 0; r < n_roles; r++) {
    uint64_t name[2];
    role_names.hash(r, name);
    for (int k = 0; k < 2; k++) roles[k * n_roles + r] = name[k];
  }
  Digest sum;
  for (int64_t i = 0; i < n; i++) {
    uint64_t hash[2] = {0, 0};
    for (int64_t r = relation_offsets[i]; r < relation_offsets[i + 1]; r++)
      for (int k = 0; k < 2 && row_offsets[r] < row_offsets[r + 1]; k++)
        hash[k] += hash_of_relation(rows + row_offsets[r], rows + row_offsets[r + 1],
                                    roles + k * n_roles, SEEDS[k]);
    sum.add(ids, i, hash);
    for (int k = 0; k < 2 && each; k++) each[2 * i + k] = hash[k];
  }
  return sum;
}

}  // namespace fastcausal
