// Why a tagged sentence is unread, in the words of fastcausal/formats/cnc/: faults of tags, unknown
// mark-up, and the first token that differs from the text.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "tags/copies.hpp"
#include "text/messages.hpp"

namespace fastcausal::page {

using namespace checked;
using checked::Text;  // not those of other rooms
using checked::Value;

inline Text without_tags(View sentence) {
  Text bare;
  all_pieces(sentence, [&](View piece) {
    bare += piece;
    return true;
  });
  return bare;
}

// Shortens a tag for a message.
inline Text shown_tag(View tag) {
  Text made;
  for (const View word : words_of(tag.substr(0, 20)))
    made += (made.empty() ? "" : " ") + Text(word);
  return made + (tag.size() > 20 ? "..." : "");
}

// Returns the fault of the strict reading, for a sentence that it refuses.
inline Text fault_of_tags(View sentence) {
  struct Opened {
    View name;
    int64_t content;
  };
  std::vector<Opened> opened;
  int64_t content = 0;
  const char* end = sentence.data() + sentence.size();
  for (const char* at = sentence.data(); at < end;) {
    const char* sign = find(at, end, '<');
    const char* behind = sign < end ? behind_tag(sign, end) : sign;
    if (sign < end && behind == sign) behind = sign + 1;
    const View piece(at,
                     static_cast<size_t>((sign < end && behind == sign + 1 ? behind : sign) - at));
    content += !words_of(piece).empty();
    at = behind;
    if (sign == end || behind == sign + 1) continue;
    const View tag(sign, static_cast<size_t>(behind - sign));
    const bool closes = tag[1] == '/';
    const View name = tag.substr(closes ? 2 : 1);
    const bool argument = name == "ARG0>" || name == "ARG1>";
    const View digits = name.size() > 4 ? name.substr(3, name.size() - 4) : View();
    const bool is_signal = name.substr(0, 3) == "SIG" && name.back() == '>' && !digits.empty() &&
                           std::all_of(digits.begin(), digits.end(), is_digit);
    if (!argument && !is_signal) return "unknown tag " + shown_tag(tag);
    const auto known =
        std::find_if(opened.begin(), opened.end(), [&](const Opened& o) { return o.name == name; });
    if (!closes) {
      if (known != opened.end())
        return "<" + shown_tag(name) + " is opened again before it is closed";
      opened.push_back({name, content});
      continue;
    }
    if (known == opened.end()) return shown_tag(tag) + " closes nothing";
    if (known->content == content) return shown_tag(tag) + " marks no token";
    opened.erase(known);
  }
  return opened.empty() ? "cannot be read"
                        : "<" + shown_tag(opened.front().name) + " is never closed";
}

// Finds mark-up that is no tag, as the patterns of copies.py do.
class MarkFinder {
 public:
  explicit MarkFinder(View plain) : plain_(plain) {}

  // Calls see(mark) for each until it returns true; returns whether it did.
  template <class See>
  bool any(bool has_text, See see) const {
    if (!has_text) return all([this](size_t p) { return certain(p); }, see);
    return all([this](size_t p) { return angles(p); }, see) ||
           all([this](size_t p) { return named(p, "[{(|*_#~=^", "]})|*_#~=^:", true, true); }, see);
  }

 private:
  static constexpr size_t NONE = View::npos;
  View plain_;

