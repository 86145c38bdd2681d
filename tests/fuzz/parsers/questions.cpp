// Fuzzes answers to questions, their words and their lists as JSON (csrc/tasks/questions.hpp).
#include "tasks/questions.hpp"

#include "fuzz.hpp"
#include "letters.hpp"

const std::vector<std::string> SEEDS{"", "the heavy rain", "The U.S. dollar's rise\nan article",
                                     "a the\t an"};
const std::vector<std::string> PIECES{
    "the",      "a",        "an", " ",  "\n",   "\xc3", "'s",       "\x7f",
    "\xc3\xa9", "\xf0\x9f", "\"", "\\", "\x1c", "word", "\xed\xa0", "eight_letters_and_more"};

// Halves a text: the parts and the whole are gold answers, and the whole is the answer.
void check(const std::string& input) {
  const Table table;
  const Exact bytes(input);
  const int64_t half = bytes.size() / 2;
  const int64_t parts[] = {0, half, bytes.size()}, whole[] = {0, bytes.size()};
  const int64_t both[] = {0, 2}, one[] = {0, 1};
  const fastcausal::GoldAnswers halves{{bytes.data(), parts, nullptr, 2}, both};
  const fastcausal::GoldAnswers same{{bytes.data(), whole, nullptr, 1}, one};
  for (const bool lenient : {false, true}) {
    fastcausal::AnswerMarks marks(table.letters(lenient));
    const fastcausal::ColumnText answer = same.texts[0];
    const bool known = marks.mark(same, 0, answer);
    require(known || !lenient, "a letter is refused");
    require(!known || marks.exact, "a text is unlike itself");
    require(!known || marks.f1 == 0 || marks.f1 == 1, "a text has part of its own words");
    if (!marks.mark(halves, 0, answer)) continue;
    require(marks.f1 >= 0 && marks.f1 <= 1, "F1 is no share");
  }
  for (const fastcausal::GoldAnswers& gold : {halves, same}) {
    const fastcausal::Cells lists = fastcausal::gold_lists(gold, 1);
    require(lists.places.size() == 2, "a list is missing");
    require(lists.text.front() == '[' && lists.text.back() == ']', "a list is open");
    for (const char c : lists.text) require(c >= ' ' && c < 0x7f, "a letter is not escaped");
  }
}
