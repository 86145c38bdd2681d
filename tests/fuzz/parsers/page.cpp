// Fuzzes the native part of the page that scores (csrc/page): gold and two files in, JSON out.
#include "page/page.cpp"

#include <cstring>

#include "fuzz.hpp"

namespace {

// A letter for gold, the file's ending and the policy, then the file.
const char* const ENDINGS[] = {".csv", ".jsonl", ".json", ".gz"};

const char* const GOLDS[] = {
    "{\"ids\": [\"one\", \"two\"], \"texts\": [\"Rain fell so ferries stopped .\", \"It rained "
    ".\"], "
    "\"keys\": [[\"s\", \"s\"], [\"d\", \"d\"], [\"1\", \"2\"]], \"clusters\": {\"doc_id\": [0, "
    "0], "
    "\"topic\": [0, -1]}, \"lengths\": [6, 3], "
    "\"relations\": [1, "
    "0], \"spans\": [3], \"values\": [0, 0, 2, 2, 2, 3, 1, 3, 5], \"tagged\": true, \"notes\": "
    "{\"empty lines\": 2}, \"warnings\": []}",
    "{\"ids\": [\"a\"], \"texts\": [\"Rain caused delay\"], \"keys\": [[], [], []], \"clusters\": "
    "{}, \"lengths\": "
    "[3], "
    "\"relations\": [1], \"spans\": [2], \"values\": [0, 0, 1, 1, 2, 3], \"tagged\": false, "
    "\"notes\": {}, \"warnings\": [\"seen\"]}",
    "{\"ids\": [], \"texts\": [null], \"keys\": [[], [], []], \"clusters\": {}, \"lengths\": [-1], "
    "\"relations\": "
    "[1], "
    "\"spans\": [1], \"values\": [0, 0, 1], \"tagged\": false, \"notes\": {}, \"warnings\": []}"};

const char PREDICTIONS[] =
    "{\"index\": 0, \"prediction\": [\"<ARG0>Rain</ARG0> fell <SIG0>so</SIG0> <ARG1>ferries "
    "stopped</ARG1> .\"]}\n{\"index\": 1, \"prediction\": [\"<ARG0>It</ARG0> "
    "<ARG1>rained</ARG1> .\"]}\n";
const char SPANS[] =
    "{\"id\": \"a\", \"text\": \"Rain caused delay\", \"relations\": [{\"cause\": [\"Rain\"], "
    "\"effect\": [\"delay\"], \"signal\": []}]}\n";
const char TOKENS[] =
    "{\"id\": \"a\", \"tokens\": [\"Rain\", \"caused\", \"delay\"], \"relations\": "
    "[[{\"role\": \"cause\", \"start\": 0, \"stop\": 1}, {\"role\": \"effect\", \"start\": 2, "
    "\"stop\": 3}]]}\n";
const char FLAT[] = "id,text,cause,effect,signal\na,Rain caused delay,Rain,delay,caused\n";

char* placed(const std::string& text) {
  char* const room = page_room(static_cast<int32_t>(text.size()));
  std::memcpy(room, text.data(), text.size());
  return room;
}

void give(const std::string& name, const std::string& text) {
  page_take(placed(name), static_cast<int32_t>(name.size()), placed(text),
            static_cast<int32_t>(text.size()));
}

std::string answer_of(const char* made) {
  return std::string(made, static_cast<size_t>(page_size()));
}

bool is_json(const std::string& answer) {
  fastcausal::page::Value value;
  return fastcausal::page::ValueReader(answer).whole(value);
}

std::string score(const std::string& settings) {
  return answer_of(page_score(placed(settings), static_cast<int32_t>(settings.size())));
}

std::string settings_of(char letter) {
  const std::string unparsed[] = {"error", "empty", "skip"};
  return "{\"line\": \"recess|kernel:fair_spans|objective:2tp/(2tp+fp+fn+le+be+lbe)|tags:strict|"
         "ties:content|surplus:charge|non-causal:charge|tracks:cause+effect,signal|0/0:undefined\","
         " \"protocol\": \"recess\", \"tags\": \"strict\", \"surplus\": \"charge\", \"ties\": "
         "\"content\", \"non-causal\": \"charge\", \"unparsed\": \"" +
         unparsed[letter / 16 % 3] + "\"}";
}

}  // namespace

const std::vector<std::string> SEEDS{
    std::string("4") + PREDICTIONS, std::string("5") + SPANS, std::string("5") + TOKENS,
    std::string("1") + FLAT,        std::string("I") + SPANS, std::string("6") + TOKENS,
};
const std::vector<std::string> PIECES{"\"",
                                      "\\",
                                      "'",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      ",",
                                      "\n",
                                      "\r\n",
                                      "\0",
                                      "null",
                                      "<ARG0>",
                                      "</ARG1>",
                                      "<SIG0>",
                                      "\\ud800",
                                      "\xEF\xBB\xBF",
                                      "\xC3",
                                      "-1",
                                      "99999999999999999999",
                                      "1e999",
                                      "[]",
                                      "\"start\": 2147483647",
                                      "\"relations\":",
                                      "\"text\":"};

void check(const std::string& input) {
  if (input.empty()) return;
  const char letter = static_cast<char>(input[0] & 63);
  const std::string gold = GOLDS[(letter & 3) % 3];
  fastcausal::page::state() = {};
  page_gold(placed(gold), static_cast<int32_t>(gold.size()));
  give(std::string("pred") + ENDINGS[letter >> 2 & 3], input.substr(1));
  const std::string answer = score(settings_of(letter));
  require(is_json(answer), "the answer is no JSON");
  require(score(settings_of(letter)) == answer, "the answer depends on the one before");
  if (answer.rfind("{\"error\"", 0) == 0) return;
  require(is_json(answer_of(page_examples())), "the examples are no JSON");
  give(std::string("again") + ENDINGS[letter >> 2 & 3], input.substr(1));
  const std::string both = score(settings_of(letter));
  const std::string head = answer.substr(0, answer.size() - 2);
  require(both == head + ", " + head.substr(head.find('[') + 1) + "]}",
          "a system has another score");
  require(is_json(answer_of(page_examples())), "the examples of two are no JSON");
}
