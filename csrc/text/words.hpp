// Words of texts as numbers: lower case, without ASCII punctuation and the articles a, an, the.
//
//   Letters ──── a table of Python's properties of letters, by code point
//   Words ────── the words of one example: equal words have equal numbers
//     └─ TextReader ── finds the words of texts
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "arrays/bits.hpp"
#include "text/text_bits.hpp"
#include "text/utf8.hpp"

namespace fastcausal {

struct Text {  // UTF-8
  const char* data = nullptr;
  int64_t size = 0;

  const char* end() const { return data + size; }
};

struct ColumnText : Text {
  const char* limit;  // all bytes before it are readable
};

// Texts of an Arrow column. A null has a negative size.
struct TextColumn {
  const char* data;
  const int64_t* offsets;
  const int8_t* valid;  // or NULL
  int64_t n;

  ColumnText operator[](int64_t k) const {
    const char* const limit = data + offsets[n];
    if (valid && !valid[k]) return {{data, -1}, limit};
    return {{data + offsets[k], offsets[k + 1] - offsets[k]}, limit};
  }
};

struct Letters {
  // ALONE: a letter that is a word, with the marks behind it (text/scripts.hpp).
  enum : int8_t { OTHER, LETTER, SPACE, DELETED, ALONE, MARK };

  Letters() = default;
  Letters(const int32_t* lower_case, const int8_t* kinds, int64_t size, bool takes_others)
      : lower(lower_case), kind(kinds), n(size), lenient(takes_others) {}

  // Lower case; -1 if it depends on other letters, or has several letters.
  const int32_t* lower = nullptr;
  const int8_t* kind = nullptr;  // the kind of the letter in lower case
  int64_t n = 0;                 // size of the tables
  // True takes letters outside the table as they are: in texts with words normalised by Python.
  bool lenient = false;

  bool has(int32_t point) const { return point < n && lower[point] >= 0; }

  bool is_mark(char byte) const {
    const auto point = static_cast<unsigned char>(byte);
    return point < 0x80 && has(point) && kind[point] == DELETED;
  }
};

// Bits that turn ASCII letters into lower case; digits stay as they are.
constexpr uint64_t IN_LOWER_CASE = 0x2020202020202020;

// Returns up to eight bytes before a limit as an integer; the first byte is the lowest.
inline uint64_t eight_bytes(const char* at, const char* limit) {
  if (limit - at >= 8) return eight_bytes(at);
  uint64_t bytes = 0;
  for (int shift = 0; at < limit; ++at, shift += 8) bytes |= shifted(at, shift);
  return bytes;
}

inline void put_bytes(char* place, uint64_t bytes) {
  for (int k = 0; k < 8; ++k) place[k] = static_cast<char>(bytes >> (8 * k));
}

class Words {
 public:
  // Forgets all words.
  void clear() {
    bytes_.clear();
    first_ += n_;
    n_ = 0;
  }

  int32_t size() const { return n_; }

  void append_to(std::string& text, int32_t word) const {
    const Word& of = words_[static_cast<size_t>(word)];
    char first[8];
    put_bytes(first, of.first);
    text.append(of.size <= 8 ? first : bytes_.data() + of.start, of.size);
  }

  // Returns the number of a word. A new word gets a number if `keep` is true, else -1 is returned.
  // Eight bytes from any of its letters on must be readable.
  int32_t number_of(const char* letters, size_t size, bool keep) {
    const uint64_t first = first_of(eight_bytes(letters), size);
    if (size <= 8) return keep ? short_number<true>(first, size) : short_number<false>(first, size);
    uint64_t hash = first;
    for (size_t at = 8; at < size; at += 8) {
      hash = mixed(hash) ^ first_of(eight_bytes(letters + at), size - at);
    }
    size_t at = place(hash);
    while (slots_[at] >= first_ && !is_word(number_at(at), letters, size)) at = next(at);
    if (slots_[at] >= first_) return number_at(at);
    if (!keep) return -1;
    words_[static_cast<size_t>(n_)] = {hash, first, bytes_.size(), size};
    bytes_.append(letters, size);
    return add(at, n_);
  }

  // Does the same for a word of up to eight bytes. There is no branch for a new word, since it
  // would often be mispredicted: the word is stored first, and a free slot leads to this entry.
  template <bool Keep>
  int32_t short_number(uint64_t first, size_t size) {
    Word& own = words_[static_cast<size_t>(n_)];
    own = {first, first, 0, size};
    for (size_t at = place(first);; at = next(at)) {
      const int64_t known = slots_[at] - first_;
      const bool is_new = known < 0;
      const auto number = static_cast<int32_t>(known ^ ((known ^ n_) & -int64_t{is_new}));
      const Word& word = words_[static_cast<size_t>(number)];
      if ((word.first != first) | (word.size != size)) continue;
      return Keep ? add(at, number) : number | -int32_t{is_new};
    }
  }

