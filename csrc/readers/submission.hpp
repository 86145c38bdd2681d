// Reads lines {"index": 0, "prediction": ["...", ...]} in one plain form. Host only. The form is a
// subset of JSON that all readers read alike. Other lines are not plain: another reader takes them
// and reports their faults. Nothing checks the bytes for UTF-8.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "text/json.hpp"

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

class SubmissionReader : JsonReader {
 public:
  SubmissionReader(const char* data, int64_t size, Submission& found)
      : JsonReader(data, size, found.text), found_(found) {}

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

  Submission& found_;
};

inline bool read_submission(const char* data, int64_t size, Submission& found) {
  return SubmissionReader(data, size, found).read();
}

}  // namespace fastcausal
