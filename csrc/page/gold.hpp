// Gold, as fastcausal/tasks/extraction/scorer_page/page.py puts it into the page: rows as columns.
#pragma once
#include "page/examples.hpp"

namespace fastcausal::page {

// Takes gold from its JSON.
inline void take_gold(const Value& given, Examples& made) {
  const auto items = [&](const char* key) -> const std::vector<Value>& {
    return given.find(key)->items;
  };
  for (const Value& id : items("ids")) made.ids.push_back(id.text);
  for (const Value& text : items("texts")) {
    made.texts.push_back(text.text);
    made.has_text.push_back(text.is(Value::string));
  }
  for (size_t k = 0; k < made.keys.size(); ++k)
    for (const Value& key : items("keys")[k].items) made.keys[k].push_back(key.text);
  const Value& clusters = *given.find("clusters");
  for (size_t k = 0; k < clusters.keys.size(); ++k) {
    auto& codes = made.clusters.emplace_back(clusters.keys[k], std::vector<int64_t>()).second;
    for (const Value& code : clusters.items[k].items) codes.push_back(code.number_);
  }
  const auto &lengths = items("lengths"), &relations = items("relations"), &spans = items("spans");
  const Value* value = items("values").data();
  size_t r = 0;
  for (size_t e = 0; e < lengths.size(); ++e) {
    for (int64_t n = relations[e].number_; n > 0; --n, ++r) {
      std::vector<Row> rows;
      for (int64_t s = spans[r].number_; s > 0; --s, value += 3)
        rows.push_back({static_cast<int32_t>(value[0].number_),
                        static_cast<int32_t>(value[1].number_),
                        static_cast<int32_t>(value[2].number_)});
      made.add_relation(rows);
    }
    made.end_example(lengths[e].number_);
  }
  const Value& notes = *given.find("notes");
  for (size_t k = 0; k < notes.keys.size(); ++k) made.note(notes.keys[k], notes.items[k].number_);
  for (const Value& warning : items("warnings")) made.warnings.push_back(warning.text);
  made.tagged = given.find("tagged")->number_ != 0;
}

}  // namespace fastcausal::page
