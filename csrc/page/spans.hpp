// Relations as texts of spans or their characters, as fastcausal/formats/spans.py and frames.py
// read them; and as rows of tokens, as jsonl.py does. A text has to occur as it is written, in
// whole tokens: other searches are for the library.
#pragma once
#include <set>

#include "page/examples.hpp"
#include "readers/sentence.hpp"

namespace fastcausal::page {

constexpr const char* AMBIGUOUS = "ambiguous span";
constexpr const char* CUT = "span cut a token";
constexpr const char* FURTHER = "further key";
constexpr const char* TYPE = "type";  // of a relation; it decides nothing here

constexpr const char* OTHER_SEARCHES =
    "; fastcausal score also searches in other case, white space, quotes and punctuation, this "
    "page does not";
constexpr const char* TO_LETTERS =
    "; fastcausal score --words letters makes each letter of such scripts a token, this page does "
    "not";

// A value of a role: a text, or characters.
struct Mark {
  int32_t role;
  Text text;
  bool is_text;
  int64_t start, stop;
};

// A finder of the spans of one example.
class SpanFinder {
 public:
  explicit SpanFinder(const Text& text) {
    sentence_.letters = code_points(text);
    sentence_.split();
  }
  int64_t n_tokens() const { return static_cast<int64_t>(sentence_.starts.size()); }

