// Fuzzes rows of FinCausal's files, the words of their texts, and their labels
// (csrc/fincausal_*.hpp).
#include "tasks/fincausal_labels.hpp"
#include "tasks/fincausal_rows.hpp"
#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "", "Index; Text; Cause; Effect\n1.0; Tax rose. Firms shut; Tax rose; Firms shut\n",
    "He said \"prices rose 3.5%\" (up), didn't he? U.S. co. fell...",
    "\xe2\x80\x9cgrowth\xe2\x80\x9d isn\xe2\x80\x99t 'tis cannot. \xc2\xa0 a--b, 1,000: 12:30.)",
    "the tax the tax the tax the tax the tax the tax the tax the tax the tax the tax the tax "};
const std::vector<std::string> PIECES{".",        ". ",
                                      "?",        "!",
                                      ",",        ";",
                                      "\n",       "\"",
                                      "'",        "``",
                                      "'s ",      "n't",
                                      "(",        ")",
                                      " ",        "\t",
                                      "wanna",    "nn",
                                      "--",       "...",
                                      "9",        "Mr.",
                                      "A. b",     "d'ye",
                                      "\xc2\xa0", "\xe2\x80\x9d",
                                      "\xc5\xbf", "\xc3",
                                      "\x80",     "tax ",
                                      "the tax ", std::string(70, 'x')};

namespace {

using namespace fastcausal;
using namespace fastcausal::fincausal;

bool never() { return false; }

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F); }

const std::vector<int8_t>& kinds() {
  static const std::vector<int8_t> table = [] {
    std::vector<int8_t> of(0x300, LetterKinds::WORD | LetterKinds::ALNUM);
    for (size_t c = 0; c < 128; ++c) {
      const auto is_lower = c >= 'a' && c <= 'z', is_upper = c >= 'A' && c <= 'Z';
      of[c] = is_lower ? of[c] | LetterKinds::LOWER : is_upper ? of[c] | LetterKinds::UPPER : 0;
      if (c >= '0' && c <= '9') of[c] = of[0x2FF] | LetterKinds::DIGIT;
      if (is_blank(static_cast<char>(c))) of[c] = LetterKinds::SPACE;
    }
    of[0xA0] = LetterKinds::SPACE;
    return of;
  }();
  return table;
}

const Abbreviations& abbreviations() {
  static const Abbreviations names("u.s\nco\nmr");
  return names;
}

LetterKinds letter_kinds() { return {kinds().data(), static_cast<int64_t>(kinds().size())}; }

// The letters of words without those that steps write: blanks and quotes.
std::string bare(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (!is_blank(c) && c != '"' && c != '\'' && c != '`') kept += c;
  }
  return kept;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) >= 0; });
}

void check_words(const std::string& input) {
  const LetterKinds of = letter_kinds();
  for (const Cutting cutting : {Cutting::GIVEN, Cutting::BLANK, Cutting::SENTENCES}) {
    const std::string words = words_of(input, of, abbreviations(), cutting);
    require(words.find(std::string(2, SEPARATOR)) == std::string::npos, "a word is empty");
    if (cutting == Cutting::GIVEN || !is_ascii(input)) continue;
    require(bare(words) == bare(input), "letters are lost");
    require(std::none_of(words.begin(), words.end(),
                         [](char c) { return is_blank(c) && c != SEPARATOR; }),
            "a word holds a blank");
    if (cutting == Cutting::SENTENCES) {
      require(words_of(input + "\n", of, abbreviations(), cutting) == words, "the end matters");
    }
  }
}

// Labels a text by itself, a part of it and nothing, each on either side.
void check_labels(const std::string& input) {
  const Exact bytes(input);
  const int64_t size = bytes.size();
  const int64_t starts[] = {0, 0}, stops[] = {size, size};
  const int64_t from[] = {size / 3, 0}, to[] = {size - size / 4, 0};
  const PlacedTexts all{bytes.data(), starts, stops}, part{bytes.data(), from, to};
  int64_t sizes[2], facts[8];
  const LetterKinds of = letter_kinds();
  for (const Cutting cutting : {Cutting::BLANK, Cutting::SENTENCES}) {
    RowBatch batch;
    batch.n = 2;
    batch.text = all;
    batch.spans[GOLD][0] = batch.spans[PRED][1] = part;
    batch.spans[GOLD][1] = batch.spans[PRED][0] = all;
    batch.sizes = sizes;
    batch.facts = facts;
    const AllLabels labels = label_rows(batch, of, abbreviations(), cutting, 1, never);
    require(sizes[0] == sizes[1], "a text has other words the second time");
    require(labels.of[GOLD].size() == static_cast<size_t>(2 * sizes[0]), "labels are lost");
    for (size_t k = 0; k < labels.of[GOLD].size(); ++k) {
      const char gold = labels.of[GOLD][k], pred = labels.of[PRED][k];
      require((gold & CAUSE) == (pred & EFFECT) >> 1, "cause and effect differ");
      require(gold & EFFECT && pred & CAUSE, "a text is not found in itself");
    }
  }
}

void check_rows(const std::string& input) {
  const Exact bytes(input);
  const auto n = static_cast<int64_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  std::vector<int64_t> starts(static_cast<size_t>(N_PLACES * n)), stops(starts.size());
  std::vector<int64_t> fields(static_cast<size_t>(n));
  split_rows(bytes.data(), bytes.size(), n, starts.data(), stops.data(), fields.data());
  int64_t separators = 0;
  for (int64_t line = 0; line < n; ++line) {
    separators += std::max<int64_t>(fields[static_cast<size_t>(line)] - 1, 0);
    for (int64_t k = 0; k < N_PLACES; ++k) {
      const auto at = static_cast<size_t>(k * n + line);
      require(starts[at] <= stops[at] && stops[at] <= bytes.size(), "a field outside the file");
      const std::string field = input.substr(static_cast<size_t>(starts[at]),
                                             static_cast<size_t>(stops[at] - starts[at]));
      require(field.find_first_of(";\n") == std::string::npos, "a field is too long");
      require(!k || field.empty() || !is_blank(field[0]), "a field begins with a blank");
    }
  }
  require(separators == std::count(input.begin(), input.end(), ';'), "fields are lost");
}

}  // namespace

void check(const std::string& input) {
  check_words(input);
  check_labels(input);
  check_rows(input);
}
