"""Wrong use, as every part of the suite reports it."""

from __future__ import annotations


class BadConfiguration(Exception):  # noqa: N818 - it describes what was given
    """Input of the user that can't be used.

    The message says what was expected, what was found and what to do. Exit code 2.
    """
