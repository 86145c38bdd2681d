// Sentences of a CoNLL-style file: a token on each line, and its tags. Host only.
//
//   bytes ── TagSentences ──▶ TagSentence: cells in rows ── append_text ──▶ the text of its tokens
//
// A sentence with lines of any other form is not plain: its caller reads it, and names its faults.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tags/tagged.hpp"
#include "text/lines.hpp"

namespace fastcausal {

// Only white space of ASCII separates the tokens of a text.
inline bool is_blank_byte(char c) { return is_white(static_cast<unsigned char>(c)); }

struct TagSentence {
  const char* begin = nullptr;  // its lines with their ends; none is empty
  const char* end = nullptr;
  int64_t line = 0;  // number of the first
  bool plain = true;
  bool has_id = false, has_text = false;
  std::string_view id, text;            // of its comments
  int64_t n_rows = 0;                   // its tokens
  int64_t n_columns = 0;                // the token, and its tags
  std::vector<std::string_view> cells;  // row by row

  bool has_any() const { return n_rows > 0 || has_id || has_text; }
  std::string_view cell(int64_t row, int64_t column) const {
    return cells[static_cast<size_t>(row * n_columns + column)];
  }

  void clear() {
    n_rows = n_columns = 0;
    cells.clear();
    plain = true;
    has_id = has_text = false;
    id = text = {};
  }
};

class TagSentences {
 public:
  TagSentences(const char* data, int64_t size, int64_t first_line, int64_t most_tokens)
      : at_(data), limit_(data + size), line_(first_line), most_(most_tokens) {}

  // Reads the lines up to the next empty one. Returns false if there are none.
  bool next(TagSentence& sentence) {
    sentence.clear();
    bool inside = false;
    for (; at_ < limit_; ++line_) {
      const size_t n_cells = sentence.cells.size();
      const Line line = take_line(sentence.cells);
      if (line.text.empty()) {
        sentence.cells.resize(n_cells);
        if (!inside) continue;
        ++line_;
        break;
      }
      if (!inside) {
        sentence.begin = line.text.data();
        sentence.line = line_;
        inside = true;
      }
      sentence.end = at_;
      sentence.plain = sentence.plain && !line.is_odd && add_line(line, n_cells, sentence);
    }
    return inside;
  }

 private:
  const char *at_, *const limit_;
  int64_t line_;
  const int64_t most_;

  struct Line {
    std::string_view text;
    bool has_tab, has_blank, is_odd;
  };

  static bool ends_word(char c) { return (c == ' ') | (static_cast<uint8_t>(c - '\t') < 4); }

  // Takes a line and its cells between tabs. Only a line feed ends a line; a carriage return before
  // it belongs to it.
  Line take_line(std::vector<std::string_view>& cells) {
    const char *const begin = at_, *const limit = limit_, *at = begin, *cell = begin;
    Line line{{}, false, false, *at == ' ' || *at == '\t'};
    for (;; ++at) {
      while (at < limit && !ends_word(*at)) ++at;
      if (at == limit || *at == '\n') break;
      if (*at == '\t') {
        cells.emplace_back(cell, static_cast<size_t>(at - cell));
        cell = at + 1;
        line.has_tab = true;
      } else if (*at == ' ') {
        line.has_blank = true;
      } else {
        line.is_odd = true;
      }
    }
    const char* stop = at;
    at_ = at + (at < limit);
    if (stop > begin && stop[-1] == '\r') --stop;
    cells.emplace_back(cell, static_cast<size_t>(stop - cell));
    line.text = {begin, static_cast<size_t>(stop - begin)};
    return line;
  }

