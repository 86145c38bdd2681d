// Words of texts as numbers: lower case, without ASCII punctuation and the articles a, an, the.
//
//   Letters ──── Python's properties of each code point, up to the size of the table
//   LetterRun ── letters and digits of ASCII in a row, eight at a time
//   Words ────── the words of one example: equal words have equal numbers
//     └─ TextReader ── finds the words of texts
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bits.hpp"
#include "numbers.hpp"
#include "utf8.hpp"

namespace fastcausal {

struct Text {  // UTF-8
  const char* data = nullptr;
  int64_t size = 0;

  const char* end() const { return data + size; }
};

struct Letters {
  enum : int8_t { OTHER, LETTER, SPACE, DELETED };

  Letters() = default;
  Letters(const int32_t* lower_case, const int8_t* kinds, int64_t size, bool takes_others)
      : lower(lower_case), kind(kinds), n(size), lenient(takes_others) {}

  // -1: lower case depends on other letters, or has several letters.
  const int32_t* lower = nullptr;
  const int8_t* kind = nullptr;  // of the letter in lower case
  int64_t n = 0;
  // Keeps letters outside the table as they are: for texts whose words Python made.
  bool lenient = false;

  bool has(int32_t point) const { return point < n && lower[point] >= 0; }

  bool is_mark(char byte) const {
    const auto point = static_cast<unsigned char>(byte);
    return point < 0x80 && has(point) && kind[point] == DELETED;
  }
};

// Letters and digits of ASCII in a row, up to eight.
struct LetterRun {
  uint64_t letters;  // in lower case: the first is the lowest byte, and 0 follows the last
  int32_t size;

  // Returns those before the first other of eight bytes.
  static LetterRun of(uint64_t bytes) {
    constexpr uint64_t EACH = 0x0101010101010101;
    constexpr uint64_t HIGH = 0x80 * EACH;
    // Sets the high bit of each byte that is at least so large.
    const auto at_least = [](uint64_t each, uint64_t least) {
      return (each & ~HIGH) + (0x80 - least) * EACH;
    };
    const uint64_t lower = bytes | 0x20 * EACH;  // digits stay
    const uint64_t letter = at_least(lower, 'a') & ~at_least(lower, 'z' + 1);
    const uint64_t digit = at_least(bytes, '0') & ~at_least(bytes, '9' + 1);
    const uint64_t others = (~(letter | digit) | bytes) & HIGH;
    const uint64_t first = others & (~others + 1);
    return {lower & ((first >> 7) - 1), others ? lowest_one(others) / 8 : 8};
  }
};

// Returns the bytes up to eight before a limit, as a word: the first is the lowest.
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
    words_.clear();
    numbers_.clear();
  }

  int32_t size() const { return static_cast<int32_t>(words_.size()); }

  void append_to(std::string& text, int32_t word) const {
    const Word& of = words_[static_cast<size_t>(word)];
    char first[8];
    put_bytes(first, of.first);
    text.append(of.size <= 8 ? first : bytes_.data() + of.start, of.size);
  }

  // Returns the number of a word, -1 of a new one unless it is kept. Eight bytes from any of its
  // letters on must be readable.
  int32_t number_of(const char* letters, size_t size, bool keep) {
    return number_of(letters, size, first_of(letters, size), keep);
  }

  // The same with the first eight bytes, as `eight_bytes` returns them.
  int32_t number_of(const char* letters, size_t size, uint64_t first, bool keep) {
    uint64_t hash = mixed(first);
    for (size_t at = 8; at < size; at += 8) hash = mixed(hash ^ first_of(letters + at, size - at));
    const auto is = [&](int64_t number) { return is_word(number, letters, size, first); };
    if (!keep) return static_cast<int32_t>(numbers_.find(hash, is));
    const int64_t number = numbers_.add(hash, is);
    if (number == static_cast<int64_t>(words_.size())) {
      words_.push_back({bytes_.size(), size, first});
      if (size > 8) bytes_.append(letters, size);
    }
    return static_cast<int32_t>(number);
  }

  // Returns whether this is the word with a number.
  bool is_word(int32_t number, const char* letters, size_t size) const {
    return is_word(number, letters, size, first_of(letters, size));
  }

  // Returns up to eight bytes of a word. All eight must be readable.
  static uint64_t first_of(const char* letters, size_t size) {
    const uint64_t bytes = eight_bytes(letters);
    return size < 8 ? bytes & ((uint64_t{1} << 8 * size) - 1) : bytes;
  }

 private:
  struct Word {
    size_t start, size;
    uint64_t first;  // up to eight bytes
  };
  std::string bytes_;  // of words with more than eight
  std::vector<Word> words_;
  Numbers numbers_;

  bool is_word(int64_t number, const char* letters, size_t size, uint64_t first) const {
    const Word& word = words_[static_cast<size_t>(number)];
    return word.first == first && word.size == size &&
           (size <= 8 || std::memcmp(bytes_.data() + word.start, letters, size) == 0);
  }

  static uint64_t mixed(uint64_t bytes) {
    const uint64_t hash = bytes * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
};

