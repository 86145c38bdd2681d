// Gold and predictions, example by example, as fastcausal/tasks/relations/align.py brings them
// together: joined by id, with one length, and a policy for relations that could not be read.
#pragma once
#include "page/examples.hpp"
#include "page/sentences.hpp"

namespace fastcausal::page {

// The settings from the page.
struct Settings {
  Text line;      // the signature of the protocol
  Text protocol;  // its name
  Tags tags = Tags::strict;
  bool truncate = false, ignore_non_causal = false, first_of_ties = false;
  Text unparsed;  // error, empty or skip

  // Tells if the protocol looks at a prediction, by its place in an example of so many gold
  // relations.
  bool looks_at(int64_t n_gold, int64_t place) const {
    if (n_gold == 0) return !ignore_non_causal;
    return !truncate || place < n_gold;
  }
};

// One side in the order of gold.
struct SideRows {
  std::vector<Row> rows;
  std::vector<int64_t> row_offsets{0}, relation_offsets{0};
  bool tagged = false;

  void add(const Examples& from, int64_t example) {
    const auto e = static_cast<size_t>(example);
    for (auto r = static_cast<size_t>(from.relation_offsets[e]);
         r < static_cast<size_t>(from.relation_offsets[e + 1]); ++r) {
      rows.insert(rows.end(), from.rows.begin() + from.row_offsets[r],
                  from.rows.begin() + from.row_offsets[r + 1]);
      row_offsets.push_back(static_cast<int64_t>(rows.size()));
    }
  }
  void add(const std::vector<Row>& relation) {
    rows.insert(rows.end(), relation.begin(), relation.end());
    row_offsets.push_back(static_cast<int64_t>(rows.size()));
  }
  void end_example() { relation_offsets.push_back(static_cast<int64_t>(row_offsets.size()) - 1); }
  int64_t n_relations(size_t e) const { return relation_offsets[e + 1] - relation_offsets[e]; }
};

class Aligned {
 public:
  SideRows gold, pred;
  std::vector<int32_t> lengths;
  std::vector<int64_t> gold_of, pred_of;  // the example of either file
  std::map<Text, int64_t> notes;          // by the text before the number
  std::vector<Text> warnings;
  int64_t n_unparsed = 0, n_answers = 0, n_left_out = 0, n_readable = 0;
  Text error, remedy;

  Aligned(const Examples& gold_, const Examples& pred_, const Settings& settings)
      : golds_(gold_), preds_(pred_), settings_(settings) {}

  bool align() {
    if (!join() || !settle()) return false;
    for (const auto& [side, of] :
         {std::pair<const char*, const Examples*>{"gold", &golds_}, {"pred", &preds_}})
      for (const auto& [note, n] : of->notes) notes[Text(side) + ": " + note + ": "] += n;
    warnings = golds_.warnings;
    gold.tagged = golds_.tagged;
    pred.tagged = preds_.tagged;
    return fill();
  }

 private:
  const Examples& golds_;
  const Examples& preds_;
  const Settings& settings_;

  bool refuse(const Text& message, const Text& advice = "") {
    error = message;
    remedy = advice;
    return false;
  }
  bool official() const { return settings_.tags != Tags::strict; }

  Text unread() const {
    std::vector<Text> first = preds_.messages.first;
    if (static_cast<int64_t>(first.size()) > n_unparsed)
      first.resize(static_cast<size_t>(n_unparsed));
    return counted(n_unparsed, "relation") + " of pred could not be read" +
           (first.empty() ? "" : ":\n" + Problems::summary(n_unparsed, first));
  }

  bool join() {
    const int64_t n = golds_.n();
    if (golds_.ids.empty() || preds_.ids.empty()) {
      if (n != preds_.n())
        return refuse("pred has " + text_of(preds_.n()) + " examples, expected " + text_of(n) +
                      " as in gold (without ids on both sides, examples are joined by position)");
      for (int64_t k = 0; k < n; ++k) pred_of.push_back(k);
    } else {
      std::unordered_map<View, int64_t> known;
      for (size_t k = 0; k < preds_.ids.size(); ++k)
        known.try_emplace(preds_.ids[k], static_cast<int64_t>(k));
      std::vector<Text> missing, surplus;
      std::vector<uint8_t> used(preds_.ids.size());
      for (const Text& id : golds_.ids) {
        const auto found = known.find(id);
        if (found == known.end())
          missing.push_back(id);
        else
          used[static_cast<size_t>(found->second)] = 1;
        pred_of.push_back(found == known.end() ? -1 : found->second);
      }
      for (size_t k = 0; k < used.size(); ++k)
        if (!used[k]) surplus.push_back(preds_.ids[k]);
      if (!missing.empty() || !surplus.empty())
        return refuse(text_of(static_cast<int64_t>(missing.size())) +
                          " examples of gold have no prediction" + some_of(missing) + ", " +
                          text_of(static_cast<int64_t>(surplus.size())) +
                          " of pred are not in gold" + some_of(surplus),
                      "--unmatched empty or skip would allow it");
    }
    for (int64_t k = 0; k < n; ++k) gold_of.push_back(k);
    return true;
  }

