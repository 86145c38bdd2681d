// Lines {"index": 0, "prediction": ["...", ...]} in the one form that needs no judgement: a subset
// of JSON that cannot be read in two ways. Host only. What is not of this form is not plain, and
// left to a reader that says what is wrong with it. Bytes are not checked for UTF-8.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fastcausal {

enum Index : uint8_t { no_index, number_index, text_index };

struct Submission {
  char* text;                      // of all sentences; room for as many bytes as are read
  std::vector<int32_t> places{0};  // where each sentence ends
  std::vector<int32_t> counts;     // sentences of each line
  std::vector<uint8_t> kinds;      // of the index of each line
  std::vector<int64_t> numbers;    // the index, if it is one
  std::string names;               // indexes that are text
  std::vector<int32_t> name_places{0};
};

class SubmissionReader {
 public:
  SubmissionReader(const char* data, int64_t size, Submission& found)
      : p_(data), end_(data + size), found_(found), to_(found.text) {}

  // Tells whether all lines are plain.
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
    if (!take('{')) return false;
    do {
      std::string_view name;
      space();
      if (!key(name)) return false;
      space();
      if (!take(':')) return false;
      space();
      if (name == "index" && !index) {
        index = true;
        if (!index_value()) return false;
      } else if (name == "prediction" && !prediction) {
        prediction = true;
        if (!sentences()) return false;
      } else {
        return false;
      }
      space();
    } while (take(','));
    if (!prediction || !take('}')) return false;
    found_.name_places.push_back(static_cast<int32_t>(found_.names.size()));
    space();
    return p_ == end_ || *p_ == '\n';
  }

  bool key(std::string_view& name) {
    if (!take('"')) return false;
    const char* from = p_;
    while (p_ < end_ && *p_ >= 'a' && *p_ <= 'z') ++p_;
    name = {from, static_cast<size_t>(p_ - from)};
    return take('"');
  }

  bool index_value() {
    if (end_ - p_ >= 4 && std::memcmp(p_, "null", 4) == 0) {
      p_ += 4;
      return true;
    }
    if (p_ < end_ && *p_ == '"') {
      found_.kinds.back() = text_index;
      const size_t before = found_.names.size();
      const char* closing = closing_quote();
      if (!closing) return false;
      found_.names.resize(before + static_cast<size_t>(closing - p_));
      char* to = &found_.names[before];
      if (!string(to)) return false;
      found_.names.resize(static_cast<size_t>(to - found_.names.data()));
      return true;
    }
    found_.kinds.back() = number_index;
    const bool negative = take('-');
    const char* from = p_;
    int64_t value = 0;
    for (; p_ < end_ && *p_ >= '0' && *p_ <= '9' && p_ - from < 18; ++p_) {
      value = 10 * value + (*p_ - '0');
    }
    found_.numbers.back() = negative ? -value : value;
    // What goes on as a larger number or a fraction fails at the next comma or brace.
    return p_ > from && (*from != '0' || p_ == from + 1);
  }

  bool sentences() {
    if (!take('[')) return false;
    int32_t n = 0;
    space();
    if (!take(']')) {
      do {
        space();
        if (!string(to_)) return false;
        found_.places.push_back(static_cast<int32_t>(to_ - found_.text));
        ++n;
        space();
      } while (take(','));
      if (!take(']')) return false;
    }
    found_.counts.push_back(n);
    return true;
  }

  // A string, written without its escapes.
  bool string(char*& to) {
    if (!take('"')) return false;
    const char* stop = p_ - 1;
    for (;;) {
      if (stop < p_) stop = quote_from(p_);  // at first, and where that quote was an escaped one
      if (!stop) return false;
      const char* escape =
          static_cast<const char*>(std::memchr(p_, '\\', static_cast<size_t>(stop - p_)));
      const char* from = p_;
      p_ = escape ? escape : stop;
      if (holds_control(from, p_)) return false;
      std::memcpy(to, from, static_cast<size_t>(p_ - from));
      to += p_ - from;
      if (!escape) break;
      if (!unescape(to)) return false;
    }
    ++p_;
    return true;
  }

  const char* quote_from(const char* from) const {
    return static_cast<const char*>(std::memchr(from, '"', static_cast<size_t>(end_ - from)));
  }

  // Finds the quote that ends the string at hand.
  const char* closing_quote() const {
    for (const char* p = p_ + 1; p < end_; ++p) {
      if (*p == '"') return p;
      if (*p == '\\') ++p;
    }
    return nullptr;
  }

  static bool holds_control(const char* from, const char* stop) {
    uint8_t found = 0;
    for (; from < stop; ++from) found |= static_cast<uint8_t>(*from) < 0x20;
    return found;
  }

  bool unescape(char*& to) {
    if (end_ - p_ < 2) return false;
    static constexpr char ESCAPES[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    const char c = p_[1];
    p_ += 2;
    if (c != 'u') {
      for (const char* pair = ESCAPES; *pair; pair += 2) {
        if (*pair != c) continue;
        *to++ = pair[1];
        return true;
      }
      return false;
    }
    uint32_t code = 0, low = 0;
    if (!hex(code)) return false;
    if (code >= 0xd800 && code < 0xe000) {
      if (code >= 0xdc00 || !take('\\') || !take('u') || !hex(low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    utf8(code, to);
    return true;
  }

  bool hex(uint32_t& code) {
    if (end_ - p_ < 4) return false;
    for (const char* stop = p_ + 4; p_ < stop; ++p_) {
      const char c = *p_;
      uint32_t digit;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint32_t>(c - '0');
      } else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) {
        digit = static_cast<uint32_t>((c | 0x20) - 'a' + 10);
      } else {
        return false;
      }
      code = code << 4 | digit;
    }
    return true;
  }

  static void utf8(uint32_t code, char*& to) {
    const auto put = [&](uint32_t byte) { *to++ = static_cast<char>(byte); };
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
  bool take(char c) {
    if (p_ == end_ || *p_ != c) return false;
    ++p_;
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
