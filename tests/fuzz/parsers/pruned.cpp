// Fuzzes rows without some of their members (csrc/text/pruned.hpp).
#include "text/pruned.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "", "{\"id\": 1, \"doc\": {\"a\": [1, {}], \"b\": \"x\"}, \"long\": \"y\", \"hash\": \"h\"}\n",
    "{\"hash\":\"\\u00e9\",\"doc\":{}}\r\n {\"long\":null,\"doc\":true,\"hash\":\"\"} "};
const std::vector<std::string> PIECES{
    "{",   "}",  "[",    "]",       ",",        ":",         "\"",     "\\",      "\n",
    "1e9", "-0", "null", "\"doc\"", "\"long\"", "\"hash\":", "\"a\":", "\\ud83d", "{}"};

namespace {

bool prune(const std::string& input, const std::vector<std::string>& dropped, std::string& to) {
  const Exact text(input);
  const fastcausal::Pruning pruning{dropped, "doc", {"a"}, "hash"};
  return fastcausal::Pruned(text.data(), text.size(), pruning, false).write_lines(to);
}

void check_one(const std::string& input) {
  const Exact text(input);
  const fastcausal::Pruning pruning{{}, "", {"doc", "hash"}, ""};
  std::string pruned, again;
  if (!fastcausal::Pruned(text.data(), text.size(), pruning, true).write_one(pruned)) return;
  require(pruned.size() <= input.size(), "members are added to an object");
  const Exact once(pruned);
  require(fastcausal::Pruned(once.data(), once.size(), pruning, true).write_one(again) &&
              again == pruned,
          "an object is not plain");
}

}  // namespace

void check(const std::string& input) {
  check_one(input);
  std::string whole, pruned, again;
  const bool is_plain = prune(input, {}, whole);
  require(prune(input, {"long", "id"}, pruned) == is_plain, "what is dropped is not read");
  if (!is_plain) return;
  require(whole.size() <= input.size() + 2 && pruned.size() <= whole.size(), "members are added");
  require(pruned.front() == '[' && pruned.back() == ']', "no list");
  if (input.find('\n') != std::string::npos || pruned == "[]") return;
  require(prune(pruned.substr(1, pruned.size() - 2), {"long", "id"}, again), "a row is not plain");
  require(again == pruned, "members are dropped at the second time alone");
}
