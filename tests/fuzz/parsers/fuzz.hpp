// Shared by the fuzz targets: the entry for libFuzzer, and a driver for other compilers.
//
// With -fsanitize=fuzzer -DFC_LIBFUZZER, libFuzzer runs a target. Otherwise it is a program:
//   target FIRST COUNT SECONDS    runs inputs FIRST, FIRST + 1, ..., each made from its number
// It prints the number of inputs. If an input fails, it prints that input and aborts.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

// Checks an input. Returns if all is well, ends the program otherwise, and never throws.
void check(const std::string& input);
// Valid inputs of a parser, and pieces with a meaning to it.
extern const std::vector<std::string> SEEDS, PIECES;

inline std::string& current() {
  static std::string input;
  return input;
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s; input:", what);
  for (const char c : current()) std::fprintf(stderr, " %02x", static_cast<unsigned char>(c));
  std::fprintf(stderr, "\n");
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  current().assign(reinterpret_cast<const char*>(data), size);
  check(current());
  return 0;
}

// Memory of exactly this size: a sanitizer detects every access beyond it.
class Exact {
 public:
  explicit Exact(const std::string& text) : bytes_(text.begin(), text.end()) {
    bytes_.shrink_to_fit();
  }
  const char* data() const { return bytes_.data(); }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

 private:
  std::vector<char> bytes_;
};

#ifndef FC_LIBFUZZER
inline std::string mutated(uint64_t number) {
  std::mt19937_64 random(number);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::string text = SEEDS[below(SEEDS.size())];
  for (size_t k = below(8); k > 0; --k) {
    const size_t at = below(text.size() + 1);
    const size_t n = below(text.size() - at + 1);
    switch (below(6)) {
      case 0:
        text.insert(at, PIECES[below(PIECES.size())]);
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random()));
        break;
      case 2:
        text.erase(at, n);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, n));
        break;
      case 4:  // moves the bounds of 64-byte blocks
        text.insert(at, below(140), ' ');
        break;
      default:
        text += SEEDS[below(SEEDS.size())];
    }
  }
  return text;
}

int main(int n, char** argument) {
  if (n != 4) return 2;
  const uint64_t first = std::strtoull(argument[1], nullptr, 10);
  const uint64_t count = std::strtoull(argument[2], nullptr, 10);
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> most(std::strtod(argument[3], nullptr));
  uint64_t done = 0;
  for (; done < count && std::chrono::steady_clock::now() - start < most; ++done) {
    const std::string input = mutated(first + done);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  }
  std::printf("%llu\n", static_cast<unsigned long long>(done));
}
#endif
