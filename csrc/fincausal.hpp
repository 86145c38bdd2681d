// Word labels of FinCausal's rows, and the counts of its sections.
//
//   RowLabels ──── one text: which words its causes and effects label, as chains of words
//   label_rows ─── the labels of all rows, gold and predicted
//   count_sections rows of a section paired, their labels counted
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "assign.hpp"
#include "fincausal_words.hpp"
#include "numbers.hpp"
#include "stop.hpp"

namespace fastcausal::fincausal {

enum Mark : char { CAUSE = 1, EFFECT = 2 };
enum Side : int { GOLD, PRED };

struct TextColumn {  // the texts of one column, at any places of one buffer
  const char* data = nullptr;
  const int64_t* starts = nullptr;
  const int64_t* stops = nullptr;
  Text operator[](int64_t k) const { return {data + starts[k], stops[k] - starts[k]}; }
};

// Places of words in a text, as bits.
using Bits = std::vector<uint64_t>;

// The longest chain of words in a text: each next place is one or two further. Of equally long
// chains the one whose places come first.
class ChainSearch {
 public:
  // Starts a text of n words.
  void start(size_t n) { n_blocks_ = (n + 63) / 64; }

  // bits(word) returns the places of a word of the span. Calls take(place) for each place of the
  // chain; returns its length. There are two words or more.
  template <class BitsOf, class Take>
  size_t find(const std::vector<int32_t>& span, const BitsOf& bits, const Take& take,
              CostMeter& meter) {
    const size_t length = reach(span, bits, meter);
    // Sets of places that lead to the end are kept for a part of the chain at a time.
    size_t step = length;
    if (length * n_blocks_ > MOST_KEPT) {
      step = 1;
      while (step * step < length) ++step;
    }
    const size_t n_parts = (length + step - 1) / step;
    ends_.assign(n_parts * n_blocks_, 0);
    std::copy(reached_.begin(), reached_.end(), ends_.end() - static_cast<ptrdiff_t>(n_blocks_));
    for (size_t k = length - 1; k > step - 1; --k) {
      before(bits(span[k - 1]));
      if (k % step == 0) {
        std::copy(reached_.begin(), reached_.end(), ends_.data() + (k / step - 1) * n_blocks_);
      }
      meter.add_cost(static_cast<int64_t>(n_blocks_));
    }
    size_t place = NONE;
    for (size_t part = 0; part < n_parts; ++part) {
      place = walk(span, part * step, std::min(length, (part + 1) * step), part, place, bits, take);
      meter.add_cost(static_cast<int64_t>(step * n_blocks_));
    }
    return length;
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  static constexpr size_t MOST_KEPT = size_t{1} << 20;
  size_t n_blocks_ = 0;
  Bits reached_, ends_, kept_;

  // Goes forward as far as chains lead; leaves their last places.
  template <class BitsOf>
  size_t reach(const std::vector<int32_t>& span, const BitsOf& bits, CostMeter& meter) {
    const uint64_t* first = bits(span[0]);
    reached_.assign(first, first + n_blocks_);
    next_.resize(n_blocks_);
    size_t length = 1;
    for (; length < span.size(); ++length) {
      const uint64_t* of = bits(span[length]);
      uint64_t carry = 0, any = 0;
      for (size_t b = 0; b < n_blocks_; ++b) {
        const uint64_t here = reached_[b];
        next_[b] = (here << 1 | here << 2 | carry) & of[b];
        any |= next_[b];
        carry = here >> 63 | here >> 62;
      }
      if (!any) break;
      reached_.swap(next_);
      meter.add_cost(static_cast<int64_t>(n_blocks_));
    }
    return length;
  }
  Bits next_;

  // Goes one word back: places of a word from which one of the places reached so far is next.
  void before(const uint64_t* of) {
    uint64_t carry = 0;
    for (size_t b = n_blocks_; b-- > 0;) {
      const uint64_t here = reached_[b];
      reached_[b] = (here >> 1 | here >> 2 | carry) & of[b];
      carry = here << 63 | here << 62;
    }
  }

  bool is_kept(size_t row, size_t place) const {
    return place / 64 < n_blocks_ && (kept_[row * n_blocks_ + place / 64] >> place % 64 & 1);
  }

  // Takes the places of a part of the chain; returns the last one.
  template <class BitsOf, class Take>
  size_t walk(const std::vector<int32_t>& span, size_t from, size_t to, size_t part, size_t place,
              const BitsOf& bits, const Take& take) {
    const auto blocks = static_cast<ptrdiff_t>(n_blocks_);
    const auto end = ends_.begin() + static_cast<ptrdiff_t>(part) * blocks;
    reached_.assign(end, end + blocks);
    kept_.resize((to - from) * n_blocks_);
    for (size_t k = to; k-- > from;) {
      if (k + 1 < to) before(bits(span[k]));
      std::copy(reached_.begin(), reached_.end(), kept_.data() + (k - from) * n_blocks_);
    }
    for (size_t k = from; k < to; ++k) {
      const size_t row = k - from;
      if (place == NONE) {
        place = 0;
        while (!is_kept(row, place)) ++place;
      } else {
        place += is_kept(row, place + 1) ? 1 : 2;
      }
      take(place);
    }
    return place;
  }
};

// What became of the words of a row's spans on one side.
struct SpanFacts {
  int64_t unknown = 0;  // words that the text lacks
  int64_t longest = 0;  // words of the longest chain
};

class RowLabels {
 public:
  RowLabels(const LetterKinds& kinds, const Abbreviations& abbreviations, Cutting cutting)
      : cutter_(kinds, abbreviations, cutting) {}

