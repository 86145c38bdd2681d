// Tagged sentences to spans in one pass. Host only. Plain loops fill bit masks of 64-byte blocks,
// and the compiler vectorises them. fastcausal/formats/cnc/markup.py specifies the readings.
// Cost: about one nanosecond for 2 bytes. A sentence has fewer than 2^31 bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/stop.hpp"
#include "engine/official.hpp"
#include "text/scripts.hpp"

namespace fastcausal {

enum class Tags : int64_t { strict, official, relaxed, letters };

inline bool is_blank(unsigned char c) { return c == ' '; }
inline bool is_white(unsigned char c) { return (c == ' ') | (static_cast<uint8_t>(c - 9) < 5); }

// Counts the numbers k of a range that have a property.
template <class Has>
int64_t count_if(int64_t from, int64_t to, Has has) {
  int64_t n = 0;
  while (from < to) {
    const int64_t stop = std::min<int64_t>(to, from + 255);  // limit of a byte
    uint8_t found = 0;
    for (; from < stop; ++from) found += static_cast<uint8_t>(has(from));
    n += found;
  }
  return n;
}

// Counts tokens of plain text: runs of non-blank characters, or pieces between single spaces.
inline int64_t count_words(const char* text, int64_t size) {
  const auto begins = [&](int64_t k) { return is_white(text[k - 1]) & !is_white(text[k]); };
  return (size > 0 && !is_white(text[0])) + count_if(1, size, begins);
}

inline int64_t count_pieces(const char* text, int64_t size) {
  return 1 + count_if(0, size, [&](int64_t k) { return is_blank(text[k]); });
}

inline int64_t count_tokens(const char* text, int64_t size, Tags tags) {
  if (tags == Tags::letters) return count_letters({text, static_cast<size_t>(size)});
  return tags == Tags::strict ? count_words(text, size) : count_pieces(text, size);
}

// 64 bytes of a sentence. Bytes past its end are separators.
struct Block {
  uint64_t opening;    // "<"
  uint64_t separator;  // ends of tokens

  template <class Ends>
  void read(const char* text, int64_t left, const char* limit, Ends ends_token) {
    char padded[64];
    const char* p = text;
    if (limit - text < 64) {
      p = padded;
      std::memset(padded, 0, sizeof padded);
      std::memcpy(padded, text, static_cast<size_t>(limit - text));
    }
    uint8_t flags[64], ends[64];
    for (int i = 0; i < 64; ++i) flags[i] = p[i] == '<';
    for (int i = 0; i < 64; ++i) ends[i] = ends_token(p[i]);
    const uint64_t past = left < 64 ? ~uint64_t{0} << left : 0;
    opening = as_bits(flags) & ~past;
    separator = as_bits(ends) | past;
  }
};

constexpr int32_t UNREAD = -1;

// An argument, or the signals of a number.
struct OpenTag {
  int32_t start;    // the first token
  int32_t content;  // content_ at its opening tag; CLOSED: not open
};
constexpr int32_t CLOSED = -1;

// Settings and columns that the sentences of a table share.
struct TaggedSpans {
  std::vector<PackedSpan> spans;
  std::vector<int64_t> odd_signals;  // sentences with a signal tag that may hold an unusual number
  std::vector<int64_t> cut;     // sentences with a tag within a token, and letters of three bytes
  std::vector<OpenTag> opened;  // ARG0, ARG1, SIG0 to SIG9, then signals of two and more digits
  std::unordered_map<std::string_view, int32_t> numbers;  // index of each longer signal
  std::vector<int32_t> waiting;  // numbers of open items that no text follows yet
};

// The strict reading of one sentence.
class StrictSentence {
 public:
  StrictSentence(const char* text, int64_t size, TaggedSpans& found)
      : text_(text), end_(text + size), piece_(text), found_(found) {
    if (!found.numbers.empty()) found.numbers.clear();
    found.opened.assign(N_PLAIN, {0, CLOSED});
    found.waiting.clear();
  }

