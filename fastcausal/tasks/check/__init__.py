"""Annotation rules that a program can check: guidelines.py, and the findings as a report."""
