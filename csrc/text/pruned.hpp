// Leaves out members of objects in JSON: of each line, or of one. Host only.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.hpp"

namespace fastcausal {

// The members of a row that are left out, and those that stay of an object in it.
struct Pruning {
  std::vector<std::string> dropped;
  std::string inner;              // the key of the object
  std::vector<std::string> kept;  // its members that stay
  std::string text;               // a member that each row has, as a string
};

class Pruned : JsonReader {
 public:
  Pruned(const char* data, int64_t size, const Pruning& pruning, bool has_lines)
      : JsonReader(data, size, nullptr, has_lines),
        pruning_(pruning),
        room_(static_cast<size_t>(size)) {}

  // Writes the rows as a list of JSON. Returns false unless every line is an object that all
  // readers read alike, and has the text.
  bool write_lines(std::string& to) {
    to = "[";
    while (p_ < end_) {
      if (to.size() > 1) to += ',';
      has_text_ = false;
      space();
      if (!write_object(to, false) || !has_text_) return false;
      space();
      if (p_ < end_ && !take("\n")) return false;
    }
    to += ']';
    return true;
  }

  // Writes the members `kept` of one object. Returns false unless all readers read it alike.
  bool write_one(std::string& to) {
    space();
    if (!write_object(to, true)) return false;
    space();
    return p_ == end_;
  }

 private:
  static constexpr size_t MOST = 64;  // members of an object

  static bool holds(const std::vector<std::string>& names, std::string_view key) {
    return std::find(names.begin(), names.end(), key) != names.end();
  }

  bool write_object(std::string& to, bool is_inner) {
    std::string_view keys[MOST];
    size_t n = 0;
    if (!take("{")) return false;
    to += '{';
    const size_t start = to.size();
    space();
    if (!take("}")) {
      do {
        space();
        const char* const member = p_;
        if (n == MOST || !plain_key(keys[n])) return false;
        const std::string_view key = keys[n];
        if (std::find(keys, keys + n, key) < keys + n) return false;
        ++n;
        const bool stays = is_inner ? holds(pruning_.kept, key) : !holds(pruning_.dropped, key);
        if (stays && to.size() > start) to += ',';
        if (!is_inner && stays && key == pruning_.inner && p_ < end_ && *p_ == '{') {
          to.append(member, p_);
          if (!write_object(to, true)) return false;
        } else {
          has_text_ |= !is_inner && key == pruning_.text && p_ < end_ && *p_ == '"';
          if (!pass(room_.data())) return false;
          if (stays) to.append(member, p_);
        }
        space();
      } while (take(","));
      if (!take("}")) return false;
    }
    to += '}';
    return true;
  }

  const Pruning& pruning_;
  std::vector<char> room_;
  bool has_text_ = false;
};

}  // namespace fastcausal
