"""Which versions of a log fetches may show, beside writes that are under way."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec import observer
from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.log import Log, log_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer, Closed, Outcome, Silent
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.steps import Append, DeleteRecords, Step
from spec.verdict import Outcome as Said

KAFKA = semantics_for("4.3")
ONE = Partition(((Batch(100),),))
"""A log of one batch at offset 0."""


def shown(*logs: Log) -> FetchAnswer:
    """What a fetch of everything answers where the partitions are so."""
    return FetchAnswer(partitions=tuple([_part(number, log) for number, log in enumerate(logs)]))


def _part(number: int, log: Log) -> PartitionAnswer:
    batches = tuple(
        [
            SeenBatch(one.base, one.last, one.size, one.records)
            for one in log.batches[log.batch_number(log.start) :]
        ]
    )
    return PartitionAnswer(
        number,
        high_watermark=log.end,
        last_stable_offset=log.stable,
        log_start_offset=log.start,
        batches=batches,
    )


def grown(appends: int, start: int = 0) -> Log:
    """`ONE` after some appends of 100 bytes and a DeleteRecords."""
    log = log_of(ONE)
    for _ in range(appends):
        log = log.with_batch(Batch(100))
    return log.deleted_to(start)


def everything(partitions: int = 1, actor: int = 0, offset: int = 0) -> Fetch:
    return Fetch(
        tuple([FetchPartition(number, offset) for number in range(partitions)]), actor=actor
    )


def append(partition: int = 0, actor: int = 1) -> Append:
    return Append(partition, Batch(100), actor)


def broken(
    *played: tuple[Step, Outcome, float, float], partitions: int = 1
) -> set[tuple[str, str]]:
    """What no promise allows where these steps were played, each with what came back, and when it
    was sent and answered.
    """
    scenario = Scenario(Layout((ONE,) * partitions), tuple([step for step, _, _, _ in played]))
    exchanges = [
        Exchange(number, outcome, sent, end)
        for number, (_, outcome, sent, end) in enumerate(played)
    ]
    breaks = judge(scenario, Observation(tuple(exchanges)), KAFKA).breaks
    return {
        (verdict.clause, verdict.signature)
        for verdict in breaks
        if verdict.outcome is not Said.DEVIATES
    }


DONE = AppendAnswer(0, 1)
UNDER_WAY = (append(), DONE, 0.0, 100.0)


def test_two_fetches_are_not_explained_by_two_different_pasts() -> None:
    first, second = (
        (everything(), shown(grown(1)), 10.0, 20.0),
        (everything(), shown(grown(0)), 30.0, 40.0),
    )
    assert broken(UNDER_WAY, first, second) == {("FET-072", "high watermark")}
    assert (
        broken(UNDER_WAY, (first[0], second[1], 10.0, 20.0), (second[0], first[1], 30.0, 40.0))
        == set()
    )


def test_nor_are_those_of_two_connections() -> None:
    first, second = (
        (everything(), shown(grown(1)), 10.0, 20.0),
        (everything(actor=2), shown(grown(0)), 30.0, 40.0),
    )
    assert broken(UNDER_WAY, first, second) == {("FET-072", "high watermark")}
    assert broken(UNDER_WAY, (everything(), shown(grown(1)), 10.0, 50.0), second) == set()


def test_nor_does_a_log_start_go_back() -> None:
    deletion = (DeleteRecords(0, 1, 1), AppendAnswer(0, 1), 0.0, 100.0)
    asked = everything(offset=1)
    moved, not_yet = shown(grown(0, 1)), shown(replace(grown(0), batches=()))
    assert broken(deletion, (asked, moved, 10.0, 20.0), (asked, not_yet, 30.0, 40.0)) == {
        ("FET-072", "log start offset")
    }
    assert broken(deletion, (asked, not_yet, 10.0, 20.0), (asked, moved, 30.0, 40.0)) == set()


def test_of_one_partition_a_later_write_is_not_shown_without_the_earlier_one() -> None:
    writes = (
        (append(), AppendAnswer(0, 1), 0.0, 50.0),
        (append(actor=2), AppendAnswer(0, 2), 0.0, 50.0),
    )
    later_alone = FetchAnswer(
        partitions=(
            PartitionAnswer(
                0,
                high_watermark=3,
                last_stable_offset=3,
                log_start_offset=0,
                batches=(SeenBatch(0, 0, 100, 1), SeenBatch(2, 2, 100, 1)),
            ),
        )
    )
    assert ("FET-070", "batch out of order") in broken(
        *writes, (everything(), later_alone, 10.0, 20.0)
    )
    for count in range(3):
        assert broken(*writes, (everything(), shown(grown(count)), 10.0, 20.0)) == set()


def test_of_two_partitions_a_later_write_may_be_shown_without_the_earlier_one() -> None:
    """A broker reads the partitions one after the other."""
    writes = ((append(0), DONE, 5.0, 12.0), (append(1), DONE, 13.0, 18.0))
    asked = everything(2)
    assert broken(*writes, (asked, shown(grown(0), grown(1)), 10.0, 20.0), partitions=2) == set()
    again = (asked, shown(grown(0), grown(1)), 30.0, 40.0)
    assert broken(*writes, (asked, shown(grown(0), grown(1)), 10.0, 20.0), again, partitions=2) == {
        ("FET-072", "high watermark")
    }


def test_the_offsets_that_are_reported_may_be_those_of_right_before_the_read() -> None:
    between = replace(shown(grown(1)).partitions[0], high_watermark=1, last_stable_offset=1)
    assert (
        broken(UNDER_WAY, (everything(), FetchAnswer(partitions=(between,)), 10.0, 20.0)) == set()
    )


def test_the_last_stable_offset_may_be_taken_after_the_high_watermark() -> None:
    """As Kafka 4.4.0 answered once under load: it reads the one, then the other, then the log."""
    between = replace(shown(grown(1)).partitions[0], high_watermark=1)
    assert (
        broken(UNDER_WAY, (everything(), FetchAnswer(partitions=(between,)), 10.0, 20.0)) == set()
    )


def test_no_offset_is_older_than_what_was_shown_before() -> None:
    before = (everything(), shown(grown(1)), 10.0, 20.0)
    older = replace(shown(grown(1)).partitions[0], high_watermark=1)
    after = (everything(), FetchAnswer(partitions=(older,)), 30.0, 40.0)
    assert broken(UNDER_WAY, before, after) == {("FET-072", "high watermark")}


@pytest.mark.parametrize(
    "outcome",
    [Closed(), Silent(1500, control_answered=True), AppendAnswer(7, None)],
    ids=["closed", "silent", "error"],
)
def test_a_write_without_a_good_answer_may_have_happened_or_not(outcome: Outcome) -> None:
    def seen(first: int, second: int) -> set[tuple[str, str]]:
        fetches = (
            (everything(), shown(grown(first)), 60.0, 70.0),
            (everything(), shown(grown(second)), 80.0, 90.0),
        )
        return broken(*fetches, (append(), outcome, 0.0, 50.0)) - {("*", "step failed")}

    assert seen(0, 0) == seen(0, 1) == seen(1, 1) == set()
    assert seen(1, 0) == {("FET-072", "high watermark")}


def test_many_writes_may_be_under_way_at_once() -> None:
    writes = [
        (append(number % 2, number), AppendAnswer(0, 1 + number // 2), 0.0, 100.0)
        for number in range(1, 25)
    ]
    writes = [
        (step, replace(answer, offset=1 + place // 2), sent, end)
        for place, (step, answer, sent, end) in enumerate(writes)
    ]
    fetches = [
        (everything(2, 50 + n), shown(grown(n), grown(12 - n)), 10.0 + n, 50.0 + n)
        for n in (3, 5, 12)
    ]
    assert broken(*writes, *fetches, partitions=2) == set()
    last = (everything(2, 99), shown(grown(4), grown(12)), 80.0, 90.0)
    assert broken(*writes, *fetches, last, partitions=2) == {("FET-072", "high watermark")}


def test_more_orders_than_are_followed_are_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer, "MOST_STATES", 3)
    assert broken(
        UNDER_WAY,
        *[(append(actor=n), DONE, 0.0, 100.0) for n in (2, 3)],
        (everything(), shown(grown(1)), 10.0, 20.0),
    ) == {("*", "too many states")}


Times = st.tuples(st.integers(0, 20), st.integers(0, 10))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["append", "delete", "lost"]), Times), max_size=4),
    st.lists(st.tuples(Times, st.integers(0, 4), st.integers(0, 1)), min_size=2, max_size=4),
)
def test_a_growing_value_that_is_seen_to_shrink_is_never_explained(
    writes: list[tuple[str, tuple[int, int]]], fetches: list[tuple[tuple[int, int], int, int]]
) -> None:
    played: list[tuple[Step, Outcome, float, float]] = []
    seen: list[tuple[int, int, int, int]] = []
    for place, ((sent, took), appends, start) in enumerate(fetches):
        played.append(
            (
                everything(actor=place, offset=1),
                shown(replace(grown(appends, start), batches=grown(appends).batches[1:])),
                sent,
                sent + took,
            )
        )
        seen.append((sent, sent + took, appends, start))
    for place, (kind, (sent, took)) in enumerate(writes, len(fetches)):
        step: Step = DeleteRecords(0, 1, place) if kind == "delete" else append(actor=place)
        outcome: Outcome = (
            Closed() if kind == "lost" else AppendAnswer(0, 1 if kind == "delete" else None)
        )
        played.append((step, outcome, float(sent), float(sent + took)))
    shrunk = any(
        end < sent and (appends > later or start > then)
        for _, end, appends, start in seen
        for sent, _, later, then in seen
    )
    if shrunk:
        assert {clause for clause, _ in broken(*played)} - {"*"}


@settings(deadline=None)
@given(st.data())
def test_whatever_has_happened_is_explained(data: st.DataObject) -> None:
    """Writes happen and partitions are read at moments of their own; the observation has only times
    before and after these.
    """
    number = data.draw(st.integers(1, 6))
    writes = [(data.draw(st.integers(0, 1)), data.draw(st.integers(0, 30))) for _ in range(number)]
    offsets: dict[int, int] = {}
    for partition in (0, 1):
        mine = sorted((at, place) for place, (to, at) in enumerate(writes) if to == partition)
        offsets |= {place: 1 + count for count, (_, place) in enumerate(mine)}
    played: list[tuple[Step, Outcome, float, float]] = []
    for place, (partition, at) in enumerate(writes):
        before, after = data.draw(st.integers(0, 10)), data.draw(st.integers(0, 10))
        played.append(
            (
                append(partition, 10 + place),
                AppendAnswer(0, offsets[place]),
                at - before - 0.5,
                at + after + 0.5,
            )
        )
    for actor in range(data.draw(st.integers(1, 3))):
        moments = [data.draw(st.integers(0, 30)) + 0.25 for _ in (0, 1)]
        logs = [
            grown(sum(to == partition and at < moments[partition] for to, at in writes))
            for partition in (0, 1)
        ]
        sent, end = (
            min(moments) - data.draw(st.integers(0, 5)),
            max(moments) + data.draw(st.integers(0, 5)),
        )
        played.append((everything(2, actor), shown(*logs), sent, end))
    assert broken(*played, partitions=2) == set()


def test_what_stops_a_play_does_not_unsay_what_was_seen_before() -> None:
    scenario = Scenario(Layout((ONE,)), (everything(), append(), everything()))
    exchanges = (
        Exchange(0, shown(grown(1)), 0.0, 5.0),
        Exchange(1, AppendAnswer(7), 10.0, 20.0),
        Exchange(2, shown(grown(0)), 30.0, 40.0),
    )
    verdicts = judge(scenario, Observation(exchanges), KAFKA).breaks
    assert next(one.clause for one in verdicts if one.primary) == "FET-072"
    assert verdicts[-1].outcome is Said.INCONCLUSIVE