  int32_t read(const char* limit) {
    uint64_t before = 1;  // 1 if a separator or the start comes before the block
    for (const char* at = text_; at < end_; at += 64) {
      Block block;
      block.read(at, end_ - at, limit, is_white);
      starts_ = ~block.separator & (block.separator << 1 | before);
      before = block.separator >> 63;
      for (uint64_t rest = block.opening; rest; rest &= rest - 1) {
        if (!tag(at, lowest_one(rest))) return UNREAD;
      }
      n_starts_ += count_ones(starts_);
    }
    text_until(end_, n_starts_);
    return n_open_ ? UNREAD : n_;
  }

  // Returns whether a tag stands within a token, in a sentence with letters of three bytes.
  bool is_cut() const {
    const auto is_long = [](char c) { return static_cast<unsigned char>(c) >= 0xE0; };
    return is_cut_ && std::any_of(text_, end_, is_long);
  }

 private:
  static constexpr int32_t N_PLAIN = 12;  // arguments and signals of one digit

  // Reads one "<" of a block. Returns false if it makes the sentence unreadable.
  bool tag(const char* block, int32_t bit) {
    const char* at = block + bit;
    const char* name = at + 1;
    const bool closes = name < end_ && *name == '/';
    name += closes;
    if (end_ - name < 3) return true;
    const bool argument = std::memcmp(name, "ARG", 3) == 0;
    if (!argument && std::memcmp(name, "SIG", 3) != 0) return true;
    const unsigned names = argument ? 2 : 10;  // of one digit
    if (end_ - name < 5 || static_cast<unsigned>(name[3] - '0') >= names) return false;
    const char* stop = name + 4;
    while (!argument && stop < end_ && static_cast<unsigned>(*stop - '0') < 10) ++stop;
    if (stop == end_ || *stop != '>') return false;
    const int32_t n_starts = n_starts_ + count_ones(starts_ & ((uint64_t{1} << bit) - 1));
    text_until(at, n_starts);
    n_tagged_ = n_starts + static_cast<int32_t>(starts_ >> bit & 1);
    piece_ = stop + 1;
    int32_t number = name[3] - '0' + (argument ? 0 : 2);
    if (stop > name + 4) number = number_of({name, static_cast<size_t>(stop - name)});
    OpenTag& opened = found_.opened[static_cast<size_t>(number)];
    if (closes == (opened.content == CLOSED)) return false;
    n_open_ += closes ? -1 : 1;
    if (!closes) {
      opened.content = content_;
      found_.waiting.push_back(number);
      return true;
    }
    if (opened.content == content_) return false;
    opened.content = CLOSED;
    found_.spans.push_back(packed(std::min<int32_t>(number, signal), opened.start, n_));
    return true;
  }

  int32_t number_of(std::string_view name) {
    const auto next = static_cast<int32_t>(found_.opened.size());
    const auto [entry, is_new] = found_.numbers.try_emplace(name, next);
    if (is_new) found_.opened.push_back({0, CLOSED});
    return entry->second;
  }

  // Ends the text since the last tag. n_starts tokens of the tagged sentence begin before its end.
  void text_until(const char* at, int32_t n_starts) {
    if (at == piece_) return;
    const bool word = piece_ > text_ && !is_white(*piece_);  // begins after a tag: starts_ lacks it
    const int32_t words = n_starts - n_tagged_ + word;
    n_ -= word & glued_;
    is_cut_ |= word & glued_;
    for (const int32_t number : found_.waiting)
      found_.opened[static_cast<size_t>(number)].start = n_;
    found_.waiting.clear();
    n_ += words;
    content_ += words;
    glued_ = !is_white(at[-1]);
  }

  const char* text_;
  const char* end_;
  const char* piece_;     // start of the text since the last tag
  uint64_t starts_ = 0;   // starts of tokens of the tagged sentence in the block
  int32_t n_starts_ = 0;  // starts before the block
  int32_t n_tagged_ = 0;  // starts up to the last tag
  int32_t n_ = 0;         // tokens of the text so far; the last one may be incomplete
  int32_t content_ = 0;   // grows with every piece of text that has tokens
  bool glued_ = false;    // the next text continues the last token
  bool is_cut_ = false;   // a tag stands within a token
  int32_t n_open_ = 0;    // arguments and signals
  TaggedSpans& found_;
};

// The readings of the official scorers. A tag applies to the piece between spaces that contains it.
class OfficialSentence {
 public:
  OfficialSentence(const char* text, int64_t size, bool relaxed, std::vector<PackedSpan>& spans)
      : text_(text), end_(text + size), tags_(relaxed, spans) {}

