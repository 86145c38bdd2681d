// Fuzzes lines of objects, rows of CSV and lists of strings (csrc/lines.hpp).
#include "lines.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{"",
                                     "{\"a\": 1}\n\n {\"b\": \"}\"}\r\n",
                                     "id,text\r\n1,\"a \"\"b\"\", c\"\n\n2,x\n",
                                     "['a', \"it's\", 'b\\'c\\\\']",
                                     "a,b\n\"multi\nline\",2\r3,4",
                                     "[]"};
const std::vector<std::string> PIECES{
    "\"", "'", "\\", "\n", "\r\n", "[", "]", ", ", ",", "{", "}", "\"\"", std::string(1, '\0'),
    "\t", "\v"};

namespace {

int64_t newlines(const std::string& text) {
  return static_cast<int64_t>(std::count(text.begin(), text.end(), '\n'));
}

void check_lines(const std::string& input) {
  const Exact text(input);
  const fastcausal::Lines lines = fastcausal::object_lines(text.data(), text.size());
  require(lines.n >= -1 && lines.n <= newlines(input) + 1, "more lines than there are");
  require(lines.longest >= 0 && lines.longest <= text.size(), "a line longer than all");
  const auto twice =
      fastcausal::object_lines(Exact(input + "\n" + input).data(), 2 * text.size() + 1);
  require(twice.n == (lines.n < 0 ? -1 : 2 * lines.n), "lines depend on lines before");
  for (int64_t wanted : {int64_t{0}, int64_t{1}, int64_t{3}}) {
    int64_t n = wanted, all = 0;
    const char* stop = fastcausal::end_of_lines(text.data(), text.data() + text.size(), n, all);
    require(n <= wanted && n <= all && all <= newlines(input), "lines that are not there");
    require(stop == text.data() || stop[-1] == '\n', "a line does not end");
  }
}

void check_rows(const std::string& input) {
  const Exact text(input);
  const int64_t n = fastcausal::csv_rows(text.data(), text.size());
  require(n >= -1 && n <= text.size(), "more rows than bytes");
  const Exact twice(input + "\n" + input);
  if (n >= 0) {
    require(fastcausal::csv_rows(twice.data(), twice.size()) == 2 * n,
            "rows depend on rows before");
  }
}

void check_list(const std::string& input) {
  const Exact text(input);
  fastcausal::Literals found;
  found.data = "before";
  found.places.push_back(6);
  const int64_t n = fastcausal::string_list(text.data(), text.data() + text.size(), found);
  require(found.places.size() == static_cast<size_t>(2 + std::max<int64_t>(n, 0)), "lost strings");
  require(static_cast<size_t>(found.places.back()) == found.data.size(), "text of no string");
  require(found.data.size() <= 6 + input.size(), "more text than was given");
  require(std::is_sorted(found.places.begin(), found.places.end()), "places do not rise");
}

}  // namespace

void check(const std::string& input) {
  check_lines(input);
  check_rows(input);
  check_list(input);
}
