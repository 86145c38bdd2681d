// Fuzzes lines of predictions, and their join with gold (csrc/readers/submission.hpp).
#include "readers/submission.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "",
    "{\"index\": 0, \"prediction\": [\"<ARG0>rain</ARG0> fell\", \"x\"]}\n",
    "{\"index\": \"train_01\", \"prediction\": []}\n{\"prediction\":[\"\\u00e9\\ud83d\\ude00\"]}",
    "{\"index\":null,\"prediction\":[\"a\\\\b\\\"c\\n\\t\\/\"]}\r\n\n",
    "{\"index\":-17,\"prediction\":[ \"a\" , \"\" ]}\n",
    "{\"index\": 1, \"prediction\": [], \"note\": {\"a\": [1.5e3, true]}}\n{\"index\": 0, "
    "\"Prediction\": []}",
    "[{\"index\": 2, \"prediction\": [\"x\"]},\n{\"prediction\": [\"\\ud800\"], \"index\": 1.0}]"};
const std::vector<std::string> PIECES{"\"",
                                      "\\",
                                      "\\u12",
                                      "\\ud800",
                                      "\\udc00",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      "\n",
                                      "null",
                                      "999999999999999999999",
                                      "\"index\":",
                                      "\"prediction\":[\"x\"]"};

namespace {

struct Reading {
  std::string text;
  fastcausal::Submission found;

  // Gives the parser room for exactly as many bytes as it reads.
  Reading(const Exact& input, bool is_list, bool is_official)
      : text(static_cast<size_t>(input.size()), '\0'), found{} {
    const std::vector<int64_t> n_gold{0, 1, 2};
    std::vector<char> room(text.size());
    found.text = room.data();
    fastcausal::SubmissionReader reader({input.data(), static_cast<size_t>(input.size())}, 1,
                                        n_gold.data(), is_official ? 3 : 0, found);
    if (is_list)
      reader.read_list();
    else
      reader.read_lines();
    text.assign(room.data(), static_cast<size_t>(found.places.back()));
  }
  fastcausal::Indexes indexes() const {
    return {found.kinds.data(), found.numbers.data(), found.names.data(), found.name_places.data(),
            static_cast<int64_t>(found.kinds.size())};
  }
};

bool rising(const std::vector<int32_t>& places) {
  for (size_t k = 1; k < places.size(); ++k) {
    if (places[k] < places[k - 1]) return false;
  }
  return places[0] == 0;
}

}  // namespace

// Returns whether the reader may take this for one list: it begins so.
bool is_list(const std::string& input) {
  const size_t at = input.find_first_not_of(" \t\r\n");
  return at != std::string::npos && input[at] == '[';
}

void check(const std::string& input) {
  const bool of_list = is_list(input);
  const Reading once(Exact(input), of_list, input.size() % 2 == 0);
  const fastcausal::Submission& found = once.found;
  const size_t n = found.counts.size();
  size_t n_sentences = 0;
  for (const int32_t k : found.counts) n_sentences += static_cast<size_t>(k);
  require(found.kinds.size() == n && found.numbers.size() == n, "a line has no index");
  require(found.lines.size() == n, "an example has no line");
  require(found.name_places.size() == n + 1, "a line has no name");
  require(found.places.size() == n_sentences + 1, "sentences are not those of the lines");
  require(rising(found.places) && rising(found.name_places), "places do not rise");
  require(static_cast<size_t>(found.places.back()) <= input.size(), "more text than was given");
  require(static_cast<size_t>(found.name_places.back()) == found.names.size(), "names are left");
  require(found.invalid.size() <= found.problems.first.size(), "more invalid lines than faults");
  for (const fastcausal::Place& each : found.further)
    require(each.begin <= each.end && each.end <= static_cast<int64_t>(input.size()),
            "bytes beyond");
  for (const int64_t n_gold : {int64_t{-1}, int64_t{0}, static_cast<int64_t>(n)}) {
    const auto joined = fastcausal::join_by_number(once.indexes(), 0, n_gold, n_gold == 0);
    require(joined.rows.empty() || (joined.rows.size() == n && !joined.n_faults), "a partial join");
    for (const int64_t row : joined.rows)
      require(row >= 0 && row < std::max(n_gold, static_cast<int64_t>(n)), "a row beyond");
  }
  if (of_list || input.size() % 2 == 0) return;
  const Reading twice(Exact(input + "\n" + input), false, false);
  require(twice.text == once.text + once.text, "lines depend on lines before");
  require(twice.found.names == found.names + found.names, "names depend on lines before");
  require(twice.found.problems.count == 2 * found.problems.count, "faults depend on lines before");
}
