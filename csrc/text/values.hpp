// Values of JSON, with the messages and places of Python's reader for faults.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/blanks.hpp"
#include "text/messages.hpp"

namespace fastcausal::checked {

struct Value {
  enum Kind : uint8_t { null, boolean, integer, number, string, list, object };
  Kind kind = null;
  int64_t number_ = 0;       // of an integer or a boolean
  Text text;                 // of a string, or a number as written
  std::vector<Text> keys;    // of an object
  std::vector<Value> items;  // of an object or a list

  bool is(Kind other) const { return kind == other; }
  const Value* find(View key) const {
    for (size_t k = 0; k < keys.size(); ++k)
      if (keys[k] == key) return &items[k];
    return nullptr;
  }
  Text name_of_kind() const {
    static const char* const NAMES[] = {"null",     "a boolean", "a number", "a number",
                                        "a string", "a list",    "an object"};
    return NAMES[kind];
  }
  void write(Text& to) const {
    if (kind == null) to += "null";
    if (kind == boolean) to += number_ ? "true" : "false";
    if (kind == integer || kind == number) to += text;
    if (kind == string) add_json(to, text);
    if (kind != list && kind != object) return;
    to += kind == list ? '[' : '{';
    for (size_t k = 0; k < items.size(); ++k) {
      if (k) to += ", ";
      if (kind == object) {
        add_json(to, keys[k]);
        to += ": ";
      }
      items[k].write(to);
    }
    to += kind == list ? ']' : '}';
  }
};

inline Text shown(const Value& value) {
  Text made;
  value.write(made);
  return shortened(made, 60);
}

class ValueReader {
 public:
  explicit ValueReader(View text) : text_(text) {}

  // Reads one value. Returns false and sets `error` for anything else.
  bool whole(Value& value) {
    space();
    if (!read(value, 0)) return false;
    space();
    return at_ == text_.size() || fail("Extra data", at_);
  }
  // Reads the items of a list of objects; calls see(place, stop, value) for each.
  template <class See>
  bool items(See see) {
    blanks();
    ++at_;  // "["
    for (;;) {
      blanks();
      const size_t place = at_;
      Value value;
      if (!read(value, 0)) return false;
      see(place, at_, value);
      blanks();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (at_ == text_.size() || text_[at_] != ']') return fail("Expecting ',' delimiter", at_);
      ++at_;
      blanks();
      return at_ == text_.size() || fail("Extra data", at_);
    }
  }

  Text error;        // without its place
  size_t where = 0;  // byte; npos: a repeated key, which has no place

 private:
  static constexpr int DEEPEST = 500;
  static constexpr size_t MAX_DIGITS = 4300;  // of an integer, as in Python
  View text_;
  size_t at_ = 0;

