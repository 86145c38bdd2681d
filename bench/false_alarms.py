"""How often tests of two equal systems call them unlike, and what the gate says of unlike ones.

Run it as ``python -m bench.false_alarms``; it prints the tables of docs/inference.md.
"""
