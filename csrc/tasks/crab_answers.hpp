// Reads answers of models as scores, letters, yes and no. Host only. fastcausal/tasks/crab/parse.py
// has the rules. Text is UTF-8. Invalid bytes are neither letters nor blanks.
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "text/blanks.hpp"

namespace fastcausal {

enum class AnswerKind : int64_t { score, letter, yes_no };
enum class Reason : int8_t { read, missing, unreadable, out_of_range };

struct ReadAnswer {
  double value = std::numeric_limits<double>::quiet_NaN();
  Reason reason = Reason::unreadable;
};

namespace crab_answers {

using Text = std::string_view;

inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_choice(char c, char last) { return lower(c) >= 'a' && lower(c) <= last; }
inline bool is_mark(char c) { return c == '.' || c == ':' || c == ')'; }
inline bool is_any(char c, Text of) { return of.find(c) != Text::npos; }

// Returns whether this byte starts a word character: ASCII, or U+00C0 to U+1FFF.
inline bool is_word(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte >= 0xc3 && byte <= 0xe1) || is_digit(c) || c == '_' ||
         (lower(c) >= 'a' && lower(c) <= 'z');
}

inline Text stripped(Text text) {
  skip_blanks(text);
  for (size_t n = 1; n <= 3 && n <= text.size();) {
    const bool is_blank = blank(text.substr(text.size() - n)) == n;
    if (is_blank) text.remove_suffix(n);
    n = is_blank ? 1 : n + 1;
  }
  return text;
}

// Removes a leading word, written in lower case. Returns whether it was there.
inline bool take(Text& text, Text word) {
  if (text.size() < word.size()) return false;
  for (size_t k = 0; k < word.size(); ++k) {
    if (lower(text[k]) != word[k]) return false;
  }
  text.remove_prefix(word.size());
  return true;
}

// Finds the content of the last closed tag; a text without tags stays whole. Returns false if tags
// are open and none is closed. Tags are mostly at the end, so the search runs backwards.
inline bool find_counted(Text& text) {
  bool is_opened = false;
  size_t closing = Text::npos;
  for (size_t at = text.rfind('<'); at != Text::npos; at = at ? text.rfind('<', at - 1) : at - 1) {
    Text behind = text.substr(at);
    if (take(behind, "</answer>")) {
      closing = at;
    } else if (take(behind, "<answer>")) {
      if (closing != Text::npos) {
        text = behind.substr(0, behind.size() - (text.size() - closing));
        return true;
      }
      is_opened = true;
    }
  }
  return !is_opened;
}

inline size_t digits(Text& text, std::string& to) {
  size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  to.append(text.substr(0, n));
  text.remove_prefix(n);
  return n;
}

// Removes a leading decimal number.
inline bool number(Text& text, double& value) {
  std::string plain;  // short strings need no memory
  const auto take_any = [&](Text of) {
    if (text.empty() || !is_any(text[0], of)) return false;
    plain += text[0];
    text.remove_prefix(1);
    return true;
  };
  take_any("+-");
  const bool is_whole = digits(text, plain) > 0;
  const bool is_fraction = text.size() > 1 && text[0] == '.' && is_digit(text[1]);
  if (!is_whole && !is_fraction) return false;
  if (is_fraction) {
    take_any(".");
    digits(text, plain);
  }
  const Text before = text;
  const size_t length = plain.size();
  if (take_any("eE")) {
    take_any("+-");
    if (!digits(text, plain)) {
      text = before;
      plain.resize(length);
    }
  }
  if (plain.size() <= 4 && plain.size() == length && !is_fraction && is_digit(plain[0])) {
    value = 0;
    for (const char c : plain) value = 10 * value + (c - '0');
    return true;
  }
  std::istringstream stream(plain);  // ignores the program's locale, unlike strtod
  stream.imbue(std::locale::classic());
  stream >> value;  // the largest double if it is too large
  return true;
}

inline ReadAnswer score(Text text) {
  double value;
  if (!number(text, value)) return {};
  skip_blanks(text);
  if (!take(text, "%") && take(text, "/")) {
    skip_blanks(text);
    if (!take(text, "100")) return {};
  }
  skip_blanks(text);
  take(text, ".");
  if (!text.empty()) return {};
  if (!(value >= 0 && value <= 100)) return {ReadAnswer().value, Reason::out_of_range};
  return {value, Reason::read};
}

inline bool in_brackets(Text text, size_t at) {
  return at > 0 && at + 1 < text.size() &&
         ((text[at - 1] == '[' && text[at + 1] == ']') ||
          (text[at - 1] == '(' && text[at + 1] == ')'));
}

inline bool follows_word(Text text, size_t at) {
  if (at == 0) return false;
  if (text[at - 1] == '.') return at > 2;  // as in U.S.A.; in A.B. the point belongs to the answer
  --at;
  while (at > 0 && static_cast<uint8_t>(text[at]) >> 6 == 2) --at;
  return is_word(text[at]);
}

// Returns whether a text names the letter at a place as a choice.
inline bool is_named(Text text, size_t at) {
  if (in_brackets(text, at)) return true;
  if (at + 1 >= text.size() || !is_mark(text[at + 1])) return false;
  return (at + 2 == text.size() || blank(text.substr(at + 2))) && !follows_word(text, at);
}

inline ReadAnswer letter(Text text, char last) {
  if (text.empty()) return {};
  const size_t at = text.size() > 1 && in_brackets(text, 1);
  if (!is_choice(text[at], last)) return {};
  if (!at && text.size() > 1 && !is_mark(text[1])) return {};
  const char choice = lower(text[at]);
  for (size_t k = at + 2; k < text.size(); ++k) {
    if (is_choice(text[k], last) && lower(text[k]) != choice && is_named(text, k)) return {};
  }
  return {static_cast<double>(choice - 'a'), Reason::read};
}

// Removes leading quotes, brackets and blanks.
inline void skip_quotes(Text& text) {
  for (size_t n = 1; n;) {
    const uint32_t code = code_of(text, n);
    if (code < 0x2018 || code > 0x201f) {
      n = !text.empty() && is_any(text[0], "\"'*`)]") ? 1 : blank(text);
    }
    text.remove_prefix(n);
  }
}

inline ReadAnswer yes_no(Text text) {
  const char* first = text.data();
  while (!text.empty() && !is_word(text[0])) text.remove_prefix(1);
  if (text.empty()) return {};
  if (is_digit(text[0]) && text.data() > first && is_any(text.data()[-1], "+-.,")) return {};
  size_t n = 0;
  while (n < text.size() && (is_word(text[n]) || static_cast<uint8_t>(text[n]) >> 6 == 2)) ++n;
  Text word = text.substr(0, n);
  const bool is_number = is_digit(word[0]);
  const bool yes = take(word, "yes") || take(word, "true") || take(word, "1");
  if (!yes && !take(word, "no") && !take(word, "false") && !take(word, "0")) return {};
  if (!word.empty()) return {};
  text.remove_prefix(n);
  if (is_number && text.size() > 1 && is_any(text[0], ".,") && is_digit(text[1])) return {};
  skip_quotes(text);
  if (take(text, "/")) return {};
  if (take(text, "or") && (text.empty() || !is_word(text[0]))) return {};
  return {yes ? 1.0 : 0.0, Reason::read};
}

}  // namespace crab_answers

// Reads a text. Letters are from a to `last`.
inline ReadAnswer read_answer(std::string_view text, AnswerKind kind, char last = 'd') {
  text = crab_answers::stripped(text);
  if (text.empty()) return {ReadAnswer().value, Reason::missing};
  if (!crab_answers::find_counted(text)) return {};
  text = crab_answers::stripped(text);
  if (kind == AnswerKind::score) return crab_answers::score(text);
  return kind == AnswerKind::letter ? crab_answers::letter(text, last) : crab_answers::yes_no(text);
}

// Reads the n texts of an Arrow array.
template <class Offset>
void read_answers(const char* data, const Offset* offsets, int64_t n, AnswerKind kind,
                  double* values, int8_t* reasons) {
  for (int64_t k = 0; k < n; ++k) {
    const auto size = static_cast<size_t>(offsets[k + 1] - offsets[k]);
    const ReadAnswer answer = read_answer({data + offsets[k], size}, kind);
    values[k] = answer.value;
    reasons[k] = static_cast<int8_t>(answer.reason);
  }
}

}  // namespace fastcausal
