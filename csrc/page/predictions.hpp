// Submissions of the Causal News Corpus task, as fastcausal/formats/cnc/submissions.py reads them.
#pragma once
#include "page/sentences.hpp"
#include "readers/submission.hpp"

namespace fastcausal::page {

class PredictionReader {
 public:
  PredictionReader(const File& file, Tags tags, const Examples& gold, Examples& made)
      : file_(file), tags_(tags), gold_(gold), made_(made) {}

  // Returns a fault, empty if there is none.
  Text read() {
    if (!plain()) checked();
    if (problems_.count) return problems_.summary();
    const bool official = tags_ != Tags::strict;
    if (official)
      count_misplaced();
    else if (Text fault = name_lines(); !fault.empty())
      return fault;
    arrange();
    Text fault;
    const std::vector<int64_t> places = places_in(gold_, made_, fault);
    if (!fault.empty()) return fault;
    take_from_gold(gold_, places, made_);
    std::vector<int32_t> lengths = token_counts(gold_, tags_), own(places.size(), -1);
    if (gold_.texts.empty()) lengths = gold_.lengths;
    for (size_t k = 0; k < lengths.size(); ++k)
      if (lengths[k] < 0) lengths[k] = gold_.lengths[k];
    if (official && gold_.tagged) lengths = gold_.lengths;
    for (size_t k = 0; k < own.size(); ++k)
      if (places[k] >= 0) own[k] = lengths[static_cast<size_t>(places[k])];
    SentenceReader(sentences_, tags_, made_).read(own);
    return made_.repeated();
  }

 private:
  struct Index {
    uint8_t kind;  // of submission.hpp, or `other`
    int64_t number;
    Text text;  // of a text; the kind of another value
  };
  static constexpr uint8_t other_index = 9;

  Text place(size_t k) const { return file_.name + ":" + text_of(made_.lines[k]); }

  // The fast reader of plain lines; false for others.
  bool plain() {
    Submission found;
    Text room(file_.data.size(), '\0');
    found.text = room.data();
    if (!read_submission(file_.data.data(), static_cast<int64_t>(file_.data.size()), found))
      return false;
    size_t sentence = 0;
    for (size_t k = 0; k < found.counts.size(); ++k) {
      for (int32_t n = 0; n < found.counts[k]; ++n, ++sentence) {
        const auto from = static_cast<size_t>(found.places[sentence]);
        sentences_.add(
            View(room).substr(from, static_cast<size_t>(found.places[sentence + 1]) - from));
      }
      sentences_.end_example();
      const auto from = static_cast<size_t>(found.name_places[k]);
      indexes_.push_back(
          {found.kinds[k], found.numbers[k],
           found.names.substr(from, static_cast<size_t>(found.name_places[k + 1]) - from)});
    }
    int32_t line = 1;
    const View text = file_.data;
    for (size_t from = 0; from < text.size(); ++line) {
      const size_t stop = std::min(text.find('\n', from), text.size());
      if (!stripped(text.substr(from, stop - from)).empty()) made_.lines.push_back(line);
      from = stop + 1;
    }
    return true;
  }

  void checked() {
    int64_t k = 0;
    for (const Line& each : objects_of(file_, problems_)) {
      const Text where = file_.name + ":" + text_of(each.line) + ": ";
      const Value* prediction = each.value.find("prediction");
      const int64_t at = k++;
      if (!prediction) {
        problems_.add(where + "no \"prediction\"");
        continue;
      }
      const bool passes = tags_ != Tags::strict && at < gold_.n();
      const int64_t n_gold = passes ? gold_.n_relations(at) : -1;
      if (!prediction->is(Value::list)) {
        if (n_gold == 0) {
          made_.note(PASSED_OVER, 1);
          add(each, nullptr, -1);
        } else {
          problems_.add(where + "\"prediction\" is " + prediction->name_of_kind() +
                        ", expected a list of strings");
        }
        continue;
      }
      const Value* odd = nullptr;
      bool passed = false;
      for (size_t s = 0; s < prediction->items.size(); ++s) {
        if (prediction->items[s].is(Value::string)) continue;
        if (passes && static_cast<int64_t>(s) >= n_gold)
          passed = true;
        else if (!odd)
          odd = &prediction->items[s];
      }
      if (odd) {
        problems_.add(where + "\"prediction\" holds " + odd->name_of_kind() +
                      ", expected a list of strings");
        continue;
      }
      made_.note(PASSED_OVER, passed);
      add(each, prediction, n_gold);
    }
  }
  static constexpr const char* PASSED_OVER =
      "predictions with values that are not text, where the official program does not look";

