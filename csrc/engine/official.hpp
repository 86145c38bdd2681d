// Reads tags in a sentence as the official scorers do. Host only. Tags come from a sentence
// (tagged.hpp), or spans are read as if they were written with tags. The Python twins are in
// fastcausal/formats/cnc/markup.py.
//
//   tokens      rain  fell   ,   so   roads   closed
//   tags        <0>    </0>            <1>
//   arguments   B-C    I-C              B-E    I-E     a one-word argument opens and never closes
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays/rows.hpp"
#include "fastcausal/label_spans.h"
#include "fastcausal/plan.h"

namespace fastcausal {

// One span in 64 bits. They sort like (role, start, stop).
using PackedSpan = uint64_t;
inline PackedSpan packed(int32_t role, int32_t start, int32_t stop) {
  return static_cast<PackedSpan>(role) << 62 | static_cast<PackedSpan>(start) << 31 |
         static_cast<PackedSpan>(stop);
}
inline Row unpacked(PackedSpan s) {
  return {static_cast<int32_t>(s >> 62), static_cast<int32_t>(s >> 31 & 0x7fffffff),
          static_cast<int32_t>(s & 0x7fffffff)};
}

enum Role : int32_t { cause, effect, signal };

// Turns tags into spans. Tags come in the order of their tokens.
class OfficialTags {
 public:
  OfficialTags(bool relaxed, std::vector<PackedSpan>& spans) : relaxed_(relaxed), spans_(spans) {}

  void tag(int32_t token, int32_t role, bool closes) {
    Track& track = role == signal ? signals_ : arguments_;
    if (track.token != token) end_run(track, token);
    track.token = token;
    track.tags |= uint32_t{1} << (2 * role + closes);
  }
  void end(int32_t n_tokens) {
    end_run(arguments_, n_tokens);
    end_run(signals_, n_tokens);
  }

 private:
  // The tags of one token, and the last span of their track.
  struct Track {
    int32_t token = -1;
    uint32_t tags = 0;  // bit 2 * role for an opening tag, the next bit for a closing one
    int64_t last = -1;
  };

  // Ends the tags of a token. A span that they open continues to the next marked token, `next`.
  void end_run(Track& track, int32_t next) {
    const uint32_t tags = std::exchange(track.tags, 0);
    if (!tags) return;
    // The official program checks the arguments in this order and takes the first.
    const int32_t role = tags & 3 ? cause : tags & 12 ? effect : signal;
    const uint32_t of_role = tags >> 2 * role;
    const bool opens = of_role & 1, closes = role == signal ? of_role & 2 : !opens;
    const int32_t stop = closes ? track.token + 1 : next;
    if (!opens && track.last >= 0) {
      PackedSpan& span = spans_[static_cast<size_t>(track.last)];
      const Row last = unpacked(span);
      if (last.role == role && last.stop == track.token) {
        span = packed(role, last.start, stop);
        return;
      }
    }
    if (!opens && !relaxed_) return;
    track.last = static_cast<int64_t>(spans_.size());
    spans_.push_back(packed(role, track.token, stop));
  }

  bool relaxed_;
  Track arguments_, signals_;
  std::vector<PackedSpan>& spans_;
};

// Readings of spans without tags. RELAXED also keeps spans that close without opening.
enum class ReadAs : int64_t { GIVEN, OFFICIAL, RELAXED };

// The rows of a range of examples, read as if they were written with tags, and checked. Tags give
// the same rows, or rows that run on, unless spans of a track overlap.
class ReadAsTagged {
 public:
  std::vector<Row> rows;             // from row `base` on
  std::vector<int64_t> row_offsets;  // of relations from `first` on
  int64_t base = 0;
  int64_t first = 0;
  int64_t n_as_given = 0;  // relations that tags cannot hold: they keep their rows
  bool invalid = false;    // rows break a rule; nothing else here is valid then

