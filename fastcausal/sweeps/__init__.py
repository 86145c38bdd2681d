"""Many runs on the same examples: sweeps, comparisons, leaderboards and gates."""
