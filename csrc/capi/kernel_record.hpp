// What a kernel declares besides its counts: names, objective, promises and scores.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fastcausal::capi {

using Weights = std::map<std::string, int64_t>;  // of a sum of counts

// The number that a pairing maximises: numerator, or numerator / denominator.
struct Objective {
  Weights numerator, denominator;
  bool operator==(const Objective& o) const {
    return numerator == o.numerator && denominator == o.denominator;
  }
};

using Terms = std::vector<std::pair<std::string, double>>;  // a sum of weighted counts

// SHARE: numerator, denominator. F1: hits, predicted, wanted. ALPHA: n, n1, o01.
enum class Formula { SHARE, F1, ALPHA };

struct Measure {
  Formula formula;
  std::string name;  // of F1: a prefix
  std::vector<Terms> sums;
};

struct KernelRecord {
  const char* name;
  std::vector<std::string> of_role, overall;  // counts
  std::string objective;                      // as a signature prints it
  bool additive;
  bool never_costs;
  std::vector<Measure> scores;
};

}  // namespace fastcausal::capi
