"""The ranges of the numbers that a scenario's steps may hold.

Whatever the wire carries may be asked; refused are what it can't carry, what the layout does not
have, and waits that nobody sits out.
"""

from collections.abc import Mapping

from spec.frozen import frozen
from spec.kafka import INT32_MAX, INT64_MAX, INT64_MIN

INT32_MIN = -(2**31)
LONGEST_MS = 600_000
"""Ten minutes: the longest that one step may wait."""
LONGEST_TEXT = 32_000
"""Bytes of UTF-8; a string of Kafka's protocol holds 32,767, some of which a player may put in
front.
"""


@frozen
class Range:
    """The whole numbers that may stand somewhere, ends included, and what they are."""

    low: int
    high: int
    what: str

    def __str__(self) -> str:
        return f"{self.what}, from {self.low} to {self.high}"


INT8 = Range(-(2**7), 2**7 - 1, "an int8")
INT32 = Range(INT32_MIN, INT32_MAX, "an int32")
INT64 = Range(INT64_MIN, INT64_MAX, "an int64")
VERSION = Range(0, 2**15 - 1, "the version of a request")
WAIT = Range(INT32_MIN, LONGEST_MS, "a wait in milliseconds")
TIME = Range(0, LONGEST_MS, "a time in milliseconds")
ACTOR = Range(0, 999, "the number of an actor")
GROUP = Range(0, 999, "the number of a group")
COUNT = Range(0, INT32_MAX, "a count")
RATE = Range(1, INT32_MAX, "bytes a second")
TAG_SIZE = Range(0, 2**20, "a count of bytes")
DIFFERENCE = Range(-1_000_000, 1_000_000, "a difference of epochs")
ASKED = Range(0, 9_999, "the number of a partition, in the layout or not")
IN_LAYOUT = Range(0, -1, "the number of a partition of the layout")
"""Its end is the layout's."""

Fields = Mapping[str, Range | tuple[Range, ...]]
"""The range of each number of a class, by the field; of numbers in a tuple, one range for all or
one for each place.
"""
Words = Mapping[str, tuple[str, ...]]
"""The words that may stand where a number may, by the field."""

REQUEST_LIMITS = {"max_bytes": INT32, "min_bytes": INT32, "max_wait_ms": WAIT}
ONLY_ACTOR = {"actor": ACTOR}
