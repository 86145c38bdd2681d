// Reads submissions of the Causal News Corpus task, lines {"index": 0, "prediction": ["...", ...]},
// and joins them with gold by their index, for Python and for the page that scores. Nothing here
// checks the bytes for UTF-8. Host only.
#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/blanks.hpp"
#include "text/json.hpp"
#include "text/values.hpp"

namespace fastcausal {

enum Index : uint8_t { no_index, number_index, text_index, other_index };

// A part of the input with a fault or with further keys.
struct Place {
  int64_t number;  // of a line with a fault; of an example with further keys
  int64_t begin, end;
};

struct Submission {
  char* text;                      // of all sentences; has room for all input bytes
  std::vector<int32_t> places{0};  // end of each sentence
  std::vector<int32_t> counts;     // sentences of each example
  std::vector<int32_t> lines;      // the line of each example
  std::vector<uint8_t> kinds;      // of the index of each example
  std::vector<int64_t> numbers;    // of indexes, also of others that equal one; else -1
  std::string names;               // texts, numbers beyond 64 bits, kinds of other values
  std::vector<int32_t> name_places{0};
  std::vector<Place> further;  // examples with further keys
  int64_t n_passed = 0;  // predictions with values at which the official program does not look
  bool is_plain = true;  // no line has another form than {"index", "prediction"}
  checked::Problems problems;   // each begins with its line
  std::vector<Place> invalid;   // the line of each of the first problems, if it is invalid JSON
  bool begins_invalid = false;  // the first problem is invalid JSON

  checked::View name(size_t k) const {
    return checked::View(names).substr(static_cast<size_t>(name_places[k]),
                                       static_cast<size_t>(name_places[k + 1] - name_places[k]));
  }
};

class SubmissionReader : JsonReader {
  using Text = checked::Text;
  using View = checked::View;
  using Value = checked::Value;

 public:
  // line: number of the first one. n_gold: relations of the examples from the first one, if the
  // official program looks only at so many predictions; else n_examples is 0.
  SubmissionReader(View data, int64_t line, const int64_t* n_gold, int64_t n_examples,
                   Submission& found)
      : JsonReader(data.data(), static_cast<int64_t>(data.size()), found.text),
        data_(data),
        line_(line),
        n_gold_(n_gold),
        n_examples_(n_examples),
        found_(found) {}

  // Reads the object of each line that is not blank.
  void read_lines() {
    for (;; ++p_, ++line_) {
      const char* const start = p_;
      space();
      if (p_ == end_) return;
      if (*p_ == '\n') continue;
      const Sizes before(found_, to_);
      if (plain_line()) {
        found_.lines.push_back(static_cast<int32_t>(line_));
      } else {
        before.restore(found_, to_);
        p_ = find(start, end_, '\n');
        check_line({start, static_cast<size_t>(p_ - start)});
      }
      if (p_ == end_) return;
    }
  }

  // Reads the objects of one JSON list.
  void read_list() {
    found_.is_plain = false;
    checked::ValueReader reader(data_);
    size_t seen = 0;
    const auto move_to = [&](size_t place) {
      line_ += std::count(data_.begin() + static_cast<std::ptrdiff_t>(seen),
                          data_.begin() + static_cast<std::ptrdiff_t>(place), '\n');
      seen = place;
    };
    const bool whole = reader.items([&](size_t place, size_t stop, Value& value) {
      move_to(place);
      take_value(value, data_.substr(place, stop - place));
    });
    if (whole) return;
    if (reader.where != Text::npos) move_to(reader.where);
    const size_t begin = reader.where == Text::npos ? 0 : data_.rfind('\n', reader.where) + 1;
    refuse_json(reader, data_.substr(begin), reader.where - begin);
  }

  int64_t line() const { return line_; }

 private:
  // Sizes of all that a line adds.
  class Sizes {
   public:
    Sizes(const Submission& of, char* to)
        : n_{of.places.size(), of.counts.size(), of.kinds.size(), of.names.size()}, to_(to) {}
    void restore(Submission& of, char*& to) const {
      of.places.resize(n_[0]);
      of.counts.resize(n_[1]);
      of.kinds.resize(n_[2]);
      of.numbers.resize(n_[2]);
      of.names.resize(n_[3]);
      of.name_places.resize(n_[2] + 1);
      to = to_;
    }

