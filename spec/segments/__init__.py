"""Segments and their indexes: when a new segment begins, what it is made of, and what is kept."""
