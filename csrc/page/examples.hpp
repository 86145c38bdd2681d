// The examples of a file: names, texts, and relations as rows.
#pragma once
#include <array>
#include <map>
#include <unordered_map>

#include "arrays/rows.hpp"
#include "page/cells.hpp"

namespace fastcausal::page {

inline bool never() { return false; }  // nothing stops the work of a page

constexpr std::array<const char*, 3> ROLES = {"cause", "effect", "signal"};
inline int32_t role_of(View name) {
  for (size_t k = 0; k < ROLES.size(); ++k)
    if (name == ROLES[k]) return static_cast<int32_t>(k);
  return -1;
}
constexpr const char* EXPECTED_ROLES = "expected one of cause, effect, signal";

// Why a relation could not be read. The number is 0 for a whole answer.
struct Reason {
  int64_t relation;
  int64_t number;
  Text why;
};

inline Text unread_message(const Text& where, int64_t number, const Text& why, const Text& noun) {
  if (!number) return where + ": " + why;
  return where + ": " + noun + " " + text_of(number) + (why.rfind("has ", 0) == 0 ? " " : ": ") +
         why;
}

struct Examples {
  Text name;
  std::vector<Text> ids;  // empty: known by their places
  std::vector<Text> texts;
  std::vector<uint8_t> has_text;
  std::vector<int32_t> lines;
  std::vector<int32_t> lengths;           // -1 if unknown
  std::array<std::vector<Text>, 3> keys;  // corpus, doc_id, sent_id, if all examples have them
  // Columns that clusters may be made of: a code for each value, -1 for none.
  std::vector<std::pair<Text, std::vector<int64_t>>> clusters;
  std::vector<int64_t> relation_offsets{0};
  std::vector<int64_t> row_offsets{0};
  std::vector<Row> rows;
  std::vector<uint8_t> unread;  // of each relation
  std::vector<Reason> reasons;
  Problems messages;  // of these reasons
  std::map<Text, int64_t> notes;
  std::vector<Text> warnings;
  bool tagged = false;   // its relations were read from tags
  bool located = false;  // texts of spans were found

  int64_t n() const { return static_cast<int64_t>(lengths.size()); }
  Text id(int64_t k) const { return ids.empty() ? text_of(k) : ids[static_cast<size_t>(k)]; }
  Text where(int64_t k) const {
    return name + ":" + text_of(lines[static_cast<size_t>(k)]) + ": example " + id(k);
  }
  int64_t n_relations(int64_t k) const {
    return relation_offsets[static_cast<size_t>(k) + 1] - relation_offsets[static_cast<size_t>(k)];
  }
  void note(const Text& what, int64_t times) {
    if (times) notes[what] += times;
  }

  void add_relation(const std::vector<Row>& spans) {
    rows.insert(rows.end(), spans.begin(), spans.end());
    row_offsets.push_back(static_cast<int64_t>(rows.size()));
    unread.push_back(0);
  }
  void add_unread(const Text& where, const Text& why, bool whole = false,
                  const Text& noun = "relation") {
    const auto relation = static_cast<int64_t>(unread.size());
    const int64_t number = whole ? 0 : relation - relation_offsets.back() + 1;
    messages.add(unread_message(where, number, why, noun));
    reasons.push_back({relation, number, why});
    row_offsets.push_back(static_cast<int64_t>(rows.size()));
    unread.push_back(1);
  }
  void end_example(int64_t length) {
    relation_offsets.push_back(static_cast<int64_t>(unread.size()));
    lengths.push_back(static_cast<int32_t>(length));
  }

  // Returns the fault of the first repeated id, empty if there is none.
  Text repeated() const {
    std::unordered_map<View, size_t> first;
    for (size_t k = 0; k < ids.size(); ++k) {
      const auto [entry, is_new] = first.try_emplace(ids[k], k);
      if (is_new) continue;
      const auto place = [&](size_t row) { return name + ":" + text_of(lines[row]); };
      return place(k) + ": id \"" + ids[k] + "\" occurs twice, first in " + place(entry->second);
    }
    return "";
  }
};

// Returns the place in gold of each example: by id if both sides have ids, else by position. Sets
// `error` if the numbers of examples differ.
inline std::vector<int64_t> places_in(const Examples& gold, const Examples& own, Text& error) {
  const size_t n = own.lines.size();
  std::vector<int64_t> places(n);
  if (!gold.ids.empty() && !own.ids.empty()) {
    std::unordered_map<View, int64_t> known;
    for (size_t k = 0; k < gold.ids.size(); ++k)
      known.try_emplace(gold.ids[k], static_cast<int64_t>(k));
    for (size_t k = 0; k < n; ++k) {
      const auto found = known.find(own.ids[k]);
      places[k] = found == known.end() ? -1 : found->second;
    }
    return places;
  }
  if (static_cast<int64_t>(n) != gold.n())
    error = own.name + " has " + counted(static_cast<int64_t>(n), "example") + ", expected " +
            text_of(gold.n());
  for (size_t k = 0; k < n; ++k) places[k] = static_cast<int64_t>(k);
  return places;
}

// Takes missing ids and texts of predictions from gold.
inline void take_from_gold(const Examples& gold, const std::vector<int64_t>& places,
                           Examples& own) {
  const size_t n = places.size();
  if (own.texts.empty()) {
    own.texts.resize(n);
    own.has_text.assign(n, 0);
  }
  if (own.ids.empty() && !gold.ids.empty()) own.ids = gold.ids;
  for (size_t k = 0; k < n; ++k) {
    if (own.has_text[k] || places[k] < 0 || gold.texts.empty()) continue;
    own.texts[k] = gold.texts[static_cast<size_t>(places[k])];
    own.has_text[k] = gold.has_text[static_cast<size_t>(places[k])];
  }
}

}  // namespace fastcausal::page