   private:
    std::array<size_t, 4> n_;
    char* to_;
  };

  // Reads a line of one plain form, a subset of JSON. Returns false for any other line.
  bool plain_line() {
    found_.kinds.push_back(no_index);
    found_.numbers.push_back(-1);
    bool index = false, prediction = false;
    if (!take("{")) return false;
    do {
      space();
      const bool is_index = take("\"index\"");
      if (!is_index && !take("\"prediction\"")) return false;
      space();
      if (!take(":")) return false;
      space();
      bool& seen = is_index ? index : prediction;
      if (seen || !(is_index ? index_value() : sentences())) return false;
      seen = true;
      space();
    } while (take(","));
    if (!prediction || !take("}")) return false;
    found_.name_places.push_back(static_cast<int32_t>(found_.names.size()));
    space();
    return p_ == end_ || *p_ == '\n';
  }

  bool index_value() {
    if (take("null")) return true;
    if (p_ < end_ && *p_ == '"') {
      found_.kinds.back() = text_index;
      char* const name = to_;  // its room is free until the next sentence
      if (!string()) return false;
      found_.names.append(name, to_);
      to_ = name;
      return true;
    }
    found_.kinds.back() = number_index;
    const char* digits = p_ + (p_ < end_ && *p_ == '-');
    const auto [stop, error] = std::from_chars(p_, end_, found_.numbers.back());
    p_ = stop;
    // A fraction fails at the next comma or brace.
    return error == std::errc() && (*digits != '0' || stop == digits + 1);
  }

  bool sentences() {
    if (!take("[")) return false;
    int32_t n = 0;
    space();
    if (!take("]")) {
      do {
        space();
        if (!string()) return false;
        found_.places.push_back(static_cast<int32_t>(to_ - found_.text));
        ++n;
        space();
      } while (take(","));
      if (!take("]")) return false;
    }
    found_.counts.push_back(n);
    return true;
  }

  void check_line(View line) {
    View rest = line;
    skip_blanks(rest);
    if (rest.empty()) return;
    found_.is_plain = false;
    checked::ValueReader reader(line);
    Value value;
    if (reader.whole(value))
      take_value(value, line);
    else
      refuse_json(reader, line, reader.where);
  }

  void refuse(const Text& why) { found_.problems.add(checked::text_of(line_) + ": " + why); }

  void refuse_json(const checked::ValueReader& reader, View line, size_t place) {
    const bool has_place = reader.where != Text::npos;
    if (!found_.problems.count) found_.begins_invalid = has_place;
    if (has_place) {
      const auto begin = static_cast<int64_t>(line.data() - data_.data());
      found_.invalid.resize(found_.problems.first.size());
      found_.invalid.push_back({line_, begin, begin + static_cast<int64_t>(line.size())});
      refuse("invalid JSON: " + reader.error + " at column " +
             checked::text_of(1 + utf8::count(line.substr(0, place))));
      found_.invalid.resize(found_.problems.first.size());
    } else {
      refuse(reader.error);
    }
  }

  // Returns the place of a key: of this name, else of the only one that is it in another case.
  static size_t place_of(const Value& value, View name) {
    const auto& keys = value.keys;
    size_t like = keys.size(), n = 0;
    for (size_t k = 0; k < keys.size(); ++k) {
      if (keys[k] == name) return k;
      if (keys[k].size() != name.size() || checked::small(keys[k]) != name) continue;
      like = k;
      ++n;
    }
    return n == 1 ? like : keys.size();
  }

