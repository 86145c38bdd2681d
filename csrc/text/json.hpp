// Reads JSON that all readers read alike; other values are not plain, and another reader takes them
// and reports their faults. Nothing checks the bytes for UTF-8. Host only.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace fastcausal {

class JsonReader {
 public:
  // `to` has room for the strings that are read; they need no more bytes than their source.
  JsonReader(const char* data, int64_t size, char* to, bool has_lines = false)
      : p_(data), end_(data + size), to_(to), feed_(has_lines ? '\n' : ' ') {}

 protected:
  static constexpr int MOST_NESTED = 16;
  static constexpr size_t MOST_KEYS = 16;  // of an object that is passed over

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
    utf8::put(code, to_);
    return true;
  }

  bool hex(uint32_t& code) {
    const char* digits = p_;
    if (end_ - p_ >= 4) p_ = std::from_chars(digits, digits + 4, code, 16).ptr;
    return p_ == digits + 4;
  }

  void space() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == feed_)) ++p_;
  }
  bool take(std::string_view text) {
    const size_t left = static_cast<size_t>(end_ - p_);
    if (left < text.size() || std::memcmp(p_, text.data(), text.size()) != 0) return false;
    p_ += text.size();
    return true;
  }

  // Reads a string to `room`, which is used again. Returns it in `text`.
  bool string_at(char* room, std::string_view& text) {
    to_ = room;
    if (!string()) return false;
    text = {room, static_cast<size_t>(to_ - room)};
    return true;
  }

  // Reads a number from 0 to 2^31 - 1, without fraction or exponent.
  bool plain_number(int32_t& number) {
    const char* const digits = p_;
    const auto [stop, error] = std::from_chars(p_, end_, number);
    if (error != std::errc() || *digits == '-' || (*digits == '0' && stop > digits + 1)) {
      return false;
    }
    p_ = stop;
    return p_ == end_ || (*p_ != '.' && *p_ != 'e' && *p_ != 'E');
  }

  // Passes over a value of any kind. `room` is for its strings.
  bool pass(char* room, int depth = 0) {
    std::string_view text;
    if (p_ == end_ || depth > MOST_NESTED) return false;
    switch (*p_) {
      case '"':
        return string_at(room, text);
      case '{':
        return pass_object(room, depth);
      case '[':
        return pass_list(room, depth);
      case 't':
        return take("true");
      case 'f':
        return take("false");
      case 'n':
        return take("null");
      default:
        return pass_number();
    }
  }

  const char* p_;
  const char* end_;
  char* to_;
  const char feed_;  // a line feed, if values go on over lines

 private:
  bool pass_number() {
    const char* const start = p_;
    take("-");
    if (!take("0") && !digits()) return false;
    if (take(".") && !digits()) return false;
    if (take("e") || take("E")) {
      if (!take("-")) take("+");
      if (!digits()) return false;
    }
    return p_ - start < 300;
  }

  bool digits() {
    const char* const start = p_;
    while (p_ < end_ && *p_ >= '0' && *p_ <= '9') ++p_;
    return p_ > start;
  }

  bool pass_list(char* room, int depth) {
    ++p_;
    space();
    if (take("]")) return true;
    do {
      space();
      if (!pass(room, depth + 1)) return false;
      space();
    } while (take(","));
    return take("]");
  }

  // Passes over an object whose keys are all different, and plain themselves.
  bool pass_object(char* room, int depth) {
    std::string_view keys[MOST_KEYS];
    size_t n = 0;
    ++p_;
    space();
    if (take("}")) return true;
    do {
      space();
      if (n == MOST_KEYS || !plain_key(keys[n])) return false;
      if (std::find(keys, keys + n, keys[n]) < keys + n) return false;
      ++n;
      if (!pass(room, depth + 1)) return false;
      space();
    } while (take(","));
    return take("}");
  }

 protected:
  // Reads a key without escapes, and the colon behind it.
  bool plain_key(std::string_view& key) {
    if (!take("\"")) return false;
    const char* const start = p_;
    p_ = find(p_, end_, '"');
    if (p_ == end_ || holds_control(start, p_) || find(start, p_, '\\') < p_) return false;
    key = {start, static_cast<size_t>(p_ - start)};
    ++p_;
    space();
    if (!take(":")) return false;
    space();
    return true;
  }
};

}  // namespace fastcausal
