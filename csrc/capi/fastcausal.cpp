// The functions of include/fastcausal.h: checks of their arguments, and errors as codes.
#include "fastcausal.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "capi/formulas.hpp"
#include "capi/mean_of_means.hpp"
#include "capi/protocol.hpp"
#include "engine/cpu.hpp"
#include "tags/tagged.hpp"
#include "text/utf8.hpp"

struct fastcausal_protocol {
  fastcausal::capi::Protocol protocol;
  std::vector<const char*> count_names, score_names;
};

namespace fastcausal::capi {
namespace {

bool never() { return false; }

// Returns whether a code point is whole and ends no line.
bool fits_line(char32_t point) {
  const bool ends = point < 0x20 || (point >= 0x7F && point < 0xA0) || (point | 1) == 0x2029;
  return !ends && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

// Writes as many whole characters as there is room for; "?" for bytes that are none in a line.
void write_line(const std::string& text, char* to, size_t room) {
  std::string letter, again;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const char32_t point = utf8::next(text, at);
    letter = text.substr(from, at - from);
    again.clear();
    utf8::write(point, [&](char byte) { again += byte; });
    if (again != letter || !fits_line(point)) letter = "?";
    if (letter.size() >= room) break;
    to = std::copy(letter.begin(), letter.end(), to);
    room -= letter.size();
  }
  *to = '\0';
}

int32_t answer(int32_t code, const std::string& text, fastcausal_error* error) {
  if (error) {
    error->code = code;
    write_line(text, error->text, sizeof error->text);
  }
  return code;
}

int32_t is_null(const char* name, fastcausal_error* error) {
  return answer(FASTCAUSAL_BAD_ARGUMENT, std::string(name) + " is NULL, expected an array", error);
}

// More are a fault: their arrays do not fit in memory.
constexpr int64_t MOST = sizeof(size_t) > 4 ? int64_t{1} << 36 : int64_t{1} << 27;

std::string fault_of_number(const std::string& name, int64_t n) {
  if (n >= 0 && n <= MOST) return "";
  return name + " is " + std::to_string(n) + ", expected 0 to " + std::to_string(MOST);
}

constexpr int64_t NO_OFFSETS[1] = {0};  // of no units, whose array may be NULL

int32_t well(fastcausal_error* error) { return answer(FASTCAUSAL_OK, "", error); }

// Calls work, which returns a code. Turns exceptions into codes: none leaves the library.
template <class Work>
int32_t guarded(fastcausal_error* error, const Work& work) {
  int32_t code = FASTCAUSAL_OK;
  catching<std::bad_alloc>(
      [&] {
        catching<std::length_error>([&] { code = work(); },
                                    [&](const std::length_error& fault) {
                                      code = answer(FASTCAUSAL_TOO_LARGE, fault.what(), error);
                                    });
      },
      [&](const std::bad_alloc&) {
        code = answer(FASTCAUSAL_NO_MEMORY, "there is not enough memory", error);
      });
  return code;
}

const char* const* listed(const std::vector<const char*>* names, int64_t* n) {
  if (n) *n = names ? static_cast<int64_t>(names->size()) : 0;
  return names ? names->data() : nullptr;
}

const char* text_of(Fault fault) {
  switch (fault) {
    case Fault::ROW_OFFSETS:
      return "row_offsets fall, or lead outside the spans";
    case Fault::RELATION_OFFSETS:
      return "relation_offsets fall, or lead outside the relations";
    case Fault::ROLE:
      return "has an unknown role";
    case Fault::EMPTY:
      return "is empty or starts before the first token";
    case Fault::OUTSIDE:
      return "ends after the last token";
    case Fault::ORDER:
      return "does not follow the span before it: sort by (start, stop, role) within a relation";
    default:
      return "";
  }
}

// One side, checked, and read as if written with tags where the protocol wants it.
class ReadSide {
 public:
  Input input{};
  std::string fault;
  int64_t n_as_given = 0;

  ReadSide(const char* name, const fastcausal_rows& rows, int64_t n_examples,
           const int32_t* lengths, const Protocol& protocol) {
    fault = fault_of_arrays(rows, n_examples);
    if (!fault.empty()) {
      fault = std::string(name) + ": " + fault;
      return;
    }
    const auto* spans = reinterpret_cast<const Row*>(rows.spans);
    const auto* row_offsets = rows.n_relations ? rows.row_offsets : NO_OFFSETS;
    const auto* relation_offsets = n_examples ? rows.relation_offsets : NO_OFFSETS;
    input = {{spans, row_offsets, relation_offsets}, rows.n_rows, rows.n_relations, lengths};
    int64_t where[2] = {-1, -1};
    const Fault found = check_rows(input.side, rows.n_rows, rows.n_relations, n_examples, lengths,
                                   protocol.plan.n_roles(), where);
    if (found != Fault::NONE) {
      fault = std::string(name) + ": ";
      if (where[0] >= 0) {
        fault += "example " + std::to_string(where[0]) + ": span " + std::to_string(where[1]) + " ";
      }
      fault += text_of(found);
      return;
    }
    if (protocol.reading != ReadAs::GIVEN && !rows.tagged) read(n_examples, protocol);
  }
  ReadSide(const ReadSide&) = delete;
  ReadSide& operator=(const ReadSide&) = delete;

