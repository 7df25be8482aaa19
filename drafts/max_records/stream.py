"""The records that a fetch returns under a limit of records, computed batch by batch: the second
formulation.

Each batch is looked at alone, beside everything that was sent before it; there is no read of a
partition to cut down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from drafts.max_records.profile import (
    Compressed,
    Empty,
    Exact,
    Mixed,
    Oversize,
    Profile,
    Progress,
    Scope,
    Stop,
    Tail,
)
from drafts.max_records.units import View, counts_one, records_of
from spec.fetch.model.request import Ask
from spec.frozen import frozen
from spec.kafka import BATCH_HEADER
from spec.layout import Codec
from spec.log import Log, Stored


@frozen
class _Sent:
    """One batch, or the head of one, in the answer: where, how many bytes, what it counts, and by
    which count.
    """

    place: int
    size: int
    whole: bool
    count: int
    coarse: bool


@dataclass(slots=True)
class _Stream:
    profile: Profile
    most: int
    sent: list[_Sent] = field(default_factory=list)
    looked: list[tuple[int, Stored]] = field(default_factory=list)

    def in_scope(self, place: int) -> list[_Sent]:
        return [
            one
            for one in self.sent
            if self.profile.scope is not Scope.PARTITION or one.place == place
        ]

    def weigh(self, batch: Stored, place: int, view: View) -> tuple[int, bool]:
        """The batch's count, and whether by the count of batches that count one."""
        one = counts_one(batch, self.profile)
        if self.profile.compressed is Compressed.ONE and self.profile.mixed is Mixed.FIRST:
            among = [
                seen
                for where, seen in self.looked
                if self.profile.scope is not Scope.PARTITION or where == place
            ]
            one = counts_one(among[0], self.profile)
        records = records_of(batch, view, self.profile)
        return min(records, 1) if one else records, one and self.profile.mixed is Mixed.SEPARATE

    def spent(self, place: int, *, coarse: bool) -> int:
        return sum(one.count for one in self.in_scope(place) if one.coarse is coarse)

    def admits(self, count: int, place: int, *, coarse: bool) -> bool:
        """Whether the count alone lets a batch in."""
        spent = {kind: self.spent(place, coarse=kind) for kind in (False, True)}
        if self.profile.stop is Stop.AFTER:
            return spent[False] < self.most and spent[True] < self.most
        spent[coarse] += count
        return spent[False] <= self.most and spent[True] <= self.most

    def may_pass(self, place: int) -> bool:
        """Whether a batch may pass the limit as the first."""
        if (
            self.profile.stop is Stop.AFTER
            or self.profile.oversize is Oversize.REFUSED
            or not self.most
        ):
            return False
        by_partition = (
            self.profile.scope is Scope.PARTITION and self.profile.progress is Progress.PARTITION
        )
        among = [one for one in self.sent if one.whole and (one.place == place or not by_partition)]
        return (
            not among if self.profile.empty is Empty.USES else not any(one.count for one in among)
        )


def read_all(
    asks: Sequence[Ask],
    logs: Mapping[int, Log],
    limit: int,
    isolation: int,
    most: int,
    profile: Profile,
) -> list[tuple[int, int]]:
    """(whole batches, bytes) of each partition, under `limit` bytes in all and `most` records.

    The log's own limits, partitions out of range and errors are none of its matter: those give (0,
    0).
    """
    stream = _Stream(profile, most)
    for place, ask in enumerate(asks):
        view = View(logs[ask.partition], ask.offset, isolation)
        before = sum(one.size for one in stream.sent)
        room = min(ask.max_bytes, max(0, limit - before))
        for number, batch in enumerate(view.log.readable(ask.offset, isolation)):
            if not _next(stream, place, view, batch, room, first=not number):
                break
    return [
        (
            sum(one.whole for one in stream.sent if one.place == place),
            sum(one.size for one in stream.sent if one.place == place),
        )
        for place in range(len(asks))
    ]


def _next(
    stream: _Stream, place: int, view: View, batch: Stored, room: int, *, first: bool
) -> bool:
    """Send a batch, or the head of it, or nothing; whether the walk continues in its partition."""
    room -= sum(one.size for one in stream.sent if one.place == place)
    fits = batch.size <= room or not stream.sent
    if first and not fits:
        return False
    stream.looked.append((place, batch))
    count, coarse = stream.weigh(batch, place, view)
    if not fits:
        _send_head(stream, place, count, coarse, room)
        return False
    admitted = stream.admits(count, place, coarse=coarse) or stream.may_pass(place)
    head = 0 if first or coarse else _head(stream, place, batch, count)
    if head:
        stream.sent.append(_Sent(place, head, whole=False, count=count, coarse=coarse))
        return False
    if admitted:
        stream.sent.append(_Sent(place, batch.size, whole=True, count=count, coarse=coarse))
    return admitted


def _send_head(stream: _Stream, place: int, count: int, coarse: bool, room: int) -> None:
    """The batch that the byte limit falls into."""
    if room <= 0 or stream.profile.tail is Tail.LEFT_OUT:
        return
    counted = count if stream.profile.tail is Tail.COUNTED else 0
    if stream.admits(counted, place, coarse=coarse):
        stream.sent.append(_Sent(place, room, whole=False, count=counted, coarse=coarse))


def _head(stream: _Stream, place: int, batch: Stored, count: int) -> int:
    """Bytes of the head of a batch that the count falls into, where such are cut."""
    room = stream.most - stream.spent(place, coarse=False)
    if (
        stream.profile.exact is not Exact.CUT
        or batch.codec is not Codec.NONE
        or batch.control
        or not batch.records
        or not 0 < room < count
    ):
        return 0
    if stream.spent(place, coarse=True) >= stream.most and stream.profile.stop is Stop.AFTER:
        return 0
    return BATCH_HEADER + (batch.size - BATCH_HEADER) * room // count
