// The columns of docs/pages.md, which the table of examples shows.
#pragma once
#include "page/written.hpp"

namespace fastcausal::page {

template <class Number>
void add_numbers(Text& to, const char* name, const std::vector<Number>& numbers) {
  add_json(to, name);
  to += ": [";
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (k) to += ',';
    char digits[24];
    to.append(digits, static_cast<size_t>(
                          std::to_chars(digits, digits + sizeof digits, numbers[k]).ptr - digits));
  }
  to += ']';
}

// Texts of examples, with the characters of their tokens.
class Characters {
 public:
  std::vector<Text> texts;

  Characters(const Examples& golds, const Aligned& aligned) {
    for (size_t k = 0; k < aligned.lengths.size(); ++k) {
      const auto g = static_cast<size_t>(aligned.gold_of[k]);
      const auto length = static_cast<size_t>(aligned.lengths[k]);
      Text text = golds.has_text.empty() || !golds.has_text[g] ? "" : golds.texts[g];
      if (words_of(text).size() != length) {  // numbers of tokens stand for another text
        text.clear();
        for (size_t n = 0; n < length; ++n)
          text += (n ? " " : "") + text_of(static_cast<int64_t>(n));
      }
      add_tokens(text);
      texts.push_back(std::move(text));
    }
  }

  // Writes relations with their spans in characters.
  void add(Text& to, const char* name, const SideRows& side) const {
    std::vector<int64_t> relations, spans, values;
    for (size_t k = 0; k + 1 < side.relation_offsets.size(); ++k) {
      relations.push_back(side.n_relations(k));
      for (auto r = static_cast<size_t>(side.relation_offsets[k]);
           r < static_cast<size_t>(side.relation_offsets[k + 1]); ++r) {
        spans.push_back(side.row_offsets[r + 1] - side.row_offsets[r]);
        for (int64_t s = side.row_offsets[r]; s < side.row_offsets[r + 1]; ++s) {
          const Row& row = side.rows[static_cast<size_t>(s)];
          const size_t first = first_[k];
          values.push_back(row.role);
          values.push_back(starts_[first + static_cast<size_t>(row.start)]);
          values.push_back(stops_[first + static_cast<size_t>(row.stop) - 1]);
        }
      }
    }
    add_json(to, name);
    to += ": {";
    add_numbers(to, "relations", relations);
    to += ", ";
    add_numbers(to, "spans", spans);
    to += ", ";
    add_numbers(to, "values", values);
    to += '}';
  }

 private:
  std::vector<int32_t> starts_, stops_;
  std::vector<size_t> first_;

  void add_tokens(View text) {
    first_.push_back(starts_.size());
    int32_t place = 0;
    bool inside = false;
    for (const char c : text) {
      if (utf8::goes_on(c)) continue;
      if (inside == is_space(c)) (inside ? stops_ : starts_).push_back(place);
      inside = !is_space(c);
      ++place;
    }
    if (inside) stops_.push_back(place);
  }
};

// The pairs of each example: of its gold relations, then of its predictions without a partner.
struct Pairs {
  std::vector<int64_t> n, gold, pred;  // numbers of relations in their example, -1 for none
  SideRows golds, preds;               // an example for each pair
  std::vector<int32_t> lengths;

  Pairs(const Aligned& aligned, const Counted& counted, const Settings& settings) {
    golds.tagged = aligned.gold.tagged;
    preds.tagged = aligned.pred.tagged;
    std::vector<uint8_t> used;
    for (size_t k = 0; k < aligned.lengths.size(); ++k) {
      const int64_t first = aligned.gold.relation_offsets[k],
                    of_pred = aligned.pred.relation_offsets[k];
      const int64_t n_gold = aligned.gold.n_relations(k), n_pred = aligned.pred.n_relations(k);
      used.assign(static_cast<size_t>(n_pred), 0);
      const size_t before = gold.size();
      for (int64_t g = 0; g < n_gold; ++g) {
        const int64_t partner = counted.partner[static_cast<size_t>(first + g)];
        if (partner >= 0) used[static_cast<size_t>(partner - of_pred)] = 1;
        add(aligned, k, g, partner < 0 ? -1 : partner - of_pred);
      }
      for (int64_t p = 0; p < n_pred; ++p) {
        if (!used[static_cast<size_t>(p)] && settings.looks_at(n_gold, p)) add(aligned, k, -1, p);
      }
      n.push_back(static_cast<int64_t>(gold.size() - before));
    }
  }

 private:
  void add(const Aligned& aligned, size_t k, int64_t g, int64_t p) {
    gold.push_back(g);
    pred.push_back(p);
    lengths.push_back(aligned.lengths[k]);
    copy(aligned.gold, k, g, golds);
    copy(aligned.pred, k, p, preds);
  }
  static void copy(const SideRows& from, size_t k, int64_t number, SideRows& to) {
    if (number >= 0) {
      const auto r = static_cast<size_t>(from.relation_offsets[k] + number);
      to.add(
          {from.rows.begin() + from.row_offsets[r], from.rows.begin() + from.row_offsets[r + 1]});
    }
    to.end_example();
  }
};

