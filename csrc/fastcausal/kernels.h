// All kernels of kernels.def, each as a type whose objects take a pair and a sink.
#pragma once
#include "exact_spans.h"
#include "fair_spans.h"
#include "partial_spans.h"
#include "span_overlap.h"

namespace fastcausal {

#define FC_KERNEL(kernel, looks_up)                                                   \
  struct kernel##_pair {                                                              \
    static constexpr bool LOOKS_UP = looks_up;                                        \
    template <class Sink>                                                             \
    FC_HD void operator()(const Relation& gold, const Relation& pred, int64_t length, \
                          const int64_t* params, Sink& sink) const {                  \
      kernel(gold, pred, length, params, sink);                                       \
    }                                                                                 \
  };
#include "kernels.def"
#undef FC_KERNEL

}  // namespace fastcausal
