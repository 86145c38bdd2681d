// Tagged sentences whose tokens by letters stand between blanks, for the readings of tags. Host
// only.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tags/copies.hpp"
#include "text/scripts.hpp"

namespace fastcausal {

// Adds a sentence with a blank before each token that follows another without one; every white
// space becomes a blank. Tags are no letters.
inline void add_spaced(std::string_view sentence, std::string& out) {
  const ScriptTable& table = ScriptTable::get();
  const char* const end = sentence.data() + sentence.size();
  bool inside = false, was_alone = false;
  for (size_t next = 0; next < sentence.size();) {
    const size_t at = next;
    if (sentence[at] == '<') {
      const char* const tag = sentence.data() + at;
      next += static_cast<size_t>(behind_tag(tag, end) - tag);
      if (next > at) {
        out.append(tag, next - at);
        continue;
      }
    }
    const char32_t point = utf8::next(sentence, next);
    const uint8_t kind = table[point];
    if (kind == ScriptTable::SPACE) {
      out += point < 0x80 ? static_cast<char>(point) : ' ';
      inside = was_alone = false;
      continue;
    }
    const bool is_alone = kind == ScriptTable::LETTER;
    const bool begins = is_alone || (was_alone && kind != ScriptTable::MARK);
    if (inside && begins) out += ' ';
    if (!inside || begins) was_alone = is_alone;
    inside = true;
    out.append(sentence.substr(at, next - at));
  }
}

// Returns whether a tag stands within a token, between blanks, of two letters of `SCRIPT_LETTERS`
// or more. Uses the memory of `bare`.
inline bool is_cut_by_tag(std::string_view sentence, std::string& bare) {
  std::vector<size_t> cuts;
  bare.clear();
  all_pieces(sentence, [&](std::string_view piece) {
    if (!bare.empty()) cuts.push_back(bare.size());
    bare += piece;
    return true;
  });
  const auto is_ink = [&](size_t at) { return !is_white(static_cast<unsigned char>(bare[at])); };
  for (const size_t cut : cuts) {
    if (cut == bare.size() || !is_ink(cut - 1) || !is_ink(cut)) continue;
    size_t start = cut, n_letters = 0;
    while (start > 0 && is_ink(start - 1)) --start;
    while (start < bare.size() && is_ink(start))
      n_letters += ScriptTable::get()[utf8::next(bare, start)] == ScriptTable::LETTER;
    if (n_letters > 1) return true;
  }
  return false;
}

// Keeps the sentences, given by number, in which a tag cuts such a token.
template <class Offset>
void keep_cut_letters(const char* data, const Offset* offsets, std::vector<int64_t>& numbers) {
  std::string bare;
  const auto is_whole = [&](int64_t s) {
    const auto size = static_cast<size_t>(offsets[s + 1] - offsets[s]);
    return !is_cut_by_tag({data + offsets[s], size}, bare);
  };
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(), is_whole), numbers.end());
}

}  // namespace fastcausal
