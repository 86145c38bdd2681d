// Keys of a relation: the roles, and keys that may be meant as one.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace fastcausal {

constexpr std::string_view ROLE_NAMES[] = {"cause", "effect", "signal"};

// Other words for a role.
struct RoleWord {
  std::string_view word, role;
};
constexpr RoleWord ROLE_WORDS[] = {
    {"reason", "cause"},  {"arg0", "cause"},    {"consequence", "effect"}, {"outcome", "effect"},
    {"result", "effect"}, {"arg1", "effect"},   {"connective", "signal"},  {"cue", "signal"},
    {"marker", "signal"}, {"trigger", "signal"}};

// Returns whether a key may be meant as a role: in any case, it is another word for the role, or at
// most two letters have to be added, dropped or replaced.
inline bool may_name(std::string_view key, std::string_view role) {
  constexpr size_t MOST = 64;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  const auto same = [&](char a, char b) { return lower(a) == lower(b); };
  for (const RoleWord& each : ROLE_WORDS) {
    if (each.role == role &&
        std::equal(key.begin(), key.end(), each.word.begin(), each.word.end(), same)) {
      return true;
    }
  }
  if (role.size() > MOST || key.size() > role.size() + 2 || role.size() > key.size() + 2) {
    return false;
  }
  std::array<size_t, MOST + 1> edits;  // from the key so far to each start of the role
  for (size_t k = 0; k <= role.size(); ++k) edits[k] = k;
  for (size_t i = 0; i < key.size(); ++i) {
    size_t before = i;  // edits[k] of the key without this letter
    edits[0] = i + 1;
    for (size_t k = 0; k < role.size(); ++k) {
      const size_t replaced = before + !same(key[i], role[k]);
      before = edits[k + 1];
      edits[k + 1] = std::min({replaced, before + 1, edits[k] + 1});
    }
  }
  return edits[role.size()] <= 2;
}

}  // namespace fastcausal
