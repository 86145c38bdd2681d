// Reads JSON lines whose relations are texts of spans, and finds these in the texts of the lines.
//
//   data ── SpanLineReader ──▶ columns, WrittenRelations ── find_spans ──▶ CollectedRows
//
// Relations of another form, and texts that occur in no plain way, are left to Python.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arrays/stop.hpp"
#include "readers/role_keys.hpp"
#include "readers/sentence.hpp"
#include "text/json.hpp"
#include "text/letters.hpp"

namespace fastcausal {

constexpr int32_t SIGNAL_ROLE = 2;

// The relations of examples as they are written: spans as texts or as characters.
struct WrittenRelations {
  std::vector<uint8_t> roles;          // of each span
  std::vector<int32_t> starts, stops;  // its characters; a start of -1 is a text
  std::string data;
  std::vector<int64_t> places{0};       // end of each text
  std::vector<int64_t> spans{0};        // by relation
  std::vector<int64_t> examples{0};     // relations by example
  std::string types;                    // of the relations, one after another
  std::vector<int64_t> type_places{0};  // end of each; an empty one is unknown
  std::vector<uint8_t> plain;           // whether an example is here; if not, it has no relations
  std::vector<int32_t> further;         // keys of each example's relations beside roles and type
  int32_t n_further = 0;                // of the current example

  void add(int32_t role, int32_t start, int32_t stop, std::string_view text = {}) {
    roles.push_back(static_cast<uint8_t>(role));
    starts.push_back(start);
    stops.push_back(stop);
    data.append(text);
    places.push_back(static_cast<int64_t>(data.size()));
  }

  void end_relation() {
    spans.push_back(static_cast<int64_t>(roles.size()));
    type_places.push_back(static_cast<int64_t>(types.size()));
  }

  void end_example(bool is_plain) {
    if (!is_plain) forget_example();
    plain.push_back(is_plain);
    further.push_back(n_further);
    n_further = 0;
    examples.push_back(static_cast<int64_t>(spans.size()) - 1);
  }

 private:
  void forget_example() {
    spans.resize(static_cast<size_t>(examples.back()) + 1);
    type_places.resize(spans.size());
    types.resize(static_cast<size_t>(type_places.back()));
    const auto n = static_cast<size_t>(spans.back());
    roles.resize(n);
    starts.resize(n);
    stops.resize(n);
    places.resize(n + 1);
    data.resize(static_cast<size_t>(places.back()));
  }
};

// Texts that stand for no span.
class NoSpans {
 public:
  // Takes texts that line feeds separate.
  explicit NoSpans(const std::string& lines) {
    for (size_t start = 0; start < lines.size();) {
      const size_t end = std::min(lines.find('\n', start), lines.size());
      texts_.push_back(lines.substr(start, end - start));
      start = end + 1;
    }
  }
  bool has(std::string_view text) const {
    return std::find(texts_.begin(), texts_.end(), text) != texts_.end();
  }

 private:
  std::vector<std::string> texts_;
};

// Reads relations. With `NoSpans` they are from a model's answer: each has a text, and only texts
// that are spans.
class RelationsReader : protected JsonReader {
 public:
  // `room` has room for the strings of the value.
  RelationsReader(const char* data, int64_t size, char* room, WrittenRelations& found,
                  const NoSpans* no_spans = nullptr)
      : JsonReader(data, size, room, no_spans != nullptr),
        room_(room),
        found_(found),
        no_spans_(no_spans) {}

 protected:
  char* const room_;
  WrittenRelations& found_;
  bool has_last_comma_ = false;  // behind the last item of a list or an object of an answer

  bool relations() {
    if (!take("[")) return false;
    space();
    if (take("]")) return true;
    do {
      if (!relation()) return false;
      found_.end_relation();
      space();
    } while (more(']'));
    return take("]");
  }

  // Passes over a comma. Returns whether another item follows it.
  bool more(char close) {
    if (!take(",")) return false;
    space();
    if (!no_spans_ || p_ == end_ || *p_ != close) return true;
    has_last_comma_ = true;
    return false;
  }

 private:
  const NoSpans* const no_spans_;

