// What the official scorers make of the tags in a sentence, whether they are read in it
// (tagged.hpp) or spans are taken as if they had been written with tags. Host only; the Python
// twins are in fastcausal/formats/cnc/markup.py.
//
//   tokens      rain  fell   ,   so   roads   closed
//   tags        <0>    </0>            <1>
//   arguments   B-C    I-C              B-E    I-E     a one-word argument opens and never closes
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fastcausal/label_spans.h"
#include "fastcausal/plan.h"
#include "rows.hpp"

namespace fastcausal {

// One span in 64 bits that sort as (role, start, stop) does.
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

// Tags, in the order of the tokens they stand in, to spans.
class OfficialTags {
 public:
  OfficialTags(bool relaxed, std::vector<PackedSpan>& spans) : relaxed_(relaxed), spans_(spans) {}

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
      PackedSpan& span = spans_[static_cast<size_t>(track.last)];
      const Row last = unpacked(span);
      if (last.role == role && last.stop == track.token) {
        span = packed(role, last.start, stop);
        return;
      }
    }
    if (!track.opens && !relaxed_) return;
    track.last = static_cast<int64_t>(spans_.size());
    spans_.push_back(packed(role, track.token, stop));
  }

  bool relaxed_;
  Track arguments_, signals_;
  std::vector<PackedSpan>& spans_;
};

// How spans that come without tags are read; RELAXED: also what is closed and never opened.
enum class ReadAs : int64_t { GIVEN, OFFICIAL, RELAXED };

// Rows of a range of examples whose spans were read as if they had been written with tags, and
// checked on the way. Tags give back the same rows, or such as run on, unless spans of a track
// overlap.
class ReadAsTagged {
 public:
  std::vector<Row> rows;             // from row `base` on
  std::vector<int64_t> row_offsets;  // of relations from `first` on; none where they stay
  int64_t base = 0;
  int64_t first = 0;
  int64_t n_as_given = 0;  // relations that tags cannot hold, and that stay as they are
  bool wrong = false;      // rows break a rule: then nothing else here holds

  // Returns false where every relation stays as it is. n_roles: 0 for rows that are right already.
  bool read(const Given& given, int64_t from, int64_t to, int32_t n_roles, ReadAs reading) {
    const Side& side = given.side;
    first = from ? side.relation_offsets[from] : 0;
    const int64_t last = side.relation_offsets[to];
    wrong =
        n_roles && !(rising(side.relation_offsets + from, to - from, given.n_relations) &&
                     first <= last && rising(side.row_offsets + first, last - first, given.n_rows));
    if (wrong) return false;
    base = from ? side.row_offsets[first] : 0;
    rows.assign(side.rows + base, side.rows + side.row_offsets[last]);
    row_offsets.clear();
    changed_ = false;
    unlike_.clear();
    Row* own = rows.data() - base;
    for (int64_t e = from; e < to; ++e) {
      for (int64_t r = side.relation_offsets[e]; r < side.relation_offsets[e + 1]; ++r) {
        Row* row = own + side.row_offsets[r];
        const Kind kind = kind_of(row, side.n_rows(r), given.lengths[e], n_roles);
        wrong = kind == Kind::WRONG;
        if (wrong) return false;
        if (kind == Kind::OVERLAPS) unlike_.push_back({r, given.lengths[e]});
        if (kind != Kind::RUNS_ON) continue;
        labels::run_on(row, side.n_rows(r), given.lengths[e]);
        sort_rows(own, side.row_offsets + r, 1);
      }
    }
    if (!unlike_.empty()) put_unlike(side, last, reading == ReadAs::RELAXED);
    return changed_;
  }

 private:
  enum class Kind { STAYS, RUNS_ON, OVERLAPS, WRONG };

  struct Unlike {
    int64_t relation;
    int32_t length;
  };

  struct Mark {
    int32_t token, role;
    bool closes;
    bool operator<(const Mark& o) const { return token < o.token; }
  };

  static uint64_t place_of(const Row& row) {  // in the order of rows
    return static_cast<uint64_t>(row.start) << 33 | static_cast<uint64_t>(row.stop) << 2 |
           static_cast<uint64_t>(row.role & 3);
  }

  // Tags give back the same rows unless an argument has one token or spans of a track overlap.
  Kind kind_of(const Row* row, int64_t n_rows, int32_t length, int32_t n_roles) {
    int32_t ends[2] = {0, 0};  // of the last argument, and of the last signal
    uint64_t place = 0;
    bool wrong_row = false, overlap = false, one_token = false;
    for (const Row* end = row + n_rows; row < end; ++row) {
      const bool is_signal = row->role == signal;
      const uint64_t before = place;
      place = place_of(*row);
      wrong_row |= (row->role < 0) | (row->role >= n_roles) | (row->start < 0) | (place < before) |
                   (row->stop <= row->start) | (row->stop > length);
      overlap |= row->start < ends[is_signal];
      one_token |= !is_signal & (int64_t{row->stop} - row->start == 1);
      ends[is_signal] = row->stop;
    }
    if (wrong_row && n_roles) return Kind::WRONG;
    changed_ |= one_token & !overlap;
    return overlap ? Kind::OVERLAPS : one_token ? Kind::RUNS_ON : Kind::STAYS;
  }

  // Two causes or two effects that overlap would need one tag within another of the same name.
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

  // Puts relations whose spans overlap in their place: tags may make another number of rows.
  void put_unlike(const Side& side, int64_t last, bool relaxed) {
    std::vector<Row> all;
    int64_t next = first;  // the first relation that is not taken over yet
    const auto take_over = [&](int64_t stop) {
      const int64_t moved = base + static_cast<int64_t>(all.size()) - side.row_offsets[next];
      all.insert(all.end(), rows.data() + (side.row_offsets[next] - base),
                 rows.data() + (side.row_offsets[stop] - base));
      for (; next < stop; ++next) row_offsets.push_back(side.row_offsets[next] + moved);
    };
    all.assign(rows.data(), rows.data() + (side.row_offsets[first] - base));
    for (const Unlike& each : unlike_) {
      const int64_t r = each.relation;
      const Row* given = side.rows + side.row_offsets[r];
      const int64_t n = side.n_rows(r);
      take_over(r);
      row_offsets.push_back(base + static_cast<int64_t>(all.size()));
      const auto own = all.insert(all.end(), given, given + n);
      next = r + 1;
      if (!tags_can_hold(given, n)) {
        ++n_as_given;
        continue;
      }
      const std::ptrdiff_t place = own - all.begin();
      all.resize(static_cast<size_t>(place));
      read_tags(given, n, each.length, relaxed);
      for (const PackedSpan span : spans_) all.push_back(unpacked(span));
      std::sort(all.begin() + place, all.end(), before);
      changed_ = true;
    }
    take_over(last);
    row_offsets.push_back(base + static_cast<int64_t>(all.size()));
    rows.swap(all);
  }

  void read_tags(const Row* given, int64_t n_rows, int32_t length, bool relaxed) {
    marks_.clear();
    for (const Row* row = given; row < given + n_rows; ++row) {
      marks_.push_back({row->start, row->role, false});
      marks_.push_back({row->stop - 1, row->role, true});
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
  }

  bool changed_ = false;
  std::vector<Unlike> unlike_;
  std::vector<Mark> marks_;
  std::vector<PackedSpan> spans_;
};

}  // namespace fastcausal
