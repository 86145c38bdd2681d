// Relations as text, the inverse of tagged.hpp and sentence.hpp: tagged sentences, columns of tags,
// texts of spans, and JSON of spans. Host only. Spans are in tokens and lie within their texts.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tags/copies.hpp"
#include "text/utf8.hpp"
#include "text/written.hpp"

namespace fastcausal {

// The relations of a table, in its order.
struct Marked {
  const int8_t* role;
  const int32_t* start;
  const int32_t* stop;
  const int64_t* rows;       // first span of each relation
  const int64_t* relations;  // first relation of each example
  const uint8_t* readable;   // NULL: all relations are

  bool is_readable(int64_t r) const { return readable == nullptr || readable[r]; }
};

// Returns the text of tokens.
inline std::string_view span_of(const TokenBounds& tokens, std::string_view text, int64_t first,
                                int64_t stop) {
  const auto from = static_cast<size_t>(tokens.starts[static_cast<size_t>(first)]);
  const auto to = static_cast<size_t>(tokens.stops[static_cast<size_t>(stop - 1)]);
  return text.substr(from, to - from);
}

inline bool holds_tags(std::string_view text) {
  const char* end = text.data() + text.size();
  for (size_t k = text.find('<'); k < text.size(); k = text.find('<', k + 1))
    if (behind_tag(text.data() + k, end) != text.data() + k) return true;
  return false;
}

// Spans of a relation in the order of role, start and stop. Uses its memory again.
struct SortedSpans {
  std::vector<std::array<int32_t, 3>> spans;

  // numbers: a number for each role.
  void set(const Marked& marked, int64_t relation, const int8_t* numbers) {
    spans.clear();
    for (int64_t k = marked.rows[relation]; k < marked.rows[relation + 1]; ++k)
      spans.push_back({numbers[marked.role[k]], marked.start[k], marked.stop[k]});
    std::sort(spans.begin(), spans.end());
  }
};

// Puts the tags of a relation into its sentence, for the strict reading.
class TagWriter {
 public:
  // Adds the tagged sentence. Returns the number of spans that tags cannot hold: causes that
  // overlap an earlier cause, effects that overlap an earlier effect, and other roles.
  // numbers: 0 cause, 1 effect, 2 signal, 3 others.
  int32_t add(std::string_view text, const TokenBounds& tokens, const Marked& marked,
              int64_t relation, const int8_t* numbers, std::string& out) {
    sorted_.set(marked, relation, numbers);
    const int32_t n_left_out = set_tags(tokens);
    std::sort(tags_.begin(), tags_.end());
    size_t last = 0;
    for (const Tag& tag : tags_) {
      const auto at = static_cast<size_t>(tag.at);
      out += text.substr(last, at - last);
      last = at;
      out += tag.order < 0 ? "</" : "<";
      out += tag.number < 2 ? "ARG" : "SIG";
      out += std::to_string(tag.number < 2 ? tag.number : tag.number - 2);
      out += '>';
    }
    out += text.substr(last);
    return n_left_out;
  }

 private:
  struct Tag {
    int64_t at;
    int32_t order;   // at its place: opening tags from 1 upwards, closing ones from below
    int32_t number;  // ARG0, ARG1, SIG0, SIG1, ...

    bool operator<(const Tag& other) const {
      return at != other.at ? at < other.at : order < other.order;
    }
  };
  SortedSpans sorted_;
  std::vector<Tag> tags_;

  int32_t set_tags(const TokenBounds& tokens) {
    constexpr int32_t SIGNAL = 2;
    tags_.clear();
    int32_t ends[SIGNAL] = {0, 0};  // of the last cause and the last effect
    int32_t n_left_out = 0, n_signals = 0, order = 0;
    for (const auto& [role, start, stop] : sorted_.spans) {
      if (role > SIGNAL || (role < SIGNAL && start < ends[role])) {
        ++n_left_out;
        continue;
      }
      if (role < SIGNAL) ends[role] = stop;
      const int32_t number = role < SIGNAL ? role : SIGNAL + n_signals++;
      ++order;
      tags_.push_back({tokens.starts[static_cast<size_t>(start)], order, number});
      tags_.push_back({tokens.stops[static_cast<size_t>(stop - 1)], -order, number});
    }
    return n_left_out;
  }
};

// Writes a tagged sentence for each readable relation of n examples, except skipped ones.
// Sets counts, the sentences of each example; left_out, the spans that each of their relations
// loses; and holds, whether the text of an example with relations has tags itself.
inline void write_tagged(const Strings& texts, const Marked& marked, int64_t first, int64_t n,
                         const uint8_t* skipped, const int8_t* numbers, bool by_letters, Cells& out,
                         int64_t* counts, int32_t* left_out, uint8_t* holds) {
  TagWriter writer;
  TokenBounds tokens;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t begin = marked.relations[first + k], end = marked.relations[first + k + 1];
    counts[k] = 0;
    holds[k] = 0;
    if (begin == end || (skipped != nullptr && skipped[k])) continue;
    tokens.split(texts[k], by_letters);
    holds[k] = holds_tags(texts[k]);
    for (int64_t r = begin; r < end; ++r) {
      if (!marked.is_readable(r)) continue;
      left_out[r - marked.relations[first]] =
          writer.add(texts[k], tokens, marked, r, numbers, out.text);
      out.end_cell();
      ++counts[k];
    }
  }
}