  // Finds the spans of a relation. Returns why not, empty if all are found. `declined` tells in
  // which other way the library might find them.
  Text find(std::vector<Mark> marks, Examples& made, std::vector<Row>& rows, Text& declined) {
    std::vector<std::pair<int, Mark>> ordered;
    for (Mark& mark : marks) {
      int rank = 0;
      if (mark.is_text) {
        const size_t n = occurrences(mark.text).size();
        if (!n) {
          declined = OTHER_SEARCHES;
          return shown(View(stripped(mark.text))) + " is not in the text as it is written";
        }
        rank = n > 1;
      }
      if (mark.role == 2) rank = 2;
      ordered.emplace_back(rank, std::move(mark));
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::set<std::array<int64_t, 3>> taken;
    for (const auto& [rank, mark] : ordered) {
      int64_t from = mark.start, to = mark.stop;
      const int64_t size = static_cast<int64_t>(sentence_.letters.size());
      if (mark.is_text) {
        const std::vector<int64_t> places = occurrences(mark.text);
        const auto width = static_cast<int64_t>(sentence_.wanted.size());
        from = chosen(places, width, mark.role, rows, taken);
        to = from + width;
        made.note(AMBIGUOUS, places.size() > 1);
        made.located = true;
      } else if (from < 0 || from >= to || to > size) {
        return "characters " + text_of(from) + " to " + text_of(to) + " do not fit a text of " +
               text_of(size);
      }
      auto start = static_cast<int32_t>(from), stop = static_cast<int32_t>(to);
      int n_cut = 0;
      if (sentence_.touches(start, stop) && sentence_.cuts_letters(start, stop)) {
        declined = TO_LETTERS;
        return "characters " + text_of(from) + " to " + text_of(to) + " cut a token";
      }
      if (!sentence_.tokens(start, stop, n_cut))
        return "characters " + text_of(from) + " to " + text_of(to) + " mark no token";
      rows.push_back({mark.role, start, stop});
      taken.insert({mark.role, from, to});
      made.note(CUT, n_cut);
    }
    std::sort(rows.begin(), rows.end(), before);
    return "";
  }

 private:
  Sentence sentence_;
  Occurrences found_;

  static CodePoints code_points(View text) {
    CodePoints made;
    for (size_t k = 0; k < text.size();) made.push_back(utf8::next(text, k));
    return made;
  }

  // Returns the places of a text that are whole tokens.
  std::vector<int64_t> occurrences(View text) {
    sentence_.wanted = code_points(stripped(text));
    std::vector<int64_t> places;
    found_.find(sentence_.letters, sentence_.wanted);
    for (const int64_t at : found_.places) {
      const auto stop = static_cast<int32_t>(at + static_cast<int64_t>(sentence_.wanted.size()));
      if (std::binary_search(sentence_.starts.begin(), sentence_.starts.end(),
                             static_cast<int32_t>(at)) &&
          std::binary_search(sentence_.stops.begin(), sentence_.stops.end(), stop))
        places.push_back(at);
    }
    return places;
  }

  using Range = std::pair<int64_t, int64_t>;

  // Returns the place that reaches least beyond a gap, of those that are not taken.
  int64_t chosen(const std::vector<int64_t>& places, int64_t width, int32_t role,
                 const std::vector<Row>& rows,
                 const std::set<std::array<int64_t, 3>>& taken) const {
    std::vector<int64_t> free;
    for (const int64_t at : places)
      if (!taken.count({role, at, at + width})) free.push_back(at);
    if (free.empty()) free = places;
    const std::vector<Range> gaps = gaps_beside(role, rows);
    int64_t best = free[0], least = INT64_MAX;
    for (const int64_t at : free) {
      int64_t reach = gaps.empty() ? 0 : INT64_MAX;
      for (const auto& [from, to] : gaps)
        reach = std::min(reach, std::max({from - at, at + width - to, int64_t{0}}));
      if (reach < least) {
        least = reach;
        best = at;
      }
    }
    return best;
  }

  // Returns the expected places of a role: between Cause and Effect, else beside one of them.
  std::vector<Range> gaps_beside(int32_t role, const std::vector<Row>& rows) const {
    std::vector<Range> given, gaps;
    for (int32_t of = 0; of < 2; ++of) {
      Range hull{INT64_MAX, -1};
      for (const Row& row : rows) {
        if (row.role != of || row.role == role) continue;
        hull.first =
            std::min<int64_t>(hull.first, sentence_.starts[static_cast<size_t>(row.start)]);
        hull.second =
            std::max<int64_t>(hull.second, sentence_.stops[static_cast<size_t>(row.stop) - 1]);
      }
      if (hull.second >= 0) given.push_back(hull);
    }
    if (given.size() == 2) {
      std::sort(given.begin(), given.end());
      const int64_t start = given[0].second, stop = given[1].first;
      return {{std::min(start, stop), std::max(start, stop)}};
    }
    for (const auto& [from, to] : given) {
      gaps.emplace_back(from, from);
      gaps.emplace_back(to, to);
    }
    return gaps;
  }
};

inline bool is_pair(const Value& value) {
  return value.is(Value::list) && value.items.size() == 2 && value.items[0].is(Value::integer) &&
         value.items[1].is(Value::integer);
}

// Adds the marks of a role. Returns a fault, empty if there is none.
inline Text add_marks(const Value& value, int32_t role, std::vector<Mark>& marks) {
  const bool many = value.is(Value::list) && !is_pair(value);
  for (size_t k = 0; k < (many ? value.items.size() : 1); ++k) {
    const Value& item = many ? value.items[k] : value;
    if (item.is(Value::null) || (item.is(Value::string) && stripped(item.text).empty())) continue;
    if (item.is(Value::string)) {
      marks.push_back({role, item.text, true, 0, 0});
      continue;
    }
    const Value* start = item.is(Value::object) ? item.find("start")
                         : is_pair(item)        ? &item.items[0]
                                                : nullptr;
    const Value* stop = item.is(Value::object) ? item.find("stop")
                        : is_pair(item)        ? &item.items[1]
                                               : nullptr;
    if (!start || !stop || !start->is(Value::integer) || !stop->is(Value::integer))
      return "\"" + Text(ROLES[static_cast<size_t>(role)]) + "\" is " + item.name_of_kind() +
             ", expected a text or character offsets";
    marks.push_back({role, "", false, start->number_, stop->number_});
  }
  return "";
}

constexpr const char* NO_TEXT =
    "no \"text\" to find its spans in, expected one here or in gold; without texts, [start, stop] "
    "in "
    "tokens with a \"length\" would do";
// Adds the relations of an example, each a list of marks. Returns a fault, empty if there is none.
inline Text add_located(const std::vector<std::vector<Mark>>& relations,
                        const std::vector<uint8_t>& nulls, size_t k, int64_t length,
                        Examples& made) {
  const bool has_text = made.has_text[k];
  SpanFinder finder(made.texts[k]);
  const Text where = made.where(static_cast<int64_t>(k));
  for (size_t r = 0; r < relations.size(); ++r) {
    Text why;
    std::vector<Row> rows;
    Text declined;
    if (nulls[r])
      why = "it is null";
    else if (has_text && length >= 0 && finder.n_tokens() != length)
      why = "the text has " + text_of(finder.n_tokens()) + " tokens, expected " + text_of(length);
    else if (!has_text && !relations[r].empty())
      return NO_TEXT;
    else
      why = finder.find(relations[r], made, rows, declined);
    if (!declined.empty()) {
      Text told = "relation " + text_of(static_cast<int64_t>(r) + 1) + ": ";
      told += why;
      return told += declined;
    }
    if (why.empty())
      made.add_relation(rows);
    else
      made.add_unread(where, why);
  }
  made.end_example(length >= 0 ? length : has_text ? finder.n_tokens() : -1);
  return "";
}

}  // namespace fastcausal::page