// Counts pairs, each as an example of its own, in which every relation counts.
inline std::vector<int64_t> counts_of(const Pairs& pairs, const Settings& settings, size_t width) {
  Text line = "pairs" + settings.line.substr(settings.protocol.size());
  for (const auto& [from, to] :
       {std::pair<const char*, const char*>{"surplus:truncate", "surplus:charge"},
        {"non-causal:ignore", "non-causal:charge"},
        {"|average:cnc-2022", ""}}) {
    const size_t at = line.find(from);
    if (at != Text::npos) line.replace(at, Text(from).size(), to);
  }
  std::vector<int64_t> counts(pairs.lengths.size() * width);
  fastcausal_protocol* protocol = nullptr;
  if (fastcausal_protocol_new(line.c_str(), nullptr, &protocol, nullptr)) return counts;
  const fastcausal_rows gold = rows_of(pairs.golds), pred = rows_of(pairs.preds);
  const fastcausal_results results{nullptr, counts.data(), nullptr, nullptr, nullptr};
  fastcausal_score(protocol, static_cast<int64_t>(pairs.lengths.size()), pairs.lengths.data(),
                   &gold, &pred, 1, &results, nullptr);
  fastcausal_protocol_free(protocol);
  return counts;
}

template <class TextOf>
void add_texts(Text& to, const char* name, size_t n, TextOf text_of_example) {
  add_json(to, name);
  to += ": [";
  for (size_t k = 0; k < n; ++k) {
    if (k) to += ',';
    add_json(to, text_of_example(k));
  }
  to += "], ";
}

// The different rows of counts, of pairs and then of examples, and the place of each.
struct CountRows {
  std::vector<int64_t> rows, first, place;
  int64_t n = 0;

  CountRows(const Pairs& pairs, const Counted& counted, const Settings& settings)
      : rows(counts_of(pairs, settings, counted.count_names.size())),
        width_(counted.count_names.size()),
        n_pairs_(pairs.gold.size()) {
    rows.insert(rows.end(), counted.per_example.begin(), counted.per_example.end());
    const size_t n_rows = rows.size() / width_;
    first.resize(n_rows);
    place.resize(n_rows);
    n = distinct_rows(rows.data(), static_cast<int64_t>(n_rows), static_cast<int64_t>(width_),
                      first.data(), place.data());
  }

  void add(Text& to) const {
    to += "\"count_rows\": [";
    for (size_t r = 0; r < static_cast<size_t>(n); ++r) {
      to += r ? ",[" : "[";
      for (size_t c = 0; c < width_; ++c) {
        if (c) to += ',';
        to += text_of(rows[static_cast<size_t>(first[r]) * width_ + c]);
      }
      to += ']';
    }
    to += ']';
  }
  std::vector<int64_t> of_pairs() const { return {place.begin(), middle()}; }
  std::vector<int64_t> of_examples() const { return {middle(), place.end()}; }

 private:
  size_t width_, n_pairs_;

  std::vector<int64_t>::const_iterator middle() const {
    return place.begin() + static_cast<std::ptrdiff_t>(n_pairs_);
  }
};

// Writes why predictions could not be read, and how many of each example.
inline void add_unread(Text& to, const Examples& preds, const Aligned& aligned,
                       const Settings& settings) {
  std::vector<int64_t> place_of(static_cast<size_t>(preds.n()), -1);
  std::vector<int64_t> unparsed(aligned.lengths.size(), 0);
  for (size_t k = 0; k < unparsed.size(); ++k)
    place_of[static_cast<size_t>(aligned.pred_of[k])] = static_cast<int64_t>(k);
  to += "\"unread\": [";
  size_t e = 0, n_unread = 0;
  for (const Reason& reason : preds.reasons) {
    while (preds.relation_offsets[e + 1] <= reason.relation) ++e;
    const auto k = static_cast<size_t>(place_of[e]);
    if (place_of[e] < 0) continue;
    const int64_t number = reason.relation - preds.relation_offsets[e];
    if (!settings.looks_at(aligned.gold.n_relations(k), number)) continue;
    ++unparsed[k];
    to += n_unread++ ? ",[" : "[";
    to += text_of(static_cast<int64_t>(k)) + ',';
    to += (reason.number ? text_of(reason.number) : "null") + ',';
    to += json_of(reason.why) + ",null]";
  }
  to += "], ";
  add_numbers(to, "unparsed", unparsed);
}

inline Text columns(const Examples& golds, const Examples& preds, const Aligned& aligned,
                    const Counted& counted, const Settings& settings) {
  const Characters characters(golds, aligned);
  const Pairs pairs(aligned, counted, settings);
  const CountRows rows(pairs, counted, settings);
  const size_t n = aligned.lengths.size();
  Text made = "{";
  add_texts(made, "ids", n, [&](size_t k) {
    return golds.ids.empty() ? preds.id(aligned.pred_of[k]) : golds.id(aligned.gold_of[k]);
  });
  add_texts(made, "texts", n, [&](size_t k) { return View(characters.texts[k]); });
  characters.add(made, "gold", aligned.gold);
  made += ", ";
  rows.add(made);
  made += ", \"systems\": [{\"name\": " + json_of(preds.name) + ", ";
  characters.add(made, "pred", aligned.pred);
  made += ", ";
  add_unread(made, preds, aligned, settings);
  made += ", \"pairs\": {";
  add_numbers(made, "n", pairs.n);
  made += ", ";
  add_numbers(made, "gold", pairs.gold);
  made += ", ";
  add_numbers(made, "pred", pairs.pred);
  made += ", ";
  add_numbers(made, "counts", rows.of_pairs());
  made += "}, ";
  add_numbers(made, "examples", rows.of_examples());
  return made + "}]}";
}

}  // namespace fastcausal::page
