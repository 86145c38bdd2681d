// Checks lines of text: a fast reader may only take lines that Python would read the same way. Host
// only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fastcausal {

inline const char* find(const char* p, const char* end, char c) {
  const void* found = p < end ? std::memchr(p, c, static_cast<size_t>(end - p)) : nullptr;
  return found ? static_cast<const char*>(found) : end;
}

struct Lines {
  int64_t n = 0;        // lines that are not blank
  int64_t longest = 0;  // bytes of the longest line
};

// Counts lines. n is -1 if some line is neither blank nor `{...}`. Inside a JSON value, no line can
// end with `}` before a line that begins with `{`. So no value goes on over several such lines.
inline Lines object_lines(const char* data, int64_t size) {
  Lines lines;
  const char* limit = data + size;
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  for (const char *p = data, *stop; p < limit; p = stop + 1) {
    stop = find(p, limit, '\n');
    const char* last = stop;
    lines.longest = std::max<int64_t>(lines.longest, stop - p);
    while (p < last && space(*p)) ++p;
    while (p < last && space(last[-1])) --last;
    if (p == last) continue;
    if (*p != '{' || last[-1] != '}') return {-1, 0};
    ++lines.n;
  }
  return lines;
}

// Returns the end of the n-th line that is not blank, or of the last complete line. Sets n to the
// number of such lines up to there, and counts all lines.
inline const char* end_of_lines(const char* p, const char* limit, int64_t& n, int64_t& lines) {
  int64_t found = 0;
  const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  for (const char* stop; found < n && (stop = find(p, limit, '\n')) < limit; p = stop + 1) {
    found += !std::all_of(p, stop, space);
    ++lines;
  }
  n = found;
  return p;
}

// Returns the end of a row of CSV, before its line end. Readers differ on unusual quotes: returns
// NULL if a closing quote is missing, or if neither a comma nor a line end follows it.
inline const char* end_of_row(const char* p, const char* end) {
  for (;;) {  // cells
    if (p < end && *p == '"') {
      do {
        p = find(p + 1, end, '"');
        if (p == end) return nullptr;
        ++p;
      } while (p < end && *p == '"');
    } else {
      while (p < end && *p != ',' && *p != '\n' && *p != '\r') ++p;
    }
    if (p == end || *p == '\n' || *p == '\r') return p;
    if (*p != ',') return nullptr;
    ++p;
  }
}

// Returns the end of the n-th row that is not empty, or of the last complete row before an unusual
// quote. Sets n to the number of such rows up to there.
inline const char* end_of_rows(const char* p, const char* limit, int64_t& n) {
  int64_t found = 0;
  while (found < n && p < limit) {
    if (*p == '\n' || *p == '\r') {
      ++p;
      continue;
    }
    const char* stop = end_of_row(p, limit);
    if (stop == nullptr || stop == limit) break;
    p = stop + 1;
    ++found;
  }
  n = found;
  return p;
}

// Counts the rows of a CSV file that are not empty. Returns -1 for an unusual quote.
inline int64_t csv_rows(const char* data, int64_t size) {
  const char* end = data + size;
  int64_t n = 0;
  for (const char* p = data; p < end;) {
    if (*p == '\n' || *p == '\r') {  // an empty row, or the second half of "\r\n"
      ++p;
      continue;
    }
    ++n;
    p = end_of_row(p, end);
    if (p == nullptr) return -1;
  }
  return n;
}

// Lists of strings, each written as a Python literal, below 2 GiB.
struct Literals {
  std::string data;
  std::vector<int32_t> places{0};  // end of each string
};

// Appends the strings of one list. Returns their number, or -1 if the list is not plain.
inline int64_t string_list(const char* p, const char* end, Literals& found) {
  const size_t data_before = found.data.size(), places_before = found.places.size();
  const auto not_plain = [&] {
    found.data.resize(data_before);
    found.places.resize(places_before);
    return int64_t{-1};
  };
  if (end - p < 2 || *p != '[' || end[-1] != ']') return -1;
  --end;
  found.data.resize(data_before + static_cast<size_t>(end - p));
  char* const begin = found.data.data();
  char* to = begin + data_before;
  for (++p; p < end;) {
    const char quote = *p++;
    if (quote != '\'' && quote != '"') return not_plain();
    for (; p < end && *p != quote; *to++ = *p++) {
      if (*p == '\n' || *p == '\r' || *p == '\0') return not_plain();
      if (*p != '\\') continue;
      ++p;
      if (p == end || (*p != '\'' && *p != '"' && *p != '\\')) return not_plain();
    }
    if (p == end) return not_plain();
    found.places.push_back(static_cast<int32_t>(to - begin));
    ++p;
    if (p == end) break;
    if (*p++ != ',') return not_plain();
    if (p < end && *p == ' ') ++p;
  }
  found.data.resize(static_cast<size_t>(to - begin));
  return static_cast<int64_t>(found.places.size() - places_before);
}

}  // namespace fastcausal