  bool fail(const char* message, size_t place) {
    error = message;
    where = place;
    return false;
  }
  bool ends() const { return at_ >= text_.size(); }
  bool take(View word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void blanks() {
    View rest = text_.substr(at_);
    skip_blanks(rest);
    at_ = text_.size() - rest.size();
  }
  void space() {
    while (!ends() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  bool read(Value& value, int depth) {
    if (depth > DEEPEST) return fail("nested too deeply", at_);
    if (ends()) return fail("Expecting value", at_);
    const char c = text_[at_];
    if (c == '"') {
      value.kind = Value::string;
      return string(value.text);
    }
    if (c == '{') return object(value, depth);
    if (c == '[') return list(value, depth);
    if (take("null")) return true;
    for (const bool truth : {true, false}) {
      if (!take(truth ? "true" : "false")) continue;
      value.kind = Value::boolean;
      value.number_ = truth;
      return true;
    }
    if (!number(value)) return fail("Expecting value", at_);
    const bool is_long = value.kind == Value::integer && value.text.size() > MAX_DIGITS &&
                         value.text.size() - (value.text[0] == '-') > MAX_DIGITS;
    return !is_long || fail("Exceeds the limit (4300 digits) for integers", at_);
  }

  bool number(Value& value) {
    const size_t from = at_;
    size_t at = at_;
    const auto digits = [&] {
      const size_t first = at;
      while (at < text_.size() && is_digit(text_[at])) ++at;
      return at > first;
    };
    if (at < text_.size() && text_[at] == '-') ++at;
    for (const View word : {View("NaN"), View("Infinity")}) {
      if (text_.substr(at, word.size()) != word || (word == "NaN" && at > from)) continue;
      value.kind = Value::number;
      at_ = at + word.size();
      value.text = Text(text_.substr(from, at_ - from));
      return true;
    }
    if (at < text_.size() && text_[at] == '0')
      ++at;
    else if (!digits())
      return false;
    value.kind = Value::integer;
    size_t stop = at;
    if (at < text_.size() && text_[at] == '.') {
      ++at;
      if (digits()) {
        stop = at;
        value.kind = Value::number;
      } else {
        at = stop;
      }
    }
    if (at < text_.size() && (text_[at] == 'e' || text_[at] == 'E')) {
      ++at;
      if (at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
      if (digits()) {
        stop = at;
        value.kind = Value::number;
      }
    }
    value.text = Text(text_.substr(from, stop - from));
    at_ = stop;
    const char* first = value.text.data();
    const auto made = std::from_chars(first, first + value.text.size(), value.number_);
    if (value.kind == Value::integer && made.ec != std::errc())
      value.number_ = value.text[0] == '-' ? INT64_MIN : INT64_MAX;
    return true;
  }

  bool list(Value& value, int depth) {
    value.kind = Value::list;
    ++at_;
    space();
    if (take("]")) return true;
    for (;;) {
      value.items.emplace_back();
      if (!read(value.items.back(), depth + 1)) return false;
      space();
      if (take("]")) return true;
      if (!take(",")) return fail("Expecting ',' delimiter", at_);
      space();
    }
  }

  bool object(Value& value, int depth) {
    value.kind = Value::object;
    ++at_;
    space();
    if (take("}")) return true;
    for (;;) {
      if (ends() || text_[at_] != '"')
        return fail("Expecting property name enclosed in double quotes", at_);
      value.keys.emplace_back();
      value.items.emplace_back();
      if (!string(value.keys.back())) return false;
      space();
      if (!take(":")) return fail("Expecting ':' delimiter", at_);
      space();
      if (!read(value.items.back(), depth + 1)) return false;
      space();
      if (take("}")) break;
      if (!take(",")) return fail("Expecting ',' delimiter", at_);
      space();
    }
    return are_unique(value.keys);
  }

  // Refuses a repeated key, the most frequent one.
  bool are_unique(const std::vector<Text>& keys) {
    std::unordered_map<View, int64_t> times;
    for (const Text& key : keys) ++times[key];
    if (times.size() == keys.size()) return true;
    const Text& most =
        *std::max_element(keys.begin(), keys.end(),
                          [&](const Text& a, const Text& b) { return times[a] < times[b]; });
    error = "an object has the key \"" + most + "\" " + text_of(times[most]) + " times";
    where = Text::npos;
    return false;
  }

  bool string(Text& to) {
    const size_t quote = at_++;
    for (;;) {
      const size_t from = at_;
      while (!ends() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      to.append(text_.substr(from, at_ - from));
      if (ends()) return fail("Unterminated string starting", quote);
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') return fail("Invalid control character", at_);
      if (!escape(to, quote)) return false;
    }
    ++at_;
    return true;
  }

  bool escape(Text& to, size_t quote) {
    static constexpr View NAMES = "\"\\/bfnrt", MEANT = "\"\\/\b\f\n\r\t";
    if (at_ + 1 >= text_.size()) return fail("Unterminated string starting", quote);
    const char c = text_[at_ + 1];
    if (c != 'u') {
      const size_t k = NAMES.find(c);
      if (k == View::npos) return fail("Invalid \\escape: ", at_);
      to += MEANT[k];
      at_ += 2;
      return true;
    }
    uint32_t code = 0, low = 0;
    if (!hex(at_ + 2, code)) return fail("Invalid \\uXXXX escape", at_ + 1);
    at_ += 6;
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u" && hex(at_ + 2, low) &&
        low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at_ += 6;
    }
    add_utf8(to, code);
    return true;
  }

  bool hex(size_t from, uint32_t& code) const {
    if (from + 4 > text_.size()) return false;
    const char* first = text_.data() + from;
    return std::from_chars(first, first + 4, code, 16).ptr == first + 4;
  }
};

}  // namespace fastcausal::checked
