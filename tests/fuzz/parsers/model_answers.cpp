// Fuzzes raw answers of models (csrc/readers/model_answers.hpp).
#include "readers/model_answers.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "",
    "{\"relations\": [{\"cause\": [\"rain\", \"\"], \"effect\": \"so \\u00e9\"}]}",
    "Sure: {\"relations\": []} That is all.",
    "so {\"relations\": [{\"cause\": [\"rain\",],},],}",
    "The causes: {\"relations\": []}",
    "```json\n{\n \"relations\": [{\"signal\": \"a\"}, {\"cause\": \"None\"}]\n}\n```\n"};
const std::vector<std::string> PIECES{
    "\"", "\\", "[",         "]",    "{", "}",    ",",    ":",    "\n",         "```",
    "`",  "<",  "\"cause\"", "none", "|", "json", "\xc3", "null", "\"effect\"", "\"relations\""};

void check(const std::string& input) {
  const Exact bytes(input);
  const std::vector<int64_t> places{0, bytes.size(), bytes.size()};
  fastcausal::WrittenRelations found;
  uint8_t ways[2];
  fastcausal::read_answers(bytes.data(), places.data(), 2, "None\nnone", found, ways);
  require(found.plain.size() == 2 && found.examples.size() == 3, "an answer is missing");
  require((ways[0] > 0) == found.plain[0] && ways[1] == 0, "a way is wrong");
  require(found.spans.size() == static_cast<size_t>(found.examples.back()) + 1, "spans are left");
  require(found.places.size() == found.roles.size() + 1, "a text is missing");
  require(ways[0] > 0 || found.roles.empty(), "an answer that is not read has spans");
  require(static_cast<size_t>(found.places.back()) == found.data.size(), "bytes are left");
  const size_t open = input.find_first_of("{[");
  require(ways[0] < fastcausal::LITERAL || input.find(',') < input.npos, "a comma is missing");
  require(ways[0] != 1 || input.find_first_not_of(" \t\r\n") == open, "text before clean JSON");
}
