// Entities in streams of tags, by the rules of a scheme. Each sentence of a stream ends with O, so
// that an entity of its last tag ends there.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "arrays/stop.hpp"

namespace fastcausal::entities {

constexpr int32_t KIND_BITS = 3;  // of a tag, below those of its type: the kind of its prefix
constexpr int32_t KINDS = 1 << KIND_BITS;

// What a tag and the next one do.
constexpr uint8_t BEGINS = 1, ENDS = 2, CONTINUES = 4;

struct Rules {
  uint8_t pairs[2 * KINDS * KINDS];  // by kind, kind of the next tag, and whether the type is one
  bool flows;  // an entity may end that did not begin: it begins where the last one did

  Rules(const char* bytes, bool flows_on) : flows(flows_on) {
    std::memcpy(pairs, bytes, sizeof pairs);
  }
};

struct Entity {
  int32_t type;
  int64_t start;
  int64_t stop;
};

class Walker {
 public:
  explicit Walker(const Rules& rules) : rules_(rules), is_open_(rules.flows) {}

  // Reads the tag of a place. Returns whether an entity ends before it.
  bool read(int32_t tag, int64_t place) {
    const int32_t type = last_ >> KIND_BITS;
    const bool is_one_type = tag >> KIND_BITS == type;
    const int32_t pair = (last_ & (KINDS - 1)) << KIND_BITS | (tag & (KINDS - 1));
    const uint8_t rule = rules_.pairs[pair << 1 | is_one_type];
    const bool continues = is_open_ && (rule & CONTINUES);
    const bool ends = is_open_ && !continues && (rule & ENDS);
    entity_ = {type, start_, place};
    const bool begins = (rules_.flows || !continues) && (rule & BEGINS);
    if (begins) start_ = place;
    is_open_ = rules_.flows || continues || begins;
    last_ = tag;
    return ends;
  }

  const Entity& entity() const { return entity_; }  // the one that ended

 private:
  const Rules& rules_;
  bool is_open_;
  int32_t last_ = -KINDS;  // O of no type
  int64_t start_ = 0;
  Entity entity_{0, 0, 0};
};

struct Counts {
  int64_t both;
  int64_t pred;
  int64_t gold;
};

// Counts the entities of each type in two streams of one length.
inline std::vector<Counts> count(const std::vector<int32_t>& gold, const std::vector<int32_t>& pred,
                                 size_t n_types, const Rules& rules, StopRequested stop_requested) {
  Stop stop(stop_requested);
  Walker one(rules), other(rules);
  std::vector<Counts> counts(n_types, Counts{0, 0, 0});
  for (size_t k = 0; k < gold.size(); ++k) {
    if ((k & 0xFFFFF) == 0xFFFFF) stop.check();
    const auto place = static_cast<int64_t>(k);
    const bool in_gold = one.read(gold[k], place), in_pred = other.read(pred[k], place);
    const Entity &left = one.entity(), &right = other.entity();
    if (in_gold) ++counts[static_cast<size_t>(left.type)].gold;
    if (in_pred) ++counts[static_cast<size_t>(right.type)].pred;
    if (in_gold && in_pred && left.type == right.type && left.start == right.start) {
      ++counts[static_cast<size_t>(left.type)].both;
    }
  }
  return counts;
}

inline std::vector<Entity> list(const std::vector<int32_t>& tags, const Rules& rules) {
  Walker walker(rules);
  std::vector<Entity> found;
  for (size_t k = 0; k < tags.size(); ++k) {
    if (walker.read(tags[k], static_cast<int64_t>(k))) found.push_back(walker.entity());
  }
  return found;
}

}  // namespace fastcausal::entities
