// The counts of each kernel by name, and its objective. The Python twins are the declarations in
// fastcausal/engine/reference/.
#pragma once
#include <cstdint>
#include <map>
#include <string>
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

struct KernelFields {
  const char* name;
  std::vector<std::string> of_role, overall;
  const char* objective;  // as a signature prints it
  bool additive;
  bool never_costs;
};

inline std::vector<std::string> semeval_fields() {
  std::vector<std::string> names;
  for (const char* scheme : {"strict", "exact", "partial", "type"}) {
    for (const char* field : {"cor", "inc", "par", "mis", "spu"}) {
      names.push_back(std::string(scheme) + "_" + field);
    }
  }
  return names;
}

inline const std::vector<KernelFields>& kernel_fields() {
  static const std::vector<KernelFields> all = {
      {"fair_spans",
       {"tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo"},
       {},
       "2tp/(2tp+fp+fn+le+be+lbe)",
       true,
       true},
      {"exact_spans", {"tp", "fp", "fn"}, {}, "2tp/(2tp+fp+fn)", true, true},
      {"span_overlap",
       {"em", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01", "pairs"},
       {"em", "osb", "to", "pairs"},
       "em+osb+to",
       false,
       true},
      {"partial_spans", semeval_fields(), semeval_fields(),
       "2overall_partial_cor+overall_partial_par/(2overall_partial_cor+2overall_partial_par+"
       "overall_partial_mis+overall_partial_spu)",
       true, true},
  };
  return all;
}

}  // namespace fastcausal::capi
