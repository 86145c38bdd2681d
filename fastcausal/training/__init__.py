"""The metric inside a training loop."""
