"""Modules that stand in for those of other libraries: one changes an import, and nothing else."""
