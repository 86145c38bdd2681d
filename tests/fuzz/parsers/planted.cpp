// Reads one byte too far on purpose: shows that the driver and the sanitizers detect it.
#include "fuzz.hpp"

const std::vector<std::string> SEEDS{"a", "ab"};
const std::vector<std::string> PIECES{"<"};

void check(const std::string& input) {
  const Exact text(input);
  const volatile char* at = text.data();
  if (text.size() && at[text.size() - 1] == '<') require(at[text.size()] != '<', "beyond the end");
}
