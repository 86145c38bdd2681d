// All kernels of kernels.def.
#pragma once
#include "exact_spans.h"
#include "fair_spans.h"
#include "partial_spans.h"
#include "span_overlap.h"