  int32_t read(const char* limit) {
    int32_t n = 0;  // spaces before the block
    const char* at = text_;
    for (; at < end_; at += 64) {
      Block block;
      block.read(at, end_ - at, limit, is_blank);
      for (uint64_t rest = block.opening; rest; rest &= rest - 1) {
        const int32_t bit = lowest_one(rest);
        tag(at + bit, n + count_ones(block.separator & ((uint64_t{1} << bit) - 1)));
      }
      n += count_ones(block.separator);
    }
    n -= static_cast<int32_t>(at - end_) - 1;  // removes spaces past the end, adds the last piece
    tags_.end(n);
    return n;
  }

  // Returns whether a signal tag may hold an unusual number. tags.odd_signal_tag decides.
  bool has_odd_signal() const { return has_odd_signal_; }

 private:
  void tag(const char* at, int32_t token) {
    const char* name = at + 1;
    const bool closes = name < end_ && *name == '/';
    name += closes;
    if (end_ - name < 3) return;
    if (std::memcmp(name, "SIG", 3) == 0) {
      tags_.tag(token, signal, closes);
      const char* stop = name + 3;
      while (stop < end_ && static_cast<unsigned>(*stop - '0') < 10) ++stop;
      has_odd_signal_ |= stop == end_ || *stop != '>' || stop == name + 3;
    } else if (end_ - name >= 5 && std::memcmp(name, "ARG", 3) == 0 && name[4] == '>' &&
               (name[3] == '0' || name[3] == '1')) {
      tags_.tag(token, name[3] - '0', closes);
    }
  }

  const char* text_;
  const char* end_;
  bool has_odd_signal_ = false;
  OfficialTags tags_;
};

// Reads the sentences of a list array, example by example. Sets n_tokens of each sentence, -1 if it
// is unreadable. Sets widths, the number of its spans. -1: unreadable, or not as long as its
// example. An unknown length, -1, becomes the length of the first readable sentence of the example.
template <class Offset>
FC_CLONES void read_tagged(const char* data, const Offset* offsets, const int64_t* examples,
                           int64_t n_examples, Tags tags, int32_t* lengths, int32_t* n_tokens,
                           int32_t* widths, TaggedSpans& found, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  const char* limit = data + offsets[examples[n_examples]];
  for (int64_t e = 0; e < n_examples; ++e) {
    for (int64_t s = examples[e]; s < examples[e + 1]; ++s) {
      const char* text = data + offsets[s];
      const int64_t size = offsets[s + 1] - offsets[s];
      if (size > INT32_MAX) fail(std::length_error("a tagged sentence has 2 GiB or more"));
      meter.add_cost(4 * size + 50);
      const size_t first = found.spans.size();
      if (tags == Tags::strict) {
        StrictSentence sentence(text, size, found);
        n_tokens[s] = sentence.read(limit);
        if (sentence.is_cut()) found.cut.push_back(s);
      } else {
        OfficialSentence sentence(text, size, tags == Tags::relaxed, found.spans);
        n_tokens[s] = sentence.read(limit);
        if (sentence.has_odd_signal()) found.odd_signals.push_back(s);
      }
      if (lengths[e] < 0) lengths[e] = n_tokens[s];
      if (n_tokens[s] < 0 || n_tokens[s] != lengths[e]) {
        found.spans.resize(first);
        widths[s] = UNREAD;
        continue;
      }
      widths[s] = static_cast<int32_t>(found.spans.size() - first);
      const auto begin = found.spans.begin() + static_cast<std::ptrdiff_t>(first);
      if (!std::is_sorted(begin, found.spans.end())) std::sort(begin, found.spans.end());
    }
  }
}

// Fills the columns of an array of spans.
inline void unpack(const std::vector<PackedSpan>& spans, int8_t* role, int32_t* start,
                   int32_t* stop) {
  for (size_t k = 0; k < spans.size(); ++k) {
    const Row row = unpacked(spans[k]);
    role[k] = static_cast<int8_t>(row.role);
    start[k] = row.start;
    stop[k] = row.stop;
  }
}

}  // namespace fastcausal
