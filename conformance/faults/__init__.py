"""Planted faults: what they have in common, and how it is measured that the suite finds them.

Each subject keeps its own in its folder; `conformance.subjects.registry` names them all.
"""
