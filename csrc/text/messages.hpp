// Text of messages, with the words of fastcausal/errors.py and fastcausal/files/values.py.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"

namespace fastcausal::checked {

using Text = std::string;
using View = std::string_view;

inline Text text_of(int64_t n) { return std::to_string(n); }

inline Text counted(int64_t n, const Text& noun) {
  return text_of(n) + " " + noun + (n == 1 ? "" : "s");
}

// Returns the bytes of the first n code points.
inline View letters_of(View text, size_t n) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (!utf8::goes_on(text[at]) && n-- == 0) break;
  return text.substr(0, at);
}

inline Text shortened(const Text& text, int64_t most) {
  if (utf8::count(text) <= most) return text;
  return Text(letters_of(text, static_cast<size_t>(most - 3))) + "...";
}

inline char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline Text small(View text) {
  Text made(text);
  for (char& c : made) c = small(c);
  return made;
}
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline View stripped(View text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

inline std::vector<View> words_of(View text) {
  std::vector<View> words;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > from) words.push_back(text.substr(from, at - from));
    while (at < text.size() && is_space(text[at])) ++at;
  }
  return words;
}

inline bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

// Writes a string as JSON.
inline void add_json(Text& to, View text) {
  static constexpr char HEX[] = "0123456789abcdef";
  to += '"';
  for (size_t k = 0; k < text.size(); ++k) {
    const size_t from = k;
    while (k < text.size() && is_plain(text[k])) ++k;
    to.append(text.substr(from, k - from));
    if (k == text.size()) break;
    const char c = text[k];
    switch (c) {
      case '"':
        to += "\\\"";
        break;
      case '\\':
        to += "\\\\";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\r':
        to += "\\r";
        break;
      case '\t':
        to += "\\t";
        break;
      case '\b':
        to += "\\b";
        break;
      case '\f':
        to += "\\f";
        break;
      default:
        to += "\\u00";
        to += HEX[c >> 4 & 15];
        to += HEX[c & 15];
    }
  }
  to += '"';
}
inline Text json_of(View text) {
  Text made;
  add_json(made, text);
  return made;
}

// Formats a string for a message: on one line, and not too long.
inline Text shown(View text) { return shortened(json_of(text), 60); }

// Formats the first three ids in brackets.
inline Text some_of(const std::vector<Text>& ids) {
  if (ids.empty()) return "";
  Text named;
  for (size_t k = 0; k < ids.size() && k < 3; ++k) named += (k ? ", \"" : "\"") + ids[k] + "\"";
  return " (" + named + (ids.size() > 3 ? ", ...)" : ")");
}

inline void add_utf8(Text& to, char32_t point) {
  utf8::write(point, [&](char byte) { to += byte; });
}

// Returns the place of the first byte that is not UTF-8, or -1.
inline int64_t not_utf8(View text) {
  const auto at = [&](size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  for (size_t k = 0; k < text.size();) {
    uint64_t eight = 0;
    while (k + 8 <= text.size()) {
      std::memcpy(&eight, text.data() + k, 8);
      if (eight & 0x8080808080808080u) break;
      k += 8;
    }
    const unsigned first = at(k);
    if (first < 0x80) {
      ++k;
      continue;
    }
    const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    const unsigned least = first == 0xE0 ? 0xA0u : first == 0xF0 ? 0x90u : 0x80u;
    const unsigned most = first == 0xED ? 0x9Fu : first == 0xF4 ? 0x8Fu : 0xBFu;
    bool right = first >= 0xC2 && first <= 0xF4 && at(k + 1) >= least && at(k + 1) <= most;
    for (int n = 2; right && n <= more; ++n) right = at(k + static_cast<size_t>(n)) >> 6 == 2;
    if (!right) return static_cast<int64_t>(k);
    k += static_cast<size_t>(more) + 1;
  }
  return -1;
}

// Collects the faults of one input: reports the first ten and the count.
class Problems {
 public:
  static constexpr int64_t SHOWN = 10;

  void add(const Text& message) {
    if (++count <= SHOWN) first.push_back(message);
  }
  Text summary() const { return summary(count, first); }
  static Text summary(int64_t count, const std::vector<Text>& first) {
    Text made;
    for (const Text& each : first) made += (made.empty() ? "" : "\n") + each;
    const int64_t left_out = count - static_cast<int64_t>(first.size());
    return left_out > 0 ? made + "\n... and " + text_of(left_out) + " more" : made;
  }

  int64_t count = 0;
  std::vector<Text> first;
};

}  // namespace fastcausal::checked