  // Returns false if every relation keeps its rows. n_roles is 0 for rows that are known to be
  // valid.
  bool read(const Input& input, int64_t from, int64_t to, int32_t n_roles, ReadAs reading) {
    const Side& side = input.side;
    const int64_t begin = side.relation_offsets[from];
    const int64_t last = side.relation_offsets[to];
    first = from ? begin : 0;
    invalid =
        n_roles && !(rising(side.relation_offsets + from, to - from, input.n_relations) &&
                     first <= last && rising(side.row_offsets + first, last - first, input.n_rows));
    if (invalid) return false;
    base = from ? side.row_offsets[first] : 0;
    rows.reserve(static_cast<size_t>(side.row_offsets[last] - base));
    row_offsets.reserve(static_cast<size_t>(last - first + 1));
    rows.assign(side.rows + base, side.rows + side.row_offsets[begin]);  // of no example
    row_offsets.assign(side.row_offsets + first, side.row_offsets + begin + 1);
    bool changed = false;
    for (int64_t e = from; e < to; ++e) {
      for (int64_t r = side.relation_offsets[e]; r < side.relation_offsets[e + 1]; ++r) {
        const Row* own = side.rows + side.row_offsets[r];
        const Kind kind = add(own, side.n_rows(r), input.lengths[e], n_roles, reading);
        invalid = kind == Kind::INVALID;
        if (invalid) return false;
        changed |= kind != Kind::STAYS;
        row_offsets.push_back(base + static_cast<int64_t>(rows.size()));
      }
    }
    return changed;
  }

 private:
  enum class Kind { STAYS, RUNS_ON, OVERLAPS, INVALID };

  struct Mark {
    int32_t token, role;
    bool closes;
    bool operator<(const Mark& o) const { return token < o.token; }
  };

  static uint64_t place_of(const Row& row) {  // grows in the order of rows
    return static_cast<uint64_t>(row.start) << 33 | static_cast<uint64_t>(row.stop) << 2 |
           static_cast<uint64_t>(row.role & 3);
  }

  // Adds the rows of a relation as tags give them. Returns how they differ from the input.
  Kind add(const Row* input, int64_t n_rows, int32_t length, int32_t n_roles, ReadAs reading) {
    Kind kind = kind_of(input, n_rows, length, n_roles);
    if (kind == Kind::OVERLAPS && !tags_can_hold(input, n_rows)) {
      ++n_as_given;
      kind = Kind::STAYS;
    }
    const size_t place = rows.size();
    if (kind == Kind::OVERLAPS) {
      read_tags(input, n_rows, length, reading == ReadAs::RELAXED);
      for (const PackedSpan span : spans_) rows.push_back(unpacked(span));
    } else {
      rows.insert(rows.end(), input, input + n_rows);
    }
    if (kind == Kind::RUNS_ON) labels::run_on(rows.data() + place, n_rows, length);
    if (kind != Kind::STAYS) {
      const int64_t bounds[2] = {0, static_cast<int64_t>(rows.size() - place)};
      sort_rows(rows.data() + place, bounds, 1);
    }
    return kind;
  }

  // Tags give the same rows unless an argument has one token or spans of a track overlap.
  static Kind kind_of(const Row* row, int64_t n_rows, int32_t length, int32_t n_roles) {
    int32_t ends[2] = {0, 0};  // of the last argument, and of the last signal
    uint64_t place = 0;
    bool invalid_row = false, overlap = false, one_token = false;
    for (const Row* end = row + n_rows; row < end; ++row) {
      const bool is_signal = row->role == signal;
      const uint64_t before = place;
      place = place_of(*row);
      invalid_row |= (row->role < 0) | (row->role >= n_roles) | (row->start < 0) |
                     (place < before) | (row->stop <= row->start) | (row->stop > length);
      overlap |= row->start < ends[is_signal];
      one_token |= !is_signal & (int64_t{row->stop} - row->start == 1);
      ends[is_signal] = row->stop;
    }
    if (invalid_row && n_roles) return Kind::INVALID;
    return overlap ? Kind::OVERLAPS : one_token ? Kind::RUNS_ON : Kind::STAYS;
  }

  // Two overlapping causes or effects would need a tag inside a tag of the same name.
  static bool tags_can_hold(const Row* row, int64_t n_rows) {
    int32_t ends[2] = {0, 0};
    for (const Row* end = row + n_rows; row < end; ++row) {
      if (row->role == signal) continue;
      int32_t& before = ends[row->role];
      if (row->start < before) return false;
      before = row->stop;
    }
    return true;
  }

  void read_tags(const Row* input, int64_t n_rows, int32_t length, bool relaxed) {
    marks_.clear();
    for (const Row* row = input; row < input + n_rows; ++row) {
      marks_.push_back({row->start, row->role, false});
      marks_.push_back({row->stop - 1, row->role, true});
    }
    std::sort(marks_.begin(), marks_.end());
    spans_.clear();
    OfficialTags tags(relaxed, spans_);
    for (const Mark& mark : marks_) tags.tag(mark.token, mark.role, mark.closes);
    tags.end(length);
  }

  std::vector<Mark> marks_;
  std::vector<PackedSpan> spans_;
};

}  // namespace fastcausal
