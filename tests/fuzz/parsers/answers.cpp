// Fuzzes causes, effects and relations of texts, and their words (csrc/tasks/answers.hpp).
#include "tasks/answers.hpp"

#include "fuzz.hpp"
#include "letters.hpp"

const std::vector<std::string> SEEDS{"", "[Cause] rain | hail [Relation] cause [Effect] floods",
                                     "cause: the rain\neffect: mud\nrelation: enable",
                                     "[effect]a[CAUSE]an the\n"};
const std::vector<std::string> PIECES{
    "[Cause]",  "[Effect]", "[Relation]", "[",    "]",       "|",         "\n",
    "cause:",   "effect:",  " ",          "the",  "an",      "\xc3",      "\xc3\xa9",
    "\xf0\x9f", "'",        "\x1c",       "word", "a|b|c|d", "relation:", "eight_letters_and_more"};

namespace {

bool never() { return false; }

}  // namespace

// Uses a text as its own reference, answer and source. As a source, it has marks inside words.
void check(const std::string& input) {
  const Table table;
  const Exact bytes(input);
  const fastcausal::ColumnText text{{bytes.data(), bytes.size()}, bytes.data() + bytes.size()};
  fastcausal::Stop stop(never);
  fastcausal::CostMeter meter(stop);
  for (const bool fcr : {false, true}) {
    for (const bool lenient : {false, true}) {
      fastcausal::Comparison comparison(table.letters(lenient), fcr);
      fastcausal::Comparison::Result result;
      std::string missing;
      const bool known = comparison.compare(text, text, text, result, &missing, meter);
      require(known || !lenient, "a letter is refused");
      if (!known) continue;
      const int64_t contained = result.read[1] ? 1 + missing.empty() : 0;
      require(result.contained == contained, "missing words are miscounted");
      for (int role = 0; role < 2; ++role) {
        const int64_t* counts = result.roles[role];
        require(counts[fastcausal::EQUAL] == 1, "a text is unlike itself");
        require(counts[fastcausal::SHARED] == counts[fastcausal::WANTED], "words are not shared");
        require(counts[fastcausal::MATCHED] == counts[fastcausal::WANTED], "spans do not match");
      }
    }
  }
}