  // Cuts a text; returns the number of its words.
  size_t start(Text text) {
    numbers_.clear();
    letters_.clear();
    words_.clear();
    before_.clear();
    cutter_.cut(text, [&](const char32_t* letters, size_t size) {
      const auto word = static_cast<size_t>(number_of(letters, size, true));
      const auto place = static_cast<int32_t>(before_.size());
      before_.push_back(words_[word].last);
      words_[word].last = place;
      ++words_[word].times;
    });
    search_.start(before_.size());
    n_blocks_ = (before_.size() + 63) / 64;
    if (n_blocks_ == 1) fill_short();
    if (n_blocks_ > 1) bits_.assign(words_.size(), {});
    return before_.size();
  }

  // Marks the words of a span.
  void mark(Text span, char mark, char* labels, SpanFacts& facts, CostMeter& meter) {
    known_.clear();
    cutter_.cut(span, [&](const char32_t* letters, size_t size) {
      int32_t word = number_of(letters, size, false);
      if (word < 0) {
        with_stop_.assign(letters, size);
        with_stop_.push_back('.');
        word = number_of(with_stop_.data(), with_stop_.size(), false);
      }
      if (word < 0) {
        ++facts.unknown;
      } else {
        known_.push_back(word);
      }
    });
    const auto take = [&](size_t place) {
      labels[place] = static_cast<char>(labels[place] | mark);
    };
    if (known_.size() == 1) {
      each_place(known_[0], take);
    } else if (!known_.empty()) {
      const auto of = [this](int32_t word) { return bits_of(word); };
      const auto length = static_cast<int64_t>(search_.find(known_, of, take, meter));
      facts.longest = std::max(facts.longest, length);
    }
  }

 private:
  struct Word {
    size_t start, size;
    int32_t last = NONE;  // place in the text
    int32_t times = 0;
  };
  static constexpr int32_t NONE = -1;
  WordCutter cutter_;
  ChainSearch search_;
  Numbers numbers_;
  Letters letters_, with_stop_;
  std::vector<Word> words_;
  std::vector<int32_t> before_;  // the place before with the same word
  std::vector<int32_t> known_;
  Bits short_;              // of every word, if a text has up to 64 words
  std::vector<Bits> bits_;  // of words that a chain needed, in longer texts
  Bits rare_;
  size_t n_blocks_ = 0;

  // Bits of words that are frequent in a text are kept: there are few such words.
  const uint64_t* bits_of(int32_t word) {
    const auto of = static_cast<size_t>(word);
    if (n_blocks_ == 1) return short_.data() + of;
    if (!bits_[of].empty()) return bits_[of].data();
    Bits& bits = static_cast<size_t>(words_[of].times) >= n_blocks_ ? bits_[of] : rare_;
    bits.assign(n_blocks_, 0);
    each_place(word, [&](size_t place) { bits[place / 64] |= uint64_t{1} << place % 64; });
    return bits.data();
  }

