// Words that an answer shares with its reference, for a million answers at a time.
//
//   parts_of ── finds the causes, the effects and the relation of a text
//   Comparison ── one example: words of both sides, and their common words
//   compare_answers ── all examples, from threads
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "assign.hpp"
#include "stop.hpp"
#include "words.hpp"

namespace fastcausal {

enum Part : int { CAUSE, EFFECT, RELATION, N_PARTS };

struct Parts {
  bool read = false;
  Text part[N_PARTS];
};

// Texts of an Arrow column. A null has a negative size.
struct TextColumn {
  const char* data;
  const int64_t* offsets;
  const int8_t* valid;  // or NULL

  Text operator[](int64_t k) const {
    if (valid && !valid[k]) return {data, -1};
    return {data + offsets[k], offsets[k + 1] - offsets[k]};
  }
};

namespace answers {

constexpr const char* NAMES[N_PARTS] = {"cause", "effect", "relation"};
constexpr int64_t SIZES[N_PARTS] = {5, 6, 8};

inline char lowered(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

// Returns the part whose name begins at a place, in any case, before a given letter. Else N_PARTS.
inline int name_at(Text text, int64_t at, char after) {
  for (int part = 0; part < N_PARTS; ++part) {
    if (text.size - at <= SIZES[part] || text.data[at + SIZES[part]] != after) continue;
    int64_t k = 0;
    while (k < SIZES[part] && lowered(text.data[at + k]) == NAMES[part][k]) ++k;
    if (k == SIZES[part]) return part;
  }
  return N_PARTS;
}

// Collects parts one after another. Returns false if one occurs twice.
struct PartReader {
  Parts& parts;
  int open = N_PARTS;
  int seen = 0;

  bool mark(Text text, int part, int64_t start, int64_t behind) {
    close(text.data + start);
    if (seen & 1 << part) return false;
    seen |= 1 << part;
    open = part;
    parts.part[part] = {text.data + behind, 0};
    return true;
  }
  void close(const char* end) {
    if (open < N_PARTS) parts.part[open].size = end - parts.part[open].data;
  }
  bool ended(Text text) {
    close(text.data + text.size);
    return (seen & 3) == 3;  // cause and effect
  }
};

inline bool read_brackets(Text text, PartReader& marks) {
  for (int64_t at = 0; at < text.size; ++at) {
    const void* next = std::memchr(text.data + at, '[', static_cast<size_t>(text.size - at));
    if (!next) break;
    at = static_cast<const char*>(next) - text.data;
    const int part = name_at(text, at + 1, ']');
    if (part == N_PARTS) continue;
    if (!marks.mark(text, part, at, at + SIZES[part] + 2)) return false;
  }
  return marks.ended(text);
}

inline bool read_lines(Text text, PartReader& marks) {
  for (int64_t line = 0; line < text.size;) {
    int64_t at = line;
    while (at < text.size && (text.data[at] == ' ' || text.data[at] == '\t')) ++at;
    const int part = name_at(text, at, ':');
    if (part < N_PARTS && !marks.mark(text, part, line, at + SIZES[part] + 1)) return false;
    const void* end = std::memchr(text.data + at, '\n', static_cast<size_t>(text.size - at));
    if (!end) break;
    line = static_cast<const char*>(end) - text.data + 1;
  }
  return marks.ended(text);
}

inline Parts guide_parts(Text text) {
  Parts parts;
  PartReader brackets{parts};
  parts.read = read_brackets(text, brackets);
  if (!brackets.seen) {
    PartReader lines{parts};
    parts.read = read_lines(text, lines);
  }
  return parts;
}

// Returns the next place of a mark, or -1.
inline int64_t find(Text text, int64_t from, const char* mark, int64_t size) {
  const char* end = text.data + text.size;
  const char* place = std::search(text.data + from, end, mark, mark + size);
  return place == end ? -1 : place - text.data;
}

// \[Cause\](.*?)\[Relation\](.*?)\[Effect\](.*?)$ in the last line. A line break ends every earlier
// match. One at the end of the text is ignored.
inline Parts fcr_parts(Text text) {
  Parts parts;
  if (text.size && text.data[text.size - 1] == '\n') --text.size;
  int64_t line = text.size;
  while (line && text.data[line - 1] != '\n') --line;
  const int64_t cause = find(text, line, "[Cause]", 7);
  const int64_t relation = cause < 0 ? -1 : find(text, cause + 7, "[Relation]", 10);
  const int64_t effect = relation < 0 ? -1 : find(text, relation + 10, "[Effect]", 8);
  if (effect < 0) return parts;
  parts.read = true;
  parts.part[CAUSE] = {text.data + cause + 7, relation - cause - 7};
  parts.part[RELATION] = {text.data + relation + 10, effect - relation - 10};
  parts.part[EFFECT] = {text.data + effect + 8, text.size - effect - 8};
  return parts;
}

// The order of Python's strings. UTF-8 has the same order. Several quotation marks count as one.
inline bool comes_before(Text a, Text b) {
  const auto next = [](Text& text) {
    const char letter = *text.data;
    do {
      ++text.data;
      --text.size;
    } while (letter == '"' && text.size && *text.data == '"');
    return static_cast<unsigned char>(letter);
  };
  while (a.size && b.size) {
    const unsigned char of_a = next(a), of_b = next(b);
    if (of_a != of_b) return of_a < of_b;
  }
  return b.size > 0;
}

}  // namespace answers

enum Field : int { SHARED, PREDICTED, WANTED, MATCHED, EQUAL, N_ROLE_FIELDS };
constexpr int64_t N_ANSWER_FIELDS =
    2 * N_ROLE_FIELDS + 3;  // reference read, answer read, contained

class Comparison {
 public:
  Comparison(const Letters& letters, bool fcr) : fcr_(fcr), reader_(letters) {}

