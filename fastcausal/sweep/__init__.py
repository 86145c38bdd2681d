"""Runs of an evaluation side by side, from their statistics alone."""
