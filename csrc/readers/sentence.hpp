// A sentence that finds texts of spans in it, in characters and in tokens.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/collected.hpp"
#include "text/scripts.hpp"

namespace fastcausal {

using CodePoints = std::vector<uint32_t>;

// Finds all places of a text in another text, overlapping ones too. It takes linear time (Knuth,
// Morris, Pratt).
class Occurrences {
 public:
  std::vector<int64_t> places;  // results of the last `find`, ascending

  // Finds the places. An empty text occurs nowhere.
  void find(const CodePoints& text, const CodePoints& wanted) {
    places.clear();
    const size_t m = wanted.size();
    if (!m || m > text.size()) return;
    set_borders(wanted);
    size_t matched = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      while (matched && text[at] != wanted[matched]) matched = borders_[matched];
      matched += text[at] == wanted[matched];
      if (matched == m) {
        places.push_back(static_cast<int64_t>(at + 1 - m));
        matched = borders_[m];
      }
    }
  }

 private:
  std::vector<size_t> borders_;  // by prefix of the wanted text: length of its longest border

  void set_borders(const CodePoints& wanted) {
    borders_.assign(wanted.size() + 1, 0);
    for (size_t at = 1, border = 0; at < wanted.size(); ++at) {
      while (border && wanted[at] != wanted[border]) border = borders_[border];
      border += wanted[at] == wanted[border];
      borders_[at + 1] = border;
    }
  }
};

class Sentence {
 public:
  CodePoints letters;
  CodePoints wanted;                   // the text that `locate` looks up
  std::vector<int32_t> starts, stops;  // of tokens, in characters

  // Finds the tokens of `letters`, which are at most 2^31 - 1.
  void split(bool by_letters = false) {
    TokenCutter<int32_t> cutter(starts, stops, by_letters);
    for (size_t at = 0; at < letters.size(); ++at) {
      cutter.take(letters[at], static_cast<int32_t>(at));
    }
    cutter.end(static_cast<int32_t>(letters.size()));
  }

  // Strips white space from both ends of `wanted`. Returns false if nothing remains.
  bool strip() {
    const auto is_ink = [](uint32_t letter) { return !TokenCutter<int32_t>::is_space(letter); };
    wanted.erase(std::find_if(wanted.rbegin(), wanted.rend(), is_ink).base(), wanted.end());
    wanted.erase(wanted.begin(), std::find_if(wanted.begin(), wanted.end(), is_ink));
    return !wanted.empty();
  }

  // Turns characters [start, stop) into the tokens that they touch. Returns false if they touch
  // none, or cut a token of letters that are words. Adds one to `n_cut` if they cut another token.
  bool tokens(int32_t& start, int32_t& stop, int& n_cut) const {
    const auto first = first_touched(start), last = last_touched(stop);
    if (first >= last) return false;
    if (starts[first] < start || stop < stops[last - 1]) {
      if (cuts_letters(start, stop)) return false;
      ++n_cut;
    }
    start = static_cast<int32_t>(first);
    stop = static_cast<int32_t>(last);
    return true;
  }

  bool touches(int32_t start, int32_t stop) const {
    return first_touched(start) < last_touched(stop);
  }

  // Returns whether characters [start, stop), which touch a token, cut one with two letters of
  // `SCRIPT_LETTERS` or more.
  bool cuts_letters(int32_t start, int32_t stop) const {
    const auto first = first_touched(start), last = last_touched(stop) - 1;
    return (starts[first] < start && holds_script_letters(letters, starts[first], stops[first])) ||
           (stop < stops[last] && holds_script_letters(letters, starts[last], stops[last]));
  }

  // Counts the occurrences of `wanted` that are whole tokens, and sets [start, stop) to one of
  // them. Without gaps it is the first. With gaps it is the one that reaches least beyond a gap.
  int64_t locate(int32_t& start, int32_t& stop) {
    const auto size = static_cast<int64_t>(wanted.size());
    int64_t count = 0, least = 0, place = 0;
    found_.find(letters, wanted);
    for (const int64_t at : found_.places) {
      if (!is_whole(at, at + size)) continue;
      const int64_t reach = reach_of(at, at + size);
      if (!count++ || reach < least) {
        least = reach;
        place = at;
      }
    }
    int n_cut = 0;
    start = static_cast<int32_t>(place);
    stop = static_cast<int32_t>(place + size);
    return count && tokens(start, stop, n_cut) ? count : 0;
  }

