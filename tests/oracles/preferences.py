"""Wins, ties and ranks of systems, vote by vote, in fractions.

Source: the preferences of MiRAGE (the best prediction with the reference or the topic at hand, and
scores from 1 to 5, 0 for none). Shares nothing with the package.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def votes(files, key, choice):
    """Return values of all systems by rater and topic; None if the rater states none."""
    found = {}
    for rater, topics in files.items():
        for topic, said in topics.items():
            places = key[topic]
            if choice == "scores":
                values = {s: said.get(f"{p}_likert") or None for p, s in places.items()}
                stated = None not in values.values()
            else:
                best = said.get(f"best_prediction_{choice}")
                values = {s: int(p == best) for p, s in places.items()}
                stated = best is not None
            found[rater, topic] = values if stated else None
    return found


def of_system(values, system):
    """Won, tied or lost; the share of the win; and the rank, by counting better systems."""
    own = values[system]
    better = sum(value > own for value in values.values())
    equal = sum(value == own for value in values.values())
    outcome = "losses" if better else "ties" if equal > 1 else "wins"
    share = Fraction(0) if better else Fraction(1, equal)
    rank = Fraction(sum(better + k + 1 for k in range(equal)), equal)
    return outcome, share, rank


def scores(all_votes, system):
    given = [of_system(v, system) for v in all_votes if v is not None and system in v]
    n = len(given)
    return {
        **{name: sum(o == name for o, _, _ in given) for name in ("wins", "ties", "losses")},
        "share": sum(s for _, s, _ in given) / n if n else None,
        "rank": sum(r for _, _, r in given) / n if n else None,
        "n": n,
    }


def best_of(all_votes):
    """The systems with the largest share."""
    systems = {system for values in all_votes if values for system in values}
    shares = {system: scores(all_votes, system)["share"] for system in systems}
    return sorted(s for s, share in shares.items() if share == max(shares.values()))


def percent_agreement(found, topics):
    """The mean over topics of the share of pairs of raters with the same single best system."""
    shares = []
    for topic in topics:
        winners = [best_of([v]) for (_, name), v in found.items() if name == topic and v]
        labels = [winner[0] for winner in winners if len(winner) == 1]
        pairs = list(combinations(labels, 2))
        if pairs:
            shares.append(Fraction(sum(a == b for a, b in pairs), len(pairs)))
    return sum(shares) / len(shares) if shares else None
