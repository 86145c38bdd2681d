// Compares tagged sentences with their texts: finds other words, and signs of unknown mark-up. Host
// only. Words are equal if their letters and digits are, in any ASCII case. Quotes, dashes and
// other punctuation do not matter. Nearly all sentences are the text plus tags: comparing whole
// pieces is enough. Other sentences cost some nanoseconds per byte.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "arrays/stop.hpp"
#include "tags/tagged.hpp"

namespace fastcausal {

enum Unlike : uint8_t {
  OTHER_WORDS = 1,     // some words differ from the text
  OTHER_SENTENCE = 2,  // at least half of them differ
  SIGNS = 4,           // more mark-up signs than the text has; if it is unknown, any of OPENING
};

// Returns the end of a tag that begins at a "<", as markup.py finds tags. Returns `at` if it is
// none.
inline const char* behind_tag(const char* at, const char* end) {
  const char* name = at + 1;
  name += name < end && *name == '/';
  if (end - name < 3 || (std::memcmp(name, "ARG", 3) != 0 && std::memcmp(name, "SIG", 3) != 0))
    return at;
  for (name += 3; name < end && *name != '<' && *name != '>';) ++name;
  return name + (name < end && *name == '>');
}

// Calls see(piece) for the text between tags, from left to right, until a call returns false.
template <class See>
bool all_pieces(std::string_view sentence, See see) {
  const char* piece = sentence.data();
  const char* end = piece + sentence.size();
  for (const char* at = piece; at < end;) {
    const auto left = static_cast<size_t>(end - at);
    const auto* sign = static_cast<const char*>(std::memchr(at, '<', left));
    if (sign == nullptr) break;
    at = behind_tag(sign, end);
    if (at == sign) {
      ++at;
      continue;
    }
    if (!see(std::string_view(piece, static_cast<size_t>(sign - piece)))) return false;
    piece = at;
  }
  return see(std::string_view(piece, static_cast<size_t>(end - piece)));
}

// Returns whether a sentence is its text plus tags.
inline bool is_copy(std::string_view sentence, std::string_view text) {
  const bool begins = all_pieces(sentence, [&text](std::string_view piece) {
    if (text.substr(0, piece.size()) != piece) return false;
    text.remove_prefix(piece.size());
    return true;
  });
  return begins && text.empty();
}

constexpr std::string_view SIGN_KINDS = "<>[]{}()*_|#~^=&";
constexpr std::string_view OPENING = "<[{&";  // before mark-up that is certain in any text

// Numbers the signs from 1. All other bytes get 0.
constexpr std::array<uint8_t, 256> sign_numbers() {
  std::array<uint8_t, 256> numbers{};
  for (size_t k = 0; k < SIGN_KINDS.size(); ++k)
    numbers[static_cast<unsigned char>(SIGN_KINDS[k])] = static_cast<uint8_t>(k + 1);
  return numbers;
}
constexpr std::array<uint8_t, 256> SIGN_NUMBERS = sign_numbers();

// Counts of the signs that mark words up.
struct Signs {
  void count(std::string_view sentence) {
    n.fill(0);
    all_pieces(sentence, [this](std::string_view piece) {
      for (const char letter : piece) ++n[SIGN_NUMBERS[static_cast<unsigned char>(letter)]];
      return true;
    });
  }

  bool any_beyond(const Signs& other) const {
    for (size_t k = 1; k < n.size(); ++k)
      if (n[k] > other.n[k]) return true;
    return false;
  }

  bool any_opening() const {
    for (const char sign : OPENING)
      if (n[SIGN_NUMBERS[static_cast<unsigned char>(sign)]] > 0) return true;
    return false;
  }

  std::array<int32_t, SIGN_KINDS.size() + 1> n{};  // the first: bytes that are no signs
};

// Reads the words of a sentence without its tags, one after another. A bare sentence is one whose
// tags are cut out already: what looks like a tag there was none.
class WordReader {
 public:
  explicit WordReader(std::string_view sentence, bool is_bare = false)
      : at_(sentence.data()), end_(sentence.data() + sentence.size()), is_bare_(is_bare) {}

