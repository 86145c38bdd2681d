// The span selector as a program: reads logits [n, tokens, 6] from a folder, writes values and
// scores.
// Usage: program FOLDER N_TOKENS METHOD TOP_K N_BEST.
#include "tags/decoding.hpp"
#include "files.hpp"

using namespace fastcausal;

int main(int n, char** argument) {
  if (n != 6) return 2;
  const std::string at = std::string(argument[1]) + "/";
  const auto logits = load<double>(at + "logits");
  selection::Boundaries b{};
  b.itemsize = sizeof(double);
  b.n_tokens = std::atoll(argument[2]);
  b.n_examples = static_cast<int64_t>(logits.size()) / b.n_tokens / selection::MOST_COLUMNS;
  for (int64_t c = 0; c < selection::MOST_COLUMNS; ++c) {
    b.columns[c] = logits.data() + c;
    b.token_steps[c] = selection::MOST_COLUMNS;
    b.example_steps[c] = selection::MOST_COLUMNS * b.n_tokens;
  }
  const selection::Settings settings{std::atoll(argument[3]),
                                     std::atoll(argument[4]),
                                     std::atoll(argument[5]),
                                     5,
                                     selection::MOST_COLUMNS,
                                     {0, 1, 2},
                                     -1e300};
  CollectedRows collected;
  std::vector<double> scores;
  if (select_spans(b, settings, collected, scores, [] { return false; }) >= 0) return 5;
  save(at + "values", collected.rows);
  save(at + "scores", scores);
}
