// The CPU driver as a program: reads arrays from a folder and writes its results there.
// Usage: program FOLDER KERNEL READING. READING is a number of ReadAs.
#include "engine/cpu.hpp"
#include "files.hpp"

using namespace fastcausal;

int main(int n, char** argument) {
  if (n != 4) return 2;
  const std::string at = std::string(argument[1]) + "/";
  const auto values = load<Row>(at + "gold_values");
  const auto pred_values = load<Row>(at + "pred_values");
  const auto rows = load<int64_t>(at + "gold_row_offsets");
  const auto pred_rows = load<int64_t>(at + "pred_row_offsets");
  const auto relations = load<int64_t>(at + "gold_relation_offsets");
  const auto pred_relations = load<int64_t>(at + "pred_relation_offsets");
  const auto lengths = load<int32_t>(at + "lengths");
  const auto params = load<int64_t>(at + "params");
  const auto weights = load<int64_t>(at + "weights");
  const Side gold{values.data(), rows.data(), relations.data()};
  const Side pred{pred_values.data(), pred_rows.data(), pred_relations.data()};
  Plan plan = load<Plan>(at + "plan").at(0);
  plan.params = params.data();
  plan.weights = weights.data();
  const int64_t n_examples = static_cast<int64_t>(lengths.size());
  std::vector<int64_t> counts(static_cast<size_t>(n_examples * plan.n_fields));
  std::vector<int64_t> partner(rows.size() - 1);
  const Input of_gold{gold, static_cast<int64_t>(values.size()),
                      static_cast<int64_t>(rows.size()) - 1, lengths.data()};
  const Input of_pred{pred, static_cast<int64_t>(pred_values.size()),
                      static_cast<int64_t>(pred_rows.size()) - 1, lengths.data()};
  const Groups each{nullptr, n_examples, true, false};
  int64_t n_as_given = 0;
  Memory memory;
  const int64_t outcome =
      run_all({argument[2], nullptr, &memory},
              {of_gold, of_pred, n_examples, plan, each, partner.data(), counts.data(), 2, true,
               static_cast<ReadAs>(std::stoi(argument[3])), &n_as_given, [] { return false; }});
  if (outcome != ALL_WELL) return 5;
  save(at + "counts", counts);
  save(at + "partner", partner);
}
