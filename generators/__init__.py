"""Scenarios to play: Hypothesis strategies for layouts and histories, and the enumeration of a
layout's fence points.
"""