  // Fills a row of counts. missing receives the words that the source lacks.
  // Returns false if a letter is not in the table. contained is -1 without a source, or if the
  // answer is unreadable.
  bool compare(Text source, Text reference, Text answer, int64_t* row, Text* relations,
               std::string& missing, CostMeter& meter) {
    words_.clear();
    const bool same = answer.size > 0 && answer.size == reference.size &&
                      !std::memcmp(reference.data, answer.data, static_cast<size_t>(answer.size));
    const Parts of_reference = parts_of(reference);
    const Parts parts[2] = {of_reference, same ? of_reference : parts_of(answer)};
    for (int side = 0; side < 2; ++side) {
      row[2 * N_ROLE_FIELDS + side] = parts[side].read;
      relations[side] = parts[side].part[RELATION];
      if (side && same) continue;
      const char* const limit = (side ? answer : reference).end();
      for (int role = CAUSE; role <= EFFECT; ++role) {
        if (!read(sides_[side][role], parts[side].part[role], limit)) return false;
      }
    }
    const Spans(&predicted)[2] = sides_[same ? 0 : 1];
    for (int role = CAUSE; role <= EFFECT; ++role) {
      int64_t* const counts = row + int64_t{role} * N_ROLE_FIELDS;
      if (same) {
        const auto n_words = static_cast<int64_t>(predicted[role].words.size());
        std::fill(counts, counts + EQUAL, n_words);
        counts[EQUAL] = 1;
      } else {
        count(sides_[0][role], predicted[role], counts, meter);
      }
    }
    int64_t& contained = row[2 * N_ROLE_FIELDS + 2];
    contained = -1;
    return !parts[1].read || source.size < 0 || find_missing(source, predicted, missing, contained);
  }

 private:
  struct Spans {
    std::vector<int32_t> words;
    std::vector<size_t> ends;  // of each span in words, after a 0
    std::vector<Text> texts;
    size_t size() const { return ends.size() - 1; }
    const int32_t* begin(size_t k) const { return words.data() + ends[k]; }
    const int32_t* end(size_t k) const { return words.data() + ends[k + 1]; }
  };

  const bool fcr_;
  TextReader reader_;
  Words words_;
  Spans sides_[2][2];
  std::vector<int32_t> times_;  // uses of each word of one side; 0 between calls
  std::vector<char> in_source_;
  std::vector<size_t> order_[2];
  std::vector<int32_t> in_order_[2];
  Assignment assignment_;
  std::vector<Edge> edges_;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> columns_;

  Parts parts_of(Text text) const {
    const Parts parts = fcr_ ? answers::fcr_parts(text) : answers::guide_parts(text);
    return parts.read ? parts : Parts{};
  }

