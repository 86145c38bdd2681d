// Fuzzes lines of span texts, and the search for their spans (csrc/readers/span_lines.hpp).
#include "readers/span_lines.hpp"

#include "fuzz.hpp"

const std::vector<std::string> SEEDS{
    "",
    "{\"id\": 1, \"text\": \"rain fell so\", \"relations\": [{\"cause\": [\"rain\", [5, 9], null],"
    " \"signal\": \"so\"}, {}]}\n",
    "{\"text\":\"a a \\u00e9\",\"relations\":[{\"effect\":{\"start\":0,\"stop\":1},\"cause\":\"a\"}"
    "],\"x\":[1,{\"y\":-2.5e3}]}\r\n\n{\"relations\":[null]}",
    "{\"text\":\"a\",\"relations\":[{\"type\":{\"x\":[1]},\"cause\":\"a\",\"id\":null}]}\n",
    "{\"text\":\"大雨a导致。\",\"relations\":[{\"cause\":\"大雨\",\"effect\":[2,4]}]}\n",
    "{\"text\":\"\",\"relations\":[]}\n{\"relations\":[],\"text\":null,\"z\":true}\n"};
const std::vector<std::string> PIECES{
    "\"", "\\", "\\ud800", "[",  "]",         "{",          "}",        ",",     ":",
    "\n", "0",  "null",    "a ", "\"cause\"", "\"signal\"", "\"text\"", "[0,1]", "\xf0\x9f",
    "大", "\u3099", "。", ",\"type\":1,", ",\"efect\":[],"};

namespace {

bool never() { return false; }

template <class Places>
bool rising(const Places& places) {
  return places[0] == 0 && std::is_sorted(places.begin(), places.end());
}

}  // namespace

void check(const std::string& input) {
  const Exact bytes(input);
  fastcausal::SpanLines lines;
  if (!fastcausal::read_span_lines(bytes.data(), bytes.size(), lines, never)) return;
  const fastcausal::WrittenRelations& written = lines.relations;
  const size_t n = written.plain.size();
  require(written.further.size() == n, "further keys are not counted");
  require(lines.starts.size() == n && lines.numbers.size() == n, "a line has no place");
  require(written.examples.size() == n + 1 && rising(written.examples), "relations are left");
  require(written.spans.size() == static_cast<size_t>(written.examples.back()) + 1, "spans");
  require(written.places.size() == written.roles.size() + 1 && rising(written.places), "texts");
  std::string texts(1, ' ');
  std::vector<int64_t> places(n + 1);
  for (const fastcausal::JsonColumn& column : lines.columns) {
    require(column.kinds.size() == n && column.places.size() == n + 1, "a value is missing");
    require(rising(column.places), "values overlap");
    require(static_cast<size_t>(column.places.back()) == column.data.size(), "bytes are left");
    if (column.name != "text") continue;
    texts = column.data;
    places = column.places;
  }
  const Exact text(texts);
  const std::vector<int32_t> lengths(n, -1);
  for (const int way : {0, 1, 2, 3}) {
    const bool by_gap = way & 1, by_letters = way & 2;
    std::vector<uint8_t> plain(written.plain);
    fastcausal::CollectedRows found;
    fastcausal::SpanNotes notes;
    fastcausal::find_spans(text.data(), places.data(), lengths.data(), written, by_gap,
                           by_letters, plain.data(), found, notes, never);
    require(found.relation_offsets.size() == n + 1 && found.lengths.size() == n, "examples");
    for (size_t k = 0; k < n; ++k) {
      const auto first = found.row_offsets[static_cast<size_t>(found.relation_offsets[k])];
      const auto last = found.row_offsets[static_cast<size_t>(found.relation_offsets[k + 1])];
      require(plain[k] || first == last, "an example that is not plain has spans");
      for (auto row = static_cast<size_t>(first); row < static_cast<size_t>(last); ++row) {
        const fastcausal::Row& span = found.rows[row];
        require(0 <= span.start && span.start < span.stop && span.stop <= found.lengths[k],
                "a span is outside its sentence");
      }
    }
  }
}
