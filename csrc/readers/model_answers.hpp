// Reads raw answers of models that hold {"relations": [...]}: as the whole answer, in a fence, or
// between other text without brackets, and behind thinking; and whole answers [...]. A comma may
// follow the last item of a list or an object: then they are literals of Python, too. Python reads
// all other answers; it specifies these, too (fastcausal/formats/model_output/texts.py).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/span_lines.hpp"

namespace fastcausal {

// The way in which an answer is given. BARE stands in prose without other text. Behind thinking,
// THOUGHT is added to the way, and LITERAL for a comma behind a last item.
enum class AnswerWay : uint8_t { other, clean, fenced, prose, bare };
constexpr uint8_t THOUGHT = 8, LITERAL = 16;

class AnswerReader : RelationsReader {
 public:
  AnswerReader(const char* text, int64_t size, char* room, WrittenRelations& found,
               const NoSpans& no_spans)
      : RelationsReader(text, size, room, found, &no_spans), text_(text) {}

  // Reads an answer, and ends its example. Returns the way.
  uint8_t read() {
    bool is_thought = false;
    const AnswerWay way = pass_thinking(is_thought) ? way_of(is_thought) : AnswerWay::other;
    const bool is_read = way != AnswerWay::other;
    found_.end_example(is_read);
    if (!is_read) return 0;
    return static_cast<uint8_t>(static_cast<uint8_t>(way) + (is_thought ? THOUGHT : 0) +
                                (has_last_comma_ ? LITERAL : 0));
  }

 private:
  const char* text_;  // behind thinking

  // Passes over thinking at the start. Returns false if Python has to find its end.
  bool pass_thinking(bool& is_thought) {
    const std::string_view text(text_, static_cast<size_t>(end_ - text_));
    const size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    for (const std::string_view name : {"think>", "thinking>", "reasoning>"}) {
      if (text.substr(first, 1) != "<" || text.substr(first + 1, name.size()) != name) continue;
      is_thought = true;
      for (size_t at = first; (at = text.find("</", at)) != text.npos;) {
        at += 2;
        const std::string_view tag = text.substr(at, name.size());
        const auto same = [](char a, char b) {
          return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
        };
        if (std::equal(tag.begin(), tag.end(), name.begin(), name.end(), same)) {
          text_ += at + name.size();
          return true;
        }
      }
      return false;
    }
    return true;
  }

  AnswerWay way_of(bool is_thought) {
    const auto is_bracket = [](char c) { return c == '{' || c == '['; };
    const char* const start = std::find_if(text_, end_, is_bracket);
    const auto n_before = static_cast<int64_t>(found_.spans.size());
    p_ = start;
    const bool is_list = start < end_ && *start == '[';
    if (is_list ? !relations() : !object()) return AnswerWay::other;
    const std::string_view before(text_, static_cast<size_t>(start - text_));
    const std::string_view value(start, static_cast<size_t>(p_ - start));
    const std::string_view after(p_, static_cast<size_t>(end_ - p_));
    if (is_space(before) && is_space(after) && !is_thought && !has_last_comma_) {
      return AnswerWay::clean;
    }
    if (is_list) return AnswerWay::other;
    const bool is_empty = static_cast<int64_t>(found_.spans.size()) == n_before;
    if (has_last_comma_ && (is_empty || !is_literal(value))) return AnswerWay::other;
    if (!is_prose(before) || !is_prose(after) || value.find_first_of("<`") != value.npos ||
        starts_as_text(before)) {
      return AnswerWay::other;
    }
    if (is_empty && may_be_a_form(before, after)) return AnswerWay::other;
    const int64_t open = ticks(before), closed = ticks(after);
    if (open == 0 && closed == 0) {
      return is_space(without_word(before)) && is_space(after) ? AnswerWay::bare : AnswerWay::prose;
    }
    return open == 1 && (closed == 0 || closed == 1) ? AnswerWay::fenced : AnswerWay::other;
  }

  // Reads {"relations": [...]}.
  bool object() {
    std::string_view key;
    if (!take("{")) return false;
    space();
    if (!plain_key(key) || key != "relations" || !relations()) return false;
    space();
    return !more('}') && take("}");
  }

  // Returns whether Python evaluates the value, apart from commas, to that of JSON.
  static bool is_literal(std::string_view value) {
    return value.find('\\') == value.npos && value.find("null") == value.npos;
  }

  static bool is_space(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == text.npos;
  }

  // Returns whether text is of ASCII, and holds no bracket of a value or a tag.
  static bool is_prose(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      const bool is_letter = c >= ' ' && c <= '~' && c != '{' && c != '[' && c != '<';
      return is_letter || c == '\t' || c == '\r' || c == '\n';
    });
  }

  static bool starts_as_text(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != text.npos && text[first] == '"';
  }

  // Returns the number of fences, -1 for other runs of their mark.
  static int64_t ticks(std::string_view text) {
    const auto n = std::count(text.begin(), text.end(), '`');
    if (!n) return 0;
    return n == 3 && text.find("```") != text.npos ? 1 : -1;
  }

  static std::string_view without_word(std::string_view text) {
    const auto skip = [&](std::string_view letters) {
      text.remove_prefix(std::min(text.find_first_not_of(letters), text.size()));
    };
    skip(" \t\r\n");
    skip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return text;
  }

  // Returns whether text beside an answer without relations may hold relations in another form,
  // which all name a cause and an effect, or the relations, or have these marks.
  static bool may_be_a_form(std::string_view before, std::string_view after) {
    const auto holds = [&](std::string_view word) {
      return holds_word(before, word) || holds_word(after, word);
    };
    if (holds("|") || holds(">") || holds("relation")) return true;
    const auto names = {"effect", "arg1", "consequence", "outcome", "result"};
    return holds("cause") && std::any_of(names.begin(), names.end(), holds);
  }

  static bool holds_word(std::string_view text, std::string_view word) {
    const auto same = [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
    };
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
  }
};

// Reads n answers, and sets the way of each.
inline void read_answers(const char* data, const int64_t* places, int64_t n,
                         const std::string& no_spans, WrittenRelations& found, uint8_t* ways) {
  const NoSpans words(no_spans);
  std::string room;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t size = places[k + 1] - places[k];
    if (static_cast<int64_t>(room.size()) < size) room.resize(static_cast<size_t>(size));
    AnswerReader answer(data + places[k], size, room.data(), found, words);
    ways[k] = answer.read();
  }
}

}  // namespace fastcausal
