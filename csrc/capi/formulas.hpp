// Counts to scores. The Python twins are fastcausal/counts/arithmetic.py and
// fastcausal/tasks/relations/scores.py: the same operations in the same order give the same bits.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "arrays/exact.hpp"
#include "capi/protocol.hpp"

namespace fastcausal::capi {

using NamedScores = std::vector<std::pair<std::string, double>>;
using GroupCounts = std::map<std::string, int64_t>;  // of overall or a role, by field

inline double ratio(double numerator, double denominator, double undefined) {
  return denominator != 0.0 ? numerator / denominator : undefined;
}

inline double f1(double precision, double recall, double errors, double undefined) {
  if (std::isnan(precision) || std::isnan(recall) || precision + recall == 0.0) {
    return errors != 0.0 ? 0.0 : undefined;
  }
  return 2 * (precision * recall) / (precision + recall);
}

inline void add_precision_recall_f1(double hits, double predicted, double wanted, double undefined,
                                    const std::string& prefix, NamedScores& scores) {
  const double precision = ratio(hits, predicted, undefined);
  const double recall = ratio(hits, wanted, undefined);
  scores.emplace_back(prefix + "precision", precision);
  scores.emplace_back(prefix + "recall", recall);
  scores.emplace_back(prefix + "f1", f1(precision, recall, predicted + wanted, undefined));
}

inline double add_up(const Terms& terms, const GroupCounts& counts) {
  double sum = 0.0;  // exact: counts are below 2^53
  for (const auto& [name, weight] : terms) sum += weight * static_cast<double>(counts.at(name));
  return sum;
}

inline NamedScores scores_of_group(const KernelRecord& kernel, const GroupCounts& counts,
                                   double undefined) {
  NamedScores scores;
  for (const Measure& score : kernel.scores) {
    double sums[3] = {};
    for (size_t k = 0; k < score.sums.size(); ++k) sums[k] = add_up(score.sums[k], counts);
    if (score.formula == Formula::F1) {
      add_precision_recall_f1(sums[0], sums[1], sums[2], undefined, score.name, scores);
    } else if (score.formula == Formula::SHARE) {
      scores.emplace_back(score.name, ratio(sums[0], sums[1], undefined));
    } else {
      const auto whole = [&](size_t k) { return static_cast<int64_t>(sums[k]); };
      scores.emplace_back(score.name, binary_alpha(whole(0), whole(1), whole(2), undefined));
    }
  }
  return scores;
}

// What a score divides; NaN for a score that is no quotient of sums.
struct Fraction {
  double numerator = std::nan(""), denominator = std::nan("");
};

// Returns the fractions of the scores of a group, in their order.
inline std::vector<Fraction> fractions_of_group(const KernelRecord& kernel,
                                                const GroupCounts& counts) {
  std::vector<Fraction> made;
  for (const Measure& score : kernel.scores) {
    double sums[3] = {};
    for (size_t k = 0; k < score.sums.size(); ++k) sums[k] = add_up(score.sums[k], counts);
    made.push_back(score.formula == Formula::ALPHA ? Fraction() : Fraction{sums[0], sums[1]});
    if (score.formula != Formula::F1) continue;
    made.push_back({sums[0], sums[2]});
    made.push_back({2 * sums[0], sums[1] + sums[2]});
  }
  return made;
}

// Returns the counts of a role, or of all roles together: the overall fields replace the sums.
inline GroupCounts counts_of(const Protocol& protocol, const int64_t* counts, size_t group) {
  GroupCounts found;
  const Texts& fields = protocol.kernel->of_role;
  const size_t n_roles = protocol.roles.size();
  for (size_t k = 0; k < fields.size(); ++k) {
    for (size_t role = 0; role < n_roles; ++role) {
      if (group == 0 || group == 1 + role) found[fields[k]] += counts[role * fields.size() + k];
    }
  }
  for (size_t k = 0; group == 0 && k < protocol.kernel->overall.size(); ++k) {
    found[protocol.kernel->overall[k]] = counts[n_roles * fields.size() + k];
  }
  return found;
}

// Returns the scores of all groups in turn: of overall and of every role, or of every criterion
// that needs no types. Each name starts with the group.
inline NamedScores scores_of(const Protocol& protocol, const int64_t* counts) {
  NamedScores all;
  for (int k = whole::EXACT; !protocol.kernel && k < whole::N_FIELDS; ++k) {
    if (k == whole::STRICT) continue;
    const auto number = [&](int field) { return static_cast<double>(counts[field]); };
    const double hits = number(k), predicted = number(whole::PREDICTED), gold = number(whole::GOLD);
    const std::string prefix = std::string(whole::CRITERIA[k - whole::EXACT]) + "_";
    all.emplace_back(prefix + "precision", ratio(hits, predicted, protocol.undefined));
    all.emplace_back(prefix + "recall", ratio(hits, gold, protocol.undefined));
    all.emplace_back(prefix + "f1", ratio(2 * hits, predicted + gold, protocol.undefined));
  }
  if (!protocol.kernel) return all;
  for (size_t group = 0; group <= protocol.roles.size(); ++group) {
    const std::string prefix = (group ? protocol.roles[group - 1] : "overall") + "_";
    for (auto& [score, value] : scores_of_group(
             *protocol.kernel, counts_of(protocol, counts, group), protocol.undefined)) {
      all.emplace_back(prefix + score, value);
    }
  }
  return all;
}

}  // namespace fastcausal::capi
