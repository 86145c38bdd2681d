// Marks of a word in FinCausal's rows: the effect lies over the cause.
#pragma once

namespace fastcausal::fincausal {

enum Mark : char { CAUSE = 1, EFFECT = 2 };
enum Side : int { GOLD, PRED };

}  // namespace fastcausal::fincausal