  template <class Match, class See>
  bool all(Match match, See see) const {
    for (size_t p = 0; p < plain_.size();) {
      const size_t stop = match(p);
      if (stop == NONE) {
        ++p;
        continue;
      }
      if (see(plain_.substr(p, stop - p))) return true;
      p = stop;
    }
    return false;
  }
  bool has(size_t p, View word) const {
    if (p + word.size() > plain_.size()) return false;
    for (size_t k = 0; k < word.size(); ++k)
      if (small(plain_[p + k]) != word[k]) return false;
    return true;
  }
  char at(size_t p) const { return p < plain_.size() ? plain_[p] : '\0'; }
  size_t past_space(size_t p) const {
    while (is_space(at(p))) ++p;
    return p;
  }
  size_t past_angle(size_t p, char angle, View entity) const {
    if (at(p) == angle) return p + 1;
    return has(p, entity) ? p + entity.size() : NONE;
  }
  size_t past_open(size_t p) const {
    p = past_angle(p, '<', "&lt;");
    return p == NONE ? p : past_slash(p);
  }
  size_t past_slash(size_t p) const {
    p = past_space(p);
    return at(p) == '/' ? past_space(p + 1) : p;
  }
  size_t angles(size_t p) const {
    p = past_open(p);
    if (p == NONE || small(at(p)) < 'a' || small(at(p)) > 'z') return NONE;
    const size_t from = p + 1;
    for (p = from; p < plain_.size() && at(p) != '<' && at(p) != '>' && at(p) != '&';) ++p;
    if (utf8::count(plain_.substr(from, p - from)) > 60) return NONE;
    return past_angle(p, '>', "&gt;");
  }
  size_t named(size_t p, View opens, View closes, bool letters, bool spaces) const {
    size_t q = past_angle(p, '<', "&lt;");
    bool in_angles = q != NONE;
    if (!in_angles) {
      if (at(p) == '\0' || opens.find(at(p)) == View::npos) return NONE;
      q = p + 1;
    }
    if (spaces || in_angles)
      q = past_slash(q);
    else if (at(q) == '/')
      ++q;
    return past_name(
        q,
        [&](size_t r) {
          if (spaces || in_angles) {
            r = past_space(r);
            if (at(r) == '/') ++r;
          }
          const size_t stop = past_angle(r, '>', "&gt;");
          if (stop != NONE) return stop;
          return at(r) != '\0' && closes.find(at(r)) != View::npos ? r + 1 : NONE;
        },
        letters);
  }
  // Tries the name of a role and its possible continuations, in the order of the pattern.
  template <class Close>
  size_t past_name(size_t p, Close close, bool letters) const {
    for (const View word : {View("arg"), View("sig"), View("cause"), View("effect"), View("signal"),
                            View("trigger")}) {
      if (!has(p, word)) continue;
      for (const bool plural : {true, false}) {
        size_t q = p + word.size();
        if (plural && small(at(q)) != 's') continue;
        q += plural;
        for (const bool parted : {true, false}) {
          size_t r = q;
          if (parted && at(r) != ' ' && at(r) != '_' && at(r) != '-') continue;
          r += parted;
          while (is_digit(at(r))) ++r;
          const size_t stop = close(r);
          if (stop != NONE) return stop;
        }
      }
    }
    const char first = small(at(p));
    if (!letters || (first != 'c' && first != 'e' && first != 's')) return NONE;
    for (++p; is_digit(at(p));) ++p;
    return close(p);
  }
  size_t certain(size_t p) const {
    if (past_angle(p, '<', "&lt;") != NONE) return named(p, "", "", true, true);
    return named(p, "[{", "]}", false, false);
  }
};

// Returns mark-up that is neither a tag nor in the text, as the reason for an unread sentence;
// empty if there is none. Without a text, only names of roles count.
inline Text unknown_mark(View sentence, const Text* text, bool is_bare) {
  const Text plain = without_tags(sentence);
  const Text folded = text ? small(*text) : Text();
  Text found;
  const bool any = MarkFinder(plain).any(text != nullptr, [&](View mark) {
    found = mark;
    return !text || folded.find(small(mark)) == Text::npos;
  });
  if (any)
    return "unknown tag " + shown(View(found)) + ", expected <ARG0>, <ARG1>, <SIG0>, <SIG1>, ...";
  if (!is_bare || !text) return "";
  for (const char c : plain) {
    if (SIGN_KINDS.find(c) == View::npos) continue;
    if (std::count(plain.begin(), plain.end(), c) > std::count(text->begin(), text->end(), c))
      return "has no tag, but signs that the text lacks: " + shown(View(&c, 1));
  }
  return "";
}

// Returns the letters of a text in one form: without case and white space, with one form of quotes
// and single dashes; as in_one_form of fastcausal/formats/sentences.py, for letters of ASCII.
inline Text in_one_form(View text) {
  static constexpr std::pair<View, View> SIGNS_OF[] = {
      {"\u2018", "'"},  {"\u2019", "'"},  {"\u201a", "'"},  {"\u201b", "'"},  {"\u2032", "'"},
      {"`", "'"},       {"\u00b4", "'"},  {"\"", "''"},     {"\u201c", "''"}, {"\u201d", "''"},
      {"\u201e", "''"}, {"\u201f", "''"}, {"\u2033", "''"}, {"\u00ab", "''"}, {"\u00bb", "''"},
      {"\u2010", "-"},  {"\u2011", "-"},  {"\u2012", "-"},  {"\u2013", "-"},  {"\u2014", "-"},
      {"\u2015", "-"},  {"\u2212", "-"},  {"\u2026", "..."}};
  Text made;
  for (size_t k = 0; k < text.size();) {
    View form = text.substr(k, 1);
    size_t width = 1;
    for (const auto& [sign, one] : SIGNS_OF) {
      if (text.substr(k, sign.size()) != sign) continue;
      form = one;
      width = sign.size();
    }
    k += width;
    if (is_space(form[0]) || (form == "-" && !made.empty() && made.back() == '-')) continue;
    for (const char c : form) made += small(c);
  }
  return made;
}

// Returns the first token in which a tagged sentence differs from a text.
inline Text difference(View sentence, View text) {
  const Text plain = without_tags(sentence);
  const std::vector<View> own = words_of(plain), wanted = words_of(text);
  const bool tagged = without_tags(text) != text;
  const char* same =
      !tagged && in_one_form(plain) == in_one_form(text) ? ", though all letters are the same" : "";
  for (size_t k = 0; k < std::max(own.size(), wanted.size()); ++k) {
    if (k < own.size() && k < wanted.size() && own[k] == wanted[k]) continue;
    return "token " + text_of(static_cast<int64_t>(k) + 1) + " is " +
           (k < own.size() ? shown(own[k]) : "missing") + ", expected " +
           (k < wanted.size() ? shown(wanted[k]) : "none") + same;
  }
  return "all tokens are the same";
}

}  // namespace fastcausal::page
