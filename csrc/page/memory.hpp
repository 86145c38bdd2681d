// Memory of a page in WebAssembly: blocks of a few sizes, from steps of 16 MB. The system library
// grows memory by 64 KB, which takes longer than all reading. It also treats all memory after its
// own as its own, so the two must not be mixed: the page allocates only with `new`.
#pragma once
#if defined(__wasm__)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace fastcausal::page {

class Memory {
 public:
  void* take(size_t size) {
    const size_t kind = kind_of(size + HEAD);
    if (Block* block = free_[kind]) {
      free_[kind] = block->next;
      return block;
    }
    const size_t whole = size_of(kind);
    if (left_ < whole) grow(whole);
    auto* head = reinterpret_cast<size_t*>(next_);
    *head = kind;
    next_ += whole;
    left_ -= whole;
    return reinterpret_cast<char*>(head) + HEAD;
  }
  void give(void* at) {
    if (!at) return;
    const size_t kind = *reinterpret_cast<size_t*>(static_cast<char*>(at) - HEAD);
    auto* block = static_cast<Block*>(at);
    block->next = free_[kind];
    free_[kind] = block;
  }

 private:
  struct Block {
    Block* next;
  };
  static constexpr size_t HEAD = 16, PAGE = 1 << 16, STEP = 1 << 24;
  static constexpr size_t MOST_KIND = 53;  // 3 GB: the size of the next does not fit in size_t
  Block* free_[64] = {};
  char* next_ = nullptr;
  size_t left_ = 0;

  // Sizes are 32, 48, 64, 96, 128, ...
  static size_t size_of(size_t kind) { return (kind % 2 ? size_t{48} : size_t{32}) << kind / 2; }
  static size_t kind_of(size_t size) {
    size_t kind = 0;
    while (size_of(kind) < size)
      if (++kind > MOST_KIND) __builtin_trap();
    return kind;
  }
  void grow(size_t least) {
    const size_t size = (std::max(least, STEP) + PAGE - 1) / PAGE;
    const size_t at = __builtin_wasm_memory_grow(0, size);
    if (at == SIZE_MAX) __builtin_trap();
    next_ = reinterpret_cast<char*>(at * PAGE);
    left_ = size * PAGE;
  }
};
inline Memory& memory() {
  static Memory one;
  return one;
}

}  // namespace fastcausal::page

void* operator new(size_t size) { return fastcausal::page::memory().take(size); }
void* operator new[](size_t size) { return fastcausal::page::memory().take(size); }
void operator delete(void* at) noexcept { fastcausal::page::memory().give(at); }
void operator delete[](void* at) noexcept { fastcausal::page::memory().give(at); }
void operator delete(void* at, size_t) noexcept { fastcausal::page::memory().give(at); }
void operator delete[](void* at, size_t) noexcept { fastcausal::page::memory().give(at); }

// Variables of the only thread live as long as the page.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
#endif