// Tags of the tokens of a relation, as codes: two bits for each role with tags, in their order.
class TagCodes {
 public:
  static constexpr uint8_t BEGINS = 1, GOES_ON = 2;

  // Adds the codes of n tokens. Returns the number of spans that overlap their own role or have no
  // tag. slots: the place of each role among those with tags, -1 without.
  int32_t add(const Marked& marked, int64_t relation, const int8_t* slots, int64_t n,
              std::vector<uint8_t>& codes) {
    constexpr size_t N_SLOTS = 3;
    const size_t from = codes.size();
    codes.resize(from + static_cast<size_t>(n));
    sorted_.set(marked, relation, slots);
    int32_t ends[N_SLOTS] = {0, 0, 0};
    int32_t n_left_out = 0;
    for (const auto& [slot, start, stop] : sorted_.spans) {
      if (slot < 0 || start < ends[slot]) {
        ++n_left_out;
        continue;
      }
      ends[slot] = stop;
      for (int32_t token = start; token < stop; ++token)
        codes[from + static_cast<size_t>(token)] |=
            static_cast<uint8_t>((token == start ? BEGINS : GOES_ON) << 2 * slot);
    }
    return n_left_out;
  }

 private:
  SortedSpans sorted_;
};

// Losses of an example in a file of tags.
enum TagLoss : uint8_t {
  LINE_ENDS = 1,  // of its text
  NO_TOKENS = 2,
  NO_LINES = 4,
};

// Writes sentences as lines: a token, then a tag for each readable relation.
class TagLines {
 public:
  // names: the text of each code. ids: of NULL data, or a comment for each example.
  TagLines(const Strings& texts, const Strings& ids, const std::vector<std::string>& names,
           bool by_letters)
      : texts_(texts), ids_(ids), by_letters_(by_letters), names_(names) {}

  // Writes n examples, each with an empty line behind. counts: their tokens. Sets losses of
  // examples, bits of `TagLoss`, and left_out of relations.
  void write(const Marked& marked, int64_t first, int64_t n, const int64_t* counts,
             const int8_t* slots, uint8_t* losses, int32_t* left_out, std::string& out) {
    const int64_t base = marked.relations[first];
    for (int64_t k = 0; k < n; ++k) {
      const size_t begin = out.size();
      losses[k] = texts_.has(k) ? comments(k, out) : comment_id(k, out);
      codes_.clear();
      int64_t n_columns = 0;
      for (int64_t r = marked.relations[first + k]; r < marked.relations[first + k + 1]; ++r) {
        if (!marked.is_readable(r)) continue;
        left_out[r - base] = tags_.add(marked, r, slots, counts[k], codes_);
        ++n_columns;
      }
      lines(k, counts[k], n_columns, out);
      if (out.size() == begin) {
        losses[k] |= NO_LINES;
        continue;
      }
      if (counts[k] == 0 && n_columns > 0) losses[k] |= NO_TOKENS;
      out += '\n';
    }
  }

 private:
  Strings texts_, ids_;
  const bool by_letters_;
  const std::vector<std::string>& names_;
  TokenBounds tokens_;
  TagCodes tags_;
  std::vector<uint8_t> codes_;

  uint8_t comment_id(int64_t k, std::string& out) const {
    if (ids_.data == nullptr) return 0;
    out += "# id = ";
    out += ids_[k];
    out += '\n';
    return 0;
  }

  // Adds the comments of an example with a text.
  uint8_t comments(int64_t k, std::string& out) {
    comment_id(k, out);
    const std::string_view text = texts_[k];
    tokens_.split(text, by_letters_);
    if (is_joined(text)) return 0;
    if (text.find_first_of("\n\r") != std::string_view::npos) return LINE_ENDS;
    out += "# text = ";
    out += text;
    out += '\n';
    return 0;
  }

  // Tells if single spaces are the only white space of a text, and stand between its tokens.
  bool is_joined(std::string_view text) const {
    size_t end = 0;  // of the token before
    for (size_t t = 0; t < tokens_.starts.size(); ++t) {
      const auto start = static_cast<size_t>(tokens_.starts[t]);
      if (start != end + (t > 0) || (t > 0 && text[end] != ' ')) return false;
      end = static_cast<size_t>(tokens_.stops[t]);
    }
    return end == text.size();
  }

  void lines(int64_t k, int64_t n_tokens, int64_t n_columns, std::string& out) const {
    for (int64_t t = 0; t < n_tokens; ++t) {
      if (texts_.has(k)) {
        out += span_of(tokens_, texts_[k], t, t + 1);
      } else {
        out += '_';
      }
      for (int64_t c = 0; c < n_columns; ++c) {
        out += '\t';
        out += names_[codes_[static_cast<size_t>(c * n_tokens + t)]];
      }
      out += '\n';
    }
  }
};