  // Sets the places to expect signals: between Cause (role 0) and Effect (role 1) of these rows. If
  // only one of them exists, signals may be on both sides of it. Skips rows of the role `but`.
  void set_gaps(const Row* rows, int64_t n, int32_t but = -1) {
    Gap hull[2] = {{INT64_MAX, -1}, {INT64_MAX, -1}};
    for (const Row* row = rows; row < rows + n; ++row) {
      if (row->role > 1 || row->role == but) continue;
      Gap& of = hull[row->role];
      of.start = std::min<int64_t>(of.start, starts[static_cast<size_t>(row->start)]);
      of.stop = std::max<int64_t>(of.stop, stops[static_cast<size_t>(row->stop) - 1]);
    }
    forget_gaps();
    const auto& [first, second] = std::minmax(hull[0], hull[1]);  // a missing one comes second
    if (second.stop >= 0) {
      gaps_[n_gaps_++] = {std::min(first.stop, second.start), std::max(first.stop, second.start)};
    } else if (first.stop >= 0) {
      gaps_[n_gaps_++] = {first.start, first.start};
      gaps_[n_gaps_++] = {first.stop, first.stop};
    }
  }

  void forget_gaps() { n_gaps_ = 0; }

 private:
  struct Gap {
    int64_t start, stop;
    bool operator<(const Gap& o) const {
      return start != o.start ? start < o.start : stop < o.stop;
    }
  };
  Gap gaps_[2] = {};
  int n_gaps_ = 0;
  Occurrences found_;

  size_t first_touched(int32_t start) const {
    return static_cast<size_t>(std::upper_bound(stops.begin(), stops.end(), start) - stops.begin());
  }
  size_t last_touched(int32_t stop) const {  // and one more
    return static_cast<size_t>(std::lower_bound(starts.begin(), starts.end(), stop) -
                               starts.begin());
  }

  bool is_whole(int64_t start, int64_t stop) const {
    return std::binary_search(starts.begin(), starts.end(), start) &&
           std::binary_search(stops.begin(), stops.end(), stop);
  }

  int64_t reach_of(int64_t start, int64_t stop) const {
    int64_t least = 0;
    for (int k = 0; k < n_gaps_; ++k) {
      const int64_t reach = std::max({gaps_[k].start - start, stop - gaps_[k].stop, int64_t{0}});
      if (!k || reach < least) least = reach;
    }
    return least;
  }
};

// Notes on spans: texts that occur again, spans that cut a token, spans given as texts.
struct SpanNotes {
  int n_again = 0, n_cut = 0, n_texts = 0;

  SpanNotes& operator+=(const SpanNotes& o) {
    n_again += o.n_again;
    n_cut += o.n_cut;
    n_texts += o.n_texts;
    return *this;
  }
};

constexpr int64_t MOST_TEXTS = 64;  // of a relation with texts: each is compared with earlier ones

// Adds a span given as characters [start, stop). Returns false if they are outside the sentence or
// touch no token.
inline bool add_characters(CollectedRows& found, int32_t role, int32_t start, int32_t stop,
                           const Sentence& sentence, SpanNotes& notes) {
  if (start >= stop || static_cast<size_t>(stop) > sentence.letters.size()) return false;
  if (!sentence.tokens(start, stop, notes.n_cut)) return false;
  found.row(role, start, stop);
  return true;
}

// Adds the span whose text is `wanted`; white space alone is none. Returns false unless whole
// tokens match it, or if a text of this role was found at its place before, or if it may occur only
// once and occurs again.
inline bool add_text(CollectedRows& found, int32_t role, Sentence& sentence, bool once,
                     SpanNotes& notes) {
  int32_t start = 0, stop = 0;
  if (!sentence.strip()) return true;
  const int64_t count = sentence.locate(start, stop);
  if (!count || (once && count > 1)) return false;
  const auto before = static_cast<size_t>(found.row_offsets.back());
  if (static_cast<int64_t>(found.rows.size() - before) > MOST_TEXTS) return false;
  for (size_t k = before; k < found.rows.size(); ++k) {
    const Row& row = found.rows[k];
    if (row.role == role && row.start == start && row.stop == stop) return false;
  }
  found.row(role, start, stop);
  notes.n_again += count > 1;
  ++notes.n_texts;
  return true;
}

}  // namespace fastcausal