  bool relation() {
    unsigned seen = 0, meant = 0;
    size_t sizes[3] = {};  // of lists
    std::string_view further[MOST_KEYS];
    size_t n_further = 0;
    const size_t size_before = found_.data.size();
    if (!take("{")) return false;
    space();
    if (take("}")) return !no_spans_;
    do {
      std::string_view key;
      if (!plain_key(key)) return false;
      const auto* name = std::find(std::begin(ROLE_NAMES), std::end(ROLE_NAMES), key);
      const auto role = static_cast<int32_t>(name - std::begin(ROLE_NAMES));
      if (name == std::end(ROLE_NAMES)) {
        std::string_view* const end = further + n_further;
        if ((no_spans_ && key != "type") || n_further == MOST_KEYS) return false;
        if (std::find(further, end, key) < end) return false;
        further[n_further++] = key;
        if (key == "type") {
          if (!type()) return false;
          space();
          continue;
        }
        for (int k = 0; k < 3; ++k) meant |= unsigned{may_name(key, ROLE_NAMES[k])} << k;
        if (!take("null")) {
          if (!pass(room_)) return false;
          ++found_.n_further;
        }
        space();
        continue;
      }
      if (seen >> role & 1) return false;
      seen |= 1u << role;
      const bool is_list = p_ < end_ && *p_ == '[';
      const size_t n_before = found_.roles.size();
      if (!spans(role)) return false;
      if (is_list) sizes[role] = found_.roles.size() - n_before;
      space();
    } while (more('}'));
    if (!take("}") || !seen || (meant & ~seen)) return false;
    const bool are_several = sizes[0] > 1 && sizes[1] > 1;
    return !no_spans_ || (!are_several && found_.data.size() > size_before);
  }

  // Returns whether a text starts or ends with a letter that may be white space.
  static bool is_padded(std::string_view text) {
    const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };
    return !text.empty() && (!is_plain(text.front()) || !is_plain(text.back()));
  }

  bool type() {
    std::string_view text;
    if (take("null")) return true;
    if (p_ == end_ || *p_ != '"' || !string_at(room_, text)) return false;
    if (no_spans_ && (no_spans_->has(text) || is_padded(text))) return false;
    found_.types.append(text);
    return true;
  }

  bool spans(int32_t role) {
    if (p_ == end_ || *p_ != '[') return span(role);
    const char* const start = p_;
    if (!no_spans_ && characters(role)) return true;
    p_ = start + 1;
    space();
    if (take("]")) return true;
    do {
      if (!span(role)) return false;
      space();
    } while (more(']'));
    return take("]");
  }

  bool span(int32_t role) {
    if (p_ == end_) return false;
    if (*p_ == '"') {
      std::string_view text;
      if (!string_at(room_, text)) return false;
      if (no_spans_ && no_spans_->has(text)) return false;
      found_.add(role, -1, -1, text);
      return true;
    }
    if (no_spans_) return false;
    return *p_ == '{' ? named_characters(role) : *p_ == '[' ? characters(role) : take("null");
  }

  // Reads [start, stop].
  bool characters(int32_t role) {
    int32_t bounds[2];
    if (!take("[")) return false;
    for (int k = 0; k < 2; ++k) {
      space();
      if (!plain_number(bounds[k])) return false;
      space();
      if (!take(k ? "]" : ",")) return false;
    }
    found_.add(role, bounds[0], bounds[1]);
    return true;
  }

  // Reads {"start": start, "stop": stop}.
  bool named_characters(int32_t role) {
    int32_t bounds[2] = {-1, -1};
    take("{");
    for (int k = 0; k < 2; ++k) {
      std::string_view key;
      space();
      if (!plain_key(key) || (key != "start" && key != "stop")) return false;
      int32_t& bound = bounds[key == "stop"];
      if (bound >= 0 || !plain_number(bound)) return false;
      space();
      if (!take(k ? "}" : ",")) return false;
    }
    found_.add(role, bounds[0], bounds[1]);
    return true;
  }
};

// The values of a key. Values that are missing or no strings have other kinds.
struct JsonColumn {
  enum : uint8_t { MISSING, NOTHING, TEXT, OTHER };
  std::string name;
  std::string data;
  std::vector<int64_t> places{0};  // end of each text, or of the bytes of another value
  std::vector<uint8_t> kinds;

