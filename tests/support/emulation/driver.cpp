// The CPU driver as a program: reads arrays from a folder, writes what it found there. Usage:
// program FOLDER KERNEL N_FIELDS WANTED WANTED_OVERALL CHOICES (0 or 1 each, in the order of Plan).
#include "cpu.hpp"
#include "files.hpp"

using namespace fastcausal;

int main(int n, char** argument) {
  if (n != 7) return 2;
  const std::string at = std::string(argument[1]) + "/";
  const std::string choices = argument[6];
  const auto values = load<int32_t>(at + "gold_values");
  const auto pred_values = load<int32_t>(at + "pred_values");
  const auto rows = load<int64_t>(at + "gold_row_offsets");
  const auto pred_rows = load<int64_t>(at + "pred_row_offsets");
  const auto relations = load<int64_t>(at + "gold_relation_offsets");
  const auto pred_relations = load<int64_t>(at + "pred_relation_offsets");
  const auto lengths = load<int32_t>(at + "lengths");
  const auto params = load<int64_t>(at + "params");
  const auto weights = load<int64_t>(at + "weights");
  const Side gold{values.data(), rows.data(), relations.data()};
  const Side pred{pred_values.data(), pred_rows.data(), pred_relations.data()};
  const auto is = [&](size_t k) { return choices[k] == '1'; };
  const Plan plan{std::atoll(argument[3]),
                  params.data(),
                  weights.data(),
                  std::strtoull(argument[4], nullptr, 10),
                  std::strtoull(argument[5], nullptr, 10),
                  is(0), is(1), is(2), is(3), is(4), is(5), is(6)};
  const int64_t n_examples = static_cast<int64_t>(lengths.size());
  std::vector<int64_t> counts(n_examples * plan.n_fields);
  std::vector<int64_t> partner(rows.size() - 1);
  run_all(argument[2], nullptr, gold, pred, lengths.data(), n_examples, plan,
          Groups{nullptr, n_examples, true, false}, partner.data(), counts.data(), 2,
          [] { return false; });
  save(at + "counts", counts);
  save(at + "partner", partner);
}
