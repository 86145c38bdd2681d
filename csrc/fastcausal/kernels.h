// All kernels: of each its header, and a line with its name, which is that of its twin in
// engine/reference/kernels.py.
#pragma once
#include "exact_spans.h"
#include "fair_spans.h"
#include "partial_spans.h"
#include "span_overlap.h"

#define FC_KERNELS(KERNEL) \
  KERNEL(fair_spans) KERNEL(exact_spans) KERNEL(span_overlap) KERNEL(partial_spans)

namespace fastcausal {

// Each as a type whose objects take a pair and a sink.
#define FC_PAIR(kernel)                                                               \
  struct kernel##_pair {                                                              \
    template <class Sink>                                                             \
    FC_HD void operator()(const Relation& gold, const Relation& pred, int64_t length, \
                          const int64_t* params, Sink& sink) const {                  \
      kernel(gold, pred, length, params, sink);                                       \
    }                                                                                 \
  };
FC_KERNELS(FC_PAIR)
#undef FC_PAIR

}  // namespace fastcausal
