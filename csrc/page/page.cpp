// The functions of the page that scores in WebAssembly: gold, files and settings in, JSON out.
#include <cstdio>
#include <memory>

#include "include/fastcausal.h"
#include "page/columns.hpp"
#include "page/gold.hpp"
#include "page/memory.hpp"
#include "page/reading.hpp"

namespace fastcausal::page {
namespace {

// The state of the page: gold, systems, and how they were last scored.
struct State {
  Examples golds;
  std::vector<System> systems;
  Settings settings;
  Text answer;
};
State& state() {
  static State one;
  return one;
}

bool take_settings(View text, Settings& settings) {
  Value value;
  if (!ValueReader(text).whole(value)) return false;
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

Text refused(const Text& why, const Text& remedy = "", const Text& name = "") {
  Text made = "{\"error\": " + json_of(why) + ", \"system\": " + json_of(name);
  if (!remedy.empty()) made += ", \"remedy\": " + json_of(remedy);
  return made + "}";
}

Text score(View text) {
  State& now = state();
  if (!take_settings(text, now.settings)) return refused("settings are no JSON");
  Text made = "{\"systems\": [";
  for (System& system : now.systems) {
    system.preds = Examples();
    system.aligned.reset();
    system.counted = Counted();
    Text fault = read_file(system.file, now.settings.tags, now.golds, system.preds);
    if (!fault.empty()) return refused(fault, "", system.file.name);
    system.aligned = std::make_unique<Aligned>(now.golds, system.preds, now.settings);
    Aligned& aligned = *system.aligned;
    if (!aligned.align()) return refused(aligned.error, aligned.remedy, system.file.name);
    fault = system.counted.count(aligned, now.settings);
    if (!fault.empty()) return refused(fault, "", system.file.name);
    if (made.back() != '[') made += ", ";
    made += report(now.golds, system.preds, aligned, system.counted, now.settings);
  }
  return made + "]}";
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

// Takes gold under the reading of tags that is scored next, as JSON.
FC_EXPORT(page_gold) void page_gold(char* data, int32_t size) {
  page::Value value;
  page::state().golds = page::Examples();
  if (page::ValueReader({data, static_cast<size_t>(size)}).whole(value))
    page::take_gold(value, page::state().golds);
  delete[] data;
}

// Takes a file of predictions. Frees both arrays.
FC_EXPORT(page_take)
void page_take(char* name, int32_t n_name, char* data, int32_t n_data) {
  page::File& file = page::state().systems.emplace_back().file;
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
  now.answer = page::columns(now.golds, now.systems, now.settings);
  return now.answer.data();
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
