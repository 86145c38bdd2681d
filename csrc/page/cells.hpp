// CSV files and JSON lines, with the messages of fastcausal/files/files.py for faults.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "text/lines.hpp"
#include "text/values.hpp"

namespace fastcausal::page {

using namespace checked;
using checked::Text;  // not those of other rooms
using checked::Value;

// A dropped file.
struct File {
  Text name, data;

  bool ends_in(View suffix) const {
    Text own = small(name);
    if (own.size() > 3 && own.substr(own.size() - 3) == ".gz") own.resize(own.size() - 3);
    return own.size() >= suffix.size() && own.substr(own.size() - suffix.size()) == suffix;
  }
  // Returns whether it begins as one JSON list of objects.
  bool is_list() const {
    size_t at = 0;
    const auto skip = [&] {
      while (at < data.size() && is_space(data[at])) ++at;
    };
    skip();
    if (at == data.size() || data[at] != '[') return false;
    ++at;
    skip();
    return at < data.size() && data[at] == '{';
  }
  bool is_json() const {
    const View text = stripped(data);
    return ends_in(".jsonl") || ends_in(".json") || ends_in(".ndjson") || is_list() ||
           (!text.empty() && text.front() == '{');
  }
  Text header() const {
    const View text = stripped(data).substr(0, 1000);
    return Text(text.substr(0, text.find('\n')));
  }
  // Returns the fault of a file that nothing can read, empty if there is none.
  Text fault() const {
    if (stripped(data).empty()) return name + " is empty";
    const int64_t bad = not_utf8(data);
    if (bad < 0) return "";
    const int64_t line = 1 + std::count(data.begin(), data.begin() + bad, '\n');
    static constexpr char HEX[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(data[static_cast<size_t>(bad)]);
    return name + ":" + text_of(line) + ": byte 0x" + HEX[byte >> 4] + HEX[byte & 15] +
           " is not UTF-8";
  }
};

constexpr const char* ONE_OBJECT =
    ": one JSON object over several lines, expected an object on each line, or a list of objects";

// The rows of a CSV file, as views of its bytes.
struct Cells {
  Text error;
  std::vector<View> names;
  std::vector<View> cells;  // of all rows
  std::vector<int32_t> lines;
  Text header;             // file and line of the header
  std::deque<Text> texts;  // cells with quotes in them

  size_t n_rows() const { return lines.size(); }
  View at(size_t row, int64_t column) const {
    return cells[row * names.size() + static_cast<size_t>(column)];
  }
  // Returns the place of a column: of that name, else the only one of it in another case; -1.
  int64_t find(View name) const {
    int64_t like = -1;
    for (size_t k = 0; k < names.size(); ++k) {
      if (names[k] == name) return static_cast<int64_t>(k);
      if (small(names[k]) == name) like = like == -1 ? static_cast<int64_t>(k) : -2;
    }
    return std::max<int64_t>(like, -1);
  }
  Text listed() const {
    Text made;
    for (const View name : names) (made += made.empty() ? "" : ", ") += name;
    return Text(letters_of(made, 200));
  }
};

class CsvReader {
 public:
  CsvReader(const File& file, char delimiter, Cells& cells)
      : file_(file), text_(file.data), delimiter_(delimiter), cells_(cells) {}

  void read() {
    for (int32_t line = 1; at_ < text_.size(); line = line_) {
      const size_t before = cells_.cells.size();
      if (const char* fault = read_row()) {
        cells_.error = file_.name + ":" + text_of(line) + ": invalid CSV: " + fault;
        if (*fault == '\'') cells_.error += Text(1, delimiter_) + "' expected after '\"'";
        return;
      }
      const size_t width = cells_.cells.size() - before;
      const bool is_header = cells_.names.empty();
      if (width == 1 && cells_.cells.back().empty() && !quoted_) {
        cells_.cells.pop_back();
      } else if (is_header) {
        cells_.names.swap(cells_.cells);
        if (!check_header(line)) return;
      } else if (width != cells_.names.size()) {
        if (width_fault_.empty())
          width_fault_ = file_.name + ":" + text_of(line) + ": " +
                         text_of(static_cast<int64_t>(width)) + " columns, expected " +
                         text_of(static_cast<int64_t>(cells_.names.size()));
        cells_.cells.resize(before);
      } else {
        cells_.lines.push_back(line);
      }
    }
    cells_.error = width_fault_;
  }

 private:
  bool check_header(int32_t line) {
    cells_.header = file_.name + ":" + text_of(line);
    for (const View name : cells_.names) {
      const int64_t n = std::count(cells_.names.begin(), cells_.names.end(), name);
      if (n == 1) continue;
      cells_.error =
          cells_.header + ": column \"" + Text(name) + "\" occurs " + text_of(n) + " times";
      return false;
    }
    return true;
  }

