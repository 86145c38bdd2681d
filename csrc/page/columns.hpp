// The columns of docs/pages.md, which the table of examples shows.
#pragma once
#include "page/written.hpp"

namespace fastcausal::page {

// A file of predictions, and what was last scored.
struct System {
  File file;
  Examples preds;
  std::unique_ptr<Aligned> aligned;
  Counted counted;
  std::vector<int64_t> places;  // of the examples that are shown, -1 for one that it leaves out
};

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

  // golds: the examples that are shown, and their lengths.
  Characters(const Examples& of, const std::vector<int64_t>& golds,
             const std::vector<int32_t>& lengths) {
    for (size_t k = 0; k < golds.size(); ++k) {
      const auto g = static_cast<size_t>(golds[k]);
      const auto length = static_cast<size_t>(lengths[k]);
      Text text = of.has_text[g] ? of.texts[g] : "";
      if (words_of(text).size() != length) {  // numbers of tokens stand for another text
        text.clear();
        for (size_t n = 0; n < length; ++n)
          text += (n ? " " : "") + text_of(static_cast<int64_t>(n));
      }
      add_tokens(text);
      texts.push_back(std::move(text));
    }
  }

  // Writes relations with their spans in characters. places: of the examples in this side, -1 for
  // none.
  void add(Text& to, const char* name, const SideRows& side,
           const std::vector<int64_t>& places) const {
    std::vector<int64_t> relations, spans, values;
    for (size_t k = 0; k < places.size(); ++k) {
      relations.push_back(places[k] < 0 ? 0 : side.n_relations(static_cast<size_t>(places[k])));
      if (places[k] < 0) continue;
      const auto e = static_cast<size_t>(places[k]);
      for (auto r = static_cast<size_t>(side.relation_offsets[e]);
           r < static_cast<size_t>(side.relation_offsets[e + 1]); ++r) {
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

// The pairs of each example that is shown: of its gold relations, then of its predictions without
// a partner.
struct Pairs {
  std::vector<int64_t> n, gold, pred;  // numbers of relations in their example, -1 for none
  SideRows golds, preds;               // an example for each pair
  std::vector<int32_t> lengths;

  Pairs(const System& system, const Settings& settings) {
    const Aligned& aligned = *system.aligned;
    golds.tagged = aligned.gold.tagged;
    preds.tagged = aligned.pred.tagged;
    std::vector<uint8_t> used;
    for (const int64_t place : system.places) {
      n.push_back(0);
      if (place < 0) continue;
      const auto k = static_cast<size_t>(place);
      const int64_t first = aligned.gold.relation_offsets[k],
                    of_pred = aligned.pred.relation_offsets[k];
      const int64_t n_gold = aligned.gold.n_relations(k), n_pred = aligned.pred.n_relations(k);
      used.assign(static_cast<size_t>(n_pred), 0);
      const size_t before = gold.size();
      for (int64_t g = 0; g < n_gold; ++g) {
        const int64_t partner = system.counted.partner[static_cast<size_t>(first + g)];
        if (partner >= 0) used[static_cast<size_t>(partner - of_pred)] = 1;
        add(aligned, k, g, partner < 0 ? -1 : partner - of_pred);
      }
      for (int64_t p = 0; p < n_pred; ++p) {
        if (!used[static_cast<size_t>(p)] && settings.looks_at(n_gold, p)) add(aligned, k, -1, p);
      }
      n.back() = static_cast<int64_t>(gold.size() - before);
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

// The different rows of counts of all systems, and the place of each row among them.
class CountRows {
 public:
  CountRows(const std::vector<System>& systems, const Settings& settings) {
    for (const System& system : systems) {
      width_ = system.counted.count_names.size();
      pairs_.emplace_back(system, settings);
      const std::vector<int64_t> counts = counts_of(pairs_.back(), settings, width_);
      rows_.insert(rows_.end(), counts.begin(), counts.end());
      rows_.insert(rows_.end(), system.counted.per_example.begin(),
                   system.counted.per_example.end());
    }
    first_.resize(rows_.size() / width_);
    place_.resize(first_.size());
    n_ = distinct_rows(rows_.data(), static_cast<int64_t>(first_.size()),
                       static_cast<int64_t>(width_), first_.data(), place_.data());
  }

  void add(Text& to) const {
    to += "\"count_rows\": [";
    for (size_t r = 0; r < static_cast<size_t>(n_); ++r) {
      to += r ? ",[" : "[";
      for (size_t c = 0; c < width_; ++c) {
        if (c) to += ',';
        to += text_of(rows_[static_cast<size_t>(first_[r]) * width_ + c]);
      }
      to += ']';
    }
    to += ']';
  }

  // Writes the pairs and the examples of each system, in their order.
  void add_system(Text& to, size_t number, const System& system) {
    const Pairs& pairs = pairs_[number];
    std::vector<int64_t> of_pairs, of_examples;
    for (size_t k = 0; k < pairs.gold.size(); ++k) of_pairs.push_back(place_[at_++]);
    for (const int64_t place : system.places)
      of_examples.push_back(place < 0 ? -1 : place_[at_ + static_cast<size_t>(place)]);
    at_ += system.aligned->lengths.size();
    to += "\"pairs\": {";
    add_numbers(to, "n", pairs.n);
    to += ", ";
    add_numbers(to, "gold", pairs.gold);
    to += ", ";
    add_numbers(to, "pred", pairs.pred);
    to += ", ";
    add_numbers(to, "counts", of_pairs);
    to += "}, ";
    add_numbers(to, "examples", of_examples);
  }

 private:
  size_t width_ = 1, at_ = 0;
  int64_t n_ = 0;
  std::vector<Pairs> pairs_;
  std::vector<int64_t> rows_, first_, place_;
};

// Writes why predictions could not be read, and how many of each example.
inline void add_unread(Text& to, const System& system, const Settings& settings) {
  const Examples& preds = system.preds;
  const Aligned& aligned = *system.aligned;
  std::vector<int64_t> shown_of(static_cast<size_t>(preds.n()), -1);
  std::vector<int64_t> unparsed(system.places.size(), 0);
  for (size_t k = 0; k < unparsed.size(); ++k)
    if (system.places[k] >= 0)
      shown_of[static_cast<size_t>(aligned.pred_of[static_cast<size_t>(system.places[k])])] =
          static_cast<int64_t>(k);
  to += "\"unread\": [";
  size_t e = 0, n_unread = 0;
  for (const Reason& reason : preds.reasons) {
    while (preds.relation_offsets[e + 1] <= reason.relation) ++e;
    if (shown_of[e] < 0) continue;
    const auto k = static_cast<size_t>(shown_of[e]);
    const int64_t number = reason.relation - preds.relation_offsets[e];
    if (!settings.looks_at(aligned.gold.n_relations(static_cast<size_t>(system.places[k])), number))
      continue;
    ++unparsed[k];
    to += n_unread++ ? ",[" : "[";
    to += text_of(static_cast<int64_t>(k)) + ',';
    to += (reason.number ? text_of(reason.number) : "null") + ',';
    to += json_of(reason.why) + ",null]";
  }
  to += "], ";
  add_numbers(to, "unparsed", unparsed);
}

inline Text columns(const Examples& golds, std::vector<System>& systems, const Settings& settings) {
  std::vector<int64_t> shown;  // examples of gold that any system has
  std::vector<int32_t> lengths(static_cast<size_t>(golds.n()), -1);
  for (System& system : systems) {
    const Aligned& aligned = *system.aligned;
    for (size_t k = 0; k < aligned.lengths.size(); ++k)
      lengths[static_cast<size_t>(aligned.gold_of[k])] = aligned.lengths[k];
  }
  for (int64_t g = 0; g < golds.n(); ++g)
    if (lengths[static_cast<size_t>(g)] >= 0) shown.push_back(g);
  lengths.erase(std::remove(lengths.begin(), lengths.end(), -1), lengths.end());
  for (System& system : systems) {
    std::vector<int64_t> place_of(static_cast<size_t>(golds.n()), -1);
    for (size_t k = 0; k < system.aligned->gold_of.size(); ++k)
      place_of[static_cast<size_t>(system.aligned->gold_of[k])] = static_cast<int64_t>(k);
    system.places.clear();
    for (const int64_t g : shown) system.places.push_back(place_of[static_cast<size_t>(g)]);
  }
  const Characters characters(golds, shown, lengths);
  SideRows gold;
  for (int64_t g = 0; g < golds.n(); ++g) {
    gold.add(golds, g);
    gold.end_example();
  }
  CountRows rows(systems, settings);
  Text made = "{";
  add_texts(made, "ids", shown.size(), [&](size_t k) { return golds.id(shown[k]); });
  add_texts(made, "texts", shown.size(), [&](size_t k) { return View(characters.texts[k]); });
  characters.add(made, "gold", gold, shown);
  made += ", ";
  rows.add(made);
  made += ", \"systems\": [";
  for (size_t s = 0; s < systems.size(); ++s) {
    made += (s ? ", {\"name\": " : "{\"name\": ") + json_of(systems[s].preds.name) + ", ";
    characters.add(made, "pred", systems[s].aligned->pred, systems[s].places);
    made += ", ";
    add_unread(made, systems[s], settings);
    made += ", ";
    rows.add_system(made, s, systems[s]);
    made += '}';
  }
  return made + "]}";
}

}  // namespace fastcausal::page
