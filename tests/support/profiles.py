"""How many examples Hypothesis tries: all of them unless the quick profile ``dev`` is chosen."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

FULL = 100  # examples of a test that states no number, in a full run
QUICK = 5


def register() -> None:
    """Register ``ci``, the default, and ``dev``, with a fraction of its examples."""
    # Neither the deadline nor the rate of the examples depends on the tests alone.
    busy = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("ci", busy, max_examples=FULL)
    settings.register_profile("dev", busy, max_examples=QUICK)
    settings.load_profile("ci")


def trials(number: int) -> settings:
    """Try ``number`` examples in a full run, and the same fraction as others in a quick one."""
    return settings(max_examples=max(1, number * settings().max_examples // FULL))
