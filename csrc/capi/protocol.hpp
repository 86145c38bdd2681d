// A protocol from its signature line. The Python twins are fastcausal/protocols.py, which has the
// rules, and engine/plan.py.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "capi/kernel_table.hpp"
#include "engine/memory.hpp"
#include "engine/official.hpp"
#include "fastcausal/plan.h"
#include "tasks/whole.hpp"

namespace fastcausal::capi {

using Texts = std::vector<std::string>;

inline Texts split(const std::string& text, char separator) {
  Texts parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

inline std::string joined(const Texts& parts, const char* separator) {
  std::string text;
  for (size_t k = 0; k < parts.size(); ++k) text += (k ? separator : "") + parts[k];
  return text;
}

inline bool contains(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// A setting of a protocol, with its choices; none: other rules hold.
struct Setting {
  const char* name;
  Texts choices;
  const char* usual;
};

constexpr const char* WHOLE = "relations";  // in the place of a kernel: whole relations

inline Texts kernel_names() {
  Texts names;
  for (const KernelRecord& kernel : kernel_records()) names.emplace_back(kernel.name);
  names.emplace_back(WHOLE);
  return names;
}

// The settings of whole relations, or of protocols with a kernel, in their order.
inline const std::vector<Setting>& settings_of(bool whole) {
  static const std::vector<Setting> of_whole = {
      {"kernel", {WHOLE}, WHOLE},
      {"arguments", {}, ""},
      {"iou", {}, "0.5"},
      {"types", {"ignore", "require"}, "ignore"},
      {"tags", {"strict", "aligned", "cnc-2023", "cnc-2022", "as-given"}, "strict"},
      {"0/0", {}, "undefined"},
  };
  static const std::vector<Setting> all = {
      {"kernel", kernel_names(), "fair_spans"},
      {"objective", {}, ""},
      {"tags", {"strict", "aligned", "cnc-2023", "cnc-2022", "as-given"}, "strict"},
      {"ties", {"content", "first"}, "content"},
      {"surplus", {"charge", "truncate"}, "charge"},
      {"non-causal", {"charge", "ignore"}, "charge"},
      {"tracks", {}, "cause+effect,signal"},
      {"0/0", {}, "undefined"},
      {"average", {"counts", "cnc-2022"}, "counts"},
  };
  return whole ? of_whole : all;
}

// The settings of reading, which a signature adds to the protocol's settings.
inline const Texts& settings_of_reading() {
  static const Texts all = {"unparsed", "unmatched", "spans", "answers"};
  return all;
}

inline const Texts& named_protocols() {
  static const Texts all = {
      "recess",
      "cnc-2023|tags:cnc-2023|ties:first|surplus:truncate|non-causal:ignore|0/0:0.0",
      "cnc-2022|kernel:exact_spans|tags:cnc-2022|ties:first|surplus:truncate|non-causal:ignore|"
      "0/0:0.0|average:cnc-2022",
      "relations|kernel:relations",
  };
  return all;
}

// The protocol of a line for data with given roles. `fault` describes a fault of the line; nothing
// else is valid then.
class Protocol {
 public:
  std::string fault;
  std::string line;
  Texts roles;
  Texts count_names, score_names;
  const KernelRecord* kernel = nullptr;  // null: whole relations
  whole::Rules rules{};                  // of whole relations
  ReadAs reading = ReadAs::GIVEN;        // of tags, applied to other spans as well
  bool averages = false;                 // cnc-2022: scores are means of means
  double undefined = std::nan("");
  Plan plan{};
  mutable Memory memory;

  Protocol(const std::string& text, const std::string& roles_) : roles(split(roles_, ',')) {
    if (!check_roles() || !take(text) || !take_builtin() || !take_undefined()) return;
    if (is_whole_ ? take_arguments() && take_iou() : take_kernel() && take_tracks()) finish();
  }
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;

 private:
  std::string name_;
  bool is_whole_ = false;
  Texts values_;  // of settings, in their order
  Objective objective_, of_kernel_;
  std::vector<int64_t> params_, weights_;

  bool wrong(const std::string& what, const std::string& got, const std::string& expected) {
    fault = what + " is \"" + got + "\", expected " + expected;
    return false;
  }

  const std::vector<Setting>& settings() const { return settings_of(is_whole_); }

  size_t place_of(const std::string& name) const {
    const auto is_it = [&](const Setting& setting) { return setting.name == name; };
    return static_cast<size_t>(std::find_if(settings().begin(), settings().end(), is_it) -
                               settings().begin());
  }

  std::string& value(const char* name) { return values_[place_of(name)]; }
  const std::string& value(const char* name) const { return values_[place_of(name)]; }

  bool check_roles() {
    for (const std::string& role : roles) {
      if (role.empty() || role.find('|') != std::string::npos ||
          std::count(roles.begin(), roles.end(), role) > 1) {
        return wrong("roles: one", role, "names, each once, parted by commas");
      }
    }
    return true;
  }

  // Takes the parts of a line, a name or a signature.
  bool take(const std::string& text) {
    Texts parts = split(text, '|');
    if (parts.size() > 2 && parts[0] == "fastcausal") parts.erase(parts.begin(), parts.begin() + 2);
    name_ = parts[0];
    const auto controls = [](char letter) { return static_cast<unsigned char>(letter) < 0x20; };
    if (name_.empty() || std::any_of(text.begin(), text.end(), controls)) {
      return wrong("name", name_, "text in one line without \"|\"");
    }
    Texts names;
    for (const std::string& known : named_protocols()) {
      const Texts of_known = split(known, '|');
      if (parts.size() == 1 && of_known[0] == name_) parts = of_known;
      names.push_back(of_known[0]);
    }
    if (parts.size() == 1 && !contains(names, name_)) {
      return wrong("protocol", name_, "one of " + joined(names, ", ") + ", or a name and settings");
    }
    is_whole_ = name_ == WHOLE || contains(parts, std::string("kernel:") + WHOLE);
    return take_values({parts.begin() + 1, parts.end()});
  }

  bool take_values(const Texts& parts) {
    values_.clear();
    for (const Setting& setting : settings()) values_.emplace_back(setting.usual);
    Texts seen;
    for (const std::string& part : parts) {
      const size_t colon = part.find(':');
      const std::string name = part.substr(0, colon);
      if (colon == std::string::npos || contains(seen, name)) {
        return wrong("a setting", part, "name:value, each name once");
      }
      seen.push_back(name);
      if (contains(settings_of_reading(), name)) continue;
      const size_t place = place_of(name);
      if (place == settings().size()) {
        Texts names;
        for (const Setting& setting : settings()) names.emplace_back(setting.name);
        return wrong("a setting", name, "one of " + joined(names, ", "));
      }
      const std::string value = part.substr(colon + 1);
      const Texts& choices = settings()[place].choices;
      if (!choices.empty() && !contains(choices, value)) {
        return wrong(name, value, "one of " + joined(choices, ", "));
      }
      values_[place] = value;
    }
    return true;
  }

  // Holds the name of a built-in protocol to its settings. Only strict tags may be read otherwise.
  bool take_builtin() {
    for (const std::string& known : named_protocols()) {
      const Texts parts = split(known, '|');
      if (parts[0] != name_) continue;
      const bool of_whole = contains(parts, std::string("kernel:") + WHOLE);
      if (of_whole != is_whole_) {
        return wrong(name_ + ": kernel", value("kernel"), of_whole ? WHOLE : "one of pairs");
      }
      const Texts given = std::exchange(values_, {});
      take_values({parts.begin() + 1, parts.end()});
      for (size_t k = 0; k < given.size(); ++k) {
        const std::string setting = settings()[k].name;
        const bool own =
            given[k] == values_[k] ||
            (setting == "objective" && own_objective(given[place_of("kernel")], given[k]));
        const bool is_open = is_whole_ && contains({"arguments", "iou", "types"}, setting);
        const bool tags = setting == "tags" && (values_[k] == "strict" || given[k] == "as-given");
        if (!own && !tags && !is_open)
          return wrong(name_ + ": " + settings()[k].name, given[k], values_[k]);
      }
      values_ = given;
    }
    return true;
  }

  static const KernelRecord& kernel_of(const std::string& name) {
    const auto is_it = [&](const KernelRecord& each) { return each.name == name; };
    return *std::find_if(kernel_records().begin(), kernel_records().end(), is_it);
  }

  static bool own_objective(const std::string& kernel_name, const std::string& given) {
    return given == kernel_of(kernel_name).objective;
  }

  void take_reading() {
    if (value("tags") == "cnc-2023") reading = ReadAs::OFFICIAL;
    if (value("tags") == "cnc-2022") reading = ReadAs::RELAXED;
  }

  bool take_arguments() {
    std::string& names = value("arguments");
    if (names.empty())
      names = joined({roles.begin(), roles.begin() + std::min<int64_t>(2, n_roles())}, "+");
    const Texts given = split(names, '+');
    rules = {n_roles(), {-1, -1}, 0, MOST_SHARE};
    for (size_t k = 0; k < std::max<size_t>(given.size(), roles.size() > 1 ? 2 : 1); ++k) {
      const auto at =
          k == given.size() ? roles.end() : std::find(roles.begin(), roles.end(), given[k]);
      if (k > 1 || at == roles.end() || (k && given[0] == given[1])) {
        return wrong("arguments", names, "two roles of " + joined(roles, ", "));
      }
      rules.arguments[k] = at - roles.begin();
    }
    return true;
  }

  // Reads a share as an integer, and writes it as Python does.
  bool take_iou() {
    std::string& text = value("iou");
    const size_t point = std::min(text.find('.'), text.size());
    std::string digits = text.substr(std::min(point + 1, text.size()));
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    std::string all = text.substr(0, point) + digits;
    const bool plain =
        std::all_of(all.begin(), all.end(), [](char c) { return '0' <= c && c <= '9'; });
    if (plain && !all.empty() && point < 3 && digits.size() <= SHARE_DIGITS) {
      all.append(SHARE_DIGITS - digits.size(), '0');
      rules.numerator = std::strtoll(all.c_str(), nullptr, 10);
    }
    if (rules.numerator < 1 || rules.numerator > MOST_SHARE) {
      return wrong("iou", text, "a number above 0 and at most 1 with at most 9 decimals");
    }
    text = rules.numerator == MOST_SHARE ? "1" : "0." + digits;
    return true;
  }

  int64_t n_roles() const { return static_cast<int64_t>(roles.size()); }

  bool take_kernel() {
    kernel = &kernel_of(value("kernel"));
    averages = value("average") == "cnc-2022";
    if (averages && value("kernel") != "exact_spans") {
      return wrong("kernel of average:cnc-2022", value("kernel"), "exact_spans");
    }
    std::string& objective = value("objective");
    if (objective.empty()) objective = kernel->objective;
    return parse(kernel->objective, of_kernel_) && parse(objective, objective_);
  }

  // Reads "2tp/(2tp+fp+fn)" or "em+osb+to".
  bool parse(const std::string& text, Objective& read) {
    const size_t slash = text.find('/');
    const bool ratio = slash != std::string::npos;
    if (ratio && (text[slash + 1] != '(' || text.back() != ')')) {
      return wrong("objective", text, "N or N/(D), sums of weighted counts");
    }
    if (!parse_sum(text.substr(0, slash), read.numerator)) return false;
    if (!ratio) return true;
    if (!parse_sum(text.substr(slash + 2, text.size() - slash - 3), read.denominator)) return false;
    for (const auto& [name, weight] : read.denominator) {
      if (weight < 0) return wrong("objective", text, "no negative weight below");
    }
    return true;
  }

  bool parse_sum(const std::string& text, Weights& sum) {
    if (text.empty()) return true;
    for (const std::string& term : split(text, '+')) {
      int64_t weight = 1;
      const char* end = term.data() + term.size();
      const auto [at, error] = std::from_chars(term.data(), end, weight);
      const std::string name(error == std::errc() ? at : term.data(), end);
      const bool overall = name.rfind("overall_", 0) == 0;
      if (!contains(overall ? kernel->overall : kernel->of_role, overall ? name.substr(8) : name)) {
        return wrong("a count of the objective", term, std::string("one of ") + kernel->name);
      }
      if (weight < -MOST_WEIGHT || weight > MOST_WEIGHT) {
        return wrong("a weight of the objective", term, "at most 1000000 either way");
      }
      sum[name] = weight;
    }
    return true;
  }

  bool take_tracks() {
    params_.assign(1, static_cast<int64_t>(roles.size()));
    const Texts tracks = split(value("tracks"), ',');
    std::vector<std::pair<std::string, int64_t>> track_of;
    for (size_t k = 0; k < tracks.size(); ++k) {
      for (const std::string& role : split(tracks[k], '+')) {
        for (const auto& [before, _] : track_of) {
          if (before == role) return wrong("a role of tracks", role, "each role once");
        }
        if (!contains(roles, role) && role != "cause" && role != "effect" && role != "signal") {
          return wrong("a role of tracks", role, "one of " + joined(roles, ", "));
        }
        track_of.emplace_back(role, static_cast<int64_t>(k));
      }
    }
    std::vector<int64_t> numbers;  // tracks in the order of their first roles
    for (size_t r = 0; r < roles.size(); ++r) {
      auto track = static_cast<int64_t>(tracks.size() + r);
      for (const auto& [role, number] : track_of) {
        if (role == roles[r]) track = number;
      }
      const auto at = std::find(numbers.begin(), numbers.end(), track);
      params_.push_back(at - numbers.begin());
      if (at == numbers.end()) numbers.push_back(track);
    }
    return true;
  }

  bool take_undefined() {
    std::string& text = value("0/0");
    if (text == "undefined") return true;
    char* end = nullptr;
    undefined = std::strtod(text.c_str(), &end);
    const bool whole = !text.empty() && end == text.c_str() + text.size();
    if (!whole || !(undefined >= 0 && undefined <= 1)) {
      return wrong("0/0", text, "undefined or a number from 0 to 1");
    }
    undefined += 0.0;  // no minus before 0
    char shortest[32];
    const auto [stop, _] = std::to_chars(shortest, shortest + sizeof shortest, undefined);
    text.assign(shortest, stop);
    if (text.size() == 1) text += ".0";
    return true;
  }

  void finish() {
    take_reading();
    if (is_whole_) {
      count_names = {"gold", "predicted"};
      for (const char* name : whole::CRITERIA) count_names.push_back(std::string(name) + "_tp");
      params_ = {n_roles()};
      plan.params = params_.data();
      plan.n_fields = whole::N_FIELDS;
    } else {
      name_counts();
      fill_plan();
    }
    line = name_;
    for (size_t k = 0; k < values_.size(); ++k) {
      if (settings()[k].name == std::string("average") && !averages) continue;
      line += std::string("|") + settings()[k].name + ":" + values_[k];
    }
  }

  void name_counts() {
    for (const std::string& role : roles) {
      const std::string prefix = role + "_";
      for (const std::string& field : kernel->of_role) count_names.push_back(prefix + field);
    }
    for (const std::string& field : kernel->overall) count_names.push_back("overall_" + field);
  }

  bool official() const {
    Objective f1{{{"tp", 2}}, {{"tp", 2}, {"fp", 1}, {"fn", 1}}};
    for (const char* half : HALF) {
      if (contains(kernel->of_role, half)) f1.denominator[half] = 1;
    }
    return value("ties") == "first" && objective_ == f1;
  }

  void fill_plan() {
    plan.n_fields = static_cast<int64_t>(count_names.size());
    weights_.assign(count_names.size() * N_FORMS, 0);
    plan.params = params_.data();
    plan.weights = weights_.data();
    plan.official = official();
    weigh(objective_.numerator, NUMERATOR);
    weigh(objective_.denominator, DENOMINATOR);
    if (plan.official) {
      weigh({{"tp", 1}}, OFFICIAL_TP);
      weigh({{"fp", 1}}, OFFICIAL_FP);
      weigh({{"fn", 1}}, OFFICIAL_FN);
      for (const char* half : HALF) {
        if (contains(kernel->of_role, half)) weigh({{half, 1}}, OFFICIAL_HALF);
      }
    }
    const size_t n = kernel->of_role.size();
    plan.wanted = used(0, n);
    plan.wanted_overall = used(n * roles.size(), count_names.size());
    plan.linear = objective_.denominator.empty();
    plan.additive = kernel->additive;
    plan.never_costs = kernel->never_costs && objective_ == of_kernel_;
    plan.by_content = value("ties") == "content";
    plan.truncate = value("surplus") == "truncate";
    plan.ignore_non_causal = value("non-causal") == "ignore";
  }

  void weigh(const Weights& sum, Form form) {
    for (size_t k = 0; k < count_names.size(); ++k) {
      const size_t n = kernel->of_role.size();
      const bool of_role = k < n * roles.size();
      const auto found = sum.find(of_role ? kernel->of_role[k % n] : count_names[k]);
      if (found != sum.end()) weights_[k * N_FORMS + form] = found->second;
    }
  }

  uint64_t used(size_t from, size_t to) const {
    uint64_t bits = 0;
    for (size_t k = from; k < to && k - from < 64; ++k) {
      const bool is_used = weights_[k * N_FORMS + NUMERATOR] || weights_[k * N_FORMS + DENOMINATOR];
      bits |= uint64_t{is_used} << (k - from);
    }
    return bits;
  }

  static constexpr size_t SHARE_DIGITS = 9;
  static constexpr int64_t MOST_SHARE = 1'000'000'000;
  static constexpr int64_t MOST_WEIGHT = 1'000'000;
  static constexpr const char* HALF[] = {"le", "be", "lbe"};
};

}  // namespace fastcausal::capi
