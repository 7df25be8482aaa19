"""Promises that clauses of several subjects rest on, each quoted once."""

from spec.clause import Doc

OFFSETS_FOR_TIMES = Doc(
    "Javadoc of Consumer.offsetsForTimes: the earliest offset whose timestamp is greater than "
    "or equal to the given timestamp"
)
"""What KIP-79 promises of a lookup by time."""