 private:
  ReadAsTagged tagged_;

  static std::string fault_of_arrays(const fastcausal_rows& rows, int64_t n_examples) {
    for (const auto& [name, n, array] : {std::tuple<const char*, int64_t, const void*>{
                                             "relation_offsets", n_examples, rows.relation_offsets},
                                         {"row_offsets", rows.n_relations, rows.row_offsets},
                                         {"spans", rows.n_rows, rows.spans}}) {
      std::string found = fault_of_number(std::string("the number of units of ") + name, n);
      if (!found.empty()) return found;
      if (n && !array) return std::string(name) + " is NULL, expected an array";
    }
    return "";
  }

  void read(int64_t n_examples, const Protocol& protocol) {
    static const Texts of_tags = {"cause", "effect", "signal"};
    const size_t n = protocol.roles.size();
    if (n > of_tags.size() ||
        !std::equal(protocol.roles.begin(), protocol.roles.end(), of_tags.begin())) {
      n_as_given = count_filled(input.side.row_offsets, input.n_relations);
      return;
    }
    if (tagged_.read(input, 0, n_examples, 0, protocol.reading)) {
      input.n_rows = static_cast<int64_t>(tagged_.rows.size());
      input.side.rows = tagged_.rows.data();
      input.side.row_offsets = tagged_.row_offsets.data();
    }
    n_as_given = tagged_.n_as_given;
  }
};

// Sums the rows of examples.
void add_up(const int64_t* per_example, int64_t n_examples, int64_t n_counts, int64_t* counts) {
  std::fill_n(counts, n_counts, 0);
  for (int64_t k = 0; k < n_examples * n_counts; ++k) counts[k % n_counts] += per_example[k];
}

// Sets what all runs have in common.
template <class AnyRun>
void fill(AnyRun& run, int64_t n_examples, int64_t n_threads, const fastcausal_results& results,
          int64_t* counts, int64_t n_counts) {
  run.n_examples = n_examples;
  run.groups.each = results.per_example;
  run.groups.n = run.groups.each ? n_examples : 1;
  run.partner = results.partner;
  run.counts = run.groups.each ? results.per_example : counts;
  run.n_threads = std::max<int64_t>(n_threads, 1);
  run.stop_requested = never;
  std::fill_n(run.counts, run.groups.n * n_counts, 0);
}

// Pairs and counts. Fills counts, per_example and partner where they are wanted.
int64_t count(const Protocol& protocol, const Input& gold, const Input& pred, int64_t n_examples,
              int64_t n_threads, const fastcausal_results& results, int64_t* counts) {
  const int64_t n_counts = protocol.plan.n_fields;
  const bool each = results.per_example;
  if (!protocol.kernel) {
    whole::Run run{};
    run.rules = protocol.rules;
    run.gold.side = gold.side;
    run.pred.side = pred.side;
    fill(run, n_examples, n_threads, results, counts, n_counts);
    const int64_t outcome = whole::count_whole(run);
    if (each) add_up(results.per_example, n_examples, n_counts, counts);
    return outcome;
  }
  Run run{};
  run.gold = gold;
  run.pred = pred;
  run.plan = protocol.plan;
  run.reading = ReadAs::GIVEN;
  fill(run, n_examples, n_threads, results, counts, n_counts);
  const int64_t outcome = run_all({protocol.kernel->name, nullptr, &protocol.memory}, run);
  if (each) add_up(results.per_example, n_examples, n_counts, counts);
  return outcome;
}

int32_t too_large(int64_t example, fastcausal_error* error) {
  return answer(FASTCAUSAL_TOO_LARGE, "example " + std::to_string(example) + " is too large",
                error);
}

// Describes the first count below 0, or that all together are not exact in a score.
std::string fault_of_counts(const Protocol& protocol, const int64_t* counts) {
  constexpr int64_t MOST_COUNTED = int64_t{1} << 53;
  int64_t left = MOST_COUNTED;
  for (size_t k = 0; k < protocol.count_names.size(); ++k) {
    const std::string& name = protocol.count_names[k];
    if (counts[k] < 0) return name + " is " + std::to_string(counts[k]) + ", expected 0 or more";
    if (counts[k] > left) {
      return "counts up to " + name + " add up to more than " + std::to_string(MOST_COUNTED);
    }
    left -= counts[k];
  }
  return "";
}

void copy(const NamedScores& scores, double* to) {
  for (size_t k = 0; k < scores.size(); ++k) to[k] = scores[k].second;
}

// Returns the scores of no examples, for their names.
NamedScores named(const Protocol& protocol) {
  if (protocol.averages) {
    MeanOfMeans means(protocol, {}, {}, 0);
    means.run();
    return means.scores();
  }
  return scores_of(protocol, std::vector<int64_t>(protocol.count_names.size()).data());
}

int32_t score(const Protocol& protocol, int64_t n_examples, const int32_t* lengths,
              const fastcausal_rows& gold_rows, const fastcausal_rows& pred_rows, int64_t n_threads,
              const fastcausal_results& results, fastcausal_error* error) {
  const std::string wrong = fault_of_number("n_examples", n_examples);
  if (!wrong.empty()) return answer(FASTCAUSAL_BAD_ROWS, wrong, error);
  if (n_examples && !lengths) return is_null("lengths", error);
  for (int64_t e = 0; e < n_examples; ++e) {
    if (lengths[e] < 0) {
      const std::string where = "example " + std::to_string(e);
      return answer(FASTCAUSAL_BAD_ROWS, where + " has a negative length", error);
    }
  }
  const ReadSide gold("gold", gold_rows, n_examples, lengths, protocol);
  const ReadSide pred("pred", pred_rows, n_examples, lengths, protocol);
  for (const ReadSide* side : {&gold, &pred}) {
    if (!side->fault.empty()) return answer(FASTCAUSAL_BAD_ROWS, side->fault, error);
  }
  if (results.n_as_given) *results.n_as_given = gold.n_as_given + pred.n_as_given;
  std::vector<int64_t> own(protocol.count_names.size());
  int64_t* counts = results.counts ? results.counts : own.data();
  const int64_t outcome =
      count(protocol, gold.input, pred.input, n_examples, n_threads, results, counts);
  if (outcome >= 0) return too_large(outcome, error);
  if (!results.scores) return well(error);
  if (protocol.averages) {
    MeanOfMeans means(protocol, gold.input, pred.input, n_examples);
    const int64_t example = means.run();
    if (example >= 0) return too_large(example, error);
    copy(means.scores(), results.scores);
  } else {
    copy(scores_of(protocol, counts), results.scores);
  }
  return well(error);
}

int32_t read_tags(Tags reading, const char* text, const int64_t* offsets, int64_t n,
                  int32_t* n_tokens, int64_t* row_offsets, int32_t* spans, int64_t room,
                  fastcausal_error* error) {
  const std::string wrong = fault_of_number("n_sentences", n);
  if (!wrong.empty()) return answer(FASTCAUSAL_BAD_ARGUMENT, wrong, error);
  if (!row_offsets) return is_null("row_offsets", error);
  if (n && !offsets) return is_null("offsets", error);
  if (n && !n_tokens) return is_null("n_tokens", error);
  if (n && !text && offsets[n] != offsets[0]) return is_null("text", error);
  for (int64_t k = 0; k < n; ++k) {
    if (offsets[k] < 0 || offsets[k + 1] < offsets[k]) {
      return answer(FASTCAUSAL_BAD_ARGUMENT, "offsets of sentences fall", error);
    }
  }
  std::vector<int64_t> examples(static_cast<size_t>(n + 1));
  for (size_t k = 0; k < examples.size(); ++k) examples[k] = static_cast<int64_t>(k);
  std::vector<int32_t> lengths(static_cast<size_t>(n), UNREAD), widths(lengths);
  TaggedSpans found;
  read_tagged(text, offsets, examples.data(), n, reading, lengths.data(), n_tokens, widths.data(),
              found, never);
  row_offsets[0] = 0;
  for (int64_t k = 0; k < n; ++k) {
    row_offsets[k + 1] = row_offsets[k] + std::max(widths[static_cast<size_t>(k)], 0);
  }
  if (row_offsets[n] > room) {
    const std::string needed = std::to_string(row_offsets[n]);
    return answer(FASTCAUSAL_NO_ROOM,
                  "there is room for " + std::to_string(room) + " spans, expected " + needed,
                  error);
  }
  if (row_offsets[n] && !spans) return is_null("spans", error);
  for (size_t k = 0; k < found.spans.size(); ++k) {
    const Row row = unpacked(found.spans[k]);
    std::memcpy(spans + 3 * k, &row, sizeof row);
  }
  sort_rows(reinterpret_cast<Row*>(spans), row_offsets, n);
  return well(error);
}

}  // namespace
}  // namespace fastcausal::capi

