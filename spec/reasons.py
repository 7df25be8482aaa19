"""Reasons in words, without the numbers in which two of one kind differ."""

import re

_NUMBER = re.compile(r"(?<![\w.-])-?\d[\d,.]*(?![\w-])|\b(?=[a-f]*\d)[0-9a-f]{16}\b")
"""A number that is a word of its own, or a scenario's id; not the 14 of `v14`, nor a clause's."""


def kind_of_reason(reason: str) -> str:
    """The reason with each number, such as an offset or a duration, as `#`."""
    return _NUMBER.sub("#", reason)
