// Fuzzes sentences of CoNLL-style files (csrc/tags/tag_lines.hpp).
#include "tags/tag_lines.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "", "# id = a\n# text = Rain  fell\nRain\tB-Cause\tO\nfell\tO\tB-Effect\n\nDry\tO\tO\n",
    "# sent_id = 4\r\nRain  B-C|B-SIG \r\nfell O\r\n\r\n\r\n# id=\nx O\n",
    "# text = a b\n\n# O\n# c\tO\n", "a b\tB-C\n\tO\n \x0b\n"};
const std::vector<std::string> PIECES{
    "\n", "\r\n", "\t", " ", "# ", "# id =", "# text = ", "O", "B-C", "\f", "=", "a", "\r"};

void check(const std::string& input) {
  const Exact bytes(input);
  const char* const limit = bytes.data() + bytes.size();
  fastcausal::TagSentences lines(bytes.data(), bytes.size(), 1, 3);
  fastcausal::TagSentence sentence, again;
  const char* behind = bytes.data();
  for (int64_t before = 0; lines.next(sentence); before = sentence.line) {
    require(behind <= sentence.begin && sentence.begin < sentence.end && sentence.end <= limit,
            "sentences overlap");
    require(sentence.line > before, "lines go back");
    behind = sentence.end;
    if (!sentence.plain) continue;
    require(sentence.n_rows <= 3, "too many tokens");
    require(static_cast<int64_t>(sentence.cells.size()) == sentence.n_rows * sentence.n_columns,
            "a row has other cells");
    for (const std::string_view cell : sentence.cells)
      require(cell.find_first_of("\n\v\f") == cell.npos, "a cell ends a line");
    std::string text(1, '-');
    const bool has_text = fastcausal::append_text(sentence, text);
    const auto n = static_cast<int64_t>(text.size()) - 1;
    require(has_text ? fastcausal::count_words(text.data() + 1, n) == sentence.n_rows : n == 0,
            "a text has other tokens");
    fastcausal::TagSentences alone(sentence.begin, sentence.end - sentence.begin, 1, 3);
    require(alone.next(again) && again.cells == sentence.cells, "read alone, it is another");
    require(!alone.next(again), "it holds another");
  }
  require(std::string_view(behind, static_cast<size_t>(limit - behind)).find_first_not_of("\r\n") ==
              std::string_view::npos,
          "lines are left");
}
