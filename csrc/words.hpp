// Words of texts as numbers: lower case, without ASCII punctuation and the articles a, an, the.
//
//   Letters ── Python's properties of each code point, up to the size of the table
//   Words ──── the words of one example: equal words have equal numbers
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "utf8.hpp"

namespace fastcausal {

struct Text {  // UTF-8
  const char* data = nullptr;
  int64_t size = 0;
};

struct Letters {
  enum : int8_t { OTHER, LETTER, SPACE, DELETED };

  Letters() = default;
  Letters(const int32_t* lower_case, const int8_t* kinds, int64_t size, bool takes_others)
      : lower(lower_case), kind(kinds), n(size), lenient(takes_others) {
    for (int64_t code = 0; code < 128 && code < n; ++code) {
      const bool is_plain = kind[code] == LETTER && lower[code] > 0 && lower[code] < 128;
      plain[code] = is_plain ? static_cast<char>(lower[code]) : '\0';
    }
  }

  // -1: lower case depends on other letters, or has several letters.
  const int32_t* lower = nullptr;
  const int8_t* kind = nullptr;  // of the letter in lower case
  int64_t n = 0;
  // Keeps letters outside the table as they are: for texts whose words Python made.
  bool lenient = false;
  char plain[256] = {};  // ASCII letters in lower case, 0 for all other bytes
};

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
    text.append(bytes_, of.start, of.size);
  }

  // Returns the number of a word, -1 of a new one unless it is kept. Eight bytes from any of its
  // letters on must be readable.
  int32_t number_of(const char* letters, size_t size, bool keep) {
    const uint64_t first = first_bytes(letters, size);
    const uint64_t hash = hash_of(letters, size);
    const auto is = [&](int64_t number) { return is_word(number, letters, size, first); };
    const int64_t number = keep ? numbers_.add(hash, is) : numbers_.find(hash, is);
    if (number == static_cast<int64_t>(words_.size())) {
      words_.push_back({bytes_.size(), size, first});
      bytes_.append(letters, size);
    }
    return static_cast<int32_t>(number);
  }

  // Returns whether this is the word with a number.
  bool is_word(int32_t number, const char* letters, size_t size) const {
    return is_word(number, letters, size, first_bytes(letters, size));
  }

  // Calls take(number) for each word in turn, of number_of.
  // Returns false if a letter is not in the table. Sets bare to the text without outer white space.
  template <class Take>
  bool read(Text text, const Letters& letters, bool keep, Text& bare, const Take& take) {
    // Lower case has at most three bytes for two, and an invalid byte becomes a letter of three.
    // Reads beyond the end are ignored.
    const size_t most = 3 * static_cast<size_t>(text.size) + 16;
    if (buffer_.size() < most) buffer_.resize(most);
    char* const start = buffer_.data();
    char* end = start;  // of the word so far
    char* run = start;  // start of the letters that may be an article
    bare = {text.data, 0};
    const auto end_word = [&](const char* stop) {
      if (stop > start) take(number_of(start, static_cast<size_t>(stop - start), keep));
    };
    const auto end_run = [&] {
      if (is_article(run, end - run)) {
        end_word(run);
        end = start;
      }
    };
    int64_t at = 0;
    const auto reach = [&](int64_t from) {
      if (!bare.size) bare.data = text.data + from;
      bare.size = text.data + at - bare.data;
    };
    while (at < text.size) {
      const char* const before = end;
      int64_t from = at;
      while (at < text.size) {
        const char letter = letters.plain[static_cast<unsigned char>(text.data[at])];
        if (!letter) break;
        *end++ = letter;
        ++at;
      }
      if (end > before) reach(from);
      if (at == text.size) break;
      from = at;
      const auto point = static_cast<int32_t>(next_letter(text, at));
      const bool known = point < letters.n && letters.lower[point] >= 0;
      if (!known && !letters.lenient) return false;
      const int8_t kind = known ? letters.kind[point] : int8_t{Letters::LETTER};
      if (kind == Letters::LETTER) {
        end = put(end, known ? letters.lower[point] : point);
        reach(from);
      } else if (kind == Letters::SPACE) {
        end_run();
        end_word(end);
        end = run = start;
      } else {
        reach(from);
        if (kind == Letters::DELETED) continue;
        end_run();
        end = run = put(end, known ? letters.lower[point] : point);
      }
    }
    end_run();
    end_word(end);
    return true;
  }

 private:
  struct Word {
    size_t start, size;
    uint64_t first;  // up to eight bytes
  };
  std::string bytes_;
  std::vector<char> buffer_;
  std::vector<Word> words_;
  Numbers numbers_;

  bool is_word(int64_t number, const char* letters, size_t size, uint64_t first) const {
    const Word& word = words_[static_cast<size_t>(number)];
    return word.first == first && word.size == size &&
           (size <= 8 || std::memcmp(bytes_.data() + word.start, letters, size) == 0);
  }

  static bool is_article(const char* letters, ptrdiff_t size) {
    if (size < 1 || size > 3) return false;
    if (size == 3) return std::memcmp(letters, "the", 3) == 0;
    return letters[0] == 'a' && (size == 1 || letters[1] == 'n');
  }

  // Returns the code point at a place and moves behind it.
  static char32_t next_letter(Text text, int64_t& at) {
    auto place = static_cast<size_t>(at);
    const char32_t point = utf8::next({text.data, static_cast<size_t>(text.size)}, place);
    at = static_cast<int64_t>(place);
    return point;
  }

  // Writes a code point and returns the place behind it.
  static char* put(char* place, int32_t point) {
    utf8::write(static_cast<char32_t>(point), [&](char byte) { *place++ = byte; });
    return place;
  }

  // Returns eight bytes with only the first n kept. All eight must be readable.
  static uint64_t first_bytes(const char* letters, size_t n) {
    uint64_t bytes;
    std::memcpy(&bytes, letters, 8);
    return n < 8 ? bytes & ((uint64_t{1} << 8 * n) - 1) : bytes;
  }

  static uint64_t hash_of(const char* letters, size_t size) {
    uint64_t hash = size;
    for (size_t at = 0; at < size; at += 8) {
      hash = (hash ^ first_bytes(letters + at, size - at)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

}  // namespace fastcausal
