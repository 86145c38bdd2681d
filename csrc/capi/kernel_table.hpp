// Made of the records in fastcausal/engine/reference/ by `make format`.
#pragma once
#include <vector>

#include "capi/kernel_record.hpp"

// clang-format off
namespace fastcausal::capi {

inline const std::vector<KernelRecord>& kernel_records() {
  static const std::vector<KernelRecord> all = {
      {"fair_spans",
       {"tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo"},
       {},
       "2tp/(2tp+fp+fn+le+be+lbe)",
       true, true,
       {
        {Formula::F1, "", {{{"tp", 1}}, {{"tp", 1}, {"fp", 1}, {"le", 0.5}, {"be", 0.5}, {"lbe", 0.5}}, {{"tp", 1}, {"fn", 1}, {"le", 0.5}, {"be", 0.5}, {"lbe", 0.5}}}},
       }},
      {"exact_spans",
       {"tp", "fp", "fn"},
       {},
       "2tp/(2tp+fp+fn)",
       true, true,
       {
        {Formula::F1, "", {{{"tp", 1}}, {{"tp", 1}, {"fp", 1}}, {{"tp", 1}, {"fn", 1}}}},
       }},
      {"span_overlap",
       {"em", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01", "pairs"},
       {"em", "osb", "to", "pairs"},
       "em+osb+to",
       false, true,
       {
        {Formula::SHARE, "em", {{{"em", 1}}, {{"pairs", 1}}}},
        {Formula::SHARE, "osb", {{{"osb", 1}}, {{"pairs", 1}}}},
        {Formula::SHARE, "to", {{{"to", 1}}, {{"pairs", 1}}}},
        {Formula::ALPHA, "alpha", {{{"n", 1}}, {{"n1", 1}}, {{"o01", 1}}}},
        {Formula::F1, "token_", {{{"tp", 1}}, {{"tp", 1}, {"fp", 1}}, {{"tp", 1}, {"fn", 1}}}},
       }},
      {"partial_spans",
       {"strict_cor", "strict_inc", "strict_par", "strict_mis", "strict_spu", "exact_cor", "exact_inc", "exact_par", "exact_mis", "exact_spu", "partial_cor", "partial_inc", "partial_par", "partial_mis", "partial_spu", "type_cor", "type_inc", "type_par", "type_mis", "type_spu"},
       {"strict_cor", "strict_inc", "strict_par", "strict_mis", "strict_spu", "exact_cor", "exact_inc", "exact_par", "exact_mis", "exact_spu", "partial_cor", "partial_inc", "partial_par", "partial_mis", "partial_spu", "type_cor", "type_inc", "type_par", "type_mis", "type_spu"},
       "2overall_partial_cor+overall_partial_par/(2overall_partial_cor+2overall_partial_par+overall_partial_mis+overall_partial_spu)",
       true, true,
       {
        {Formula::F1, "strict_", {{{"strict_cor", 1}}, {{"strict_cor", 1}, {"strict_inc", 1}, {"strict_par", 1}, {"strict_spu", 1}}, {{"strict_cor", 1}, {"strict_inc", 1}, {"strict_par", 1}, {"strict_mis", 1}}}},
        {Formula::F1, "exact_", {{{"exact_cor", 1}}, {{"exact_cor", 1}, {"exact_inc", 1}, {"exact_par", 1}, {"exact_spu", 1}}, {{"exact_cor", 1}, {"exact_inc", 1}, {"exact_par", 1}, {"exact_mis", 1}}}},
        {Formula::F1, "partial_", {{{"partial_cor", 1}, {"partial_par", 0.5}}, {{"partial_cor", 1}, {"partial_inc", 1}, {"partial_par", 1}, {"partial_spu", 1}}, {{"partial_cor", 1}, {"partial_inc", 1}, {"partial_par", 1}, {"partial_mis", 1}}}},
        {Formula::F1, "type_", {{{"type_cor", 1}, {"type_par", 0.5}}, {{"type_cor", 1}, {"type_inc", 1}, {"type_par", 1}, {"type_spu", 1}}, {{"type_cor", 1}, {"type_inc", 1}, {"type_par", 1}, {"type_mis", 1}}}},
       }},
  };
  return all;
}

}  // namespace fastcausal::capi