namespace capi = fastcausal::capi;

const char* fastcausal_version(void) { return FASTCAUSAL_VERSION; }

int32_t fastcausal_protocol_new(const char* line, const char* roles, fastcausal_protocol** made,
                                fastcausal_error* error) {
  return capi::guarded(error, [&] {
    if (!made) return capi::is_null("made", error);
    *made = nullptr;
    if (!line) return capi::is_null("line", error);
    std::unique_ptr<fastcausal_protocol> fresh(
        new fastcausal_protocol{{line, roles ? roles : "cause,effect,signal"}, {}, {}});
    capi::Protocol& protocol = fresh->protocol;
    if (!protocol.fault.empty()) {
      return capi::answer(FASTCAUSAL_BAD_ARGUMENT, protocol.fault, error);
    }
    for (auto& [name, _] : capi::named(protocol)) protocol.score_names.push_back(name);
    for (const std::string& name : protocol.count_names) fresh->count_names.push_back(name.c_str());
    for (const std::string& name : protocol.score_names) fresh->score_names.push_back(name.c_str());
    *made = fresh.release();
    return capi::well(error);
  });
}

// NOLINTNEXTLINE(misc-const-correctness): free of a handle, as the header has it
void fastcausal_protocol_free(fastcausal_protocol* protocol) { delete protocol; }