inline void add_number(int64_t number, std::string& out) { out += std::to_string(number); }

// Writes the relations of each example as JSON: [[{"role": ..., "start": 0, "stop": 2}], null].
// roles: strings of JSON.
inline void write_offsets(const Marked& marked, int64_t first, int64_t n,
                          const std::vector<std::string>& roles, Cells& out) {
  std::string& text = out.text;
  for (int64_t k = first; k < first + n; ++k) {
    text += '[';
    for (int64_t r = marked.relations[k]; r < marked.relations[k + 1]; ++r) {
      if (r > marked.relations[k]) text += ", ";
      if (!marked.is_readable(r)) {
        text += "null";
        continue;
      }
      text += '[';
      for (int64_t s = marked.rows[r]; s < marked.rows[r + 1]; ++s) {
        text += s > marked.rows[r] ? ", {\"role\": " : "{\"role\": ";
        text += roles[static_cast<size_t>(marked.role[s])];
        text += ", \"start\": ";
        add_number(marked.start[s], text);
        text += ", \"stop\": ";
        add_number(marked.stop[s], text);
        text += '}';
      }
      text += ']';
    }
    text += ']';
    out.end_cell();
  }
}

// Writes spans as JSON of their texts, or of their characters if a text occurs elsewhere, too.
class SpanTexts {
 public:
  // roles: strings of JSON, empty for a role that is left out.
  SpanTexts(const std::vector<std::string>& roles, bool by_letters)
      : roles_(roles), by_letters_(by_letters) {}

  // Writes the relations of n examples: [{"cause": ["rain"], "effect": [...]}, null]. types: of
  // these relations, without data if no relation has one.
  void write(const Strings& texts, const Strings& types, const Marked& marked, int64_t first,
             int64_t n, Cells& out) {
    for (int64_t k = 0; k < n; ++k) {
      const int64_t begin = marked.relations[first + k], end = marked.relations[first + k + 1];
      if (begin < end) tokens_.split(texts[k], by_letters_);
      out.text += '[';
      for (int64_t r = begin; r < end; ++r) {
        if (r > begin) out.text += ", ";
        if (!marked.is_readable(r)) {
          out.text += "null";
          continue;
        }
        out.text += '{';
        add_roles(texts[k], marked, r, out.text);
        const int64_t type = r - marked.relations[first];
        if (types.places && types.has(type)) {
          out.text += order_.empty() ? "\"type\": " : ", \"type\": ";
          add_json(types[type], out.text);
        }
        out.text += '}';
      }
      out.text += ']';
      out.end_cell();
    }
  }

 private:
  const std::vector<std::string>& roles_;
  const bool by_letters_;
  TokenBounds tokens_;
  std::vector<int8_t> order_;  // roles of a relation, in the order of their first spans

  void add_roles(std::string_view text, const Marked& marked, int64_t r, std::string& out) {
    order_.clear();
    for (int64_t s = marked.rows[r]; s < marked.rows[r + 1]; ++s) {
      const int8_t role = marked.role[s];
      if (roles_[static_cast<size_t>(role)].empty()) continue;
      if (std::find(order_.begin(), order_.end(), role) == order_.end()) order_.push_back(role);
    }
    for (size_t k = 0; k < order_.size(); ++k) {
      if (k > 0) out += ", ";
      out += roles_[static_cast<size_t>(order_[k])];
      out += ": [";
      bool is_first = true;
      for (int64_t s = marked.rows[r]; s < marked.rows[r + 1]; ++s) {
        if (marked.role[s] != order_[k]) continue;
        if (!is_first) out += ", ";
        is_first = false;
        add_span(text, marked.start[s], marked.stop[s], out);
      }
      out += ']';
    }
  }

  void add_span(std::string_view text, int64_t start, int64_t stop, std::string& out) const {
    const std::string_view span = span_of(tokens_, text, start, stop);
    if (!occurs_elsewhere(text, span)) {
      add_json(span, out);
      return;
    }
    const auto from = static_cast<size_t>(span.data() - text.data());
    const int64_t before = utf8::count(text.substr(0, from));
    out += "{\"start\": ";
    add_number(before, out);
    out += ", \"stop\": ";
    add_number(before + utf8::count(span), out);
    out += '}';
  }

  // Tells if other whole tokens are the text of a span.
  bool occurs_elsewhere(std::string_view text, std::string_view span) const {
    for (const int64_t start : tokens_.starts) {
      const auto at = static_cast<size_t>(start);
      if (text.data() + at == span.data() || text[at] != span[0]) continue;
      if (text.substr(at, span.size()) != span) continue;
      const auto end = static_cast<int64_t>(at + span.size());
      if (std::binary_search(tokens_.stops.begin(), tokens_.stops.end(), end)) return true;
    }
    return false;
  }
};

}  // namespace fastcausal
