// What the official scorers make of the tags in a sentence, whether they are read in it
// (tagged.hpp) or spans are taken as if they had been written with tags. Host only; the Python
// twins are in fastcausal/formats/tags.py.
//
//   tokens      rain  fell   ,   so   roads   closed
//   tags        <0>    </0>            <1>
//   arguments   B-C    I-C              B-E    I-E     a one-word argument opens and never closes
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fastcausal/plan.h"

namespace fastcausal {

// One span in 64 bits that sort as (role, start, stop) does.
using Span = uint64_t;
inline Span span_of(int32_t role, int32_t start, int32_t stop) {
  return static_cast<Span>(role) << 62 | static_cast<Span>(start) << 31 | static_cast<Span>(stop);
}
inline int32_t role_of(Span s) { return static_cast<int32_t>(s >> 62); }
inline int32_t start_of(Span s) { return static_cast<int32_t>(s >> 31 & 0x7fffffff); }
inline int32_t stop_of(Span s) { return static_cast<int32_t>(s & 0x7fffffff); }

enum Role : int32_t { cause, effect, signal };

// Tags, in the order of the tokens they stand in, to spans.
class OfficialTags {
 public:
  OfficialTags(bool relaxed, std::vector<Span>& spans) : relaxed_(relaxed), spans_(spans) {}

  void argument(int32_t token, int32_t role, bool closes) {
    mark(arguments_, token);
    arguments_.rank = std::min(arguments_.rank, 2 * role + closes);
  }
  void signal_tag(int32_t token, bool closes) {
    mark(signals_, token);
    (closes ? signals_.closes : signals_.opens) = true;
  }
  void end(int32_t n_tokens) {
    end_run(arguments_, n_tokens);
    end_run(signals_, n_tokens);
  }

 private:
  // The marks of one token, and the last span of their track.
  struct Track {
    int32_t token = -1;
    int32_t rank = 4;  // of arguments: the order in which the official program looks for them
    bool opens = false, closes = false;
    int64_t last = -1;
  };

  void mark(Track& track, int32_t token) {
    if (track.token == token) return;
    end_run(track, token);
    track.token = token;
    track.rank = 4;
    track.opens = track.closes = false;
  }

  // What is opened goes on up to the next marked token, `next`.
  void end_run(Track& track, int32_t next) {
    if (track.token < 0) return;
    int32_t role = signal;
    if (&track == &arguments_) {
      role = track.rank / 2;
      track.closes = track.rank % 2 == 1;
      track.opens = !track.closes;
    }
    const int32_t stop = track.closes ? track.token + 1 : next;
    if (!track.opens && track.last >= 0) {
      Span& last = spans_[static_cast<size_t>(track.last)];
      if (role_of(last) == role && stop_of(last) == track.token) {
        last = span_of(role, start_of(last), stop);
        return;
      }
    }
    if (!track.opens && !relaxed_) return;
    track.last = static_cast<int64_t>(spans_.size());
    spans_.push_back(span_of(role, track.token, stop));
  }

  bool relaxed_;
  Track arguments_, signals_;
  std::vector<Span>& spans_;
};

// Relations whose spans were read as if they had been written with tags.
class ReadAsTagged {
 public:
  std::vector<int32_t> values;  // [n_rows, 3]
  std::vector<int64_t> row_offsets;
  int64_t n_as_given = 0;  // relations that tags cannot hold, and that stay as they are

  // False where every relation stays as it is and tags can hold it: then there is nothing here.
  bool read(const Side& side, int64_t n_examples, const int32_t* lengths, bool relaxed) {
    const int64_t first =
        first_other(side, side.relation_offsets[0], side.relation_offsets[n_examples]);
    if (first == side.relation_offsets[n_examples]) return false;
    const int64_t n_relations = side.relation_offsets[n_examples];
    values.reserve(static_cast<size_t>(3 * side.row_offsets[n_relations]));
    row_offsets.assign(side.row_offsets, side.row_offsets + first + 1);
    values.assign(side.values, side.values + 3 * side.row_offsets[first]);
    for (int64_t e = 0; e < n_examples; ++e) {
      const int64_t stop = side.relation_offsets[e + 1];
      for (int64_t r = std::max(first, side.relation_offsets[e]); r < stop; ++r) {
        add(side.values + 3 * side.row_offsets[r], side.n_rows(r), lengths[e], relaxed);
      }
    }
    return true;
  }

 private:
  struct Mark {
    int32_t token, role;
    bool closes;
    bool operator<(const Mark& o) const { return token < o.token; }
  };

  // Whether tags give back the same rows: no argument of one word, no overlap within a track.
  static bool stays(const int32_t* row, int64_t n_rows) {
    int32_t ends[2] = {0, 0};  // of the last argument, and of the last signal
    bool same = true;
    for (const int32_t* end = row + 3 * n_rows; row < end; row += 3) {
      const bool is_signal = role_of(row) == signal;
      same &= (start_of(row) >= ends[is_signal]) & (is_signal | (stop_of(row) > start_of(row) + 1));
      ends[is_signal] = stop_of(row);
    }
    return same;
  }

  static int64_t first_other(const Side& side, int64_t relation, int64_t last) {
    while (relation < last &&
           stays(side.values + 3 * side.row_offsets[relation], side.n_rows(relation))) {
      ++relation;
    }
    return relation;
  }

  // Two causes or two effects that overlap would need one tag within another of the same name.
  static bool tags_can_hold(const int32_t* row, int64_t n_rows) {
    int32_t ends[3] = {0, 0, 0};
    for (const int32_t* end = row + 3 * n_rows; row < end; row += 3) {
      int32_t& before = ends[role_of(row)];
      if (role_of(row) != signal && start_of(row) < before) return false;
      before = stop_of(row);
    }
    return true;
  }

  void add(const int32_t* rows, int64_t n_rows, int32_t length, bool relaxed) {
    const bool can_hold = tags_can_hold(rows, n_rows);
    n_as_given += !can_hold;
    if (!can_hold || stays(rows, n_rows)) {
      values.insert(values.end(), rows, rows + 3 * n_rows);
    } else {
      read_relation(rows, n_rows, length, relaxed);
    }
    row_offsets.push_back(static_cast<int64_t>(values.size() / 3));
  }

  void read_relation(const int32_t* rows, int64_t n_rows, int32_t length, bool relaxed) {
    marks_.clear();
    for (const int32_t* row = rows; row < rows + 3 * n_rows; row += 3) {
      marks_.push_back({start_of(row), role_of(row), false});
      marks_.push_back({stop_of(row) - 1, role_of(row), true});
    }
    std::sort(marks_.begin(), marks_.end());
    spans_.clear();
    OfficialTags tags(relaxed, spans_);
    for (const Mark& mark : marks_) {
      if (mark.role == signal) {
        tags.signal_tag(mark.token, mark.closes);
      } else {
        tags.argument(mark.token, mark.role, mark.closes);
      }
    }
    tags.end(length);
    std::sort(spans_.begin(), spans_.end(), [](Span a, Span b) {
      const int32_t x[3] = {role_of(a), start_of(a), stop_of(a)};
      const int32_t y[3] = {role_of(b), start_of(b), stop_of(b)};
      return compare_rows(x, y) < 0;
    });
    for (const Span span : spans_) {
      values.insert(values.end(), {role_of(span), start_of(span), stop_of(span)});
    }
  }

  std::vector<Mark> marks_;
  std::vector<Span> spans_;
};

}  // namespace fastcausal
