// Truth files of the Causal News Corpus, as fastcausal/formats/cnc/truth.py reads them.
#pragma once
#include "page/sentences.hpp"

namespace fastcausal::page {

// Evaluates a Python literal, a list of strings. Returns false for anything else.
inline bool literal_list(View cell, std::vector<Text>& found) {
  Text room(cell.size(), '\0');
  Literals plain{room.data()};
  const int64_t n = string_list(cell.data(), cell.data() + cell.size(), plain);
  for (int64_t k = 0; k < n; ++k) {
    const auto from = static_cast<size_t>(plain.places[static_cast<size_t>(k)]);
    found.push_back(
        room.substr(from, static_cast<size_t>(plain.places[static_cast<size_t>(k) + 1]) - from));
  }
  if (n >= 0) return true;
  cell = stripped(cell);
  if (cell.size() < 2 || cell.front() != '[' || cell.back() != ']') return false;
  cell = cell.substr(1, cell.size() - 2);
  const auto skip = [&] { cell = stripped(cell); };
  for (skip(); !cell.empty(); skip()) {
    const char quote = cell.front();
    if (quote != '\'' && quote != '"') return false;
    Text text;
    size_t at = 1;
    for (; at < cell.size() && cell[at] != quote; ++at) {
      if (cell[at] == '\n') return false;
      if (cell[at] != '\\') {
        text += cell[at];
        continue;
      }
      if (++at == cell.size()) return false;
      static constexpr View NAMES = "\\'\"abfnrtv", MEANT = "\\'\"\a\b\f\n\r\t\v";
      const char c = cell[at];
      const size_t k = NAMES.find(c);
      const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
      if (k != View::npos)
        text += MEANT[k];
      else if (digits) {
        uint32_t code = 0;
        if (at + digits >= cell.size()) return false;
        const char* first = cell.data() + at + 1;
        if (std::from_chars(first, first + digits, code, 16).ptr != first + digits ||
            code > 0x10ffff)
          return false;
        add_utf8(text, code);
        at += digits;
      } else if (is_digit(c) || c == 'N' || c == '\n')
        return false;  // octal, names, joined lines
      else
        (text += '\\') += c;
    }
    if (at == cell.size()) return false;
    found.push_back(text);
    cell.remove_prefix(at + 1);
    skip();
    if (cell.empty()) return true;
    if (cell.front() != ',') return false;
    cell.remove_prefix(1);
  }
  return true;
}

class TruthReader {
 public:
  TruthReader(const File& file, Tags tags, Examples& made) : file_(file), tags_(tags), made_(made) {
    read_cells(file, cells_);
  }

  // Returns a fault, empty if there is none.
  Text read() {
    if (!cells_.error.empty()) return cells_.error;
    index_ = cells_.find("index");
    text_ = cells_.find("text") < 0 ? cells_.find("sentence") : cells_.find("text");
    const int64_t lists = cells_.find("causal_text_w_pairs"), stated = cells_.find("num_rs");
    const int64_t pairs = cells_.find("text_w_pairs");
    for (size_t k = 0; k < 3; ++k) keys_[k] = cells_.find(KEYS[k]);
    const bool keyed = keys_[0] >= 0 && keys_[1] >= 0 && keys_[2] >= 0;
    if (index_ >= 0 && text_ >= 0 && lists >= 0 && stated >= 0) {
      bool gaps = false;
      for (size_t r = 0; r < cells_.n_rows(); ++r) gaps |= cell(r, lists).empty();
      group(gaps && keyed);
      for (size_t r = 0; r < cells_.n_rows(); ++r) add_list(r, lists, stated);
    } else if (index_ >= 0 && text_ >= 0 && pairs >= 0 && keyed) {
      group(true);
      const int64_t label = cells_.find("pair_label");
      for (size_t r = 0; r < cells_.n_rows(); ++r) {
        const View sentence = cell(r, pairs);
        if (sentence.empty() || (label >= 0 && (cell(r, label) == "0" || cell(r, label) == "0.0")))
          continue;
        of_group_[static_cast<size_t>(group_[r])].emplace_back(sentence);
      }
    } else {
      return missing_columns(lists, pairs);
    }
    return finish();
  }

 private:
  static constexpr std::array<const char*, 3> KEYS = {"corpus", "doc_id", "sent_id"};

  View cell(size_t row, int64_t column) const { return cells_.at(row, column); }
  Text where(size_t row) const {
    return file_.name + ":" + text_of(cells_.lines[row]) + ": example " + Text(cell(row, index_));
  }