  // Returns true if these letters are the word with this number.
  bool is_word(int32_t number, const char* letters, size_t size) const {
    const Word& word = words_[static_cast<size_t>(number)];
    return word.size == size && word.first == first_of(eight_bytes(letters), size) &&
           (size <= 8 || std::memcmp(bytes_.data() + word.start, letters, size) == 0);
  }

  // Returns the first bytes of a word, up to eight, from eight bytes at its start.
  static uint64_t first_of(uint64_t bytes, size_t size) {
    return size < 8 ? bytes & ((uint64_t{1} << 8 * size) - 1) : bytes;
  }

 private:
  struct Word {
    uint64_t hash;
    uint64_t first;  // the first bytes, up to eight
    size_t start, size;
  };
  static constexpr int64_t FREE = -1;
  std::string bytes_;  // letters of words with more than eight bytes
  // Slots have first_ + number of a word; lower values are free. Their number is a power of two,
  // and at most half of them are taken.
  std::vector<int64_t> slots_ = std::vector<int64_t>(512, FREE);
  int shift_ = 64 - 9;
  std::vector<Word> words_ = std::vector<Word>(256);
  int64_t first_ = 0;
  int32_t n_ = 0;

  size_t place(uint64_t hash) const { return mixed(hash) >> shift_; }
  size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }
  int32_t number_at(size_t at) const { return static_cast<int32_t>(slots_[at] - first_); }
  static uint64_t mixed(uint64_t hash) { return hash * 0x9E3779B97F4A7C15u; }

  // Puts the number of a word into a slot. The number n_ adds a new word.
  int32_t add(size_t at, int32_t number) {
    slots_[at] = first_ + number;
    n_ += number == n_;
    if (2 * static_cast<size_t>(n_) == slots_.size()) grow();
    return number;
  }

  void grow() {
    words_.resize(slots_.size());
    slots_.assign(2 * slots_.size(), FREE);
    --shift_;
    for (int32_t number = 0; number < n_; ++number) {
      size_t at = place(words_[static_cast<size_t>(number)].hash);
      while (slots_[at] != FREE) at = next(at);
      slots_[at] = first_ + number;
    }
  }
};

// Reads the words of texts.
class TextReader {
 public:
  explicit TextReader(const Letters& letters) : letters_(letters) {
    for (int byte = 0; byte < 256; ++byte)
      is_mark_[byte] = letters.is_mark(static_cast<char>(byte));
  }

  // Calls take(number) for each word in order; the number of a new word is -1 unless `Keep`. Calls
  // end_span(bare) at the end and, if `HasSpans`, at each '|'; bare is the span without outer white
  // space. Returns false if a letter is not in the table. Bytes before the limit are readable.
  template <bool HasSpans, bool Keep, class Take, class EndSpan>
  bool read(Text text, const char* limit, Words& words, const Take& take, const EndSpan& end_span) {
    // Two bytes become at most three in lower case, and an invalid byte becomes three.
    const size_t most = 3 * static_cast<size_t>(text.size) + 16;
    if (buffer_.size() < most) buffer_.resize(most);
    const char* const end = text.end();
    Bare bare{end, end};
    uint64_t behind_break = 1;  // 1 if the byte before is a blank or a separator
    for (const char* from = text.data; from < end; from += TextBits::STEP) {
      const TextBits bits(from, end, limit, HasSpans);
      const uint64_t breaks = bits.blank | bits.separator;
      const uint64_t starts = ~breaks & (breaks << 1 | behind_break);
      behind_break = breaks >> (TextBits::STEP - 1) & 1;
      uint64_t places = (starts | bits.separator) & ((uint64_t{1} << TextBits::STEP) - 1);
      for (; places; places &= places - 1) {
        const int at = lowest_one(places);
        const char* const word = from + at;
        const int size = bits.n_plain(at);
        if (size <= 8 && breaks >> (at + size) & 1) {
          const bool is_taken = take_short<Keep>(word, size, limit, words, take);
          if (HasSpans && !is_taken && bits.separator >> at & 1) {
            end_span(bare.text());
            bare = {end, end};
          } else {
            bare.reach(word, word + size);
          }
        } else if (size < 8 && is_mark(word[size]) && breaks >> (at + size + 1) & 1) {
          take_short<Keep>(word, size, limit, words, take);
          bare.reach(word, word + size + 1);
        } else if (!read_more(word, end, HasSpans, limit, words, Keep, bare, take)) {
          return false;
        }
      }
    }
    end_span(bare.text());
    return true;
  }

