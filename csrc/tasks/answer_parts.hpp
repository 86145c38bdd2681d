// The causes, the effects and the relation of a text, by the marks before them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "text/words.hpp"

namespace fastcausal {

enum Part : int { CAUSE, EFFECT, RELATION, N_PARTS };

struct Parts {
  bool read = false;
  Text part[N_PARTS];
};

namespace answers {

constexpr int64_t SIZES[N_PARTS] = {5, 6, 8};

constexpr uint64_t as_number(const char* name) {
  return *name ? static_cast<unsigned char>(*name) | as_number(name + 1) << 8 : 0;
}
constexpr uint64_t NAMES[N_PARTS] = {as_number("cause"), as_number("effect"),
                                     as_number("relation")};

// Returns the part whose name begins at a place, in any case, before a given letter. Else N_PARTS.
inline int name_at(Text text, int64_t at, char after) {
  const uint64_t letters = eight_bytes(text.data + at, text.end()) | IN_LOWER_CASE;
  const uint64_t first = letters & 0xFF;
  const int part = first == 'e' ? EFFECT : first == 'r' ? RELATION : CAUSE;
  const bool is_name = (letters ^ NAMES[part]) << (64 - 8 * SIZES[part]) == 0;
  const bool ends = text.size - at > SIZES[part] && text.data[at + SIZES[part]] == after;
  return is_name && ends ? part : int{N_PARTS};
}

// Collects parts one after another. Returns false if one occurs twice.
struct PartReader {
  Parts& parts;
  int open = N_PARTS;
  int seen = 0;

  bool mark(Text text, int part, int64_t start, int64_t behind) {
    close(text.data + start);
    if (seen & 1 << part) return false;
    seen |= 1 << part;
    open = part;
    parts.part[part] = {text.data + behind, 0};
    return true;
  }
  void close(const char* end) {
    if (open < N_PARTS) parts.part[open].size = end - parts.part[open].data;
  }
  bool ended(Text text) {
    close(text.data + text.size);
    return (seen & 3) == 3;  // cause and effect
  }
};

inline bool read_brackets(Text text, PartReader& marks) {
  for (int64_t at = 0; at < text.size; ++at) {
    const void* next = std::memchr(text.data + at, '[', static_cast<size_t>(text.size - at));
    if (!next) break;
    at = static_cast<const char*>(next) - text.data;
    const int part = name_at(text, at + 1, ']');
    if (part == N_PARTS) continue;
    if (!marks.mark(text, part, at, at + SIZES[part] + 2)) return false;
  }
  return marks.ended(text);
}

inline bool read_lines(Text text, PartReader& marks) {
  for (int64_t line = 0; line < text.size;) {
    int64_t at = line;
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t')) ++at;
    const int part = name_at(text, at, ':');
    if (part < N_PARTS && !marks.mark(text, part, line, at + SIZES[part] + 1)) return false;
    const void* end = std::memchr(text.data + at, '\n', static_cast<size_t>(text.size - at));
    if (!end) break;
    line = static_cast<const char*>(end) - text.data + 1;
  }
  return marks.ended(text);
}

inline Parts guide_parts(Text text) {
  Parts parts;
  PartReader brackets{parts};
  parts.read = read_brackets(text, brackets);
  if (!brackets.seen) {
    PartReader lines{parts};
    parts.read = read_lines(text, lines);
  }
  return parts;
}

// Returns the next place of a mark, or -1.
inline int64_t find(Text text, int64_t from, const char* mark, int64_t size) {
  const char* end = text.data + text.size;
  const char* place = std::search(text.data + from, end, mark, mark + size);
  return place == end ? -1 : place - text.data;
}

// \[Cause\](.*?)\[Relation\](.*?)\[Effect\](.*?)$ in the last line. A line break ends every earlier
// match. One at the end of the text is ignored.
inline Parts fcr_parts(Text text) {
  Parts parts;
  if (text.size && text.data[text.size - 1] == '\n') --text.size;
  int64_t line = text.size;
  while (line && text.data[line - 1] != '\n') --line;
  const int64_t cause = find(text, line, "[Cause]", 7);
  const int64_t relation = cause < 0 ? -1 : find(text, cause + 7, "[Relation]", 10);
  const int64_t effect = relation < 0 ? -1 : find(text, relation + 10, "[Effect]", 8);
  if (effect < 0) return parts;
  parts.read = true;
  parts.part[CAUSE] = {text.data + cause + 7, relation - cause - 7};
  parts.part[RELATION] = {text.data + relation + 10, effect - relation - 10};
  parts.part[EFFECT] = {text.data + effect + 8, text.size - effect - 8};
  return parts;
}

}  // namespace answers
}  // namespace fastcausal