  bool read(Spans& spans, Text part, const char* limit) {
    spans.words.clear();
    spans.ends.assign(1, 0);
    spans.texts.clear();
    const auto take = [&](int32_t word) { spans.words.push_back(word); };
    for (const char* end = part.data + part.size; part.size;) {
      const void* bar = std::memchr(part.data, '|', static_cast<size_t>(part.size));
      const char* stop = bar ? static_cast<const char*>(bar) : end;
      Text bare;
      if (!reader_.read({part.data, stop - part.data}, limit, words_, true, bare, take))
        return false;
      if (bare.size) {
        spans.ends.push_back(spans.words.size());
        spans.texts.push_back(bare);
      }
      part.data = bar ? stop + 1 : end;
      part.size = end - part.data;
    }
    return true;
  }

  void count(const Spans& gold, const Spans& pred, int64_t* row, CostMeter& meter) {
    times_.resize(static_cast<size_t>(words_.size()));
    const auto wanted = static_cast<int64_t>(gold.words.size());
    const auto predicted = static_cast<int64_t>(pred.words.size());
    const int64_t shared = overlap(gold.words.data(), gold.words.data() + wanted, pred.words.data(),
                                   pred.words.data() + predicted);
    row[SHARED] = shared;
    row[PREDICTED] = predicted;
    row[WANTED] = wanted;
    const bool one = gold.size() == 1 && pred.size() == 1;
    row[MATCHED] = one || !shared ? shared : matched(gold, pred, meter);
    row[EQUAL] = shared == wanted && shared == predicted &&
                 (fcr_ ? same_words(gold, pred) : same_spans(gold, pred));
    meter.add_cost(20 * (wanted + predicted));
  }

  int64_t overlap(const int32_t* gold, const int32_t* gold_end, const int32_t* pred,
                  const int32_t* pred_end) {
    for (const int32_t* word = gold; word < gold_end; ++word) ++times_[static_cast<size_t>(*word)];
    int64_t shared = 0;
    for (; pred < pred_end; ++pred) {
      int32_t& times = times_[static_cast<size_t>(*pred)];
      const bool is_shared = times > 0;  // a branch on it is often mispredicted
      times -= is_shared;
      shared += is_shared;
    }
    for (; gold < gold_end; ++gold) times_[static_cast<size_t>(*gold)] = 0;
    return shared;
  }

  int64_t shared(const Spans& gold, size_t i, const Spans& pred, size_t j) {
    return overlap(gold.begin(i), gold.end(i), pred.begin(j), pred.end(j));
  }

  // Returns the shared words of the best pairs of spans.
  int64_t matched(const Spans& gold, const Spans& pred, CostMeter& meter) {
    edges_.clear();
    offsets_.assign(1, 0);
    for (size_t i = 0; i < gold.size(); ++i) {
      for (size_t j = 0; j < pred.size(); ++j) {
        const int64_t n = shared(gold, i, pred, j);
        if (n) edges_.push_back({static_cast<int32_t>(j), {n, 0, 0}});
        meter.add_cost(10 * (gold.end(i) - gold.begin(i) + pred.end(j) - pred.begin(j)));
      }
      offsets_.push_back(static_cast<int64_t>(edges_.size()));
    }
    columns_.resize(gold.size());
    assignment_.solve(edges_, offsets_, static_cast<int64_t>(pred.size()), {0, 0, 0}, true, meter,
                      columns_.data());
    int64_t sum = 0;
    for (size_t i = 0; i < gold.size(); ++i) {
      for (int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        const Edge& edge = edges_[static_cast<size_t>(e)];
        if (edge.column == columns_[i]) sum += edge.gain.numerator;
      }
    }
    return sum;
  }

  // Sorts the spans of a side.
  template <class Before>
  void sort(int side, const Spans& spans, const Before& before) {
    order_[side].resize(spans.size());
    for (size_t k = 0; k < spans.size(); ++k) order_[side][k] = k;
    std::sort(order_[side].begin(), order_[side].end(), before);
  }

  // Compares all words, with spans in order of their texts.
  bool same_words(const Spans& gold, const Spans& pred) {
    const Spans* sides[2] = {&gold, &pred};
    for (int side = 0; side < 2; ++side) {
      const Spans& spans = *sides[side];
      sort(side, spans, [&](size_t a, size_t b) {
        return answers::comes_before(spans.texts[a], spans.texts[b]);
      });
      in_order_[side].clear();
      for (const size_t k : order_[side]) {
        in_order_[side].insert(in_order_[side].end(), spans.begin(k), spans.end(k));
      }
    }
    return in_order_[0] == in_order_[1];
  }