  void add(const Line& line, const Value* prediction, int64_t) {
    if (prediction)
      for (const Value& each : prediction->items)
        if (each.is(Value::string)) sentences_.add(each.text);
    sentences_.end_example();
    made_.lines.push_back(line.line);
    const Value* index = line.value.find("index");
    if (!index || index->is(Value::null))
      indexes_.push_back({no_index, 0, ""});
    else if (index->is(Value::integer))
      indexes_.push_back({number_index, index->number_, index->text});
    else if (index->is(Value::string))
      indexes_.push_back({text_index, 0, index->text});
    else
      indexes_.push_back({other_index, 0, index->name_of_kind()});
  }

  bool all(uint8_t kind) const {
    return std::all_of(indexes_.begin(), indexes_.end(),
                       [&](const Index& each) { return each.kind == kind; });
  }

  // Official readings use the order of lines, and note an index of another example.
  void count_misplaced() {
    int64_t n = 0;
    for (size_t k = 0; k < indexes_.size(); ++k) {
      const Index& index = indexes_[k];
      if (index.kind == no_index) continue;
      if (index.kind == number_index)
        n += index.number != static_cast<int64_t>(k);
      else
        n += index.kind == other_index || k >= gold_.ids.size() || index.text != gold_.ids[k];
    }
    made_.note("index is not the line's position", n);
  }

  // Joins lines with gold by their index: an id, or a number.
  Text name_lines() {
    if (indexes_.empty()) return "";
    if (all(text_index)) {
      for (const Index& index : indexes_) made_.ids.push_back(index.text);
      return "";
    }
    const auto n = static_cast<int64_t>(indexes_.size());
    bool in_order = true;
    int64_t misplaced = 0;
    for (int64_t k = 0; k < n; ++k) {
      const Index& index = indexes_[static_cast<size_t>(k)];
      const bool here = index.kind == no_index || (index.kind == number_index && index.number == k);
      in_order &= here;
      misplaced += !here;
    }
    const bool some = !gold_.ids.empty() && n < gold_.n();
    if (!all(number_index) || (in_order && !some)) return required_order();
    if (misplaced) made_.note("lines in another order, joined by index", misplaced);
    return by_number(n);
  }

  Text required_order() {
    for (size_t k = 0; k < indexes_.size(); ++k) {
      const Index& index = indexes_[k];
      const Text expected = ", expected " + text_of(static_cast<int64_t>(k));
      if (index.kind == text_index) problems_.add(place(k) + ": \"index\" is a string" + expected);
      if (index.kind == other_index)
        problems_.add(place(k) + ": \"index\" is " + index.text + expected);
      if (index.kind == number_index && index.number != static_cast<int64_t>(k))
        problems_.add(place(k) + ": \"index\" is " + text_of(index.number) + expected);
    }
    return problems_.count ? problems_.summary() : "";
  }

  Text by_number(int64_t n) {
    const int64_t stop = gold_.n();
    std::unordered_map<int64_t, size_t> first;
    for (size_t k = 0; k < indexes_.size(); ++k)
      if (indexes_[k].number < 0 || indexes_[k].number >= stop)
        problems_.add(place(k) + ": \"index\" is " + text_of(indexes_[k].number) +
                      ", expected 0 to " + text_of(stop - 1));
    if (problems_.count) return problems_.summary();
    for (size_t k = 0; k < indexes_.size(); ++k) {
      const auto [entry, is_new] = first.try_emplace(indexes_[k].number, k);
      if (!is_new)
        return place(k) + ": index " + text_of(indexes_[k].number) + " occurs twice, first in " +
               place(entry->second);
    }
    if (!gold_.ids.empty()) {
      for (const Index& index : indexes_)
        made_.ids.push_back(gold_.ids[static_cast<size_t>(index.number)]);
      return "";
    }
    int64_t missing = 0;
    while (first.count(missing)) ++missing;
    if (missing < stop) {
      const Text more = stop - n > 1 ? ", and " + text_of(stop - n - 1) + " more" : "";
      return file_.name + ": no line with index " + text_of(missing) + more + ", expected 0 to " +
             text_of(stop - 1);
    }
    ordered_.resize(indexes_.size());
    for (size_t k = 0; k < indexes_.size(); ++k)
      ordered_[static_cast<size_t>(indexes_[k].number)] = k;
    return "";
  }

  // Brings lines without ids into the order of their numbers.
  void arrange() {
    if (ordered_.empty()) return;
    Sentences sentences;
    std::vector<int32_t> lines;
    for (const size_t k : ordered_) {
      for (auto s = static_cast<size_t>(sentences_.examples[k]);
           s < static_cast<size_t>(sentences_.examples[k + 1]); ++s)
        sentences.add(sentences_[s]);
      sentences.end_example();
      lines.push_back(made_.lines[k]);
    }
    sentences_ = std::move(sentences);
    made_.lines = std::move(lines);
  }

  const File& file_;
  const Tags tags_;
  const Examples& gold_;
  Examples& made_;
  Problems problems_;
  Sentences sentences_;
  std::vector<Index> indexes_;
  std::vector<size_t> ordered_;
};

}  // namespace fastcausal::page
