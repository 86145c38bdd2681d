// Examples as lines of JSON, and a row per relation in CSV or JSON lines.
#pragma once
#include "page/sentences.hpp"
#include "page/spans.hpp"
#include "readers/role_keys.hpp"

namespace fastcausal::page {

// Takes the ids of lines. Returns false after a fault.
inline bool take_ids(const std::vector<Line>& lines, Examples& made, Problems& problems) {
  const int64_t before = problems.count;
  bool any = false;
  for (const Line& each : lines) {
    const Value* id = each.value.find("id");
    any |= id && !id->is(Value::null);
  }
  for (const Line& each : lines) {
    made.lines.push_back(each.line);
    if (!any) continue;
    const Value* id = each.value.find("id");
    const Text where = made.name + ":" + text_of(each.line);
    if (!id || id->is(Value::null))
      problems.add(where + ": no \"id\", other examples have one");
    else if (!id->is(Value::string) && !id->is(Value::integer))
      problems.add(where + ": \"id\" is " + id->name_of_kind() + ", expected a string");
    else
      made.ids.push_back(id->text);
  }
  return problems.count == before;
}

inline void take_texts(const std::vector<Line>& lines, Examples& made) {
  for (const Line& each : lines) {
    const Value* text = each.value.find("text");
    if (!text) text = each.value.find("sentence");
    const bool has = text && text->is(Value::string);
    made.texts.push_back(has ? text->text : "");
    made.has_text.push_back(has);
  }
}

// Returns the number of tokens that gold has for each example, -1 if unknown.
inline std::vector<int64_t> lengths_like(const Examples& gold, Examples& made, Text& fault) {
  std::vector<int64_t> lengths(made.lines.size(), -1);
  const std::vector<int64_t> places = places_in(gold, made, fault);
  if (!fault.empty()) return lengths;
  take_from_gold(gold, places, made);
  const std::vector<int32_t> counts = token_counts(gold, Tags::strict);
  for (size_t k = 0; k < lengths.size(); ++k) {
    if (places[k] < 0) continue;
    const auto at = static_cast<size_t>(places[k]);
    lengths[k] = gold.texts.empty() || counts[at] < 0 ? gold.lengths[at] : counts[at];
  }
  return lengths;
}

// Returns the key that may be meant as a missing role, the first key without any role, or null.
inline const Text* misnamed(const std::vector<Text>& keys) {
  const auto has = [&](View role) {
    return std::find(keys.begin(), keys.end(), role) != keys.end();
  };
  const bool any = std::any_of(ROLES.begin(), ROLES.end(), has);
  for (const Text& key : keys) {
    if (role_of(key) >= 0 || key == TYPE) continue;
    const auto meant = [&](View role) { return !has(role) && may_name(key, role); };
    if (!any || std::any_of(ROLES.begin(), ROLES.end(), meant)) return &key;
  }
  return nullptr;
}

// Reads {"id", "text", "relations": [{"cause": ..., "effect": ..., "signal": ...}]}.
inline Text read_spans(const std::vector<Line>& lines, const Examples& gold, Examples& made) {
  Problems problems;
  if (!take_ids(lines, made, problems)) return problems.summary();
  take_texts(lines, made);
  Text fault;
  const std::vector<int64_t> lengths = lengths_like(gold, made, fault);
  if (!fault.empty()) return fault;
  for (size_t k = 0; k < lines.size(); ++k) {
    const auto refuse = [&](const Text& why) {
      problems.add(made.where(static_cast<int64_t>(k)) + ": " + why);
    };
    const Value* relations = lines[k].value.find("relations");
    const Value* text = lines[k].value.find("text");
    std::vector<std::vector<Mark>> marks;
    std::vector<uint8_t> nulls;
    fault.clear();
    if (!relations)
      fault = "no \"relations\"";
    else if (relations->is(Value::null))
      made.add_unread(made.where(static_cast<int64_t>(k)), "it is null", true);
    else if (!relations->is(Value::list))
      fault = "\"relations\" is " + relations->name_of_kind() + ", expected a list";
    if (fault.empty() && text && !text->is(Value::string) && !text->is(Value::null))
      fault = "\"text\" is " + text->name_of_kind() + ", expected a string";
    for (size_t r = 0; fault.empty() && r < relations->items.size(); ++r) {
      const Value& relation = relations->items[r];
      marks.emplace_back();
      nulls.push_back(relation.is(Value::null));
      if (nulls.back()) continue;
      if (!relation.is(Value::object))
        fault = "a relation is " + relation.name_of_kind() + ", expected an object";
      if (const Text* key = fault.empty() ? misnamed(relation.keys) : nullptr)
        fault = "unknown role " + shown(View(*key)) + ", " + EXPECTED_ROLES;
      for (size_t i = 0; fault.empty() && i < relation.keys.size(); ++i) {
        const int32_t role = role_of(relation.keys[i]);
        const Value& value = relation.items[i];
        if (role >= 0)
          fault = add_marks(value, role, marks.back());
        else if (relation.keys[i] != TYPE)
          made.note(FURTHER, !value.is(Value::null));
        else if (!value.is(Value::string) && !value.is(Value::null))
          fault = "\"type\" is " + value.name_of_kind() + ", expected a text";
      }
      std::stable_sort(marks.back().begin(), marks.back().end(),
                       [](const Mark& a, const Mark& b) { return a.role < b.role; });
    }
    if (fault.empty()) fault = add_located(marks, nulls, k, lengths[k], made);
    if (!fault.empty()) refuse(fault);
  }
  return problems.count ? problems.summary() : made.repeated();
}

// Reads {"id", "length", "relations": [[{"role", "start", "stop"}, ...], ...]}, in tokens.
inline Text read_tokens(const std::vector<Line>& lines, Examples& made) {
  Problems problems;
  const auto is_count = [](const Value* value) {
    return value && value->is(Value::integer) && value->number_ >= 0 &&
           value->number_ < int64_t{1} << 31;
  };
  const auto shown_or_null = [](const Value* value) {
    return value ? shown(*value) : Text("null");
  };
  for (const Line& each : lines) {
    const Text where = made.name + ":" + text_of(each.line);
    const Value* length = each.value.find("length");
    const Value* relations = each.value.find("relations");
    Text fault;
    if (!relations)
      fault = "no \"relations\"";
    else if (length && !length->is(Value::null) && !is_count(length))
      fault = "\"length\" is " + shown(*length) + ", expected a number of tokens";
    else if (relations->is(Value::null))
      made.add_unread(where, "it is null", true);
    else if (!relations->is(Value::list))
      fault = "\"relations\" is " + relations->name_of_kind() + ", expected a list of relations";
    for (size_t r = 0; fault.empty() && r < relations->items.size(); ++r) {
      const Value& relation = relations->items[r];
      if (relation.is(Value::null)) {
        made.add_unread(where, "it is null");
        continue;
      }
      if (!relation.is(Value::list))
        fault = "a relation is " + relation.name_of_kind() + ", expected a list of spans";
      std::vector<Row> rows;
      for (size_t s = 0; fault.empty() && s < relation.items.size(); ++s) {
        const Value& span = relation.items[s];
        const Value *role = span.find("role"), *start = span.find("start"),
                    *stop = span.find("stop");
        if (!span.is(Value::object))
          fault = "a span is " + span.name_of_kind() + ", expected an object";
        else if (!role || !role->is(Value::string) || role_of(role->text) < 0)
          fault = "unknown role " + shown_or_null(role) + ", " + EXPECTED_ROLES;
        else if (!is_count(start) || !is_count(stop) || start->number_ >= stop->number_)
          fault = "span (" + shown_or_null(start) + ", " + shown_or_null(stop) +
                  "), expected token numbers, start < stop";
        else
          rows.push_back({role_of(role->text), static_cast<int32_t>(start->number_),
                          static_cast<int32_t>(stop->number_)});
      }
      std::sort(rows.begin(), rows.end(), before);
      made.add_relation(rows);
    }
    if (!fault.empty()) problems.add(Text(where).append(": ").append(fault));
    made.end_example(is_count(length) ? length->number_ : -1);
  }
  take_ids(lines, made, problems);
  take_texts(lines, made);
  return problems.count ? problems.summary() : made.repeated();
}

// A row per relation: id, cause, effect, perhaps signal and text.
struct FlatRows {
  Text header;
  Text listed;
  std::array<int64_t, 5> columns{};  // id, text, cause, effect, signal: 1 if they exist
  struct Of {
    int32_t line;
    Text id, text;
    bool has_text;
    std::array<Value, 3> roles;
  };
  std::vector<Of> rows;
};

inline Text read_flat(const FlatRows& flat, const Examples& gold, Examples& made) {
  static constexpr const char* NAMES[] = {"id", "text", "cause", "effect", "signal"};
  for (const size_t k : {0, 2, 3})
    if (flat.columns[k] < 0)
      return flat.header + ": no column \"" + NAMES[k] + "\": found " + flat.listed;
  Problems problems;
  std::unordered_map<Text, size_t> known;
  std::vector<int32_t> text_line;
  std::vector<std::vector<std::vector<Mark>>> marks;
  for (const FlatRows::Of& row : flat.rows) {
    const Text where = made.name + ":" + text_of(row.line);
    const auto [entry, is_new] = known.try_emplace(row.id, made.ids.size());
    const size_t k = entry->second;
    if (is_new) {
      made.ids.push_back(row.id);
      made.lines.push_back(row.line);
      made.texts.push_back(row.text);
      made.has_text.push_back(row.has_text);
      text_line.push_back(row.line);
      marks.emplace_back();
    } else if (row.has_text && !made.has_text[k]) {
      made.texts[k] = row.text;
      made.has_text[k] = 1;
      text_line[k] = row.line;
    } else if (row.has_text && row.text != made.texts[k]) {
      problems.add(where + ": example " + row.id + ": another text than in " + made.name + ":" +
                   text_of(text_line[k]));
    }
    std::vector<Mark> of_row;
    bool filled = false;
    for (size_t role = 0; role < 3; ++role) {
      const Value& value = row.roles[role];
      filled |= value.is(Value::string)
                    ? !value.text.empty()
                    : !value.is(Value::null) && !(value.is(Value::list) && value.items.empty());
      const Text fault = add_marks(value, static_cast<int32_t>(role), of_row);
      if (!fault.empty())
        problems.add(Text(where).append(": example ").append(row.id).append(": ").append(fault));
    }
    if (filled) marks[k].push_back(of_row);
  }
  if (problems.count) return problems.summary();
  Text fault;
  const std::vector<int64_t> lengths = lengths_like(gold, made, fault);
  if (!fault.empty()) return fault;
  for (size_t k = 0; k < marks.size(); ++k) {
    fault = add_located(marks[k], std::vector<uint8_t>(marks[k].size()), k, lengths[k], made);
    if (!fault.empty()) problems.add(made.where(static_cast<int64_t>(k)) + ": " + fault);
  }
  return problems.count ? problems.summary() : "";
}

inline FlatRows flat_of(const Cells& cells) {
  FlatRows flat{cells.header, cells.listed(), {}, {}};
  static constexpr const char* NAMES[] = {"id", "text", "cause", "effect", "signal"};
  for (size_t k = 0; k < 5; ++k) flat.columns[k] = cells.find(NAMES[k]);
  if (flat.columns[1] < 0) flat.columns[1] = cells.find("sentence");
  for (size_t r = 0; r < cells.n_rows(); ++r) {
    const auto cell = [&](int64_t k) { return k < 0 ? Text() : Text(cells.at(r, k)); };
    FlatRows::Of row{cells.lines[r], cell(flat.columns[0]), cell(flat.columns[1]), false, {}};
    row.has_text = !row.text.empty();
    for (size_t role = 0; role < 3; ++role) {
      row.roles[role].text = cell(flat.columns[2 + role]);
      if (!row.roles[role].text.empty()) row.roles[role].kind = Value::string;
    }
    flat.rows.push_back(std::move(row));
  }
  return flat;
}

inline FlatRows flat_of(const Text& name, const std::vector<Line>& lines) {
  static constexpr const char* NAMES[] = {"id", "text", "cause", "effect", "signal"};
  FlatRows flat{name, "", {-1, -1, -1, -1, -1}, {}};
  for (const Line& each : lines) {
    FlatRows::Of row{each.line, "", "", false, {}};
    for (size_t k = 0; k < 5; ++k) {
      const Value* value = each.value.find(NAMES[k]);
      if (!value) continue;
      flat.columns[k] = 1;
      if (k == 0) row.id = value->text;
      if (k == 1 && value->is(Value::string)) {
        row.text = value->text;
        row.has_text = true;
      }
      if (k >= 2) row.roles[k - 2] = *value;
    }
    flat.rows.push_back(std::move(row));
  }
  return flat;
}

}  // namespace fastcausal::page
