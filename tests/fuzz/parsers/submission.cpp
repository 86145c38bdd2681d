// Fuzzes lines of predictions (csrc/readers/submission.hpp).
#include "readers/submission.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "", "{\"index\": 0, \"prediction\": [\"<ARG0>rain</ARG0> fell\", \"x\"]}\n",
    "{\"index\": \"train_01\", \"prediction\": []}\n{\"prediction\":[\"\\u00e9\\ud83d\\ude00\"]}",
    "{\"index\":null,\"prediction\":[\"a\\\\b\\\"c\\n\\t\\/\"]}\r\n\n",
    "{\"index\":-17,\"prediction\":[ \"a\" , \"\" ]}\n"};
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
  bool plain;

  // Gives the parser room for exactly as many bytes as it reads.
  explicit Reading(const Exact& input) : text(static_cast<size_t>(input.size()), '\0'), found{} {
    std::vector<char> room(text.size());
    found.text = room.data();
    plain = fastcausal::read_submission(input.data(), input.size(), found);
    if (plain) text.assign(room.data(), static_cast<size_t>(found.places.back()));
  }
};

bool rising(const std::vector<int32_t>& places) {
  for (size_t k = 1; k < places.size(); ++k) {
    if (places[k] < places[k - 1]) return false;
  }
  return places[0] == 0;
}

}  // namespace

void check(const std::string& input) {
  const Reading once{Exact(input)};
  if (!once.plain) return;
  const fastcausal::Submission& found = once.found;
  const size_t n = found.counts.size();
  size_t n_sentences = 0;
  for (const int32_t k : found.counts) n_sentences += static_cast<size_t>(k);
  require(found.kinds.size() == n && found.numbers.size() == n, "a line has no index");
  require(found.name_places.size() == n + 1, "a line has no name");
  require(found.places.size() == n_sentences + 1, "sentences are not those of the lines");
  require(rising(found.places) && rising(found.name_places), "places do not rise");
  require(static_cast<size_t>(found.places.back()) <= input.size(), "more text than was given");
  require(static_cast<size_t>(found.name_places.back()) == found.names.size(), "names are left");
  const Reading twice{Exact(input + "\n" + input)};
  require(twice.plain && twice.text == once.text + once.text, "lines depend on lines before");
  require(twice.found.names == found.names + found.names, "names depend on lines before");
}