  void fill_short() {
    short_.assign(words_.size(), 0);
    for (size_t word = 0; word < words_.size(); ++word) {
      each_place(static_cast<int32_t>(word),
                 [&](size_t place) { short_[word] |= uint64_t{1} << place; });
    }
  }

  template <class Take>
  void each_place(int32_t word, const Take& take) const {
    int32_t place = words_[static_cast<size_t>(word)].last;
    for (; place != NONE; place = before_[static_cast<size_t>(place)]) {
      take(static_cast<size_t>(place));
    }
  }

  int32_t number_of(const char32_t* letters, size_t size, bool keep) {
    uint64_t hash = size;
    for (size_t k = 0; k < size; ++k) hash = (hash ^ letters[k]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    const auto is = [&](int64_t number) {
      const Word& word = words_[static_cast<size_t>(number)];
      return word.size == size && std::equal(letters, letters + size, letters_.data() + word.start);
    };
    const int64_t number = keep ? numbers_.add(hash, is) : numbers_.find(hash, is);
    if (number == static_cast<int64_t>(words_.size())) {
      words_.push_back({letters_.size(), size, NONE, 0});
      letters_.append(letters, size);
    }
    return static_cast<int32_t>(number);
  }
};

// Texts with the causes and effects of both sides, and the place of the results.
struct RowBatch {
  int64_t n = 0;
  TextColumn text, spans[2][2];  // by side: causes, effects
  int64_t* sizes = nullptr;      // [n]: words of each text
  int64_t* facts = nullptr;      // [n][2][2]: SpanFacts of each side
};

// A char for each word of each text: the marks of its spans.
struct AllLabels {
  std::string of[2];
};

inline bool equal(Text a, Text b) {
  return a.size == b.size && (!a.size || !std::memcmp(a.data, b.data, static_cast<size_t>(a.size)));
}

inline void label_row(const RowBatch& batch, int64_t k, RowLabels& row, AllLabels& labels,
                      CostMeter& meter) {
  const size_t n = row.start(batch.text[k]);
  batch.sizes[k] = static_cast<int64_t>(n);
  char* marks[2];
  SpanFacts facts[2], of_gold[2];
  for (int side = GOLD; side <= PRED; ++side) {
    labels.of[side].append(n, '\0');
    marks[side] = &labels.of[side][labels.of[side].size() - n];
    for (int role = 0; role < 2; ++role) {
      const Text span = batch.spans[side][role][k];
      const char mark = role ? EFFECT : CAUSE;
      SpanFacts of_span;
      if (side == PRED && equal(span, batch.spans[GOLD][role][k])) {
        of_span = of_gold[role];
        for (size_t w = 0; w < n; ++w) {
          marks[PRED][w] = static_cast<char>(marks[PRED][w] | (marks[GOLD][w] & mark));
        }
      } else {
        row.mark(span, mark, marks[side], of_span, meter);
      }
      if (side == GOLD) of_gold[role] = of_span;
      facts[side].unknown += of_span.unknown;
      facts[side].longest = std::max(facts[side].longest, of_span.longest);
      meter.add_cost(8 * span.size);
    }
    int64_t* of_side = batch.facts + 4 * k + (side == GOLD ? 0 : 2);
    of_side[0] = facts[side].unknown;
    of_side[1] = facts[side].longest;
  }
  meter.add_cost(8 * batch.text[k].size);
}

inline AllLabels label_rows(const RowBatch& batch, const LetterKinds& kinds,
                            const Abbreviations& abbreviations, Cutting cutting, int64_t n_threads,
                            StopRequested stop_requested) {
  constexpr int64_t BLOCK = 1024;
  const int64_t n_blocks = (batch.n + BLOCK - 1) / BLOCK;
  std::vector<AllLabels> parts(static_cast<size_t>(n_blocks));
  for_blocks(n_blocks, n_threads, stop_requested, [&](int64_t block, CostMeter& meter) {
    RowLabels row(kinds, abbreviations, cutting);
    const int64_t end = std::min(batch.n, (block + 1) * BLOCK);
    for (int64_t k = block * BLOCK; k < end; ++k) {
      label_row(batch, k, row, parts[static_cast<size_t>(block)], meter);
    }
  });
  AllLabels all;
  for (AllLabels& part : parts) {
    for (int side = GOLD; side <= PRED; ++side) {
      all.of[side] += part.of[side];
      part.of[side] = {};
    }
  }
  return all;
}

// Hits, predicted and gold words of no span, of causes and of effects, then counts of rows, then
// of two guesses: first half cause and second half effect, and nothing.
enum Field : int {
  HITS,
  PREDICTED,
  WANTED,
  PER_CLASS = 3,
  N_CLASSES = 3,
  ROWS = PER_CLASS * N_CLASSES,
  EXACT,
  EXACT_IN_PAIRS,
  HALF_CAUSE,
  HALF_CAUSE_HITS,
  HALF_EFFECT_HITS,
  HALF_EXACT,
  NOTHING_EXACT,
  N_FIELDS
};

// The rows of all sections, and the changes to how the program counts.
struct SectionBatch {
  int64_t n = 0;
  const int64_t* starts = nullptr;   // [n + 1]: of each section in `order`
  const int64_t* order = nullptr;    // rows, section by section
  const int64_t* offsets = nullptr;  // [n_rows + 1]: of each row in the labels
  const char* labels[2] = {nullptr, nullptr};
  bool best = false;  // pair rows for the most words labelled alike
  bool both = false;  // a word may be cause and effect
};

class SectionCounts {
 public:
  explicit SectionCounts(const SectionBatch& batch) : batch_(batch) {}

