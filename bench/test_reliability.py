"""Alpha and kappas against krippendorff, scikit-learn, statsmodels and numpy: equal, then timed."""

from __future__ import annotations

from functools import partial

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.tasks.labels.alpha import (
    alpha_interval,
    fleiss_kappa,
    krippendorff_alpha,
)
from fastcausal.tasks.labels.coefficients import LEVELS
from fastcausal.tasks.labels.kappas import cohen_kappa

from .conftest import Clocks, exponents

CORPUS = "random ratings"
EQUAL = {"rtol": 0, "atol": 1e-12}


def ratings(n_units: int, n_raters: int, missing: float = 0.2, n_labels: int = 5) -> np.ndarray:
    """Draw ratings that have the true label half of the time."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, n_labels + 1, (n_units, 1))
    guess = rng.integers(1, n_labels + 1, (n_units, n_raters))
    data = np.where(rng.random(guess.shape) < 0.5, truth, guess).astype(float)
    data[rng.random(guess.shape) < missing] = np.nan
    return data


def numpy_alpha(data: np.ndarray, level: str) -> float:
    """Compute alpha in whole-array numpy from label counts of each unit, or sums of squares."""
    rated = ~np.isnan(data)
    data, rated = data[rated.sum(1) > 1], rated[rated.sum(1) > 1]
    m = rated.sum(1)
    n = m.sum()
    if level == "interval":
        values = np.where(rated, data - np.nanmean(data), 0)
        within = m * (values**2).sum(1) - values.sum(1) ** 2
        between = n * (values**2).sum() - values.sum() ** 2
    else:
        of_unit = np.stack([(data == v).sum(1) for v in np.unique(data[rated])], axis=1)
        within = m**2 - (of_unit**2).sum(1)
        between = n**2 - (of_unit.sum(0) ** 2).sum()
    return 1 - (n - 1) * (within / (m - 1)).sum() / between


@pytest.mark.parametrize("level", LEVELS)
def test_thousands_of_alphas(race, level):
    items, units = 2_000, 8
    data = ratings(items * units, 5, missing=0.1)
    item = np.repeat(np.arange(items), units)

    def ours():
        return krippendorff_alpha(data, level, item)

    def package():
        problems = data.reshape(items, units, -1)
        return [krippendorff.alpha(p.T, level_of_measurement=level) for p in problems]

    np.testing.assert_allclose(ours(), package(), **EQUAL)
    race(f"alpha {level}: of {items} items", data.size, ours, {"krippendorff in a loop": package})


@pytest.mark.parametrize("level", LEVELS)
def test_ten_million_ratings(race, level):
    data = ratings(2_000_000, 5)
    others = {
        "krippendorff": lambda: krippendorff.alpha(data.T, level_of_measurement=level),
    }
    if level in ("nominal", "interval"):
        others["whole-array numpy"] = lambda: numpy_alpha(data, level)
    found = krippendorff_alpha(data, level)
    np.testing.assert_allclose([call() for call in others.values()], found, **EQUAL)
    race(
        f"alpha {level}: 10M ratings, 5 labels",
        data.size,
        lambda: krippendorff_alpha(data, level),
        others,
        rounds=3,
    )


def test_exponents(benchmark, note):
    """The smallest ratings fit a cache, the largest do not."""
    least = []
    for n_units in (62_500, 250_000, 1_000_000):
        call = partial(krippendorff_alpha, ratings(n_units, 5))
        call()
        least.append(min(Clocks.of(call).process for _ in range(2_000_000 // n_units)))
    benchmark.pedantic(call, rounds=1)
    note(f"alpha, exponents of 5 million ratings, to 4n and to 16n: {exponents(least)}")


def different_ratings(n_units: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_units, 1)) + rng.normal(size=(n_units, 5))


def test_ten_million_different_ratings(race):
    data = different_ratings(2_000_000)

    def ours():
        return krippendorff_alpha(data, "interval")

    def arrays():
        return numpy_alpha(data, "interval")

    np.testing.assert_allclose(ours(), arrays(), **EQUAL)
    others = {"whole-array numpy": arrays}
    race("alpha interval: 10M different ratings", data.size, ours, others, rounds=3)


def test_different_ratings(race):
    """The package needs memory for units × values × values, so there are only a hundred units."""
    data = different_ratings(100)

    def ours():
        return krippendorff_alpha(data, "interval")

    def package():
        return krippendorff.alpha(data.T, level_of_measurement="interval")

    np.testing.assert_allclose(ours(), package(), **EQUAL)
    race("alpha interval: 500 different ratings", data.size, ours, {"krippendorff": package})


@pytest.mark.parametrize("level", LEVELS)
def test_bootstrap(race, level):
    data, n = ratings(1_000, 5), 200

    def ours():
        return alpha_interval(data, level, method="percentile", n_resamples=n)

    found = ours()
    units = found.statistics.drawn()
    rows = np.array([np.nan, *found.statistics.formula.labels])[units.terms]
    [weights] = bootstrap_weights(units.times, n, seed=0)

    def package():
        draws = (np.repeat(rows, drawn, axis=0).T for drawn in weights)
        alphas = [krippendorff.alpha(drawn, level_of_measurement=level) for drawn in draws]
        return np.quantile(alphas, [0.025, 0.975])

    np.testing.assert_allclose([found.low, found.high], package(), **EQUAL)
    others = {"krippendorff in a loop": package}
    race(f"alpha {level}: {n} resamples of 1000 units", n * data.size, ours, others)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohen(race, weights):
    a, b = ratings(1_000_000, 2, missing=0).T.copy()

    def ours():
        return cohen_kappa(a, b, weights)

    def sklearn():
        return cohen_kappa_score(a, b, weights=weights)

    np.testing.assert_allclose(ours(), sklearn(), **EQUAL)
    race(f"Cohen's kappa, weights {weights}", len(a), ours, {"scikit-learn": sklearn}, rounds=3)


def test_fleiss(race):
    data = ratings(200_000, 5, missing=0)

    def ours():
        return fleiss_kappa(data)

    def statsmodels():
        return statsmodels_fleiss(aggregate_raters(data)[0])

    np.testing.assert_allclose(ours(), statsmodels(), **EQUAL)
    race("Fleiss' kappa", data.size, ours, {"statsmodels": statsmodels}, rounds=3)