  // Adds the value of a line, after lines without one. Returns false if the line has one already.
  bool add(size_t line, uint8_t kind, std::string_view text) {
    if (kinds.size() > line) return false;
    fill(line);
    data.append(text);
    places.push_back(static_cast<int64_t>(data.size()));
    kinds.push_back(kind);
    return true;
  }

  void fill(size_t n_lines) {
    kinds.resize(n_lines, MISSING);
    places.resize(n_lines + 1, static_cast<int64_t>(data.size()));
  }
};

struct SpanLines {
  std::vector<int64_t> starts, stops;  // bytes of each line that is not blank
  std::vector<int64_t> numbers;        // its number, from 0
  std::vector<JsonColumn> columns;     // in the order in which their keys first occur
  WrittenRelations relations;
};

class SpanLineReader : RelationsReader {
 public:
  SpanLineReader(const char* line, int64_t size, char* room, SpanLines& found,
                 std::unordered_map<std::string, size_t>& numbers)
      : RelationsReader(line, size, room, found.relations), lines_(found), numbers_(numbers) {}

  // Reads a line. Returns false if Python might read or refuse it in another way.
  bool read() {
    bool has_relations = false, is_plain = false;
    size_t next = 0;
    if (!take("{")) return false;
    space();
    if (!take("}")) {
      do {
        space();
        std::string_view key;
        if (!plain_key(key)) return false;
        if (key == "relations") {
          if (has_relations || !relations_value(is_plain)) return false;
          has_relations = true;
        } else if (!value(key, next)) {
          return false;
        }
        space();
      } while (take(","));
      if (!take("}")) return false;
    }
    found_.end_example(is_plain);
    space();
    return p_ == end_;
  }

 private:
  static constexpr size_t MOST_COLUMNS = 1000;
  SpanLines& lines_;
  std::unordered_map<std::string, size_t>& numbers_;

  // Reads relations, or passes over relations that Python is to read.
  bool relations_value(bool& is_plain) {
    const char* const start = p_;
    is_plain = relations();
    if (is_plain) return true;
    p_ = start;
    return pass(room_);
  }

  // Reads the value of another key. `next` is the number of the column behind the last one.
  bool value(std::string_view key, size_t& next) {
    std::vector<JsonColumn>& columns = lines_.columns;
    if (next >= columns.size() || columns[next].name != key) {
      const auto [known, is_new] = numbers_.try_emplace(std::string(key), columns.size());
      if (is_new && columns.size() == MOST_COLUMNS) return false;
      if (is_new) {
        columns.emplace_back();
        columns.back().name = key;
      }
      next = known->second;
    }
    JsonColumn& column = columns[next++];
    const size_t line = found_.plain.size();
    std::string_view text;
    if (take("null")) return column.add(line, JsonColumn::NOTHING, text);
    if (p_ < end_ && *p_ == '"') {
      return string_at(room_, text) && column.add(line, JsonColumn::TEXT, text);
    }
    const char* const start = p_;
    if (!pass(room_)) return false;
    text = {start, static_cast<size_t>(p_ - start)};
    return column.add(line, JsonColumn::OTHER, text);
  }
};

// Reads all lines. Returns false if one is not plain.
inline bool read_span_lines(const char* data, int64_t size, SpanLines& found,
                            StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  std::unordered_map<std::string, size_t> numbers;
  std::string room;
  const char* const limit = data + size;
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  int64_t number = 0;
  for (const char *p = data, *end; p < limit; p = end + 1, ++number) {
    end = find(p, limit, '\n');
    if (std::all_of(p, end, blank)) continue;
    found.starts.push_back(p - data);
    found.stops.push_back(end - data);
    found.numbers.push_back(number);
    while (p < end && space(*p)) ++p;
    if (room.size() < static_cast<size_t>(end - p)) room.resize(static_cast<size_t>(end - p));
    meter.add_cost(3 * (end - p));
    if (!SpanLineReader(p, end - p, room.data(), found, numbers).read()) return false;
  }
  for (JsonColumn& column : found.columns) column.fill(found.numbers.size());
  return true;
}

