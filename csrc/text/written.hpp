// Cells and rows of text files from strings of Arrow arrays: JSON, CSV, literals of Python. Host
// only. Texts are valid UTF-8. Cost: about one nanosecond for 2 bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace fastcausal {

struct Strings {
  const char* data = nullptr;
  const int64_t* places = nullptr;  // start of each string, then the end of the last one
  const uint8_t* valid = nullptr;   // NULL: no string is null

  bool has(int64_t k) const { return valid == nullptr || valid[k]; }
  std::string_view operator[](int64_t k) const {
    return {data + places[k], static_cast<size_t>(places[k + 1] - places[k])};
  }
};

// Adds a text. Calls escape(byte) in place of each special byte.
template <class IsSpecial, class Escape>
void add_escaped(std::string_view text, std::string& out, IsSpecial is_special, Escape escape) {
  for (;;) {
    const size_t special = find_special(text, is_special);
    out += text.substr(0, special);
    if (special == text.size()) return;
    escape(static_cast<unsigned char>(text[special]));
    text.remove_prefix(special + 1);
  }
}

constexpr char HEX[] = "0123456789abcdef";

// Adds a string of JSON, as json.dumps with ensure_ascii=False does.
inline void add_json(std::string_view text, std::string& out) {
  const auto is_special = [](unsigned char c) { return (c < 0x20) | (c == '"') | (c == '\\'); };
  out += '"';
  add_escaped(text, out, is_special, [&out](unsigned char c) {
    constexpr std::string_view SHORT = "\"\\\b\f\n\r\t", NAMES = "\"\\bfnrt";
    out += '\\';
    const size_t k = SHORT.find(static_cast<char>(c));
    if (k != std::string_view::npos) {
      out += NAMES[k];
    } else {
      out += "u00";
      out += HEX[c >> 4];
      out += HEX[c & 15];
    }
  });
  out += '"';
}

// The same with escapes for all but ASCII, as json.dumps does by itself. Text may be invalid.
inline void add_ascii_json(std::string_view text, std::string& out) {
  const size_t start = out.size();
  add_json(text, out);
  const std::string_view made = std::string_view(out).substr(start);
  const size_t first = find_special(made, [](unsigned char c) { return c >= 0x7f; });
  const std::string rest(made.substr(first));
  out.resize(start + first);
  const auto add_unit = [&out](char32_t unit) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += HEX[unit >> shift & 15];
  };
  for (size_t at = 0; at < rest.size();) {
    const char32_t point = utf8::next(rest, at);
    if (point < 0x7f) {
      out += static_cast<char>(point);
    } else if (point < 0x10000) {
      add_unit(point);
    } else {
      add_unit(0xd7c0 + (point >> 10));
      add_unit(0xdc00 | (point & 0x3ff));
    }
  }
}

// Adds a cell of CSV, in quotes only if it needs them.
inline void add_csv(std::string_view text, std::string& out) {
  const auto is_special = [](unsigned char c) {
    return (c == '"') | (c == ',') | (c == '\n') | (c == '\r');
  };
  if (find_special(text, is_special) == text.size()) {
    out += text;
    return;
  }
  out += '"';
  const auto is_quote = [](unsigned char c) { return c == '"'; };
  add_escaped(text, out, is_quote, [&out](unsigned char) { out += "\"\""; });
  out += '"';
}

// Adds a text as Python writes it. Returns false if Python raised an exception.
using Represent = bool (*)(std::string_view, std::string&);

// Adds a string as Python's repr writes it. Python itself writes texts beyond ASCII, since it knows
// which letters are printable.
inline void add_literal(std::string_view text, std::string& out, Represent represent) {
  if (find_special(text, [](unsigned char c) { return c >= 0x80; }) < text.size()) {
    if (!represent(text, out)) throw std::runtime_error("a text has no literal");
    return;
  }
  const bool doubled =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = doubled ? '"' : '\'';
  const auto is_special = [quote](unsigned char c) {
    return (c < 0x20) | (c == 0x7f) | (c == '\\') | (c == static_cast<unsigned char>(quote));
  };
  out += quote;
  add_escaped(text, out, is_special, [&out](unsigned char c) {
    constexpr std::string_view SHORT = "\n\r\t", NAMES = "nrt";
    out += '\\';
    const size_t k = SHORT.find(static_cast<char>(c));
    if (k != std::string_view::npos) {
      out += NAMES[k];
    } else if (c >= 0x20 && c != 0x7f) {
      out += static_cast<char>(c);
    } else {
      out += 'x';
      out += HEX[c >> 4];
      out += HEX[c & 15];
    }
  });
  out += quote;
}

// Cells one after another.
struct Cells {
  std::string text;
  std::vector<int64_t> places{0};

  void end_cell() { places.push_back(static_cast<int64_t>(text.size())); }
};

// Writes a cell for each list of strings, in the brackets that JSON and Python share.
// represent is NULL for JSON. Items of list k: from lists[k] up to lists[k + 1].
inline void write_lists(const Strings& strings, const int64_t* lists, int64_t n,
                        Represent represent, Cells& out) {
  for (int64_t k = 0; k < n; ++k) {
    out.text += '[';
    for (int64_t item = lists[k]; item < lists[k + 1]; ++item) {
      if (item > lists[k]) out.text += ", ";
      if (represent == nullptr) {
        add_json(strings[item], out.text);
      } else {
        add_literal(strings[item], out.text, represent);
      }
    }
    out.text += ']';
    out.end_cell();
  }
}

enum class Style : int64_t { plain, json, csv };

// A column of a file.
struct WrittenColumn {
  std::string_view head;  // before each cell
  Style style = Style::plain;
  Strings cells;
  std::string_view null;    // in place of a null cell
  bool omits_null = false;  // a row without the cell, its head included

  void add(int64_t k, std::string& out) const {
    out += head;
    if (!cells.has(k)) {
      out += null;
    } else if (style == Style::json) {
      add_json(cells[k], out);
    } else if (style == Style::csv) {
      add_csv(cells[k], out);
    } else {
      out += cells[k];
    }
  }
};

// The text around the cells of a row.
struct RowFrame {
  std::string_view opens, between, closes;
};

inline void write_rows(const std::vector<WrittenColumn>& columns, int64_t n, const RowFrame& frame,
                       std::string& out) {
  for (int64_t k = 0; k < n; ++k) {
    out += frame.opens;
    bool is_first = true;
    for (const WrittenColumn& column : columns) {
      if (column.omits_null && !column.cells.has(k)) continue;
      if (!is_first) out += frame.between;
      is_first = false;
      column.add(k, out);
    }
    out += frame.closes;
  }
}

}  // namespace fastcausal