// Reads the words of texts.
class TextReader {
 public:
  explicit TextReader(const Letters& letters) : letters_(letters) {}

  // Calls take(number) for each word in turn; -1 for a new one unless it is kept.
  // Returns false if a letter is not in the table. Sets bare to the text without outer white space.
  // Bytes between the text and the limit are readable, and not read as words.
  template <class Take>
  bool read(Text text, const char* limit, Words& words, bool keep, Text& bare, const Take& take) {
    // Lower case has at most three bytes for two, and an invalid byte becomes a letter of three.
    const size_t most = 3 * static_cast<size_t>(text.size) + 16;
    if (buffer_.size() < most) buffer_.resize(most);
    const char *at = text.data, *const end = text.end();
    bare = {text.data, 0};
    while (true) {
      while (at < end && *at == ' ') ++at;
      if (at == end) return true;
      const char* const start = at;
      uint64_t first = 0;
      const ptrdiff_t size = read_plain(at, end, limit, first);
      if (size < 0) {
        if (!read_any(at, end, words, keep, bare, take)) return false;
        continue;
      }
      reach(bare, start, at);
      if (size == 0 || is_article(first)) continue;
      take(words.number_of(buffer_.data(), static_cast<size_t>(size), first, keep));
    }
  }

 private:
  const Letters letters_;
  std::vector<char> buffer_;  // of the word that is read, and eight bytes more

  static bool is_article(uint64_t first) {
    constexpr uint64_t A = 'a', N = 'n', T = 't', H = 'h', E = 'e';
    return first == A || first == (A | N << 8) || first == (T | H << 8 | E << 16);
  }

  static void reach(Text& bare, const char* start, const char* stop) {
    if (!bare.size) bare.data = start;
    bare.size = stop - bare.data;
  }

  // Writes a word of ASCII letters and digits, perhaps with marks behind it, before a blank or the
  // end. Moves behind it and returns its size. Returns -1 for anything else.
  ptrdiff_t read_plain(const char*& at, const char* end, const char* limit, uint64_t& first) {
    char* to = buffer_.data();
    const char* stop = at;
    LetterRun run = LetterRun::of(eight_bytes(at, limit));
    first = run.letters;
    while (true) {
      put_bytes(to, run.letters);
      to += run.size;
      stop += run.size;
      if (run.size < 8 || stop >= end) break;
      run = LetterRun::of(eight_bytes(stop, limit));
    }
    if (stop < end && *stop != ' ') {
      while (stop < end && letters_.is_mark(*stop)) ++stop;
      if (stop < end && *stop != ' ') return -1;
    }
    if (stop > end) return -1;
    at = stop;
    return to - buffer_.data();
  }

  // Reads up to white space and moves behind it.
  template <class Take>
  bool read_any(const char*& at, const char* end, Words& words, bool keep, Text& bare,
                const Take& take) {
    char* const start = buffer_.data();
    char* to = start;   // end of the word so far
    char* run = start;  // start of the letters that may be an article
    const auto end_word = [&](const char* stop) {
      const auto size = static_cast<size_t>(stop - start);
      if (size) take(words.number_of(start, size, keep));
    };
    const auto end_run = [&] {
      if (!is_article(Words::first_of(run, static_cast<size_t>(to - run)))) return;
      end_word(run);
      to = start;
    };
    while (at < end) {
      const char* const from = at;
      const int32_t point = next_point(at, end);
      const bool known = letters_.has(point);
      if (!known && !letters_.lenient) return false;
      const int8_t kind = known ? letters_.kind[point] : int8_t{Letters::LETTER};
      if (kind == Letters::SPACE) break;
      reach(bare, from, at);
      if (kind == Letters::DELETED) continue;
      if (kind == Letters::OTHER) end_run();
      utf8::put(static_cast<char32_t>(known ? letters_.lower[point] : point), to);
      if (kind == Letters::OTHER) run = to;
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