 private:
  const Letters letters_;
  bool is_mark_[256];
  std::vector<char> buffer_;  // the current word in lower case, and eight bytes more

  bool is_mark(char byte) const { return is_mark_[static_cast<unsigned char>(byte)]; }

  // A span without outer white space.
  struct Bare {
    const char *start, *stop;

    void reach(const char* from, const char* to) {
      start = std::min(start, from);
      stop = to;
    }
    Text text() const { return {start, stop - start}; }
  };

  static bool is_article(uint64_t first) {
    constexpr uint64_t A = 'a', N = 'n', T = 't', H = 'h', E = 'e';
    return (first == A) | (first == (A | N << 8)) | (first == (T | H << 8 | E << 16));
  }

  // Takes a word of up to eight ASCII letters and digits, unless it is an article or empty.
  template <bool Keep, class Take>
  static bool take_short(const char* word, int size, const char* limit, Words& words,
                         const Take& take) {
    const auto n = static_cast<size_t>(size);
    const uint64_t first = Words::first_of(eight_bytes(word, limit) | IN_LOWER_CASE, n);
    if ((size == 0) | is_article(first)) return false;
    take(words.short_number<Keep>(first, n));
    return true;
  }

  bool is_break(char byte, bool has_spans) const {
    return byte == ' ' || (has_spans && byte == '|');
  }

  // Reads other words up to a blank, a separator or the end: long ones, with punctuation, or beyond
  // ASCII.
  template <class Take>
  bool read_more(const char* at, const char* end, bool has_spans, const char* limit, Words& words,
                 bool keep, Bare& bare, const Take& take) {
    const char* stop = at;
    while (stop < end && is_plain(*stop)) ++stop;
    const auto size = static_cast<size_t>(stop - at);
    while (stop < end && is_mark(*stop) && !is_break(*stop, has_spans)) ++stop;
    if (stop == end || is_break(*stop, has_spans)) {
      for (size_t k = 0; k < size; k += 8) {
        put_bytes(buffer_.data() + k, eight_bytes(at + k, limit) | IN_LOWER_CASE);
      }
      bare.reach(at, stop);
      const uint64_t first = Words::first_of(eight_bytes(buffer_.data()), size);
      if (size && !is_article(first)) take(words.number_of(buffer_.data(), size, keep));
      return true;
    }
    do {
      if (!read_any(at, end, has_spans, words, keep, bare, take)) return false;
    } while (at < end && at[-1] != ' ' && !is_break(*at, has_spans));
    return true;
  }

  // Reads any word letter by letter. Moves `at` behind white space, or to a separator.
  template <class Take>
  bool read_any(const char*& at, const char* end, bool has_spans, Words& words, bool keep,
                Bare& bare, const Take& take) {
    char* const start = buffer_.data();
    char* to = start;        // end of the word so far
    char* run = start;       // start of the letters that may be an article
    bool was_alone = false;  // the word is a letter of its own
    const auto end_word = [&](const char* stop) {
      const auto size = static_cast<size_t>(stop - start);
      if (size) take(words.number_of(start, size, keep));
    };
    const auto end_run = [&] {
      const auto size = static_cast<size_t>(to - run);
      if (!is_article(Words::first_of(eight_bytes(run), size))) return;
      end_word(run);
      to = start;
    };
    while (at < end && !(has_spans && *at == '|')) {
      const char* const from = at;
      const int32_t point = next_point(at, end);
      const bool known = letters_.has(point);
      if (!known && !letters_.lenient) return false;
      const int8_t kind = known ? letters_.kind[point] : int8_t{Letters::LETTER};
      if (kind == Letters::SPACE) break;
      bare.reach(from, at);
      if (kind == Letters::DELETED) continue;
      if (kind == Letters::ALONE || (was_alone && kind != Letters::MARK)) {
        end_run();
        end_word(to);
        to = run = start;
        was_alone = kind == Letters::ALONE;
      }
      const bool ends_run = kind != Letters::LETTER;
      if (ends_run) end_run();
      utf8::put(static_cast<char32_t>(known ? letters_.lower[point] : point), to);
      if (ends_run) run = to;
    }
    end_run();
    end_word(to);
    return true;
  }

  // Returns the code point at a place and moves behind it.
  static int32_t next_point(const char*& at, const char* end) {
    size_t size = 0;
    const char32_t point = utf8::next({at, static_cast<size_t>(end - at)}, size);
    at += size;
    return static_cast<int32_t>(point);
  }
};

}  // namespace fastcausal