  void take_value(const Value& value, View source) {
    if (!value.is(Value::object)) return refuse(value.name_of_kind() + ", expected an object");
    const auto number = static_cast<int64_t>(found_.counts.size()) + found_.problems.count;
    const size_t n_keys = value.keys.size(), of_index = place_of(value, "index");
    const size_t at = place_of(value, "prediction");
    if (at == n_keys) {
      Text keys;
      for (size_t k = 0; k < n_keys; ++k)
        keys += (k ? ", " : "") + (k == of_index ? Text("index") : value.keys[k]);
      return refuse("no \"prediction\": found " +
                    (keys.empty() ? Text("no key") : Text(checked::letters_of(keys, 200))));
    }
    const Value& prediction = value.items[at];
    const int64_t n_gold = number < n_examples_ ? n_gold_[number] : -1;
    bool passed = false;
    if (!prediction.is(Value::list)) {
      if (n_gold != 0)
        return refuse("\"prediction\" is " + prediction.name_of_kind() +
                      ", expected a list of strings");
      passed = true;
    }
    for (size_t s = 0; prediction.is(Value::list) && s < prediction.items.size(); ++s) {
      const Value& sentence = prediction.items[s];
      if (sentence.is(Value::string)) continue;
      if (n_gold < 0 || static_cast<int64_t>(s) < n_gold)
        return refuse("\"prediction\" holds " + sentence.name_of_kind() +
                      ", expected a list of strings");
      passed = true;
    }
    found_.n_passed += passed;
    add_example(prediction, of_index == n_keys ? nullptr : &value.items[of_index]);
    for (size_t k = 0; k < n_keys; ++k) {
      if (k == of_index || k == at || is_known(value.keys[k])) continue;
      const auto begin = static_cast<int64_t>(source.data() - data_.data());
      found_.further.push_back({static_cast<int64_t>(found_.counts.size()) - 1, begin,
                                begin + static_cast<int64_t>(source.size())});
      break;
    }
  }

  static bool is_known(View key) {
    return key == "index" || key == "prediction" || key == "id" || key == "length" ||
           key == "relations" || key == "tagged";
  }

  void add_example(const Value& prediction, const Value* index) {
    int32_t n = 0;
    if (prediction.is(Value::list))
      for (const Value& each : prediction.items) {
        if (!each.is(Value::string)) continue;
        to_ = std::copy(each.text.begin(), each.text.end(), to_);
        found_.places.push_back(static_cast<int32_t>(to_ - found_.text));
        ++n;
      }
    found_.counts.push_back(n);
    found_.lines.push_back(static_cast<int32_t>(line_));
    uint8_t kind = no_index;
    int64_t number = -1;
    if (index && index->is(Value::string)) {
      kind = text_index;
      found_.names += index->text;
    } else if (index && index->is(Value::integer)) {
      kind = number_index;
      number = index->number_;
      if (number == INT64_MAX || number == INT64_MIN) found_.names += index->text;
    } else if (index && !index->is(Value::null)) {
      kind = other_index;
      found_.names += index->name_of_kind();
      number = equal_number(*index);
    }
    found_.kinds.push_back(kind);
    found_.numbers.push_back(number);
    found_.name_places.push_back(static_cast<int32_t>(found_.names.size()));
  }

  // Returns the number that a boolean or a fraction equals, else -1.
  static int64_t equal_number(const Value& value) {
    if (value.is(Value::boolean)) return value.number_;
    if (!value.is(Value::number)) return -1;
    const double exact = std::strtod(value.text.c_str(), nullptr);
    return exact >= 0 && exact < 9e15 && exact == std::floor(exact) ? static_cast<int64_t>(exact)
                                                                    : -1;
  }

  const View data_;
  int64_t line_;
  const int64_t* const n_gold_;
  const int64_t n_examples_;
  Submission& found_;
};

// The indexes of all examples.
struct Indexes {
  const uint8_t* kinds;
  const int64_t* numbers;
  const char* names;
  const int32_t* places;
  int64_t n;

