import random
import sys
from collections import Counter
from functools import cache
from time import perf_counter

import pytest

from generators.compaction import crafted_layouts
from generators.fetch.fences import (
    Question,
    all_relations,
    choose,
    questions,
    questions_at_the_same_fence,
    sample,
)
from generators.fetch.relations import CLOSES, WAITS
from generators.layouts import collect, large_layouts, layouts, smallest
from spec.canonical import from_json, to_json
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import INT32_MAX, INT64_MAX, INT64_MIN
from spec.layout import Batch, Layout, Marker, Partition
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics

SEED = 7
SEMANTICS = Semantics()
TIGHT = SEMANTICS.with_decisions(FetchSemantics, fetch_max_bytes=1024)
TWO = Layout(
    (Partition(((Batch(100), Batch(200), Batch(300)),)), Partition(((Batch(100), Batch(200)),)))
)


@cache
def drawn() -> list[Layout]:
    return collect(layouts(), SEED, 400)


def everything() -> list[Layout]:
    return [
        *drawn(),
        *collect(large_layouts(1024), SEED, 200),
        *collect(crafted_layouts(), SEED, 200),
    ]


def asked(layout: Layout, relation: str, semantics: Semantics = SEMANTICS) -> list[Fetch]:
    return [
        question.fetch
        for question in questions(layout, semantics, isolation=0)
        if relation in question.relations
    ]


def limits(layout: Layout, relation: str) -> set[int]:
    return {fetch.partitions[0].max_bytes for fetch in asked(layout, relation)}


def test_a_partitions_limit_lies_around_each_partial_sum() -> None:
    one = Layout((Partition(((Batch(100), Batch(200), Batch(300)),)),))
    found = {
        fetch.partitions[0].max_bytes
        for question in questions(one, SEMANTICS, isolation=0)
        if question.relations[0].startswith("partition_max_bytes=")
        for fetch in [question.fetch]
        if fetch.partitions[0].offset == 0
        and fetch.max_bytes == INT32_MAX
        and len(fetch.partitions) == 1
    }
    assert found == {
        99,
        100,
        101,
        299,
        300,
        301,
        599,
        600,
        601,
        0,
        1,
        INT32_MAX,
        -1,
        -(2**31),
        111,
        112,
        113,
    }


def test_a_partial_sum_ends_at_the_segment_and_at_the_last_stable_offset() -> None:
    rolled = Layout((Partition(((Batch(100), Batch(100)), (Batch(100),))),))
    assert 200 in limits(rolled, "partition_max_bytes=at:last")
    assert 300 not in limits(rolled, "partition_max_bytes=at:last")
    opened = Layout((Partition(((Batch(100), Batch(100, txn=0)),)),))
    committed = [question.fetch for question in questions(opened, SEMANTICS, isolation=1)]
    assert 101 in {fetch.partitions[0].max_bytes for fetch in committed}
    assert 199 not in {fetch.partitions[0].max_bytes for fetch in committed}


def test_the_requests_limit_lies_around_partial_sums_across_partitions() -> None:
    found = {
        fetch.max_bytes
        for fetch in asked(TWO, "max_bytes=at:middle")
        if [ask.partition for ask in fetch.partitions] == [0, 1]
    }
    assert found == {300, 600, 700}
    assert {
        fetch.max_bytes
        for fetch in asked(TWO, "max_bytes=above:last")
        if len(fetch.partitions) == 2
    } == {901}


def test_limits_are_asked_in_pairs() -> None:
    fetches = asked(TWO, "partition_max_bytes=below+max_bytes=at")
    assert any(
        fetch.partitions[0].max_bytes == 299 and fetch.max_bytes == 299 + 300 for fetch in fetches
    )


def test_start_offsets_of_each_class_are_asked() -> None:
    layout = Layout(
        (
            Partition(
                (
                    (
                        Batch(100, 5),
                        Batch(100, 1, txn=0),
                        Marker(0, commit=False),
                        Batch(100, 2, txn=1),
                    ),
                ),
                log_start=2,
            ),
        )
    )
    found = {
        ask.offset for question in questions(layout, SEMANTICS) for ask in question.fetch.partitions
    }
    assert {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1, -2, INT64_MIN, INT64_MAX} <= found


def test_special_offsets_go_out_as_they_are() -> None:
    for question in questions(TWO, SEMANTICS):
        for ask in question.fetch.partitions:
            assert ask.absolute == (ask.offset < 0 or ask.offset == INT64_MAX)


def test_a_long_wait_is_asked_only_where_the_answer_comes_at_once() -> None:
    for layout in drawn()[:60]:
        for question in questions(layout, TIGHT, version=12):
            if question.fetch.max_wait_ms > 150:
                assert "wait=long:immediate" in question.relations
            assert (question.fetch.max_wait_ms > 0) == any(
                each.startswith("wait=") for each in question.relations
            )


def test_min_bytes_lies_around_what_is_there() -> None:
    assert {fetch.min_bytes for fetch in asked(TWO, "min_bytes=at")} == {900}
    assert {fetch.min_bytes for fetch in asked(TWO, "min_bytes=below")} == {899}
    assert {fetch.min_bytes for fetch in asked(TWO, "min_bytes=above")} == {901}