  // Reads the letters of the next word. Returns false at the end.
  bool next(std::string& letters) {
    letters.clear();
    bool inside = false;
    while (at_ < end_) {
      const auto letter = static_cast<unsigned char>(*at_);
      if (letter == '<' && !is_bare_) {
        const char* behind = behind_tag(at_, end_);
        if (behind != at_) {
          at_ = behind;
          continue;
        }
      }
      if (is_white(letter)) {
        if (inside) return true;
        ++at_;
        continue;
      }
      inside = true;
      const auto small = static_cast<unsigned char>(letter | 32);
      if (letter >= 0x80) {
        others(letters);
        continue;
      }
      if (static_cast<unsigned>(small - 'a') < 26) letters += static_cast<char>(small);
      if (static_cast<unsigned>(letter - '0') < 10) letters += static_cast<char>(letter);
      ++at_;
    }
    return inside;
  }

 private:
  // Adds a letter beyond ASCII. Skips quotes, dashes and other signs: U+0080 to U+00BF, U+2000 to
  // U+203F and U+2212.
  void others(std::string& letters) {
    const auto first = static_cast<unsigned char>(*at_);
    const std::string_view left(at_, static_cast<size_t>(end_ - at_));
    if (first == 0xC2) {
      at_ += left.size() < 2 ? 1 : 2;
    } else if (left.substr(0, 2) == "\xE2\x80" || left.substr(0, 3) == "\xE2\x88\x92") {
      at_ += left.size() < 3 ? left.size() : 3;
    } else {
      letters += *at_++;
    }
  }

  const char* at_;
  const char* end_;
  bool is_bare_;
};

// Compares sentences with texts. Uses its memory again for each one.
class Copies {
 public:
  uint8_t unlike(std::string_view sentence, std::string_view text, bool is_known) {
    if (is_copy(sentence, text)) return is_known ? 0 : signs_alone(sentence);
    uint8_t outcome = other_words(sentence, text, is_known);
    own_.count(sentence);
    if (is_known) wanted_.count(text);
    if (is_known ? own_.any_beyond(wanted_) : own_.any_opening()) outcome |= SIGNS;
    return outcome;
  }

  uint8_t signs_alone(std::string_view sentence) {
    own_.count(sentence);
    return own_.any_opening() ? SIGNS : 0;
  }

 private:
  uint8_t other_words(std::string_view sentence, std::string_view text, bool is_known) {
    WordReader words(sentence), wanted(text, !is_known);
    int64_t n = 0, n_other = 0;
    for (bool more = true; more; ++n) {
      const bool has_word = words.next(word_);
      const bool has_wanted = wanted.next(wanted_word_);
      more = has_word || has_wanted;
      n_other += has_word != has_wanted || word_ != wanted_word_;
    }
    if (n_other == 0) return 0;
    return OTHER_WORDS | (2 * n_other >= n - 1 ? OTHER_SENTENCE : 0);
  }

  std::string word_, wanted_word_;
  Signs own_, wanted_;
};

// Compares every readable sentence (widths from 0) with the text of its example, if that exists.
// valid is NULL if all texts exist. unlike receives the bits of `Unlike`. A known text is not
// itself a sentence of the example.
template <class Offset>
void compare_copies(const char* data, const Offset* offsets, const int64_t* examples,
                    int64_t n_examples, const char* texts, const int64_t* places,
                    const uint8_t* valid, bool are_known, const int32_t* widths, uint8_t* unlike,
                    StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Copies copies;
  for (int64_t e = 0; e < n_examples; ++e) {
    const bool has_text = valid == nullptr || valid[e];
    const std::string_view text(texts + places[e], static_cast<size_t>(places[e + 1] - places[e]));
    for (int64_t s = examples[e]; s < examples[e + 1]; ++s) {
      unlike[s] = 0;
      if (widths[s] < 0) continue;
      const std::string_view sentence(data + offsets[s],
                                      static_cast<size_t>(offsets[s + 1] - offsets[s]));
      meter.add_cost(static_cast<int64_t>(sentence.size() + text.size()) + 50);
      unlike[s] =
          has_text ? copies.unlike(sentence, text, are_known) : copies.signs_alone(sentence);
    }
  }
}

// Writes sentences without their tags, one after another, and their bounds.
template <class Offset>
void write_bare(const char* data, const Offset* offsets, int64_t n, char* bare, int32_t* places) {
  char* to = bare;
  places[0] = 0;
  for (int64_t k = 0; k < n; ++k) {
    const std::string_view sentence(data + offsets[k],
                                    static_cast<size_t>(offsets[k + 1] - offsets[k]));
    all_pieces(sentence, [&to](std::string_view piece) {
      std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
      return true;
    });
    places[k + 1] = static_cast<int32_t>(to - bare);
  }
}

}  // namespace fastcausal