  void count(int64_t section, int64_t* fields, CostMeter& meter) {
    const int64_t* rows = batch_.order + batch_.starts[section];
    const int64_t n = batch_.starts[section + 1] - batch_.starts[section];
    std::fill(fields, fields + N_FIELDS, 0);
    fields[ROWS] = n;
    partners_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) partners_[static_cast<size_t>(k)] = static_cast<int32_t>(k);
    if (n > 1) batch_.best ? pair_best(rows, n, meter) : pair_greedily(rows, n, meter);
    for (int64_t k = 0; k < n; ++k) {
      const int64_t partner = rows[partners_[static_cast<size_t>(k)]];
      fields[EXACT] += is_exact(rows[k], rows[k]);
      fields[EXACT_IN_PAIRS] += is_exact(rows[k], partner);
      add(rows[k], partner, fields);
      guess(rows[k], fields);
      meter.add_cost(4 * size(rows[k]));
    }
  }

 private:
  const SectionBatch& batch_;
  Assignment assignment_;
  std::vector<Edge> edges_;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> partners_, left_;

  int64_t size(int64_t row) const { return batch_.offsets[row + 1] - batch_.offsets[row]; }
  const char* labels(int side, int64_t row) const {
    return batch_.labels[side] + batch_.offsets[row];
  }
  // Marks as labels: the effect lies over the cause, unless both are kept.
  char seen(char marks) const { return !batch_.both && marks & EFFECT ? char{EFFECT} : marks; }

  bool is_exact(int64_t gold, int64_t pred) const {
    const char *a = labels(GOLD, gold), *b = labels(PRED, pred);
    for (int64_t k = 0; k < size(gold); ++k) {
      if (seen(a[k]) != seen(b[k])) return false;
    }
    return true;
  }

  void add(int64_t gold, int64_t pred, int64_t* fields) const {
    const char *a = labels(GOLD, gold), *b = labels(PRED, pred);
    int64_t times[4][4] = {};
    for (int64_t k = 0; k < size(gold); ++k) {
      ++times[static_cast<unsigned char>(seen(a[k]))][static_cast<unsigned char>(seen(b[k]))];
    }
    for (int of_gold = 0; of_gold < 4; ++of_gold) {
      for (int of_pred = 0; of_pred < 4; ++of_pred) {
        const int64_t n = times[of_gold][of_pred];
        for (int role = 0; role < N_CLASSES; ++role) {
          const bool is_gold = belongs(of_gold, role), is_pred = belongs(of_pred, role);
          fields[PER_CLASS * role + HITS] += is_gold && is_pred ? n : 0;
          fields[PER_CLASS * role + PREDICTED] += is_pred ? n : 0;
          fields[PER_CLASS * role + WANTED] += is_gold ? n : 0;
        }
      }
    }
  }

