// Made of the records in fastcausal/engine/reference/ by `make format`.
#pragma once
#include "exact_spans.h"
#include "fair_spans.h"
#include "partial_spans.h"
#include "span_overlap.h"

// clang-format off
#define FC_KERNELS(KERNEL) KERNEL(fair_spans) KERNEL(exact_spans) KERNEL(span_overlap) KERNEL(partial_spans)
