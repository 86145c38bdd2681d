// Rows of FinCausal's files: fields that semicolons part, without quotes. Host only.
#pragma once
#include <cstdint>
#include <string_view>

#include "text/blanks.hpp"
#include "text/lines.hpp"

namespace fastcausal::fincausal {

constexpr int64_t N_PLACES = 4;  // fields of a row that are kept

// Fills the places of the first fields of n lines, starts[k][line] and stops[k][line] of field k,
// and the number of all fields of each, 0 of a blank line. White space before a field is left out,
// but for the first one; a field that is missing is empty.
inline void split_rows(const char* data, int64_t size, int64_t n, int64_t* starts, int64_t* stops,
                       int64_t* n_fields) {
  const char *from = data, *limit = data + size;
  for (int64_t line = 0; line < n; ++line) {
    const char* end = find(from, limit, '\n');
    int64_t found = 0;
    for (const char* at = from;; ++found) {
      const char* stop = find(at, end, ';');
      if (found < N_PLACES) {
        std::string_view field(at, static_cast<size_t>(stop - at));
        if (found) skip_blanks(field);
        starts[found * n + line] = stop - data - static_cast<int64_t>(field.size());
        stops[found * n + line] = stop - data;
      }
      if (stop == end) break;
      at = stop + 1;
    }
    n_fields[line] = from == end ? 0 : found + 1;
    while (++found < N_PLACES) starts[found * n + line] = stops[found * n + line] = end - data;
    from = end + (end < limit);
  }
}

}  // namespace fastcausal::fincausal
