// Reads a dropped file: finds its format, as fastcausal/formats/reading/opening.py does.
#pragma once
#include "page/lines.hpp"
#include "page/predictions.hpp"

namespace fastcausal::page {

inline Text read_csv(const File& file, const Examples& gold, Examples& made) {
  Cells cells;
  read_cells(file, cells);
  return cells.error.empty() ? read_flat(flat_of(cells), gold, made) : cells.error;
}

// Returns the key of the lines: "prediction", "relations" or "cause"; empty if there is none.
inline Text key_of(const std::vector<Line>& lines) {
  for (const Line& each : lines)
    for (const char* key : {"prediction", "relations"})
      if (each.value.find(key)) return key;
  return !lines.empty() && lines[0].value.find("cause") && lines[0].value.find("effect") ? "cause"
                                                                                         : "";
}

// Tells the first line whose relations have a form: objects are spans, lists are tokens.
inline bool are_tokens(const std::vector<Line>& lines) {
  for (const Line& each : lines) {
    const Value* relations = each.value.find("relations");
    if (!relations || !relations->is(Value::list)) continue;
    for (const Value& relation : relations->items) {
      if (relation.is(Value::list)) return true;
      if (relation.is(Value::object)) return false;
    }
  }
  for (const Line& each : lines)  // without any relation
    if (each.value.find("length")) return true;
  return false;
}

inline Text read_json(const File& file, Tags tags, const Examples& gold, Examples& made) {
  const View head = View(file.data).substr(0, 1 << 16);
  if (head.substr(0, head.find('\n')).find("\"prediction\"") != View::npos)
    return PredictionReader(file, tags, gold, made).read();
  Problems problems;
  const std::vector<Line> lines = objects_of(file, problems);
  const Text key = key_of(lines);
  if (problems.count) return problems.summary();
  if (key == "prediction") return PredictionReader(file, tags, gold, made).read();
  if (key == "cause") return read_flat(flat_of(file.name, lines), gold, made);
  if (key.empty())
    return file.name +
           ": no line is a JSON object with \"prediction\" or \"relations\", nor a row with "
           "\"id\", "
           "\"cause\" and \"effect\"; other formats are for fastcausal score, not for this page";
  if (are_tokens(lines)) return read_tokens(lines, made);
  for (const Line& each : lines)
    if (each.value.find("length"))
      return file.name + ":" + text_of(each.line) +
             ": relations beside \"length\" count tokens: such examples "
             "are for fastcausal score, not for this page";
  return read_spans(lines, gold, made);
}

// Reads a file of predictions with the help of gold. Returns a fault, empty if there is none.
inline Text read_file(const File& file, Tags tags, const Examples& gold, Examples& made) {
  made.name = file.name;
  Text fault = file.fault();
  if (!fault.empty()) return fault;
  if (file.is_json() && !file.ends_in(".csv")) return read_json(file, tags, gold, made);
  return read_csv(file, gold, made);
}

}  // namespace fastcausal::page