  // Returns a fault: "'" for a quote without a separator after it.
  const char* read_row() {
    quoted_ = false;
    for (;;) {
      if (at_ < text_.size() && text_[at_] == '"') {
        quoted_ = true;
        if (const char* fault = quoted()) return fault;
      } else {
        const size_t from = at_;
        while (at_ < text_.size() && text_[at_] != delimiter_ && !is_end(text_[at_])) ++at_;
        cells_.cells.push_back(text_.substr(from, at_ - from));
      }
      if (at_ == text_.size()) return nullptr;
      const char c = text_[at_++];
      if (c == delimiter_) continue;
      if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
      ++line_;
      return nullptr;
    }
  }
  static bool is_end(char c) { return c == '\n' || c == '\r'; }

  // Counts the ends of lines; "\r\n" is one.
  void count_lines(View cell) {
    for (size_t k = 0; k < cell.size(); ++k)
      line_ +=
          cell[k] == '\n' || (cell[k] == '\r' && (k + 1 == cell.size() || cell[k + 1] != '\n'));
  }

  const char* quoted() {
    const size_t from = at_ + 1;
    bool doubled = false;
    for (size_t at = from;; at += 2, doubled = true) {
      at = std::min(text_.find('"', at), text_.size());
      if (at == text_.size()) return "unexpected end of data";
      at_ = at + 1;
      if (at_ < text_.size() && text_[at_] == '"') continue;
      if (at_ < text_.size() && text_[at_] != delimiter_ && !is_end(text_[at_])) return "'";
      break;
    }
    View cell = text_.substr(from, at_ - 1 - from);
    count_lines(cell);
    if (doubled) {
      Text& made = cells_.texts.emplace_back();
      for (size_t k = 0; k < cell.size(); ++k) {
        made += cell[k];
        k += cell[k] == '"';
      }
      cell = made;
    }
    cells_.cells.push_back(cell);
    return nullptr;
  }

  const File& file_;
  View text_;
  const char delimiter_;
  Cells& cells_;
  size_t at_ = 0;
  int32_t line_ = 1;
  bool quoted_ = false;
  Text width_fault_;
};

inline char delimiter_of(const File& file) {
  if (file.ends_in(".tsv")) return '\t';
  const Text header = file.header();
  char best = ',';
  for (const char c : {'\t', ';'})
    if (std::count(header.begin(), header.end(), c) >
        std::count(header.begin(), header.end(), best))
      best = c;
  return best;
}

inline void read_cells(const File& file, Cells& cells) {
  CsvReader(file, delimiter_of(file), cells).read();
}

// An object of JSON, and its line.
struct Line {
  int32_t line;
  Value value;
};

// Reads the JSON object of each line that is not blank, or the items of a list.
inline std::vector<Line> objects_of(const File& file, Problems& problems) {
  std::vector<Line> found;
  const auto add = [&](int64_t line, Value& value) {
    const Text where = file.name + ":" + text_of(line);
    if (value.is(Value::object))
      found.push_back({static_cast<int32_t>(line), std::move(value)});
    else
      problems.add(where + ": " + value.name_of_kind() + ", expected an object");
  };
  const View text = file.data;
  if (file.is_list()) {
    ValueReader reader(text);
    int64_t line = 1;
    size_t seen = 0;
    const auto line_at = [&](size_t place) {
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(seen),
                         text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
      seen = place;
      return line;
    };
    if (reader.items([&](size_t place, size_t, Value& value) { add(line_at(place), value); }))
      return found;
    if (reader.where == Text::npos) {
      problems.add(file.name + ":" + text_of(line) + ": " + reader.error);
      return found;
    }
    const size_t begin = text.substr(0, reader.where).rfind('\n') + 1;
    problems.add(file.name + ":" + text_of(line_at(reader.where)) +
                 ": invalid JSON: " + reader.error + " at column " +
                 text_of(1 + utf8::count(text.substr(begin, reader.where - begin))));
    return found;
  }
  int64_t number = 1;
  for (size_t from = 0; from < text.size(); ++number) {
    const size_t stop = std::min(text.find('\n', from), text.size());
    const View line = text.substr(from, stop - from);
    from = stop + 1;
    if (stripped(line).empty()) continue;
    ValueReader reader(line);
    Value value;
    if (reader.whole(value)) {
      add(number, value);
      continue;
    }
    Value one;
    if (!problems.count && ValueReader(text).whole(one) && one.is(Value::object)) {
      problems.add(file.name + ONE_OBJECT);
      return found;
    }
    const Text where = file.name + ":" + text_of(number) + ": ";
    if (reader.where == Text::npos)
      problems.add(where + reader.error);
    else
      problems.add(where + "invalid JSON: " + reader.error + " at column " +
                   text_of(1 + utf8::count(line.substr(0, reader.where))));
  }
  return found;
}

}  // namespace fastcausal::page
