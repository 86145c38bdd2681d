// Exact match and F1 of answers to questions, as SQuAD 1.1 defines them.
//
//   AnswerMarks ── one question: the words of its answer, and of each gold answer
//   mark_answers ── all questions, in several threads
//   gold_lists ── the gold answers of each question as a list of JSON
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/stop.hpp"
#include "text/words.hpp"
#include "text/written.hpp"

namespace fastcausal {

// The gold answers of all questions; question k has the answers lists[k] to lists[k + 1].
struct GoldAnswers {
  TextColumn texts;
  const int64_t* lists;

  // Returns the number of bytes of a question's gold answers.
  int64_t size(int64_t question) const {
    return texts.offsets[lists[question + 1]] - texts.offsets[lists[question]];
  }
};

class AnswerMarks {
 public:
  bool exact = false;
  double f1 = 0;

  explicit AnswerMarks(const Letters& letters) : reader_(letters) {}

  // Sets exact and f1 of an answer to a question. Returns false if a letter is not in the table.
  bool mark(const GoldAnswers& gold, int64_t question, const ColumnText& answer) {
    const int64_t first = gold.lists[question], last = gold.lists[question + 1];
    exact = false;
    f1 = 0;
    words_.clear();
    if (!read<true>(answer, answer_)) return false;
    for (int64_t k = first; k < last && !exact; ++k) exact = is_same(gold.texts[k], answer);
    if (exact && !answer_.empty()) f1 = 1;
    for (int64_t k = first; k < last && !exact; ++k) {
      if (!read<false>(gold.texts[k], wanted_)) return false;
      compare();
    }
    return true;
  }

 private:
  TextReader reader_;
  Words words_;  // the words of the answer
  std::vector<int32_t> answer_, wanted_;
  // How often each word of the answer is not yet shared; the first cell is for all other words.
  std::vector<int32_t> left_;

  static bool is_same(const Text& a, const Text& b) {
    return a.size == b.size && std::equal(a.data, a.end(), b.data);
  }

  template <bool Keep>
  bool read(const ColumnText& text, std::vector<int32_t>& numbers) {
    numbers.clear();
    const auto take = [&](int32_t word) { numbers.push_back(word); };
    return reader_.read<false, Keep>(text, text.limit, words_, take, [](Text) {});
  }

  void compare() {
    left_.assign(static_cast<size_t>(words_.size()) + 1, 0);
    int32_t* const left = left_.data() + 1;
    for (const int32_t word : answer_) ++left[word];
    int64_t shared = 0;
    for (const int32_t word : wanted_) {
      const bool is_shared = left[word] > 0;
      left[word] -= is_shared;
      shared += is_shared;
    }
    exact = answer_ == wanted_;
    const size_t n = answer_.size() + wanted_.size();
    if (shared) f1 = std::max(f1, static_cast<double>(2 * shared) / static_cast<double>(n));
  }
};

// Answers to mark, and the place of their marks.
struct AnswersToMark {
  GoldAnswers gold;
  TextColumn answers;
  const int64_t* questions;  // the question of each row
  const int64_t* rows;       // the answer of each row; -1 without an answer, which has marks 0
  int64_t n;
  double* marks;  // exact match and F1 of each row
  int64_t width;  // number of cells from row to row
  int8_t* known;  // 1 if all letters are in the table
};

inline void mark_answers(const AnswersToMark& batch, const Letters& letters, int64_t n_threads,
                         StopRequested stop_requested) {
  constexpr int64_t SIZE = 2048;
  for_blocks((batch.n + SIZE - 1) / SIZE, n_threads, stop_requested,
             [&](int64_t block, CostMeter& meter) {
               AnswerMarks marks(letters);
               const int64_t stop = std::min(batch.n, (block + 1) * SIZE);
               for (int64_t k = block * SIZE; k < stop; ++k) {
                 double* const row = batch.marks + k * batch.width;
                 batch.known[k] = 1;
                 row[0] = row[1] = 0;
                 if (batch.rows[k] < 0) continue;
                 const int64_t question = batch.questions[k];
                 const ColumnText answer = batch.answers[batch.rows[k]];
                 batch.known[k] = marks.mark(batch.gold, question, answer);
                 row[0] = marks.exact;
                 row[1] = marks.f1;
                 meter.add_cost(8 * (answer.size + batch.gold.size(question)));
               }
             });
}

// Writes the sorted gold answers of each question as json.dumps does.
inline Cells gold_lists(const GoldAnswers& gold, int64_t n) {
  Cells out;
  std::vector<std::string_view> answers;
  for (int64_t k = 0; k < n; ++k) {
    answers.clear();
    for (int64_t at = gold.lists[k]; at < gold.lists[k + 1]; ++at) {
      const Text text = gold.texts[at];
      answers.emplace_back(text.data, static_cast<size_t>(text.size));
    }
    std::sort(answers.begin(), answers.end());  // UTF-8 sorts as Python's strings do
    out.text += '[';
    for (size_t at = 0; at < answers.size(); ++at) {
      if (at) out.text += ", ";
      add_ascii_json(answers[at], out.text);
    }
    out.text += ']';
    out.end_cell();
  }
  return out;
}

}  // namespace fastcausal