  // Applies the policy to relations that could not be read and that the protocol looks at.
  bool settle() {
    if (preds_.reasons.empty()) return true;
    std::vector<size_t> of_pred(static_cast<size_t>(preds_.n()));
    for (size_t k = 0; k < pred_of.size(); ++k) of_pred[static_cast<size_t>(pred_of[k])] = k;
    std::vector<uint8_t> out(pred_of.size());
    size_t e = 0;
    for (const Reason& reason : preds_.reasons) {
      while (preds_.relation_offsets[e + 1] <= reason.relation) ++e;
      const size_t k = of_pred[e];
      const int64_t n_gold = golds_.n_relations(gold_of[k]);
      const int64_t place = reason.relation - preds_.relation_offsets[e];
      if (!settings_.looks_at(n_gold, place)) continue;
      ++n_unparsed;
      n_answers += reason.number == 0;
      out[k] = 1;
    }
    if (!n_unparsed) return true;
    if (settings_.unparsed == "error")
      return refuse(unread(), "--unparsed empty or skip would score the rest");
    if (settings_.unparsed == "skip") leave(out);
    return true;
  }

  void leave(const std::vector<uint8_t>& out) {
    size_t to = 0;
    for (size_t k = 0; k < out.size(); ++k) {
      if (out[k]) {
        ++n_left_out;
        const auto e = static_cast<size_t>(pred_of[k]);
        for (int64_t r = preds_.relation_offsets[e]; r < preds_.relation_offsets[e + 1]; ++r)
          n_readable += !preds_.unread[static_cast<size_t>(r)];
        continue;
      }
      gold_of[to] = gold_of[k];
      pred_of[to++] = pred_of[k];
    }
    gold_of.resize(to);
    pred_of.resize(to);
  }

  // Puts the examples in the order in which cnc-2022 merges them.
  void order_by_corpus() {
    std::vector<int64_t> order(gold_of.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int64_t>(k);
    std::array<bool, 3> numbers{};
    for (size_t c = 0; c < 3; ++c) {
      numbers[c] = true;
      for (const Text& key : golds_.keys[c])
        numbers[c] &= !key.empty() && std::all_of(key.begin(), key.end(), is_digit);
    }
    const auto compare = [&](size_t c, int64_t a, int64_t b) {
      if (golds_.keys[c].empty()) return 0;
      const View x = golds_.keys[c][static_cast<size_t>(a)],
                 y = golds_.keys[c][static_cast<size_t>(b)];
      if (!numbers[c]) return x.compare(y);
      const auto plain = [](View digits) {
        while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
        return digits;
      };
      const View p = plain(x), q = plain(y);
      return p.size() != q.size() ? (p.size() < q.size() ? -1 : 1) : p.compare(q);
    };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int64_t x = gold_of[static_cast<size_t>(a)], y = gold_of[static_cast<size_t>(b)];
      for (size_t c = 0; c < 3; ++c)
        if (const int way = compare(c, x, y)) return way < 0;
      return false;
    });
    std::vector<int64_t> golds, preds;
    for (const int64_t k : order) {
      golds.push_back(gold_of[static_cast<size_t>(k)]);
      preds.push_back(pred_of[static_cast<size_t>(k)]);
    }
    gold_of = std::move(golds);
    pred_of = std::move(preds);
  }

  bool fill() {
    if (settings_.protocol == "cnc-2022") order_by_corpus();
    Problems problems;
    int64_t n_filled = 0;
    for (size_t k = 0; k < gold_of.size(); ++k) {
      gold.add(golds_, gold_of[k]);
      pred.add(preds_, pred_of[k]);
      gold.end_example();
      lengths.push_back(length_of(k, problems));
      n_filled += pad(k);
      pred.end_example();
    }
    if (problems.count) return refuse(problems.summary());
    if (n_filled)
      warnings.push_back(text_of(n_filled) +
                         " examples with too few predictions are filled up with a text that "
                         "holds tags itself");
    if (official() && settings_.truncate) warn_of_keys();
    return true;
  }

  int32_t last_stop(const Examples& of, int64_t e) const {
    int32_t last = 0;
    const auto from =
        of.row_offsets[static_cast<size_t>(of.relation_offsets[static_cast<size_t>(e)])];
    const auto to =
        of.row_offsets[static_cast<size_t>(of.relation_offsets[static_cast<size_t>(e) + 1])];
    for (int64_t k = from; k < to; ++k) last = std::max(last, of.rows[static_cast<size_t>(k)].stop);
    return last;
  }

