"""Which profiles of the draft answer alike, and which questions can be settled apart from the
others.
"""

from __future__ import annotations

from conformance.identify.candidates import Space
from drafts.max_records.axes import QUESTIONS
from drafts.max_records.profile import Compressed, Profile, Scope, Stop, Tail
from spec.frozen import replace

APART = ("zero", "negative", "min_bytes", "session", "encoding")
"""Questions that have nothing to do with counting: each is settled by itself."""
CRAFTED = ("gaps", "empty")
"""Questions that only layouts which compaction leaves can settle."""


def representative(profile: Profile) -> Profile:
    """The profile that stands for all those that answer alike.

    A limit for both scopes is that of the request (proved for all numbers in `counting.py`).
    Counting by decompressing is counting by the header on every layout that there is (`fencepost
    readings compressed`). Where each partition has its own limit and the walk stops after the batch
    that crosses, nothing follows the head of a batch, so that it does not matter what that counts.
    """
    scope = Scope.REQUEST if profile.scope is Scope.BOTH else profile.scope
    compressed = Compressed.HEADER if profile.compressed is Compressed.DEEP else profile.compressed
    tail = profile.tail
    if scope is Scope.PARTITION and profile.stop is Stop.AFTER and tail is Tail.FREE:
        tail = Tail.COUNTED
    return QUESTIONS.normal(replace(profile, scope=scope, compressed=compressed, tail=tail))


def _alike(name: str, met: tuple[Profile, ...]) -> frozenset[str]:
    """The readings of a question that answer as those of the representatives do."""
    kept = {getattr(profile, name) for profile in met}
    alone = any(profile.scope is Scope.PARTITION and profile.stop is Stop.AFTER for profile in met)
    found: set[str] = set()
    found |= {Scope.BOTH} if Scope.REQUEST in kept and name == "scope" else set()
    found |= {Tail.FREE} if name == "tail" and alone and Tail.COUNTED in kept else set()
    found |= {Compressed.DEEP} if Compressed.HEADER in kept else set()
    return frozenset(found)


SPACE: Space[Profile] = Space(QUESTIONS, APART, CRAFTED, representative, _alike)
