"""The published requirement sets about fair consumption: none is frozen yet."""

FROZEN: dict[str, str] = {}
"""The digest of each set by its name."""
