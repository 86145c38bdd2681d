// The device driver of the decoders: grid-stride loops over tokens, sequences or examples.
//
//   decode_labels      logits of a tagger to label ids (csrc/fastcausal/label_paths.h)
//   decode_selections  logits of span boundaries to selections (csrc/fastcausal/span_selection.h),
//                      with equal room for every example, and the number of selections
//   decode_rows        joins the selections; sums of their numbers give the start of each example
//
// A device cannot wait for an answer. So it marks the inputs that a host would refuse. The
// compilers are the same as for relations.cu.
#include "fastcausal/label_paths.h"
#include "fastcausal/span_selection.h"

namespace fastcausal {

// The arguments of launches. decoding/device.py has the same NumPy records. All members take 8
// bytes.
struct labels_task {
  labels::Logits logits;
  int32_t* last;  // [n_sequences, n_tokens, n_ends] if there are steps

  FC_HD int64_t n_items() const {
    return logits.steps ? logits.n_sequences : logits.n_sequences * logits.n_tokens;
  }
};

struct selections_task {
  selection::Boundaries boundaries;
  selection::Settings settings;
  double* scratch;              // [n_examples, scratch_of(n_tokens)]
  selection::Selection* found;  // [n_examples, n_best]
  int64_t* n_relations;         // [n_examples]
  int64_t* n_rows;              // [n_examples]
  int64_t* wrong;               // [n_examples]: -1, or the fault of Selector::read

  FC_HD int64_t n_items() const { return boundaries.n_examples; }
};

// Arrays have room for n_best relations of every example.
struct rows_task {
  selection::Settings settings;
  const selection::Selection* found;
  const int64_t* relation_offsets;  // [n_examples + 1]
  const int64_t* example_rows;      // [n_examples + 1]: first row of each example
  int64_t n_examples;
  Row* rows;
  int64_t* row_offsets;
  int32_t* lengths;
  double* scores;

  FC_HD int64_t n_items() const { return n_examples + 1; }
};

template <class Real>
FC_HD void decode_as(const labels_task& task, int64_t item) {
  const int64_t n = task.logits.n_tokens;
  if (task.logits.steps) {
    const labels::Sequence<Real> sequence(task.logits, item);
    int32_t* last = task.last + item * n * task.logits.n_ends;
    labels::best_path(sequence, task.logits, last);
  } else {
    const labels::Sequence<Real> sequence(task.logits, item / n);
    sequence.ids[item % n] = labels::best_label(sequence, item % n);
  }
}

FC_HD void decode(const labels_task& task, int64_t item) {
  task.logits.itemsize == 4 ? decode_as<float>(task, item) : decode_as<double>(task, item);
}

FC_HD void decode(const selections_task& task, int64_t example) {
  const selection::Boundaries& b = task.boundaries;
  double* scratch = task.scratch + example * selection::scratch_of(b.n_tokens);
  selection::Selection* found = task.found + example * task.settings.n_best;
  int64_t n = 0;
  task.wrong[example] = selection::select_in(b, task.settings, example, scratch, found, &n);
  Row rows[3];
  task.n_relations[example] = n;
  task.n_rows[example] = 0;
  for (int64_t k = 0; k < n; ++k) task.n_rows[example] += found[k].rows(task.settings, rows);
}

// Writes the rows of an example. The item after the last example sets the first offset. Unused
// places become relations without rows, behind the relations of all examples.
FC_HD void decode(const rows_task& task, int64_t example) {
  if (example == task.n_examples) {
    task.row_offsets[0] = 0;
    return;
  }
  const selection::Selection* found = task.found + example * task.settings.n_best;
  const int64_t first = task.relation_offsets[example];
  const int64_t n = task.relation_offsets[example + 1] - first;
  int64_t at = task.example_rows[example];
  for (int64_t k = 0; k < n; ++k) {
    at += found[k].rows(task.settings, task.rows + at);
    task.row_offsets[first + k + 1] = at;
    task.scores[first + k] = found[k].score;
  }
  const int64_t behind =
      task.relation_offsets[task.n_examples] + example * task.settings.n_best - first;
  for (int64_t k = 0; k < task.settings.n_best - n; ++k) {
    task.row_offsets[behind + k + 1] = task.example_rows[task.n_examples];
    task.scores[behind + k] = 0;
  }
  task.lengths[example] = -1;
}

template <class Task>
__device__ void decode_all(const Task& task) {
  const int64_t step = int64_t{gridDim.x} * FC_THREADS;
  const int64_t n = task.n_items();
  for (int64_t k = int64_t{blockIdx.x} * FC_THREADS + threadIdx.x; k < n; k += step) {
    decode(task, k);
  }
}

}  // namespace fastcausal

#define FC_DECODE(name)                                                          \
  extern "C" __global__ void decode_##name(const fastcausal::name##_task task) { \
    fastcausal::decode_all(task);                                                \
  }
#ifdef FC_ONLY  // FC_DECODE(name): one compiles sooner than all
FC_ONLY
#else
FC_DECODE(labels)
FC_DECODE(selections)
FC_DECODE(rows)
#endif