const char* fastcausal_protocol_line(const fastcausal_protocol* protocol) {
  return protocol ? protocol->protocol.line.c_str() : nullptr;
}

const char* const* fastcausal_count_names(const fastcausal_protocol* protocol, int64_t* n_counts) {
  return capi::listed(protocol ? &protocol->count_names : nullptr, n_counts);
}

const char* const* fastcausal_score_names(const fastcausal_protocol* protocol, int64_t* n_scores) {
  return capi::listed(protocol ? &protocol->score_names : nullptr, n_scores);
}

int32_t fastcausal_score(const fastcausal_protocol* protocol, int64_t n_examples,
                         const int32_t* lengths, const fastcausal_rows* gold,
                         const fastcausal_rows* pred, int64_t n_threads,
                         const fastcausal_results* results, fastcausal_error* error) {
  return capi::guarded(error, [&] {
    if (!protocol) return capi::is_null("protocol", error);
    if (!gold) return capi::is_null("gold", error);
    if (!pred) return capi::is_null("pred", error);
    if (!results) return capi::is_null("results", error);
    return capi::score(protocol->protocol, n_examples, lengths, *gold, *pred, n_threads, *results,
                       error);
  });
}

int32_t fastcausal_score_counts(const fastcausal_protocol* protocol, const int64_t* counts,
                                double* scores, fastcausal_error* error) {
  return capi::guarded(error, [&] {
    if (!protocol) return capi::is_null("protocol", error);
    if (!counts) return capi::is_null("counts", error);
    if (!scores) return capi::is_null("scores", error);
    if (protocol->protocol.averages) {
      return capi::answer(FASTCAUSAL_BAD_ARGUMENT, "scores of cnc-2022 are no functions of sums",
                          error);
    }
    const std::string wrong = capi::fault_of_counts(protocol->protocol, counts);
    if (!wrong.empty()) return capi::answer(FASTCAUSAL_BAD_ARGUMENT, wrong, error);
    capi::copy(capi::scores_of(protocol->protocol, counts), scores);
    return capi::well(error);
  });
}

int32_t fastcausal_read_tags(const char* reading, const char* text, const int64_t* offsets,
                             int64_t n_sentences, int32_t* n_tokens, int64_t* row_offsets,
                             int32_t* spans, int64_t room, fastcausal_error* error) {
  return capi::guarded(error, [&] {
    if (!reading) return capi::is_null("reading", error);
    const capi::Texts names = {"strict", "cnc-2023", "cnc-2022"};
    const auto known = std::find(names.begin(), names.end(), reading);
    if (known == names.end()) {
      const std::string expected = "\", expected one of " + capi::joined(names, ", ");
      return capi::answer(FASTCAUSAL_BAD_ARGUMENT,
                          std::string("reading is \"") + reading + expected, error);
    }
    const auto tags = static_cast<fastcausal::Tags>(known - names.begin());
    return capi::read_tags(tags, text, offsets, n_sentences, n_tokens, row_offsets, spans, room,
                           error);
  });
}
