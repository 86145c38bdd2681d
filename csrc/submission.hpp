// Reads lines {"index": 0, "prediction": ["...", ...]} in one plain form. Host only. The form is a
// subset of JSON that all readers read alike. Other lines are not plain: another reader takes them
// and reports their faults. Nothing checks the bytes for UTF-8.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "lines.hpp"

namespace fastcausal {

enum Index : uint8_t { no_index, number_index, text_index };

struct Submission {
  char* text;                      // of all sentences; has room for all input bytes
  std::vector<int32_t> places{0};  // end of each sentence
  std::vector<int32_t> counts;     // sentences per line
  std::vector<uint8_t> kinds;      // kind of the index of each line
  std::vector<int64_t> numbers;    // indexes that are numbers
  std::string names;               // indexes that are texts
  std::vector<int32_t> name_places{0};
};

class SubmissionReader {
 public:
  SubmissionReader(const char* data, int64_t size, Submission& found)
      : p_(data), end_(data + size), found_(found), to_(found.text) {}

  // Returns whether all lines are plain.
  bool read() {
    for (;;) {
      space();
      if (p_ == end_) return true;
      if (*p_ == '\n') {
        ++p_;
      } else if (!line()) {
        return false;
      }
    }
  }

 private:
  bool line() {
    found_.kinds.push_back(no_index);
    found_.numbers.push_back(0);
    bool index = false, prediction = false;
    if (!take("{")) return false;
    do {
      space();
      const bool is_index = take("\"index\"");
      if (!is_index && !take("\"prediction\"")) return false;
      space();
      if (!take(":")) return false;
      space();
      bool& seen = is_index ? index : prediction;
      if (seen || !(is_index ? index_value() : sentences())) return false;
      seen = true;
      space();
    } while (take(","));
    if (!prediction || !take("}")) return false;
    found_.name_places.push_back(static_cast<int32_t>(found_.names.size()));
    space();
    return p_ == end_ || *p_ == '\n';
  }

  bool index_value() {
    if (take("null")) return true;
    if (p_ < end_ && *p_ == '"') {
      found_.kinds.back() = text_index;
      char* const name = to_;  // its room is free until the next sentence
      if (!string()) return false;
      found_.names.append(name, to_);
      to_ = name;
      return true;
    }
    found_.kinds.back() = number_index;
    const char* digits = p_ + (p_ < end_ && *p_ == '-');
    const auto [stop, error] = std::from_chars(p_, end_, found_.numbers.back());
    p_ = stop;
    // A fraction fails at the next comma or brace.
    return error == std::errc() && (*digits != '0' || stop == digits + 1);
  }

  bool sentences() {
    if (!take("[")) return false;
    int32_t n = 0;
    space();
    if (!take("]")) {
      do {
        space();
        if (!string()) return false;
        found_.places.push_back(static_cast<int32_t>(to_ - found_.text));
        ++n;
        space();
      } while (take(","));
      if (!take("]")) return false;
    }
    found_.counts.push_back(n);
    return true;
  }

  // Reads a string and writes it without escapes.
  bool string() {
    if (!take("\"")) return false;
    for (const char* quote = p_ - 1;;) {
      if (quote < p_) quote = find(p_, end_, '"');  // at first, and behind an escaped quote
      const char* from = p_;
      p_ = find(from, quote, '\\');
      if (p_ == end_ || holds_control(from, p_)) return false;
      to_ = std::copy(from, p_, to_);
      if (p_ == quote) break;
      if (!unescape()) return false;
    }
    ++p_;
    return true;
  }

  static bool holds_control(const char* from, const char* stop) {
    uint8_t found = 0;
    for (; from < stop; ++from) found |= static_cast<uint8_t>(*from) < 0x20;
    return found;
  }

  bool unescape() {
    static constexpr std::string_view NAMES = "\"\\/bfnrt", MEANT = "\"\\/\b\f\n\r\t";
    if (end_ - p_ < 2) return false;
    const char c = p_[1];
    p_ += 2;
    if (c != 'u') {
      const size_t k = NAMES.find(c);
      if (k == NAMES.npos) return false;
      *to_++ = MEANT[k];
      return true;
    }
    uint32_t code = 0, low = 0;
    if (!hex(code)) return false;
    if (code >= 0xd800 && code < 0xe000) {
      if (code >= 0xdc00 || !take("\\") || !take("u") || !hex(low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    utf8(code);
    return true;
  }

  bool hex(uint32_t& code) {
    const char* digits = p_;
    if (end_ - p_ >= 4) p_ = std::from_chars(digits, digits + 4, code, 16).ptr;
    return p_ == digits + 4;
  }

  void utf8(uint32_t code) {
    const auto put = [&](uint32_t byte) { *to_++ = static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    put((0xff00u >> (more + 1) & 0xff) | code >> (6 * more));
    for (int k = more - 1; k >= 0; --k) put(0x80 | (code >> (6 * k) & 0x3f));
  }

  void space() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  bool take(std::string_view text) {
    const size_t left = static_cast<size_t>(end_ - p_);
    if (left < text.size() || std::memcmp(p_, text.data(), text.size()) != 0) return false;
    p_ += text.size();
    return true;
  }

  const char* p_;
  const char* end_;
  Submission& found_;
  char* to_;
};

inline bool read_submission(const char* data, int64_t size, Submission& found) {
  return SubmissionReader(data, size, found).read();
}

}  // namespace fastcausal
