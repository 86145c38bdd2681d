// Counts of aligned examples, by the functions of include/fastcausal.h, and the results for the
// page.
#pragma once
#include <cmath>
#include <cstdio>

#include "include/fastcausal.h"
#include "page/aligned.hpp"
#include "page/intervals.hpp"

namespace fastcausal::page {

inline void add_number(Text& to, double value) {
  if (std::isnan(value)) {
    to += "null";
    return;
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  to += digits;
}

inline fastcausal_rows rows_of(const SideRows& side) {
  return {side.relation_offsets.data(),
          side.row_offsets.data(),
          reinterpret_cast<const int32_t*>(side.rows.data()),
          static_cast<int64_t>(side.row_offsets.size()) - 1,
          static_cast<int64_t>(side.rows.size()),
          side.tagged};
}

// The column whose values put examples together, as fastcausal/arrays/strata.py finds it.
struct Clusters {
  Text name;                // empty: examples stand alone
  std::vector<int64_t> of;  // the cluster of each aligned example
  size_t n = 0;
  bool share_documents = false;  // two examples have one doc_id

  Clusters(const Examples& golds, const Aligned& aligned) {
    for (const auto& [column, codes] : golds.clusters) {
      std::unordered_map<int64_t, int64_t> known;
      std::vector<int64_t> found;
      size_t n_without = 0;
      for (const int64_t g : aligned.gold_of) {
        const int64_t code = codes[static_cast<size_t>(g)];
        n_without += code < 0;
        found.push_back(known.try_emplace(code, static_cast<int64_t>(known.size())).first->second);
      }
      const size_t n_values = known.size() - (n_without > 0);
      if (column == "doc_id") share_documents = n_values < found.size() - n_without;
      if (!name.empty() || n_without || n_values < 2 || n_values == found.size()) continue;
      name = column;
      of = found;
      n = n_values;
    }
  }
};

class Counted {
 public:
  std::vector<Text> count_names, score_names;
  std::vector<int64_t> per_example, partner;
  std::vector<int64_t> counts,
      of_several;  // sums of all, and of examples of several gold relations
  Scores scores, scores_of_several;
  int64_t n_as_given = 0;
  bool adds = true;  // scores are functions of sums

  // Returns a fault, empty if there is none.
  Text count(const Aligned& aligned, const Settings& settings) {
    fastcausal_error error{};
    if (fastcausal_protocol_new(settings.line.c_str(), nullptr, &fresh_, &error)) return error.text;
    protocol_.reset(fresh_, fastcausal_protocol_free);
    take_names();
    adds = settings.protocol != "cnc-2022";
    const size_t n = aligned.lengths.size(), width = count_names.size();
    per_example.assign(n * width, 0);
    partner.assign(aligned.gold.row_offsets.size() - 1, -1);
    counts.assign(width, 0);
    scores.assign(score_names.size(), 0);
    const fastcausal_rows gold = rows_of(aligned.gold), pred = rows_of(aligned.pred);
    const fastcausal_results results{counts.data(), per_example.data(), partner.data(),
                                     scores.data(), &n_as_given};
    if (fastcausal_score(protocol_.get(), static_cast<int64_t>(n), aligned.lengths.data(), &gold,
                         &pred, 1, &results, &error))
      return error.text;
    of_several.assign(width, 0);
    for (size_t k = 0; k < n; ++k) {
      if (aligned.gold.n_relations(k) < 2) continue;
      for (size_t c = 0; c < width; ++c) of_several[c] += per_example[k * width + c];
    }
    scores_of_several = adds ? of(of_several.data()) : Scores(scores.size(), std::nan(""));
    return "";
  }

  // Returns the jackknife of all scores, then of the scores of examples of several gold relations.
  Jackknife jackknife(const Aligned& aligned, const Clusters& clusters) const {
    const size_t n = aligned.lengths.size(), width = count_names.size();
    const size_t n_units = clusters.name.empty() ? n : clusters.n;
    Units units{2 * width, std::vector<int64_t>(n_units * 2 * width), !clusters.name.empty(), 0};
    std::vector<int64_t> sizes(n_units);
    for (size_t k = 0; k < n; ++k) {
      const size_t unit = units.are_clusters ? static_cast<size_t>(clusters.of[k]) : k;
      int64_t* const terms = units.terms.data() + unit * 2 * width;
      for (size_t c = 0; c < width; ++c) {
        const int64_t count = per_example[k * width + c];
        terms[c] += count;
        terms[width + c] += aligned.gold.n_relations(k) > 1 ? count : 0;
      }
      ++sizes[unit];
    }
    Worth worth;
    for (const int64_t size : sizes) worth.add(static_cast<double>(size), 1);
    units.worth = worth.value();
    const capi::Protocol protocol(fastcausal_protocol_line(protocol_.get()), "cause,effect,signal");
    const auto fractions = [&](const int64_t* sums) {
      Fractions made;
      for (const int64_t* part : {sums, sums + width}) {
        for (size_t group = 0; group <= protocol.roles.size(); ++group) {
          const Fractions each =
              capi::fractions_of_group(*protocol.kernel, capi::counts_of(protocol, part, group));
          made.insert(made.end(), each.begin(), each.end());
        }
      }
      return made;
    };
    const auto both = [&](const int64_t* sums) { return join(of(sums), of(sums + width)); };
    return Jackknife(units, both, fractions);
  }

  // Computes the intervals of these scores.
  std::vector<Interval> intervals(const Jackknife& jackknife) const {
    std::vector<Scale> scales;
    for (const Text& name : score_names) {
      const bool is_alpha = name.size() > 6 && name.substr(name.size() - 6) == "_alpha";
      scales.push_back(is_alpha ? Scale{-1, 1, false} : Scale{0, 1, true});
    }
    scales.insert(scales.end(), scales.begin(), scales.end());
    return jackknife.intervals(join(scores, scores_of_several), scales);
  }

 private:
  fastcausal_protocol* fresh_ = nullptr;
  std::shared_ptr<fastcausal_protocol> protocol_;

  void take_names() {
    int64_t n = 0;
    const char* const* names = fastcausal_count_names(fresh_, &n);
    count_names.assign(names, names + n);
    names = fastcausal_score_names(fresh_, &n);
    score_names.assign(names, names + n);
  }
  static Scores join(Scores all, const Scores& several) {
    all.insert(all.end(), several.begin(), several.end());
    return all;
  }
  Scores of(const int64_t* sums) const {
    Scores made(score_names.size());
    fastcausal_score_counts(protocol_.get(), sums, made.data(), nullptr);
    return made;
  }
};

// Returns the name of a group before a name of a score or a count.
inline View group_of(View name) { return name.substr(0, name.find('_')); }

// Writes the scores and counts of each group: {"overall": {"f1": 0.5, "tp": 3, ...}, ...}.
inline void add_groups(Text& to, const Counted& counted, const Scores& scores,
                       const std::vector<int64_t>& counts) {
  to += '{';
  bool first = true;
  for (const View group : {View("overall"), View("cause"), View("effect"), View("signal")}) {
    std::vector<Text> seen;
    Text body;
    const auto add_name = [&](const Text& name) {
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) return false;
      seen.push_back(name);
      if (!body.empty()) body += ", ";
      add_json(body, name);
      body += ": ";
      return true;
    };
    for (size_t s = 0; s < counted.score_names.size(); ++s) {
      const Text& name = counted.score_names[s];
      if (group_of(name) != group || !add_name(name.substr(group.size() + 1))) continue;
      const double value = scores[s];
      if (name.size() > 7 && name.substr(name.size() - 7) == "_number")
        body += text_of(static_cast<int64_t>(value));
      else
        add_number(body, value);
    }
    std::vector<std::pair<Text, int64_t>> sums;
    for (size_t c = 0; counted.adds && c < counts.size(); ++c) {
      const View name = counted.count_names[c], of = group_of(name);
      if (of != group && (group != "overall" || of == "overall")) continue;
      const Text field(name.substr(of.size() + 1));
      const auto known = std::find_if(sums.begin(), sums.end(),
                                      [&](const auto& each) { return each.first == field; });
      if (known == sums.end())
        sums.emplace_back(field, counts[c]);
      else
        known->second += counts[c];
    }
    if (group == "overall") {  // its own counts stand for sums of these names
      for (size_t c = 0; counted.adds && c < counts.size(); ++c) {
        if (group_of(counted.count_names[c]) != group) continue;
        const Text field = counted.count_names[c].substr(group.size() + 1);
        const auto known = std::find_if(sums.begin(), sums.end(),
                                        [&](const auto& each) { return each.first == field; });
        if (known == sums.end())
          sums.emplace_back(field, counts[c]);
        else
          known->second = counts[c];
      }
    }
    for (const auto& [field, n] : sums)
      if (add_name(field)) body += text_of(n);
    if (body.empty()) continue;
    to += first ? "" : ", ";
    first = false;
    add_json(to, group);
    to += ": {" + body + "}";
  }
  to += '}';
}

inline int64_t count_marked(const SideRows& side) {
  return count_filled(side.row_offsets.data(), static_cast<int64_t>(side.row_offsets.size()) - 1);
}

// Lists the reasons for which the official program of 2023 stops without a score.
inline std::vector<Text> stops_of(const Counted& counted) {
  constexpr const char* STOPS = ", the official program stops";
  std::vector<Text> made;
  const auto any = [](const std::vector<int64_t>& counts, size_t from, size_t to) {
    return std::any_of(counts.begin() + static_cast<std::ptrdiff_t>(from),
                       counts.begin() + static_cast<std::ptrdiff_t>(to),
                       [](int64_t n) { return n != 0; });
  };
  const auto absent = [&](const std::vector<int64_t>& counts, const char* subset) {
    for (size_t from = 0, to;
         from < counts.size() && group_of(counted.count_names[from]) != "overall"; from = to) {
      const View role = group_of(counted.count_names[from]);
      for (to = from; to < counts.size() && group_of(counted.count_names[to]) == role;) ++to;
      if (!any(counts, from, to))
        made.push_back("no " + Text(role) + " on either side" + subset + STOPS);
    }
  };
  absent(counted.counts, "");
  if (!any(counted.of_several, 0, counted.of_several.size()))
    made.push_back(Text("no example has several relations") + STOPS);
  else
    absent(counted.of_several, " in examples with several relations");
  return made;
}

inline std::vector<Text> warnings_of(const Clusters& clusters, const Aligned& aligned,
                                     const Counted& counted, const Settings& settings) {
  std::vector<Text> made = aligned.warnings;
  for (const auto& [before, n] : aligned.notes) made.push_back(before + text_of(n));
  std::sort(made.begin(), made.end());
  const int64_t n_pred = count_marked(aligned.pred);
  if (aligned.n_unparsed) {
    const int64_t n = aligned.n_unparsed + aligned.n_readable + n_pred;
    char share[32];
    std::snprintf(share, sizeof share, "%.1f%%",
                  100.0 * static_cast<double>(aligned.n_unparsed) / static_cast<double>(n));
    Text line = "unparsed=" + settings.unparsed + ": " + text_of(aligned.n_unparsed) + " of " +
                text_of(n) + " predicted relations could not be read (" + share + ")";
    if (aligned.n_answers) line += ", " + text_of(aligned.n_answers) + " of them for whole answers";
    if (aligned.n_left_out) line += ", examples left out: " + text_of(aligned.n_left_out);
    made.push_back(line);
  }
  if (counted.n_as_given)
    made.push_back("tags:as-given: " + text_of(counted.n_as_given) +
                   " relations are used as they are: tags cannot "
                   "hold them, or were read otherwise than " +
                   settings.protocol + " reads them");
  if (settings.first_of_ties && counted.adds)
    for (const Text& line : stops_of(counted)) made.push_back(line);
  if (!aligned.lengths.empty() && !count_marked(aligned.gold))
    made.push_back("gold has no relation in any example");
  if (counted.adds && clusters.name.empty() && clusters.share_documents)
    made.push_back(
        "examples share a doc_id and are taken as independent: confidence intervals are too narrow "
        "and p-values too small, take the column doc_id as cluster");
  return made;
}

// Writes the units, the bounds of all scores, and the worth of the units.
inline Text intervals_of(const Aligned& aligned, const Counted& counted, const Clusters& clusters) {
  Text bounds, worth;
  if (counted.adds) {
    const Jackknife jackknife = counted.jackknife(aligned, clusters);
    for (const Interval& each : counted.intervals(jackknife)) {
      bounds += bounds.empty() ? "[" : ", [";
      add_number(bounds, each.low);
      bounds += ", ";
      add_number(bounds, each.high);
      bounds += ']';
    }
    for (size_t s = 0; s < counted.score_names.size(); ++s) {
      worth += s ? ", " : "";
      add_number(worth, jackknife.worth(s));
    }
  }
  const bool alone = clusters.name.empty();
  const size_t n = alone ? aligned.lengths.size() : clusters.n;
  return "{\"unit\": " + json_of(alone ? "example" : clusters.name) +
         ", \"n_units\": " + text_of(static_cast<int64_t>(n)) + ", \"bounds\": [" + bounds +
         "], \"worth\": [" + worth + "]}";
}

// Writes the report: settings, scores and counts.
inline Text report(const Examples& golds, const Examples& preds, const Aligned& aligned,
                   const Counted& counted, const Settings& settings) {
  Text made = "{";
  const auto add = [&](const char* name, const Text& value) {
    if (made.size() > 1) made += ", ";
    add_json(made, name);
    made += ": " + value;
  };
  const auto share = [](int64_t part, int64_t whole) {
    Text text;
    add_number(text, whole ? static_cast<double>(part) / static_cast<double>(whole) : std::nan(""));
    return text;
  };
  const auto n = static_cast<int64_t>(aligned.lengths.size());
  const int64_t n_gold = count_marked(aligned.gold), n_pred = count_marked(aligned.pred);
  const int64_t alone = aligned.n_unparsed - aligned.n_answers;
  add("n_examples", text_of(n));
  add("n_gold_relations", text_of(n_gold));
  add("n_pred_relations", text_of(n_pred));
  add("n_unparsed", text_of(aligned.n_unparsed));
  add("n_unparsed_answers", text_of(aligned.n_answers));
  add("n_unparsed_relations", text_of(alone));
  add("unparsed_answers_rate", share(aligned.n_answers, n + aligned.n_left_out));
  add("unparsed_relations_rate", share(alone, alone + aligned.n_readable + n_pred));
  add("n_as_given", text_of(counted.n_as_given));
  add("located", preds.located ? "true" : "false");
  add("adds", counted.adds ? "true" : "false");
  Text groups;
  add_groups(groups, counted, counted.scores, counted.counts);
  add("scores", groups);
  groups = "{}";
  if (counted.adds) {
    groups = "{\"multi_relation\": ";
    add_groups(groups, counted, counted.scores_of_several, counted.of_several);
    groups += '}';
  }
  add("subsets", groups);
  Text names = "[";
  for (const Text& name : counted.score_names) {
    if (names.size() > 1) names += ", ";
    add_json(names, name);
  }
  add("score_names", names + "]");
  const Clusters clusters(golds, aligned);
  add("intervals", intervals_of(aligned, counted, clusters));
  Text lines = "[";
  for (const Text& line : warnings_of(clusters, aligned, counted, settings)) {
    if (lines.size() > 1) lines += ", ";
    add_json(lines, line);
  }
  add("warnings", lines + "]");
  return made + "}";
}

}  // namespace fastcausal::page
