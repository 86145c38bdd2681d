// Words of texts as numbers: lower case, without ASCII punctuation and the articles a, an, the.
//
//   Letters ── what Python says of each code point, for as many as a table holds
//   Words ──── the words of one example: each has a number, equal words the same one
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fastcausal {

struct Text {  // UTF-8
  const char* data = nullptr;
  int64_t size = 0;
};

struct Letters {
  enum : int8_t { OTHER, LETTER, SPACE, DELETED };

  const int32_t* lower;  // -1 where lower case depends on other letters, or is several
  const int8_t* kind;    // of the letter in lower case
  int64_t n;
  // Letters that are not in the table are taken as they are, for texts of words made by Python.
  bool lenient;
};

class Words {
 public:
  // Forgets all words.
  void clear() {
    bytes_.clear();
    words_.clear();
    if (++epoch_ == 0) {
      slots_.assign(slots_.size(), {});
      epoch_ = 1;
    }
  }

  int32_t size() const { return static_cast<int32_t>(words_.size()); }

  void append_to(std::string& text, int32_t word) const {
    const Word& of = words_[static_cast<size_t>(word)];
    text.append(bytes_, of.start, of.size);
  }

  // Calls take(number) for each word in turn, -1 for a word not there before unless it is kept.
  // False where a letter is not in the table; blank: there is nothing but white space.
  template <class Take>
  bool read(Text text, const Letters& letters, bool keep, bool& blank, const Take& take) {
    size_t run = 0;  // where the letters begin that may be an article
    buffer_.clear();
    blank = true;
    const auto end_word = [&](size_t size) {
      if (size) take(number_of(buffer_.data(), size, keep));
    };
    const auto end_run = [&] {
      if (is_article(buffer_.data() + run, buffer_.size() - run)) {
        end_word(run);
        buffer_.clear();
      }
      run = buffer_.size();
    };
    for (int64_t at = 0; at < text.size;) {
      const int32_t point = next_point(text, at);
      const bool known = point < letters.n && letters.lower[point] >= 0;
      if (!known && !letters.lenient) return false;
      const int8_t kind = known ? letters.kind[point] : int8_t{Letters::LETTER};
      if (kind != Letters::SPACE) blank = false;
      if (kind == Letters::DELETED) continue;
      if (kind != Letters::LETTER) end_run();
      if (kind == Letters::SPACE) {
        end_word(buffer_.size());
        buffer_.clear();
      } else {
        append(known ? letters.lower[point] : point);
      }
      if (kind != Letters::LETTER) run = buffer_.size();
    }
    end_run();
    end_word(buffer_.size());
    return true;
  }

 private:
  struct Word {
    size_t start, size;
    uint64_t hash;
  };
  struct Slot {
    uint32_t epoch = 0;
    int32_t word = 0;
  };
  std::string bytes_, buffer_;
  std::vector<Word> words_;
  std::vector<Slot> slots_ = std::vector<Slot>(256);  // a power of two, at most half full
  uint32_t epoch_ = 1;

  static bool is_article(const char* letters, size_t size) {
    if (size == 1) return letters[0] == 'a';
    if (size == 2) return letters[0] == 'a' && letters[1] == 'n';
    return size == 3 && std::memcmp(letters, "the", 3) == 0;
  }

  // The code point at a place, which moves behind it; a byte that begins none is one by itself.
  static int32_t next_point(Text text, int64_t& at) {
    const auto byte = [&](int64_t k) { return static_cast<unsigned char>(text.data[k]); };
    const unsigned first = byte(at++);
    if (first < 0x80) return static_cast<int32_t>(first);
    const int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    uint32_t point = first & (0x3Fu >> more);
    for (int k = 0; k < more && at < text.size; ++k) point = point << 6 | (byte(at++) & 0x3Fu);
    return static_cast<int32_t>(point);
  }

  void append(int32_t code) {
    const auto point = static_cast<uint32_t>(code);
    const auto put = [&](uint32_t byte) { buffer_.push_back(static_cast<char>(byte)); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
      put(0xC0 | point >> 6);
    } else {
      if (point < 0x10000) {
        put(0xE0 | point >> 12);
      } else {
        put(0xF0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3F));
      }
      put(0x80 | (point >> 6 & 0x3F));
    }
    put(0x80 | (point & 0x3F));
  }

  static uint64_t hash_of(const char* letters, size_t size) {
    uint64_t hash = size;
    for (; size; letters += 8, size -= size < 8 ? size : 8) {
      uint64_t part = 0;
      std::memcpy(&part, letters, size < 8 ? size : 8);
      hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }

  int32_t number_of(const char* letters, size_t size, bool keep) {
    const uint64_t hash = hash_of(letters, size);
    for (size_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.epoch != epoch_) {
        return keep ? added(slot, letters, size, hash) : -1;
      }
      const Word& word = words_[static_cast<size_t>(slot.word)];
      if (word.hash == hash && word.size == size &&
          std::memcmp(bytes_.data() + word.start, letters, size) == 0) {
        return slot.word;
      }
    }
  }

  int32_t added(Slot& slot, const char* letters, size_t size, uint64_t hash) {
    const int32_t number = Words::size();
    slot = {epoch_, number};
    words_.push_back({bytes_.size(), size, hash});
    bytes_.append(letters, size);
    if (2 * words_.size() > slots_.size()) grow();
    return number;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), {});
    epoch_ = 1;
    for (size_t k = 0; k < words_.size(); ++k) {
      size_t at = words_[k].hash;
      while (slots_[at & (slots_.size() - 1)].epoch) ++at;
      slots_[at & (slots_.size() - 1)] = {epoch_, static_cast<int32_t>(k)};
    }
  }
};

}  // namespace fastcausal