  // Returns the tokens of an example, and reports sides that differ.
  int32_t length_of(size_t k, Problems& problems) {
    const int64_t g = gold_of[k], p = pred_of[k];
    const Text name = "example " + golds_.id(g);
    const int32_t of_gold = golds_.lengths[static_cast<size_t>(g)],
                  of_pred = preds_.lengths[static_cast<size_t>(p)];
    const int32_t length = of_gold < 0 ? of_pred : of_gold;
    const int32_t last_gold = last_stop(golds_, g), last_pred = last_stop(preds_, p);
    const bool looked_at = !settings_.ignore_non_causal || golds_.n_relations(g) > 0;
    for (const auto& [own, last] : {std::pair{of_gold, last_gold}, {of_pred, last_pred}})
      if (own >= 0 && last > own)
        problems.add(name + ": a span ends at " + text_of(last) + ", after the last of " +
                     text_of(own) + " tokens");
    if (length < 0) {
      if (last_gold + last_pred > 0)
        problems.add(name + " has no length: give \"length\", \"tokens\" or \"text\"");
      return 0;
    }
    if (of_pred >= 0 && of_pred != length && looked_at)
      problems.add(name + ": pred has " + text_of(of_pred) + " tokens, expected " +
                   text_of(length) + " as in gold");
    else if (of_pred < 0 && last_pred > length && looked_at)
      problems.add(name + ": a span of pred ends at " + text_of(last_pred) +
                   ", after the last of " + text_of(length) + " tokens");
    return length;
  }

  // The official programs fill predictions up with the text, which may hold tags.
  bool pad(size_t k) {
    const auto g = static_cast<size_t>(gold_of[k]);
    const int64_t n_pred =
        static_cast<int64_t>(pred.row_offsets.size()) - 1 - pred.relation_offsets.back();
    const int64_t missing = golds_.n_relations(gold_of[k]) - n_pred;
    if (!official() || !settings_.truncate || missing <= 0 || golds_.texts.empty() ||
        !golds_.has_text[g])
      return false;
    const Text& text = golds_.texts[g];
    if (text.find('<') == Text::npos) return false;
    std::vector<PackedSpan> spans;
    OfficialSentence sentence(text.data(), static_cast<int64_t>(text.size()),
                              settings_.tags == Tags::relaxed, spans);
    if (sentence.read(text.data() + text.size()) != lengths.back() || spans.empty()) return false;
    std::vector<Row> rows(spans.size());
    std::transform(spans.begin(), spans.end(), rows.begin(), unpacked);
    std::sort(rows.begin(), rows.end(), before);
    for (int64_t n = 0; n < missing; ++n) pred.add(rows);
    return true;
  }

  // Warns of keys that the official programs treat in another way.
  void warn_of_keys() {
    static constexpr const char* MISSING[] = {"",         "#N/A", "#N/A N/A", "#NA",    "-1.#IND",
                                              "-1.#QNAN", "-NaN", "-nan",     "1.#IND", "1.#QNAN",
                                              "<NA>",     "N/A",  "NA",       "NULL",   "NaN",
                                              "None",     "n/a",  "nan",      "null"};
    for (const auto& column : golds_.keys)
      if (column.empty()) return;
    std::map<Text, std::vector<int64_t>> rows_of;
    std::vector<int64_t> pooled, unpaired;
    for (size_t k = 0; k < gold_of.size(); ++k) {
      const int64_t n_gold = gold.n_relations(k);
      if (!n_gold) continue;
      Text key;
      bool missing = false;
      for (const auto& column : golds_.keys) {
        const Text& own = column[static_cast<size_t>(gold_of[k])];
        for (const char* none : MISSING) missing |= own == none;
        (key += own) += '\n';
      }
      if (!missing)
        rows_of[key].push_back(static_cast<int64_t>(k));
      else if (n_gold > 1)
        unpaired.push_back(static_cast<int64_t>(k));
    }
    for (const auto& [key, rows] : rows_of)
      if (rows.size() > 1) pooled.insert(pooled.end(), rows.begin(), rows.end());
    std::sort(pooled.begin(), pooled.end());
    const auto named = [](const std::vector<int64_t>& rows) {
      Text made = "rows ";
      for (size_t k = 0; k < rows.size() && k < 10; ++k)
        made += (k ? ", " : "") + text_of(rows[k] + 1);
      return made + (rows.size() > 10
                         ? " and " + text_of(static_cast<int64_t>(rows.size()) - 10) + " more"
                         : "");
    };
    if (!pooled.empty())
      warnings.push_back(named(pooled) +
                         " share corpus, doc_id and sent_id with another row: the official program "
                         "pools their relations, here each row is by itself");
    if (!unpaired.empty())
      warnings.push_back(named(unpaired) +
                         " have a corpus, doc_id or sent_id that pandas takes for missing: the "
                         "official program searches no pairing for them");
  }
};

}  // namespace fastcausal::page
