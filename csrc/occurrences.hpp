// All places where a text occurs in another one, overlapping ones too, in linear time (Knuth,
// Morris, Pratt).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastcausal {

using CodePoints = std::vector<uint32_t>;

class Occurrences {
 public:
  std::vector<int64_t> places;  // where the last `find` found them, ascending

  // An empty text occurs nowhere.
  void find(const CodePoints& text, const CodePoints& wanted) {
    places.clear();
    const size_t m = wanted.size();
    if (!m || m > text.size()) return;
    set_borders(wanted);
    size_t matched = 0;
    for (size_t at = 0; at < text.size(); ++at) {
      while (matched && text[at] != wanted[matched]) matched = borders_[matched];
      matched += text[at] == wanted[matched];
      if (matched == m) {
        places.push_back(static_cast<int64_t>(at + 1 - m));
        matched = borders_[m];
      }
    }
  }

 private:
  std::vector<size_t> borders_;  // of each start of the wanted text: how much of it ends it, too

  void set_borders(const CodePoints& wanted) {
    borders_.assign(wanted.size() + 1, 0);
    for (size_t at = 1, border = 0; at < wanted.size(); ++at) {
      while (border && wanted[at] != wanted[border]) border = borders_[border];
      border += wanted[at] == wanted[border];
      borders_[at + 1] = border;
    }
  }
};

}  // namespace fastcausal