  bool same_spans(const Spans& gold, const Spans& pred) {
    if (gold.size() != pred.size()) return false;
    const Spans* sides[2] = {&gold, &pred};
    for (int side = 0; side < 2; ++side) {
      const Spans& spans = *sides[side];
      sort(side, spans, [&](size_t a, size_t b) {
        return std::lexicographical_compare(spans.begin(a), spans.end(a), spans.begin(b),
                                            spans.end(b));
      });
    }
    for (size_t k = 0; k < gold.size(); ++k) {
      const size_t a = order_[0][k];
      const size_t b = order_[1][k];
      if (!std::equal(gold.begin(a), gold.end(a), pred.begin(b), pred.end(b))) return false;
    }
    return true;
  }

  bool find_missing(Text source, const Spans (&sides)[2], std::string& missing,
                    int64_t& contained) {
    Text bare;
    in_source_.assign(static_cast<size_t>(words_.size()) + 1, 0);
    char* const is_in_source = in_source_.data() + 1;  // from -1 on: of words of the source alone
    const auto take = [&](int32_t word) { is_in_source[word] = 1; };
    if (!reader_.read(source, source.end(), words_, false, bare, take)) return false;
    const size_t before = missing.size();
    for (const Spans& spans : sides) {
      for (const int32_t word : spans.words) {
        if (is_in_source[word]) continue;
        if (missing.size() > before) missing.push_back(' ');
        words_.append_to(missing, word);
      }
    }
    contained = missing.size() == before;
    return true;
  }
};

// The texts to compare, and the place of the results. Each answer has a row of counts, the sizes of
// its texts, and a flag: all letters are in the table.
struct AnswerBatch {
  TextColumn source, reference, answer;
  int64_t n;
  int64_t* rows;
  int64_t* sizes;  // [n][3]: bytes of AnswerTexts
  int8_t* known;
};

// Texts of all answers, joined: relation of the reference, relation of the answer, missing words.
struct AnswerTexts {
  std::string of[3];
};

// Compares one answer and appends its texts.
inline void compare_answer(const AnswerBatch& batch, int64_t k, Comparison& comparison,
                           AnswerTexts& texts, CostMeter& meter) {
  const Text sides[2] = {batch.reference[k], batch.answer[k]};
  Text relations[2];
  std::string& missing = texts.of[2];
  const size_t before = missing.size();
  batch.known[k] = comparison.compare(batch.source[k], sides[0], sides[1],
                                      batch.rows + k * N_ANSWER_FIELDS, relations, missing, meter);
  if (!batch.known[k]) missing.resize(before);
  int64_t* sizes = batch.sizes + 3 * k;
  for (int side = 0; side < 2; ++side) {
    sizes[side] = relations[side].size;
    if (sizes[side]) texts.of[side].append(relations[side].data, static_cast<size_t>(sizes[side]));
  }
  sizes[2] = static_cast<int64_t>(missing.size() - before);
  meter.add_cost(4 * (sides[0].size + sides[1].size));
}

inline AnswerTexts compare_answers(const AnswerBatch& batch, const Letters& letters, bool fcr,
                                   int64_t n_threads, StopRequested stop_requested) {
  constexpr int64_t BLOCK = 2048;
  const int64_t n_blocks = (batch.n + BLOCK - 1) / BLOCK;
  std::vector<AnswerTexts> parts(static_cast<size_t>(n_blocks));
  for_blocks(n_blocks, n_threads, stop_requested, [&](int64_t block, CostMeter& meter) {
    Comparison comparison(letters, fcr);
    const int64_t end = std::min(batch.n, (block + 1) * BLOCK);
    for (int64_t k = block * BLOCK; k < end; ++k) {
      compare_answer(batch, k, comparison, parts[static_cast<size_t>(block)], meter);
    }
  });
  AnswerTexts all;
  for (const AnswerTexts& part : parts) {
    for (int t = 0; t < 3; ++t) all.of[t] += part.of[t];
  }
  return all;
}

}  // namespace fastcausal
