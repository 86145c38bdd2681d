// The list of all kernels: a header and a name each. The Python twin in engine/reference/kernels.py
// has the same name.
#pragma once
#include "exact_spans.h"
#include "fair_spans.h"
#include "partial_spans.h"
#include "span_overlap.h"

#define FC_KERNELS(KERNEL) \
  KERNEL(fair_spans) KERNEL(exact_spans) KERNEL(span_overlap) KERNEL(partial_spans)

namespace fastcausal {

// Defines a type for each kernel. Its objects take a pair of relations and a sink.
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