  // Numbers the rows of each sentence, or each row.
  void group(bool by_key) {
    std::unordered_map<Text, int64_t> known;
    for (size_t r = 0; r < cells_.n_rows(); ++r) {
      auto number = static_cast<int64_t>(first_.size());
      if (by_key) {
        Text key;
        for (const int64_t column : keys_) (key += cell(r, column)) += '\n';
        number = known.try_emplace(key, number).first->second;
      }
      if (number == static_cast<int64_t>(first_.size())) first_.push_back(r);
      group_.push_back(number);
      const size_t first = first_[static_cast<size_t>(number)];
      if (cell(r, text_) != cell(first, text_))
        problems_.add(where(r) + ": another text than line " + text_of(cells_.lines[first]) +
                      " has for the same sentence");
    }
    of_group_.resize(first_.size());
  }

  void add_list(size_t r, int64_t lists, int64_t stated) {
    std::vector<Text> found;
    const View list = cell(r, lists);
    if (!list.empty() && !literal_list(list, found)) {
      problems_.add(where(r) + ": causal_text_w_pairs: expected a list of strings, found " +
                    short_repr(Text(list)));
      return;
    }
    const Text number(cell(r, stated));
    const bool plain = !number.empty() && number.size() < 10 &&
                       std::all_of(number.begin(), number.end(), is_digit);
    if (!plain) {
      problems_.add(where(r) + ": num_rs is " + short_repr(number) + ", expected a number");
      return;
    }
    const auto n = static_cast<size_t>(std::stol(number));
    if (n != found.size() && (tags_ == Tags::strict || n > found.size())) {
      problems_.add(where(r) + ": num_rs is " + text_of(static_cast<int64_t>(n)) +
                    ", but the list has " + text_of(static_cast<int64_t>(found.size())) +
                    " sentences");
      return;
    }
    made_.note("sentences beyond num_rs left out", static_cast<int64_t>(found.size() - n));
    found.resize(n);
    auto& to = of_group_[static_cast<size_t>(group_[r])];
    to.insert(to.end(), found.begin(), found.end());
  }

  Text finish() {
    Sentences sentences;
    for (size_t g = 0; g < first_.size(); ++g) {
      const size_t r = first_[g];
      made_.ids.emplace_back(cell(r, index_));
      made_.texts.emplace_back(cell(r, text_));
      made_.lines.push_back(cells_.lines[r]);
      for (size_t k = 0; k < 3; ++k)
        if (keys_[k] >= 0) made_.keys[k].emplace_back(cell(r, keys_[k]));
      for (const Text& each : of_group_[g]) sentences.add(each);
      sentences.end_example();
    }
    drop_stand_ins();
    made_.has_text.assign(first_.size(), 1);
    if (problems_.count) return problems_.summary();
    SentenceReader(sentences, tags_, true, made_).read(token_counts(made_, tags_), problems_);
    return problems_.count ? problems_.summary() : made_.repeated();
  }

  // Drops the columns that `convert` made up.
  void drop_stand_ins() {
    auto& [corpus, document, sentence] = made_.keys;
    if (corpus.empty() || corpus[0].rfind("no corpus", 0) != 0) return;
    if (std::count(corpus.begin(), corpus.end(), corpus[0]) !=
        static_cast<std::ptrdiff_t>(corpus.size()))
      return;
    const Text named = corpus[0];
    if (named.find("doc_id") != Text::npos) document.clear();
    if (named.find("sent_id") != Text::npos) sentence.clear();
    corpus.clear();
  }

  Text missing_columns(int64_t lists, int64_t pairs) const {
    std::vector<const char*> wanted = {"corpus", "doc_id", "sent_id",
                                       "index",  "text",   "text_w_pairs"};
    if (lists >= 0) wanted = {"index", "text", "causal_text_w_pairs", "num_rs"};
    Text missing, advice;
    for (const char* name : wanted)
      if (cells_.find(name) < 0) missing += (missing.empty() ? "\"" : ", \"") + Text(name) + "\"";
    if (pairs < 0 && lists < 0) {
      missing = "\"causal_text_w_pairs\" or \"text_w_pairs\"";
      advice =
          "; a row per relation with \"id\", \"text\", \"cause\" and \"effect\" would do, and of "
          "raw answers of a language model the name of their column";
    }
    return cells_.header + ": no column " + missing + ": found " + cells_.listed() + advice;
  }

  const File& file_;
  const Tags tags_;
  Examples& made_;
  Cells cells_;
  Problems problems_;
  int64_t index_ = -1, text_ = -1;
  std::array<int64_t, 3> keys_{};
  std::vector<int64_t> group_;
  std::vector<size_t> first_;
  std::vector<std::vector<Text>> of_group_;
};

}  // namespace fastcausal::page