// Finds the spans of relations in a sentence.
class SpanFinder {
 public:
  Sentence sentence;

  SpanFinder(const WrittenRelations& written, bool by_gap, CollectedRows& found)
      : written_(written), by_gap_(by_gap), found_(found) {}

  // Adds the spans [first, last) of a relation. With gaps, texts that occur once come first, then
  // other causes, other effects, and signals. Returns false if Python has to read the relation.
  bool add_relation(size_t first, size_t last, SpanNotes& notes) {
    bool has_signals = false;
    sentence.forget_gaps();
    repeated_.clear();
    for (size_t k = first; k < last; ++k) {
      const bool waits = by_gap_ && written_.roles[k] == SIGNAL_ROLE;
      has_signals |= waits;
      if (waits || add(k, by_gap_, notes)) continue;
      const bool are_many = static_cast<int64_t>(repeated_.size()) >= MOST_TEXTS;
      if (!by_gap_ || written_.starts[k] >= 0 || are_many) return false;
      repeated_.push_back(k);
    }
    std::stable_sort(repeated_.begin(), repeated_.end(),
                     [&](size_t a, size_t b) { return written_.roles[a] < written_.roles[b]; });
    for (const size_t k : repeated_) {
      set_gaps(written_.roles[k]);
      if (!add(k, false, notes)) return false;
    }
    if (!has_signals) return true;
    set_gaps(-1);
    for (size_t k = first; k < last; ++k) {
      if (written_.roles[k] == SIGNAL_ROLE && !add(k, false, notes)) return false;
    }
    return true;
  }

 private:
  const WrittenRelations& written_;
  const bool by_gap_;
  CollectedRows& found_;
  std::vector<size_t> repeated_;  // causes and effects that occur again

  bool add(size_t k, bool once, SpanNotes& notes) {
    const int32_t role = written_.roles[k];
    if (written_.starts[k] >= 0) {
      return add_characters(found_, role, written_.starts[k], written_.stops[k], sentence, notes);
    }
    decode(written_.data.data() + written_.places[k], written_.places[k + 1] - written_.places[k],
           sentence.wanted);
    return add_text(found_, role, sentence, once, notes);
  }

  // Sets the gaps around the spans so far of other roles than `but`.
  void set_gaps(int32_t but) {
    const auto before = static_cast<size_t>(found_.row_offsets.back());
    sentence.set_gaps(found_.rows.data() + before,
                      static_cast<int64_t>(found_.rows.size() - before), but);
  }
};

// Finds the spans of examples in their texts. An example that Python has to read is no longer
// plain, and has no relations. Sets the notes of all others.
inline void find_spans(const char* data, const int64_t* places, const int32_t* lengths,
                       const WrittenRelations& written, bool by_gap, bool by_letters,
                       uint8_t* plain, CollectedRows& found, SpanNotes& notes,
                       StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  SpanFinder finder(written, by_gap, found);
  Sentence& sentence = finder.sentence;
  for (size_t example = 0; example < written.plain.size(); ++example) {
    SpanNotes of_example;
    const int64_t size = places[example + 1] - places[example];
    bool is_plain = plain[example] && size <= INT32_MAX;
    meter.add_cost(10 * size);
    sentence.letters.clear();
    if (is_plain) decode(data + places[example], size, sentence.letters);
    sentence.split(by_letters);
    const auto n_tokens = static_cast<int32_t>(sentence.starts.size());
    is_plain = is_plain && (lengths[example] < 0 || lengths[example] == n_tokens);
    const int64_t last = written.examples[example + 1];
    for (int64_t r = written.examples[example]; is_plain && r < last; ++r) {
      const auto relation = static_cast<size_t>(r);
      is_plain = finder.add_relation(static_cast<size_t>(written.spans[relation]),
                                     static_cast<size_t>(written.spans[relation + 1]), of_example);
      meter.add_cost(20 * size);
      found.by_role();
      found.end_relation();
    }
    if (is_plain) {
      notes += of_example;
    } else {
      found.forget_example();
    }
    plain[example] = is_plain;
    found.lengths.push_back(is_plain ? n_tokens : -1);
    found.end_example();
  }
}

}  // namespace fastcausal
