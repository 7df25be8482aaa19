"""Histories of a share group, drawn small: what its members ask, acknowledge and drop, and what
happens to the logs meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from spec.layout import Batch, Layout, Marker, Partition
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.dry_run import SharePlay
from spec.share.releases import ShareSemantics
from spec.share.steps import (
    FINAL_EPOCH,
    AcknowledgementBatch,
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DropConnection,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.steps import Append, DeleteRecords, Step

Draw = Callable[[st.SearchStrategy[Any]], Any]

MEMBERS = 3
OFFSETS = 24
SHORT_LOCKS = (
    ("group.share.min.record.lock.duration.ms", "1000"),
    ("group.share.record.lock.duration.ms", "1000"),
)
FEW_LOCKS = (("group.share.partition.max.record.locks", "100"),)
TWICE = (("group.share.delivery.count.limit", "2"),)

counts = st.integers(1, 8)


@st.composite
def partitions(draw: Draw) -> Partition:
    kind = draw(st.sampled_from(("plain", "plain", "long", "holes", "transactions")))
    if kind == "long":
        return Partition((tuple([Batch(100, records=30)] * draw(st.integers(2, 5))),))
    batches = [
        Batch(100, records=count) for count in draw(st.lists(counts, min_size=1, max_size=5))
    ]
    if kind == "holes":
        batches = [
            Batch(
                100,
                records=one.records,
                gap=draw(st.integers(0, 4)),
                span=one.records + draw(st.integers(0, 2)),
            )
            for one in batches
        ]
    if kind == "transactions":
        ended: list[Batch | Marker] = []
        for number, one in enumerate(batches):
            ended += [
                Batch(100, records=one.records, txn=number),
                Marker(number, commit=draw(st.booleans())),
            ]
        return Partition((tuple(ended),))
    return Partition((tuple(batches),))


@dataclass
class Script:
    """A history while it is drawn: the model plays each step at once, so that the next can be about
    what is held by then.
    """

    draw: Draw
    play: SharePlay
    steps: list[Step] = field(default_factory=list)

    @property
    def version(self) -> int:
        return self.play.semantics.of(ShareSemantics).newest_fetch

    def add(self, step: Step) -> None:
        self.play.take(len(self.steps), step)
        self.steps.append(step)

    def held(self, actor: int) -> list[tuple[int, int]]:
        """(partition, offset) of every record that a member holds."""
        return [
            (number, offset)
            for number, slot in enumerate(self.play.state.partitions)
            if slot.records is not None
            for batch in slot.records.cached
            for offset, record in batch.offsets()
            if record.held_by(actor)
        ]

    def named(self, actor: int) -> tuple[SharePartition, ...]:
        """Acknowledgements: mostly of what the member holds, sometimes of anything."""
        kinds = st.integers(0, 4 if self.version > 1 else 3)
        held = self.held(actor)
        if not held or not self.draw(st.integers(0, 5)):
            first, length = self.draw(st.integers(0, OFFSETS)), self.draw(st.integers(-1, 6))
            types = tuple(self.draw(st.lists(st.integers(-1, 5), max_size=3)))
            number = self.draw(st.integers(0, len(self.play.state.logs) + 1))
            return (SharePartition(number, (AcknowledgementBatch(first, first + length, types),)),)
        number, first = self.draw(st.sampled_from(held))
        mine = [offset for partition, offset in held if partition == number and offset >= first]
        last = self.draw(st.sampled_from(mine))
        size = last - first + 1
        types = (
            tuple(self.draw(st.lists(kinds, min_size=size, max_size=size)))
            if self.draw(st.booleans())
            else (self.draw(kinds),)
        )
        batches = [AcknowledgementBatch(first, last, types)]
        if self.draw(st.booleans()) and mine[-1] > last:
            batches.append(
                AcknowledgementBatch(
                    last + self.draw(st.integers(0, 1)), mine[-1], (self.draw(kinds),)
                )
            )
        return (SharePartition(number, tuple(batches)),)


def fetched(script: Script, actor: int) -> ShareFetch:
    everything = tuple([SharePartition(number) for number in range(len(script.play.state.logs))])
    return ShareFetch(
        everything if script.draw(st.booleans()) else everything[:1],
        max_records=script.draw(st.sampled_from((0, 1, 2, 3, 5, 6, 7, 10, 30, 100, 500))),
        batch_size=script.draw(st.integers(1, 12)),
        max_bytes=script.draw(st.sampled_from((2**31 - 1, 2**31 - 1, 1, 100, 199, 250))),
        mode=script.draw(st.integers(0, 1 if script.version > 1 else 0)),
        version=script.version,
        actor=actor,
    )


def step(script: Script) -> Step:
    actor = script.draw(st.integers(0, MEMBERS - 1))
    match script.draw(st.integers(0, 15)):
        case 0 | 1 | 2 | 3 | 4:
            return fetched(script, actor)
        case 5 | 6 | 7 | 8:
            return ShareAcknowledge(
                script.named(actor),
                renew=script.draw(st.booleans()),
                version=script.version,
                actor=actor,
            )
        case 9:
            return replace(fetched(script, actor), partitions=script.named(actor))
        case 10:
            epoch = script.draw(st.sampled_from((0, 1, 3, FINAL_EPOCH)))
            return replace(
                fetched(script, actor), epoch=epoch, mode=script.draw(st.sampled_from((0, 2)))
            )
        case 11:
            return ShareFetch(epoch=FINAL_EPOCH, version=script.version, actor=actor)
        case 12:
            return DropConnection(actor)
        case 13:
            return Append(
                script.draw(st.integers(0, len(script.play.state.logs) - 1)),
                Batch(100, records=script.draw(counts)),
            )
        case 14:
            return DeleteRecords(
                script.draw(st.integers(0, len(script.play.state.logs) - 1)),
                script.draw(st.integers(1, 8)),
            )
    rest: tuple[Step, ...] = (Pause(500), Pause(1000), Pause(4000), RestartBroker())
    return rest[script.draw(st.integers(0, len(rest) - 1))]


@st.composite
def share_histories(draw: Draw, semantics: Semantics) -> Scenario:
    logs = tuple(draw(st.lists(partitions(), min_size=1, max_size=2)))
    config = draw(st.sampled_from(((), SHORT_LOCKS, FEW_LOCKS, TWICE, (*SHORT_LOCKS, *TWICE))))
    empty = Scenario(Layout(logs), (), config)
    script = Script(draw, SharePlay(empty, semantics))
    script.add(
        AlterShareGroupOffsets(
            tuple([(number, draw(st.integers(0, 6))) for number in range(len(logs))])
        )
    )
    if "share.isolation.level" in semantics.of(ShareSemantics).group_words and draw(st.booleans()):
        script.add(AlterGroupConfig((("share.isolation.level", "read_committed"),)))
    for _ in range(draw(st.integers(3, 14))):
        script.add(step(script))
    return replace(empty, steps=tuple(script.steps))