  // Adds a line whose cells between tabs are the last from `n_cells` on. Returns false for one that
  // is not plain, or does not fit the others.
  bool add_line(const Line& line, size_t n_cells, TagSentence& sentence) const {
    const std::string_view text = line.text;
    if (text[0] == '#' && text.size() > 1 && text[1] == ' ') {
      std::string_view said;
      const bool is_id = is_comment(text, "# id", said);
      if (is_id || is_comment(text, "# text", said) || !line.has_tab) {
        sentence.cells.resize(n_cells);
        if (is_id) return say(said, sentence.id, sentence.has_id);
        if (said.data()) return say(said, sentence.text, sentence.has_text);
        return !may_end_in_tag(text);  // another comment means nothing
      }
    }
    if (!line.has_tab && line.has_blank) {
      sentence.cells.resize(n_cells);
      split(text, sentence.cells);
    }
    const auto n_columns = static_cast<int64_t>(sentence.cells.size() - n_cells);
    if (sentence.n_rows++ == 0) sentence.n_columns = n_columns;
    return n_columns == sentence.n_columns && sentence.n_rows <= most_;
  }

  static bool say(std::string_view said, std::string_view& place, bool& has_one) {
    if (has_one) return false;
    place = said;
    return has_one = true;
  }

  // Sets what follows `name`, blanks, "=" and a blank that may be missing.
  static bool is_comment(std::string_view line, std::string_view name, std::string_view& said) {
    if (line.substr(0, name.size()) != name) return false;
    const size_t mark = line.find_first_not_of(' ', name.size());
    if (mark == line.npos || line[mark] != '=') return false;
    said = line.substr(mark + 1);
    if (!said.empty() && said[0] == ' ') said.remove_prefix(1);
    return true;
  }

  static bool may_end_in_tag(std::string_view line) {
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    const std::string_view last = line.substr(line.find_last_of(' ') + 1);
    if (last[0] == 'O') return last.size() == 1 || last[1] == '|';
    return std::string_view("BIESLU").find(last[0]) != last.npos && last.size() > 1 &&
           last[1] == '-';
  }

  // Splits at blanks: several are one separator, and none stands at the end.
  static void split(std::string_view line, std::vector<std::string_view>& cells) {
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    while (!line.empty()) {
      const size_t stop = std::min(line.find(' '), line.size());
      cells.push_back(line.substr(0, stop));
      line.remove_prefix(std::min(line.find_first_not_of(' ', stop), line.size()));
    }
  }
};

// Returns whether white space separates these tokens in a text.
inline bool are_tokens_of(const TagSentence& sentence, std::string_view text) {
  int64_t row = 0;
  for (size_t at = 0;; ++row) {
    while (at < text.size() && is_blank_byte(text[at])) ++at;
    if (at == text.size()) return row == sentence.n_rows;
    if (row == sentence.n_rows) return false;
    const std::string_view token = sentence.cell(row, 0);
    // A token may end before the next white space, or hold some.
    if (token.empty() || text.substr(at, token.size()) != token) return false;
    if (std::any_of(token.begin(), token.end(), is_blank_byte)) return false;
    at += token.size();
    if (at < text.size() && !is_blank_byte(text[at])) return false;
  }
}

// Appends the text of the comment if it has these tokens, else the tokens with blanks between.
// Returns false, and appends nothing, if that text has another number of tokens.
inline bool append_text(const TagSentence& sentence, std::string& out) {
  if (sentence.has_text && are_tokens_of(sentence, sentence.text)) {
    out += sentence.text;
    return true;
  }
  const size_t before = out.size();
  size_t size = 0;
  for (int64_t row = 0; row < sentence.n_rows; ++row) size += 1 + sentence.cell(row, 0).size();
  out.resize(before + size);
  char* to = out.data() + before;
  for (int64_t row = 0; row < sentence.n_rows; ++row) {
    const std::string_view token = sentence.cell(row, 0);
    to = std::copy(token.begin(), token.end(), to);
    *to++ = ' ';
  }
  out.resize(before + size - (size > 0));
  const int64_t n = count_words(out.data() + before, static_cast<int64_t>(out.size() - before));
  if (n != sentence.n_rows) out.resize(before);
  return n == sentence.n_rows;
}

}  // namespace fastcausal
