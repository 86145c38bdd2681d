// Fuzzes rows of FinCausal's files (csrc/tasks/fincausal_rows.hpp).
#include "fuzz.hpp"
#include "tasks/fincausal_rows.hpp"

const std::vector<std::string> SEEDS{
    "", "Index; Text; Cause; Effect\n1.0; Tax rose. Firms shut; Tax rose; Firms shut\n",
    "1.0;\xc2\xa0 a--b, 1,000: 12:30.);\t\xe2\x80\x9cgrowth;\n\n;;;;"};
const std::vector<std::string> PIECES{";",
                                      "\n",
                                      " ",
                                      "\t",
                                      "1.0",
                                      "Tax ",
                                      "\xc2\xa0",
                                      "\xe3\x80\x80",
                                      "\xe2\x80\x9d",
                                      "\xc3",
                                      "\x80",
                                      "\x1f",
                                      std::string(70, 'x')};

namespace {

using namespace fastcausal;
using namespace fastcausal::fincausal;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F); }

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

void check(const std::string& input) { check_rows(input); }