  static bool belongs(int marks, int role) { return role ? (marks & role) != 0 : !marks; }

  void guess(int64_t row, int64_t* fields) const {
    const char* gold = labels(GOLD, row);
    const int64_t n = size(row), half = n / 2;
    bool is_half = true, is_nothing = true;
    for (int64_t k = 0; k < n; ++k) {
      const char wanted = seen(gold[k]);
      const int role = k < half ? CAUSE : EFFECT;
      fields[k < half ? HALF_CAUSE_HITS : HALF_EFFECT_HITS] += belongs(wanted, role);
      is_half &= wanted == role;
      is_nothing &= !wanted;
    }
    fields[HALF_CAUSE] += half;
    fields[HALF_EXACT] += is_half;
    fields[NOTHING_EXACT] += is_nothing;
  }

  // The F1 by which the program pairs: of each class, weighted by its words in gold.
  double weighted_f1(int64_t gold, int64_t pred) const {
    int64_t counts[N_FIELDS] = {};
    add(gold, pred, counts);
    double sum = 0, weights = 0;
    const int64_t* of = counts;
    for (int role = 0; role < N_CLASSES; ++role, of += PER_CLASS) {
      const auto both = static_cast<double>(of[PREDICTED] + of[WANTED]);
      const double f1 = both > 0 ? 2 * static_cast<double>(of[HITS]) / both : 0;
      sum += f1 * static_cast<double>(of[WANTED]);
      weights += static_cast<double>(of[WANTED]);
    }
    return weights > 0 ? sum / weights : 0;
  }

  // Gives each row of gold, in turn, the best row that is left, the earlier one of equals.
  void pair_greedily(const int64_t* rows, int64_t n, CostMeter& meter) {
    left_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) left_[static_cast<size_t>(k)] = static_cast<int32_t>(k);
    for (int64_t k = 0; k < n; ++k) {
      size_t best = 0;
      double best_f1 = -1;
      for (size_t j = 0; j < left_.size(); ++j) {
        const double f1 = weighted_f1(rows[k], rows[left_[j]]);
        if (f1 > best_f1) {
          best = j;
          best_f1 = f1;
        }
        meter.add_cost(100 + 2 * size(rows[k]));
      }
      partners_[static_cast<size_t>(k)] = left_[best];
      left_.erase(left_.begin() + static_cast<ptrdiff_t>(best));
    }
  }

  void pair_best(const int64_t* rows, int64_t n, CostMeter& meter) {
    edges_.clear();
    offsets_.assign(1, 0);
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) {
        int64_t counts[N_FIELDS] = {};
        add(rows[k], rows[j], counts);
        int64_t alike = 0;
        for (int role = 0; role < N_CLASSES; ++role) alike += counts[PER_CLASS * role + HITS];
        edges_.push_back({static_cast<int32_t>(j), {alike, 0, 0}});
        meter.add_cost(100 + 2 * size(rows[k]));
      }
      offsets_.push_back(static_cast<int64_t>(edges_.size()));
    }
    assignment_.solve(edges_, offsets_, n, {-1, 0, 0}, true, meter, partners_.data());
    complete(n);
  }

  // Gives the rows without a partner those that are left, in turn.
  void complete(int64_t n) {
    left_.assign(static_cast<size_t>(n), 0);
    for (const int32_t partner : partners_) {
      if (partner >= 0) left_[static_cast<size_t>(partner)] = 1;
    }
    size_t next = 0;
    for (int32_t& partner : partners_) {
      if (partner >= 0) continue;
      while (left_[next]) ++next;
      partner = static_cast<int32_t>(next++);
    }
  }
};

inline void count_sections(const SectionBatch& batch, int64_t* fields, int64_t n_threads,
                           StopRequested stop_requested) {
  constexpr int64_t BLOCK = 1024;
  for_blocks((batch.n + BLOCK - 1) / BLOCK, n_threads, stop_requested,
             [&](int64_t block, CostMeter& meter) {
               SectionCounts counts(batch);
               const int64_t end = std::min(batch.n, (block + 1) * BLOCK);
               for (int64_t k = block * BLOCK; k < end; ++k) {
                 counts.count(k, fields + N_FIELDS * k, meter);
               }
             });
}

}  // namespace fastcausal::fincausal
