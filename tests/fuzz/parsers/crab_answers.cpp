// Fuzzes answers of models (csrc/tasks/crab_answers.hpp).
#include "tasks/crab_answers.hpp"

#include <cmath>

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{"",
                                     "The first came first. <Answer>85/100</Answer>",
                                     "[B] Medium: it helped, not (C).",
                                     "A. because of U.S.D. or B) ",
                                     "\"Yes\" or \"no\"",
                                     "\xe2\x80\x9cNo\xe2\x80\x9d / \xe3\x80\x80",
                                     "1e-5 % .",
                                     "<answer><answer>7</answer></answer>"};
const std::vector<std::string> PIECES{
    "<Answer>", "</ANSWER>", "<",        "[",        "(A)",  "B. ",
    ")",        "yes",       "0",        "9.",       "e+",   "/100",
    "%",        "or",        "\xe2\x80", "\xc2\xa0", "\xe3", std::string(1, '\0')};

void check(const std::string& input) {
  using fastcausal::AnswerKind;
  using fastcausal::Reason;
  const int64_t kinds[] = {0, 1, 2};
  const double highest[] = {100, 3, 1};
  for (const int64_t k : kinds) {
    const auto read = [k](const std::string& text) {
      const Exact exact(text);
      const int64_t offsets[] = {0, exact.size()};
      double value = -1;
      int8_t reason = -1;
      fastcausal::read_answers(exact.data(), offsets, 1, static_cast<AnswerKind>(k), &value,
                               &reason);
      require((static_cast<Reason>(reason) == Reason::read) != std::isnan(value), "half read");
      return std::isnan(value) ? -1.0 - reason : value;
    };
    const double value = read(input);
    require(value >= -4 && value <= highest[k], "a value that no answer has");
    require(read(" " + input + "\n") == value, "blanks matter");
    const double tagged = read("x <Answer>5</Answer><Answer>D</Answer><Answer>no</Answer>" + input);
    require(k != 0 || input.find('<') != std::string::npos || tagged == -3, "text behind counts");
  }
}
