"""Which rules of data folders a run can look at, by the files that there are."""

from collections.abc import Iterable

from spec.segments.outcomes import SegmentFiles

LOG = tuple([f"SEG-{number}" for number in range(101, 110)])
INDEX, CLOSED_INDEX = ("SEG-120", "SEG-121", "SEG-122"), "SEG-123"
TIME_INDEX = ("SEG-130", "SEG-131")
LEADER_EPOCHS, SNAPSHOT, METADATA = "SEG-150", ("SEG-160", "SEG-161"), "SEG-172"
ALWAYS = "SEG-180"

NOT_LOOKED_AT = {
    "SEG-140": "no scenario has transactions",
    "SEG-141": "no scenario has transactions",
    "SEG-151": "the broker runs while its files are read",
    "SEG-170": "checkpoints are of all partitions of a broker, whoever uses them",
    "SEG-171": "the broker runs while its files are read",
}
"""Rules that no scenario looks at, with the reason; `fencepost audit` does."""


def applicable_rules(
    segments: Iterable[SegmentFiles], *, epochs: bool, snapshots: bool, metadata: bool
) -> tuple[str, ...]:
    """The rules for which there was something to look at, sorted."""
    files = tuple(segments)
    found = {ALWAYS}
    found |= {rule for one in files if one.batches for rule in LOG}
    found |= {rule for one in files if one.offsets for rule in INDEX}
    found |= {rule for one in files if one.times for rule in TIME_INDEX}
    found |= {CLOSED_INDEX for one in files[:-1] if one.index_size}
    found |= {LEADER_EPOCHS} if epochs else set()
    found |= {*SNAPSHOT} if snapshots else set()
    found |= {METADATA} if metadata else set()
    return tuple(sorted(found))