def test_an_older_segment_and_a_brokers_limit_keep_a_fetch_from_waiting() -> None:
    rolled = Layout((Partition(((Batch(100),), (Batch(100),))),))
    assert asked(rolled, "min_bytes=above:older-segment")
    assert not asked(rolled, "min_bytes=above")
    full = Layout((Partition(((Batch(1000), Batch(1000)),)),))
    assert not asked(full, "min_bytes=above", TIGHT)
    assert any(fetch.min_bytes == 1025 for fetch in asked(full, "min_bytes=lowered", TIGHT))


def test_every_relation_comes_up() -> None:
    seen: Counter[str] = Counter()
    for layout in everything():
        for question in sample(layout, TIGHT):
            seen.update(question.relations)
    assert set(seen) == all_relations(TIGHT)


RAREST = 6
"""A log start behind an open transaction's first batch has to be drawn before it can be chosen."""


def test_every_relation_is_chosen_often_at_five_a_layout() -> None:
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)
    chosen: list[Question] = []
    for layout in everything():
        picked = choose(sample(layout, TIGHT), seen, 5, rng)
        assert len(picked) == 5
        chosen += picked
    counted: Counter[str] = Counter()
    for question in chosen:
        counted.update(question.relations)
    assert counted == seen
    assert min(seen[relation] for relation in all_relations(TIGHT)) >= RAREST
    assert seen[WAITS] <= 0.06 * len(chosen) + 1
    assert sum(seen[relation] for relation in CLOSES) <= 0.015 * len(chosen) + 1


def test_choosing_is_the_same_for_the_same_seed() -> None:
    def run() -> list[list[Question]]:
        seen: Counter[str] = Counter()
        rng = random.Random(SEED)
        return [choose(sample(layout, SEMANTICS), seen, 5, rng) for layout in drawn()[:50]]

    assert run() == run()


def test_choosing_never_takes_a_question_twice() -> None:
    pool = sample(TWO, SEMANTICS)
    picked = choose(pool, Counter(), len(pool), random.Random(SEED))
    assert len({id(question) for question in picked}) == len(picked) <= len(pool)


@pytest.mark.parametrize("release", list(RELEASES))
def test_versions_are_the_releases_own_but_for_those_that_close(release: str) -> None:
    semantics = semantics_for(release)
    for layout in drawn()[:40]:
        for question in sample(layout, semantics):
            inside = (
                semantics.of(FetchSemantics).oldest_fetch
                <= question.fetch.version
                <= semantics.of(FetchSemantics).newest_fetch
            )
            assert inside == CLOSES.isdisjoint(question.relations)
            assert question.fetch.unknown_tag is None or question.fetch.version >= 12
            assert question.fetch.version >= 9 or all(
                ask.leader_epoch is None for ask in question.fetch.partitions
            )


def test_a_given_version_and_isolation_are_kept() -> None:
    for question in questions(TWO, SEMANTICS, version=6, isolation=1):
        assert question.fetch.version == 6 or not CLOSES.isdisjoint(question.relations)
        assert question.fetch.isolation == 1 or question.relations[0] in {
            "isolation=2",
            "isolation=-1",
        }


def test_a_question_makes_a_scenario_that_survives_json() -> None:
    for layout in drawn()[:20]:
        for question in sample(layout, SEMANTICS):
            scenario = Scenario(layout, (question.fetch,))
            assert from_json(Scenario, to_json(scenario)) == scenario


def test_a_fault_shrinks_to_the_case_a_person_would_have_drawn() -> None:
    """The fault: the right to a first batch is used up by a partition at its end."""

    def starved(fetch: Fetch) -> bool:
        return len(fetch.partitions) == 2 and fetch.max_bytes == 1

    origin = next(
        q
        for layout in drawn()
        for q in sample(layout, SEMANTICS)
        if q.relations[0] == "before=at-end" and starved(q.fetch)
    )
    found = smallest(
        layouts(),
        SEED,
        400,
        lambda layout: any(
            starved(q.fetch) for q in questions_at_the_same_fence(layout, SEMANTICS, origin)
        ),
        550,
    )
    assert found == Layout((Partition(((Batch(100),),)), Partition(((Batch(100),),))))
    first = questions_at_the_same_fence(found, SEMANTICS, origin)[0].fetch
    assert first.partitions == (FetchPartition(1, 1), FetchPartition(0, 0, 1))


def test_the_cost_of_sampling_and_choosing(capsys: pytest.CaptureFixture[str]) -> None:
    seen: Counter[str] = Counter()
    rng = random.Random(SEED)
    started = perf_counter()
    counts = [len(choose(sample(layout, SEMANTICS), seen, 5, rng)) for layout in drawn()]
    with capsys.disabled():
        sys.stdout.write(
            f"\n{(perf_counter() - started) / len(drawn()) * 1000:.2f} ms to sample and choose for "
            "a layout\n"
        )
    assert counts == [5] * len(drawn())
