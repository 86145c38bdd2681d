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
    Text fault = read_file();
    if (!fault.empty()) return fault;
    const bool official = tags_ != Tags::strict;
    if (official)
      note_misplaced();
    else if (fault = join(); !fault.empty())
      return fault;
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
  static constexpr const char* PASSED_OVER =
      "predictions with values that are not text, where the official program does not look";

  Text place(int64_t k) const {
    return file_.name + ":" + text_of(made_.lines[static_cast<size_t>(k)]);
  }

  // Reads all lines. Returns a fault, empty if there is none.
  Text read_file() {
    Text room(file_.data.size(), '\0');
    found_.text = room.data();
    std::vector<int64_t> n_gold;
    for (int64_t e = 0; tags_ != Tags::strict && e < gold_.n(); ++e)
      n_gold.push_back(gold_.n_relations(e));
    SubmissionReader reader(file_.data, 1, n_gold.data(), static_cast<int64_t>(n_gold.size()),
                            found_);
    if (file_.is_list())
      reader.read_list();
    else
      reader.read_lines();
    Value whole;
    if (found_.begins_invalid && !file_.is_list() && ValueReader(file_.data).whole(whole) &&
        whole.is(Value::object))
      return file_.name + ONE_OBJECT;
    for (Text& each : found_.problems.first) each.insert(0, file_.name + ":");
    if (found_.problems.count) return found_.problems.summary();
    made_.lines = found_.lines;
    made_.note(PASSED_OVER, found_.n_passed);
    size_t sentence = 0;
    for (const int32_t n : found_.counts) {
      for (int32_t k = 0; k < n; ++k, ++sentence) {
        const auto from = static_cast<size_t>(found_.places[sentence]);
        sentences_.add(
            View(room).substr(from, static_cast<size_t>(found_.places[sentence + 1]) - from));
      }
      sentences_.end_example();
    }
    return "";
  }

  Indexes indexes() const {
    return {found_.kinds.data(), found_.numbers.data(), found_.names.data(),
            found_.name_places.data(), static_cast<int64_t>(found_.kinds.size())};
  }

  // Official readings use the order of lines, and note an index of another example.
  void note_misplaced() {
    Text ids;
    std::vector<int64_t> places{0};
    for (const Text& id : gold_.ids) {
      ids += id;
      places.push_back(static_cast<int64_t>(ids.size()));
    }
    made_.note("index is not the line's position",
               count_misplaced(indexes(), 0, ids.data(), places.data(),
                               static_cast<int64_t>(gold_.ids.size())));
  }

  // Joins lines with gold by their index: an id, or a number. Returns a fault.
  Text join() {
    if (indexes().all(text_index)) {
      for (size_t k = 0; k < found_.kinds.size(); ++k) made_.ids.emplace_back(found_.name(k));
      return "";
    }
    const NumberJoin joined = join_by_number(indexes(), 0, gold_.n(), !gold_.ids.empty());
    if (joined.n_faults) {
      std::vector<Text> first;
      first.reserve(joined.faults.size());
      for (const NumberJoin::Fault& each : joined.faults)
        first.push_back((each.example < 0 ? file_.name : place(each.example)) + ": " + each.what +
                        (each.first < 0 ? "" : place(each.first)));
      return Problems::summary(joined.n_faults, first);
    }
    made_.note("lines in another order, joined by index", joined.n_misplaced);
    if (gold_.ids.empty())
      arrange(joined.rows);
    else
      for (const int64_t row : joined.rows)
        made_.ids.push_back(gold_.ids[static_cast<size_t>(row)]);
    return "";
  }

  // Brings lines without ids into the order of their numbers.
  void arrange(const std::vector<int64_t>& order) {
    if (order.empty()) return;
    Sentences sentences;
    std::vector<int32_t> lines;
    for (const int64_t place : order) {
      const auto k = static_cast<size_t>(place);
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
  Submission found_{};
  Sentences sentences_;
};

}  // namespace fastcausal::page
