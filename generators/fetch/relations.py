"""The names of the relations that a fetch can have to the fences of its layout: the record of what
has been tried.

A name is `what=how`. `below`, `at` and `above` are one byte (or offset) below a fence, on it and
one above; `first`, `middle` and `last` say which partial sum of batches the fence is.
"""

from spec.fetch.releases import FetchSemantics
from spec.kafka import LEADER_EPOCH_SINCE, TOPIC_IDS_SINCE
from spec.layout import Codec
from spec.semantics import Semantics
from spec.verdict import Side, side

SIDES = ("below", "at", "above")
PLACES = ("first", "middle", "last")

WAITS = "wait=short"
"""The broker is to wait for up to 120 ms."""
NEWER = "version=above-newest"
OLDER = "version=below-oldest"
CLOSES = frozenset((NEWER, OLDER))
"""The broker closes the connection (FET-042)."""

QUOTAS = {where: f"quota={where}" for where in SIDES}
"""A client id of its own and a quota for it: it takes a second or so, since what is only let
through comes throttled first.
"""

HOLES = ("hole:first", "hole:middle", "hole:last", "behind-hole", "in-emptied", "past-thinned")
"""Offsets around what compaction took out: in a hole, at the batch behind it, in an empty batch, at
a thinned batch's last offset.
"""
OLD = ("0", "1")
"""Formats of messages that only an older release wrote."""

OFFSETS = (
    "base",
    "mid-batch",
    "last-of-batch",
    *HOLES,
    *[
        f"{fence}:{where}"
        for fence in ("log-start", "end", "stable", "kept-batch")
        for where in SIDES
    ],
    "-1",
    "-2",
    "int64-min",
    "int64-max",
)
LIMITS = (
    *[f"{where}:{place}" for where in SIDES for place in PLACES],
    "zero",
    "one",
    "huge",
    "-1",
    "int32-min",
)


ABOVE = (
    "older-segment",
    "partition-limited",
    "error",
    "unknown",
    "unknown+two",
    "unknown-only",
    "no-wait",
    "negative-wait",
)
"""The relations of a `min_bytes` above the available bytes."""

EDGES = ("last", "stable", "hole", "first")
"""Where a fetch starts around the edge of two segments: at the last offset before it, also where
the last stable offset is the first one behind it, at one that is missing between, at the first one
behind.
"""
EDGES_OF_NEWEST = ("hole:newest", "first:newest")


def _of(what: str, *how: str) -> list[str]:
    return [f"{what}={each}" for each in how]


def side_name(value: int, fence: int) -> str:
    """`below`, `at` or `above`."""
    where = side(value, fence)
    return "below" if where is Side.BELOW else "at" if where is Side.AT else "above"


def all_relations(semantics: Semantics | None = None) -> frozenset[str]:
    """Every relation that the questions of some layout can have, so that holes can be reported.

    Those of `fetch.max.bytes` come up only where layouts hold more than the broker's limit.
    """
    known = (semantics or Semantics()).of(FetchSemantics)
    return frozenset(
        [
            *_of("offset", *OFFSETS),
            *_of("partition_max_bytes", *LIMITS, "prefix:11", "prefix:12", "prefix:13"),
            *_of("max_bytes", *LIMITS),
            *[f"partition_max_bytes={one}+max_bytes={two}" for one in SIDES for two in SIDES],
            *_of(
                "fetch.max.bytes",
                *SIDES,
                *[f"holds:{where}" for where in SIDES],
                "first-batch:above",
            ),
            *QUOTAS.values(),
            *_of("later_partition", *SIDES),
            *_of("later_remaining", *SIDES),
            *_of("later_limit", *SIDES),
            *_of("first_batch", *SIDES),
            *_of("segment_end", *SIDES),
            *_of("order", "given", "reversed", "rotated"),
            *_of("partitions", "one", "pair", "subset", "all"),
            *_of("duplicate", "adjacent", "apart", "thrice"),
            *_of("unknown", "first", "middle", "last", "only"),
            *(["unknown=first-ids"] if known.newest_fetch >= TOPIC_IDS_SINCE else []),
            *_of("before", "at-end", "out-of-range", "negative-limit"),
            *_of("progress", *SIDES),
            *_of("isolation", "read_uncommitted", "read_committed", "2", "-1"),
            *_of(
                "version",
                *[str(version) for version in range(known.oldest_fetch, known.newest_fetch + 1)],
            ),
            *([OLDER] if known.offered_versions[0] > 0 else []),
            NEWER,
            *_of("replica_id", "-2", "5"),
            *(
                _of("leader_epoch", "current", "newer", "older", "first-version")
                if known.newest_fetch >= LEADER_EPOCH_SINCE
                else []
            ),
            *_of("unknown_tag", *SIDES),
            "session=nobody's",
            "session=last-shard",
            "session=outside-shards",
            *_of("min_bytes", *SIDES, "zero", "negative", "lowered", "first-batch"),
            *[f"min_bytes=above:{why}" for why in ABOVE],
            *_of("older_segment", *SIDES, *[f"limit:{where}" for where in SIDES]),
            *_of("segment_edge", *[f"{where}:older" for where in EDGES], *EDGES_OF_NEWEST),
            *_of("unstable_wait", *SIDES, "past"),
            *_of("wait", "short", "short:immediate", "long:immediate"),
            *_of("codec", *[codec.value for codec in Codec]),
            *_of("first", "marker", "transactional"),
            *_of("stops", "segment", "stable"),
            *_of(
                "unstable",
                *[
                    f"{where}:{level}"
                    for where in ("at", "above")
                    for level in ("committed", "uncommitted")
                ],
            ),
            *_of(
                "log_start",
                "moved",
                "inside-batch",
                "in-hole",
                "end",
                "past-open",
                "past-open:base",
                "past-open:inside-batch",
            ),
            *_of("first", "emptied", "thinned"),
            *_of("magic", *OLD),
            *_of("emptied", *SIDES),
            *_of("old_message", *SIDES),
        ]
    )
