// Fuzzes the native part of the page that scores (csrc/page): two files in, JSON out.
#include "page/page.cpp"

#include <cstring>

#include "fuzz.hpp"

namespace {

// A letter for each file's ending, two files with a line between them.
const std::string BETWEEN = "\n====\n";
const char* const ENDINGS[] = {".csv", ".jsonl", ".json", ""};

const char TRUTH[] =
    "corpus,doc_id,sent_id,eg_id,index,text,causal_text_w_pairs,num_rs\n"
    "s,d,1,0,one,Rain fell so ferries stopped .,\"['<ARG0>Rain fell</ARG0> <SIG0>so</SIG0> "
    "<ARG1>ferries stopped</ARG1> .']\",1\n"
    "s,d,2,0,two,It rained .,[],0\n";
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

std::string pair_of(char ending, const std::string& gold, const std::string& pred) {
  return ending + gold + BETWEEN + pred;
}

void give(int32_t side, const std::string& name, const std::string& text) {
  char* const of_name = page_room(static_cast<int32_t>(name.size()));
  char* const of_text = page_room(static_cast<int32_t>(text.size()));
  std::memcpy(of_name, name.data(), name.size());
  std::memcpy(of_text, text.data(), text.size());
  page_take(side, of_name, static_cast<int32_t>(name.size()), of_text,
            static_cast<int32_t>(text.size()));
}

std::string answer_of(const char* made) {
  return std::string(made, static_cast<size_t>(page_size()));
}

bool is_json(const std::string& answer) {
  fastcausal::page::Value value;
  return fastcausal::page::JsonReader(answer).whole(value);
}

std::string score(const std::string& settings) {
  char* const room = page_room(static_cast<int32_t>(settings.size()));
  std::memcpy(room, settings.data(), settings.size());
  return answer_of(page_score(room, static_cast<int32_t>(settings.size())));
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
    pair_of('4', TRUTH, PREDICTIONS), pair_of('0', TRUTH, TRUTH), pair_of('5', SPANS, SPANS),
    pair_of('5', TOKENS, TOKENS),     pair_of('0', FLAT, FLAT),   pair_of('1', FLAT, SPANS),
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
                                      "\"text\":",
                                      BETWEEN};

void check(const std::string& input) {
  const size_t between = input.find(BETWEEN);
  if (input.empty() || between == std::string::npos) return;
  const char letter = static_cast<char>(input[0] & 63);
  give(0, std::string("gold") + ENDINGS[letter & 1], input.substr(1, between - 1));
  give(1, std::string("pred") + ENDINGS[letter >> 2 & 3], input.substr(between + BETWEEN.size()));
  const std::string answer = score(settings_of(letter));
  require(is_json(answer), "the answer is no JSON");
  require(score(settings_of(letter)) == answer, "the answer depends on the one before");
  if (answer.rfind("{\"error\"", 0) == 0) return;
  require(is_json(answer_of(page_examples())), "the examples are no JSON");
  page_draw(7, 0, 20);
  require(is_json(answer_of(page_intervals(0.95))), "the intervals are no JSON");
}
