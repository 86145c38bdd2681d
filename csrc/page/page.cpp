// What the page that scores calls in WebAssembly: files and settings in, JSON out.
#include <cstdio>
#include <memory>

#include "include/fastcausal.h"
#include "page/columns.hpp"
#include "page/memory.hpp"
#include "page/reading.hpp"

namespace fastcausal::page {
namespace {

// The state of the page: two files, and what was last scored.
struct State {
  File files[2];
  Settings settings;
  Examples golds, preds;
  std::unique_ptr<Aligned> aligned;
  Counted counted;
  Bootstrap bootstrap;
  Text answer;
};
State& state() {
  static State one;
  return one;
}

bool take_settings(View text, Settings& settings) {
  Value value;
  if (!JsonReader(text).whole(value)) return false;
  const auto text_at = [&](const char* key) { return value.find(key)->text; };
  settings.line = text_at("line");
  settings.protocol = text_at("protocol");
  settings.unparsed = text_at("unparsed");
  const Text tags = text_at("tags");
  settings.tags = tags == "cnc-2023"   ? Tags::official
                  : tags == "cnc-2022" ? Tags::relaxed
                                       : Tags::strict;
  settings.truncate = text_at("surplus") == "truncate";
  settings.first_of_ties = text_at("ties") == "first";
  settings.ignore_non_causal = text_at("non-causal") == "ignore";
  return true;
}

Text refused(const Text& why, const Text& remedy = "") {
  Text made = "{\"error\": ";
  add_json(made, why);
  if (!remedy.empty()) {
    made += ", \"remedy\": ";
    add_json(made, remedy);
  }
  return made + "}";
}

Text score(View text) {
  State& now = state();
  if (!take_settings(text, now.settings)) return refused("settings are no JSON");
  now.golds = Examples();
  now.preds = Examples();
  Text fault = read_file(now.files[0], now.settings.tags, nullptr, now.golds);
  if (fault.empty() && !now.golds.predicted)
    fault = read_file(now.files[1], now.settings.tags, &now.golds, now.preds);
  if (!fault.empty()) return refused(fault);
  now.aligned = std::make_unique<Aligned>(now.golds, now.preds, now.settings);
  if (!now.aligned->align()) return refused(now.aligned->error, now.aligned->remedy);
  fault = now.counted.count(*now.aligned, now.settings);
  if (!fault.empty()) return refused(fault);
  return report(now.golds, now.preds, *now.aligned, now.counted, now.settings);
}

Text intervals(double confidence) {
  State& now = state();
  const Counted& counted = now.counted;
  std::vector<uint8_t> shares;
  for (const Text& name : counted.score_names)
    shares.push_back(name.rfind("_alpha") != name.size() - 6 || name.size() < 6);
  shares.insert(shares.end(), shares.begin(), shares.end());
  const auto found =
      now.bootstrap.intervals(counted.both(), shares, confidence, counted.scores_of());
  Text made = "[";
  for (size_t k = 0; k < found.size(); ++k) {
    made += k ? ", [" : "[";
    add_number(made, found[k].low);
    made += ", ";
    add_number(made, found[k].high);
    made += ']';
  }
  return made + "]";
}

}  // namespace
}  // namespace fastcausal::page

#define FC_EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default")))
#if !defined(__wasm__)
#undef FC_EXPORT
#define FC_EXPORT(name) extern "C" __attribute__((visibility("default")))
#endif

namespace page = fastcausal::page;

FC_EXPORT(page_room) char* page_room(int32_t size) { return new char[static_cast<size_t>(size)]; }

// Takes a file: 0 gold, 1 predictions. Frees both arrays.
FC_EXPORT(page_take)
void page_take(int32_t side, char* name, int32_t n_name, char* data, int32_t n_data) {
  page::File& file = page::state().files[side];
  file.name.assign(name, static_cast<size_t>(n_name));
  file.data.assign(data, static_cast<size_t>(n_data));
  if (file.data.rfind("\xEF\xBB\xBF", 0) == 0) file.data.erase(0, 3);
  delete[] name;
  delete[] data;
}

// The functions below make an answer, JSON of page_size() bytes.
FC_EXPORT(page_score) const char* page_score(char* settings, int32_t size) {
  page::state().answer = page::score({settings, static_cast<size_t>(size)});
  delete[] settings;
  return page::state().answer.data();
}
FC_EXPORT(page_examples) const char* page_examples() {
  page::State& now = page::state();
  now.answer = page::columns(now.golds, now.preds, *now.aligned, now.counted, now.settings);
  return now.answer.data();
}
FC_EXPORT(page_draw) void page_draw(int64_t seed, int32_t first, int32_t last) {
  page::State& now = page::state();
  if (first == 0)
    now.bootstrap.set(now.counted.rows(*now.aligned), now.counted.count_names.size() + 1, seed);
  now.bootstrap.draw(first, last, now.counted.scores_of());
}
FC_EXPORT(page_intervals) const char* page_intervals(double confidence) {
  page::state().answer = page::intervals(confidence);
  return page::state().answer.data();
}
// Formats a number as fastcausal/report/numbers.py does.
FC_EXPORT(page_number) const char* page_number(double value, int32_t digits) {
  char text[64];
  std::snprintf(text, sizeof text, "\"%.*f\"", digits, value);
  page::state().answer = text;
  return page::state().answer.data();
}
FC_EXPORT(page_size) int32_t page_size() {
  return static_cast<int32_t>(page::state().answer.size());
}
