// Checks lines of text: a fast reader may only take lines that Python would read the same way. Host
// only.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/utf8.hpp"

namespace fastcausal {

inline const char* find(const char* p, const char* end, char c) {
  const void* found = p < end ? std::memchr(p, c, static_cast<size_t>(end - p)) : nullptr;
  return found ? static_cast<const char*>(found) : end;
}

// Returns the place of the first special byte, or the size. Plain loops over blocks, which
// compilers vectorise.
template <class IsSpecial>
size_t find_special(std::string_view text, IsSpecial is_special) {
  constexpr size_t BLOCK = 32;
  const auto is = [&](size_t k) { return is_special(static_cast<unsigned char>(text[k])); };
  size_t at = 0;
  for (; text.size() - at >= BLOCK; at += BLOCK) {
    uint8_t any = 0;
    for (size_t k = at; k < at + BLOCK; ++k) any |= static_cast<uint8_t>(is(k));
    if (any) break;
  }
  while (at < text.size() && !is(at)) ++at;
  return at;
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
// NULL if a closing quote is missing, or if neither a comma nor a line end follows it. Calls add
// for each cell: its begin and end within quotes, and how many quotes in it are written twice.
template <class Add>
const char* pass_row(const char* p, const char* end, Add add) {
  for (;;) {  // cells
    const char* const begin = p;
    if (p < end && *p == '"') {
      int64_t n_doubled = -1;
      do {
        p = find(p + 1, end, '"');
        if (p == end) return nullptr;
        ++p;
        ++n_doubled;
      } while (p < end && *p == '"');
      add(begin + 1, p - 1, n_doubled);
    } else {
      while (p < end && *p != ',' && *p != '\n' && *p != '\r') ++p;
      add(begin, p, int64_t{0});
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
    const char* stop = pass_row(p, limit, [](const char*, const char*, int64_t) {});
    if (stop == nullptr || stop == limit) break;
    p = stop + 1;
    ++found;
  }
  n = found;
  return p;
}

// A cell of CSV in its file, within its quotes if it has some.
struct CsvCell {
  const char* data;
  int32_t size;
  int32_t n_doubled;  // quotes that are written twice
};

// Splits the next n_rows rows of CSV. Returns their end, or NULL if one has another number of
// cells, or unusual quotes, or the rows have 2 GiB.
inline const char* split_rows(const char* p, const char* end, int64_t n_rows, int64_t n_columns,
                              std::vector<CsvCell>& cells) {
  const char* const begin = p;
  while (p < end) {
    if (*p == '\n' || *p == '\r') {  // an empty row, or the second half of "\r\n"
      ++p;
      continue;
    }
    if (n_rows-- == 0) break;
    const size_t expected = cells.size() + static_cast<size_t>(n_columns);
    p = pass_row(p, end, [&](const char* from, const char* stop, int64_t n_doubled) {
      cells.push_back({from, static_cast<int32_t>(stop - from), static_cast<int32_t>(n_doubled)});
    });
    if (p == nullptr || cells.size() != expected || p - begin > INT32_MAX) return nullptr;
  }
  return p;
}

// Returns the bytes of the cells of a column; rows have n_columns cells.
inline int64_t size_of_column(const CsvCell* cell, int64_t n_rows, int64_t n_columns) {
  int64_t size = 0;
  for (int64_t k = 0; k < n_rows; ++k, cell += n_columns) size += cell->size - cell->n_doubled;
  return size;
}

// Writes the cells of a column, and the end of each behind a 0.
inline void write_column(const CsvCell* cell, int64_t n_rows, int64_t n_columns, char* to,
                         int32_t* places) {
  const char* const begin = to;
  *places = 0;
  for (int64_t k = 0; k < n_rows; ++k, cell += n_columns) {
    const char *from = cell->data, *stop = from + cell->size;
    for (int32_t n = cell->n_doubled; n > 0; --n) {
      const char* const behind = find(from, stop, '"') + 1;
      to = std::copy(from, behind, to);
      from = behind + 1;
    }
    to = std::copy(from, stop, to);
    *++places = static_cast<int32_t>(to - begin);
  }
}

// Lists of strings, each written as a Python literal, below 2 GiB.
struct Literals {
  char* text;                      // with room for the lists: strings need no more bytes
  std::vector<int32_t> places{0};  // end of each string
};

// Writes the character of an escape of a Python literal. Returns false for octal numbers, names,
// half surrogates, and escapes that Python does not know.
inline bool unescape(const char*& p, const char* end, char*& to) {
  static constexpr std::string_view NAMES = "'\"\\abfnrtv", MEANT = "'\"\\\a\b\f\n\r\t\v";
  if (end - p < 2) return false;
  const char c = p[1];
  p += 2;
  const size_t k = NAMES.find(c);
  if (k != NAMES.npos) {
    *to++ = MEANT[k];
    return true;
  }
  const int n_digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (n_digits == 0 || end - p < n_digits) return false;
  uint32_t code = 0;
  if (std::from_chars(p, p + n_digits, code, 16).ptr != p + n_digits) return false;
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  p += n_digits;
  utf8::put(code, to);
  return true;
}

// Appends the strings of one list. Returns their number, or -1 if the list is not plain.
inline int64_t string_list(const char* p, const char* end, Literals& found) {
  const size_t places_before = found.places.size();
  const auto not_plain = [&] {
    found.places.resize(places_before);
    return int64_t{-1};
  };
  if (end - p < 2 || *p != '[' || end[-1] != ']') return -1;
  --end;
  char* to = found.text + found.places.back();
  for (++p; p < end;) {
    const auto quote = static_cast<unsigned char>(*p++);
    if (quote != '\'' && quote != '"') return not_plain();
    const auto is_special = [quote](unsigned char c) {
      return (c == quote) | (c == '\\') | (c == '\n') | (c == '\r') | (c == '\0');
    };
    for (;;) {
      const char *stop = p, *const near = p + std::min<int64_t>(4, end - p);
      while (stop < near && !is_special(static_cast<unsigned char>(*stop))) ++stop;
      if (stop == near) {  // not a tag of a word
        stop += find_special({stop, static_cast<size_t>(end - stop)}, is_special);
      }
      to = std::copy(p, stop, to);
      p = stop;
      if (p < end && static_cast<unsigned char>(*p) == quote) break;
      if (p == end || *p != '\\' || !unescape(p, end, to)) return not_plain();
    }
    found.places.push_back(static_cast<int32_t>(to - found.text));
    ++p;
    if (p == end) break;
    if (*p++ != ',') return not_plain();
    if (p < end && *p == ' ') ++p;
  }
  return static_cast<int64_t>(found.places.size() - places_before);
}

}  // namespace fastcausal