  checked::View name(int64_t k) const {
    return {names + places[k], static_cast<size_t>(places[k + 1] - places[k])};
  }
  bool all(uint8_t kind) const {
    return std::all_of(kinds, kinds + n, [kind](uint8_t each) { return each == kind; });
  }
};

// Counts the examples that name another one than that of their place: start and so on, or the id
// there.
template <class Offset>
int64_t count_misplaced(const Indexes& indexes, int64_t start, const char* ids,
                        const Offset* places, int64_t n_ids) {
  int64_t n = 0;
  for (int64_t k = 0; k < indexes.n; ++k) {
    if (indexes.kinds[k] == no_index) continue;
    if (indexes.kinds[k] != text_index)
      n += indexes.numbers[k] != start + k;
    else
      n += k >= n_ids ||
           indexes.name(k) !=
               checked::View(ids + places[k], static_cast<size_t>(places[k + 1] - places[k]));
  }
  return n;
}

// A join of examples with gold by a numbered index.
struct NumberJoin {
  // A fault of an example, of which a place may follow; -1 for none.
  struct Fault {
    int64_t example, first;
    checked::Text what;
  };
  std::vector<int64_t> rows;  // with ids in gold: of each example there; else the examples in order
  int64_t n_misplaced = 0, n_faults = 0;
  std::vector<Fault> faults;  // the first of them
  bool is_list = true;        // the faults are those of examples, one by one

  void add(int64_t example, const checked::Text& what, int64_t first = -1) {
    if (++n_faults <= checked::Problems::SHOWN) faults.push_back({example, first, what});
  }
};

// Joins the examples from `start` with n_gold ones, -1 for unknown gold. Without rows in the
// result, they are joined by their place.
inline NumberJoin join_by_number(const Indexes& indexes, int64_t start, int64_t n_gold,
                                 bool has_ids) {
  using checked::text_of;
  NumberJoin made;
  const int64_t n = indexes.n;
  bool in_order = true;
  for (int64_t k = 0; k < n; ++k) {
    const uint8_t kind = indexes.kinds[k];
    const bool here = kind == no_index || (kind != text_index && indexes.numbers[k] == start + k);
    in_order &= here;
    made.n_misplaced += !here;
  }
  const auto shown = [&](int64_t k) {
    const checked::View name = indexes.name(k);
    return name.empty() ? text_of(indexes.numbers[k]) : checked::Text(name);
  };
  if (!indexes.all(number_index) || (in_order && !(has_ids && n < n_gold))) {
    for (int64_t k = 0; k < n; ++k) {
      const uint8_t kind = indexes.kinds[k];
      if (kind == no_index || (kind == number_index && indexes.numbers[k] == start + k)) continue;
      made.add(k, "\"index\" is " + (kind == text_index ? "a string" : shown(k)) + ", expected " +
                      text_of(start + k));
    }
    return made;
  }
  int64_t stop = start + n_gold;
  if (n_gold < 0)
    stop = std::min(*std::max_element(indexes.numbers, indexes.numbers + n), INT64_MAX - 1) + 1;
  for (int64_t k = 0; k < n; ++k)
    if (indexes.numbers[k] < start || indexes.numbers[k] >= stop)
      made.add(k, "\"index\" is " + shown(k) + ", expected " + text_of(start) + " to " +
                      text_of(stop - 1));
  if (made.n_faults) return made;
  made.is_list = false;
  std::unordered_map<int64_t, int64_t> first;
  for (int64_t k = 0; k < n; ++k) {
    const auto [entry, is_new] = first.try_emplace(indexes.numbers[k], k);
    if (is_new) continue;
    made.add(k, "index " + shown(k) + " occurs twice, first in ", entry->second);
    return made;
  }
  if (has_ids) {
    for (int64_t k = 0; k < n; ++k) made.rows.push_back(indexes.numbers[k] - start);
    return made;
  }
  if (const int64_t missing = stop - start - n; missing > 0) {
    int64_t lost = start;
    while (first.count(lost)) ++lost;
    const checked::Text more = missing > 1 ? ", and " + text_of(missing - 1) + " more" : "";
    made.add(-1, "no line with index " + text_of(lost) + more + ", expected " + text_of(start) +
                     " to " + text_of(stop - 1));
    return made;
  }
  made.rows.resize(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; ++k) made.rows[static_cast<size_t>(indexes.numbers[k] - start)] = k;
  return made;
}

}  // namespace fastcausal
