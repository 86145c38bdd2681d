"""What many runs on the same examples say: sweeps, comparisons, leaderboards and gates."""
