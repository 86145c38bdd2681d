// Fuzzes lines of objects, rows of CSV and lists of strings (csrc/text/lines.hpp).
#include "text/lines.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{"",
                                     "{\"a\": 1}\n\n {\"b\": \"}\"}\r\n",
                                     "id,text\r\n1,\"a \"\"b\"\", c\"\n\n2,x\n",
                                     "['a', \"it's\", 'b\\'c\\\\']",
                                     "a,b\n\"multi\nline\",2\r3,4",
                                     "['\\x91a\\ufeff\\U0001f600\\n']",
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

// The cells of rows with so many columns; none where another reader is to take them.
std::vector<fastcausal::CsvCell> split(const Exact& text, int64_t n_columns) {
  std::vector<fastcausal::CsvCell> cells;
  const char* const end = text.data() + text.size();
  const char* stop = fastcausal::split_rows(text.data(), end, text.size(), n_columns, cells);
  require(stop == nullptr || stop == end, "rows are left");
  if (stop == nullptr) cells.clear();
  return cells;
}

void check_rows(const std::string& input) {
  const Exact text(input);
  const Exact twice(input + "\n" + input);
  for (int64_t n_columns : {int64_t{1}, int64_t{2}}) {
    const std::vector<fastcausal::CsvCell> cells = split(text, n_columns);
    const auto n_rows = static_cast<int64_t>(cells.size()) / n_columns;
    require(n_rows <= text.size(), "more rows than bytes");
    if (n_rows)
      require(split(twice, n_columns).size() == 2 * cells.size(), "rows depend on rows before");
    for (int64_t k = 0; n_rows && k < n_columns; ++k) {
      const auto size = fastcausal::size_of_column(&cells[k], n_rows, n_columns);
      require(size >= 0 && size <= text.size(), "more text than was given");
      std::string column(static_cast<size_t>(size), ' ');
      std::vector<int32_t> places(static_cast<size_t>(n_rows) + 1);
      fastcausal::write_column(&cells[k], n_rows, n_columns, column.data(), places.data());
      require(places.back() == size, "a column of another size");
      require(std::is_sorted(places.begin(), places.end()), "places do not rise");
    }
  }
}

void check_list(const std::string& input) {
  const Exact text(input);
  std::string room = "before" + std::string(input.size(), ' ');
  fastcausal::Literals found{room.data()};
  found.places.push_back(6);
  const int64_t n = fastcausal::string_list(text.data(), text.data() + text.size(), found);
  require(found.places.size() == static_cast<size_t>(2 + std::max<int64_t>(n, 0)), "lost strings");
  require(static_cast<size_t>(found.places.back()) <= 6 + input.size(), "more text than was given");
  require(room.substr(0, 6) == "before", "text of strings before is lost");
  require(std::is_sorted(found.places.begin(), found.places.end()), "places do not rise");
}

}  // namespace

void check(const std::string& input) {
  check_lines(input);
  check_rows(input);
  check_list(input);
}
