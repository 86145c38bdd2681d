// A type for each kernel: its objects take a pair of relations and a sink, and know the traits of
// their counts.
#pragma once
#include "kernel_list.h"

namespace fastcausal {

#define FC_PAIR(kernel)                                                                 \
  struct kernel##_pair {                                                                \
    template <class Sink>                                                               \
    FC_HD void operator()(const Relation& gold, const Relation& pred, int64_t length,   \
                          const int64_t* params, Sink& sink) const {                    \
      kernel(gold, pred, length, params, sink);                                         \
    }                                                                                   \
    FC_HD KernelTraits traits(const Plan& plan) const { return kernel##_traits(plan); } \
  };
FC_KERNELS(FC_PAIR)
#undef FC_PAIR

}  // namespace fastcausal
