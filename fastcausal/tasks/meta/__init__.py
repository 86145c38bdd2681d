"""Metrics and model judges against people."""
