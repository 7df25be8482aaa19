from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from generators.fetch.histories import (
    KEPT,
    all_history_relations,
    history_relations,
    session_histories,
    waiting_histories,
)
from generators.fetch.session_track import Track
from generators.fetch.waiting_histories import LASTING_MS, REPEATED_MS
from generators.layouts import collect
from spec.canonical import read_scenario, write_scenario
from spec.fetch.dry_run import answer_all
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import Answering
from spec.fetch.model.session import Session
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition, validate
from spec.log import Log
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Append
from spec.verdict import Outcome
from tests.generators.shrinking import usually_shrunk

SEEDS = (1, *[pytest.param(seed, marks=pytest.mark.campaign) for seed in (2, 3)])
SEED = 3
ONE = Layout((Partition(((Batch(100),),)),))


@cache
def sessions() -> list[Scenario]:
    return collect(session_histories(), SEED, 500)


@cache
def waits() -> list[Scenario]:
    return collect(waiting_histories(), SEED, 600)


def shrunk(strategy: SearchStrategy[Scenario], relation: str) -> Scenario:
    found = usually_shrunk(
        strategy, 500, lambda scenario: relation in history_relations(scenario), 550
    )
    assert found is not None
    return found


@pytest.mark.parametrize("strategy", [session_histories, waiting_histories])
def test_a_history_is_valid_and_survives_its_file(
    strategy: Callable[[], SearchStrategy[Scenario]],
) -> None:
    @settings(
        max_examples=100,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
    @given(strategy())
    def check(scenario: Scenario) -> None:
        validate(scenario.layout)
        assert len(scenario.layout.partitions) <= 4
        assert read_scenario(write_scenario(scenario)) == scenario

    check()


def test_every_relation_of_histories_comes_up() -> None:
    seen: Counter[str] = Counter()
    for scenario in [*sessions(), *waits()]:
        seen.update(history_relations(scenario))
    assert set(seen) == all_history_relations()
    assert min(seen.values()) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_each_parameter_of_a_session_goes_up_and_down_within_300_histories(seed: int) -> None:
    seen: Counter[str] = Counter()
    for scenario in collect(session_histories(), seed, 300):
        seen.update(history_relations(scenario))
    assert min(seen[f"session_keeps={one}"] for one in KEPT) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_repeated_wait_is_drawn_and_caught_within_200_histories(seed: int) -> None:
    """A broker that answers the same fetch of another connection at once, since one waits already,
    breaks a promise.
    """
    repeated = [
        one
        for one in collect(waiting_histories(), seed, 200)
        if "wait=repeated" in history_relations(one)
    ]
    assert len(repeated) >= 3
    semantics = semantics_for("4.3")
    for scenario in repeated:
        assert judge(scenario, answer_all(scenario, semantics), semantics).breaks == ()
        answering = _one_waits()
        found = judge(scenario, answer_all(scenario, semantics, answering), semantics)
        assert {one.clause for one in found.breaks} & {"FET-014", "FET-015", "FET-055"}


def _one_waits() -> Answering:
    waiting: dict[Fetch, int] = {}

    def answering(
        fetch: Fetch,
        logs: Mapping[int, Log],
        own: Session | None,
        semantics: Semantics,
        partitions: int | None = None,
    ) -> tuple[FetchAnswer, Session | None, float]:
        answer, session, held_ms = answer_fetch(fetch, logs, own, semantics, partitions)
        first = waiting.setdefault(replace(fetch, actor=0, after_ms=0), fetch.actor)
        return answer, session, held_ms if first == fetch.actor else 0.0

    return answering


@pytest.mark.parametrize("seed", SEEDS)
def test_a_repeat_in_a_session_is_drawn_and_caught_within_200_histories(seed: int) -> None:
    """A broker that moves a session with its answer serves a repeat of what still waits."""
    repeated = [
        one
        for one in collect(waiting_histories(), seed, 200)
        if "wait=repeated-in-session" in history_relations(one)
    ]
    assert len(repeated) >= 3
    semantics = semantics_for("4.3")
    for scenario in repeated:
        assert judge(scenario, answer_all(scenario, semantics), semantics).breaks == ()
        observed = answer_all(scenario, semantics, taking_on=lambda _, own: own)
        found = judge(scenario, observed, semantics)
        assert [(one.clause, one.outcome) for one in found.breaks] == [
            ("FET-032", Outcome.VIOLATES)
        ]


def test_a_session_starts_with_a_full_fetch_and_continues() -> None:
    for scenario in sessions():
        first = scenario.steps[0]
        assert isinstance(first, Fetch)
        assert (first.epoch, first.session) == (0, 0)
        assert 2 <= len(scenario.steps) <= 45
        assert scenario.actors == 1


def test_versions_are_the_releases_own() -> None:
    semantics = semantics_for("4.0")
    for scenario in [
        *collect(session_histories(semantics), SEED, 200),
        *collect(waiting_histories(semantics), SEED, 100),
    ]:
        assert all(4 <= step.version <= 17 for step in scenario.steps if isinstance(step, Fetch))


def test_a_broker_without_sessions_has_no_session_histories() -> None:
    with pytest.raises(ValueError, match="v7"):
        session_histories(Semantics().with_decisions(FetchSemantics, newest_fetch=6))


def test_the_epoch_follows_accepted_requests_only() -> None:
    track = Track()
    asks = (FetchPartition(0, 0), FetchPartition(1, 0))
    continuing = Fetch(session=OWN, epoch=1)
    assert track.send(Fetch(asks, epoch=0)) == "full"
    assert track.send(continuing) == "accepted"
    assert track.send(continuing) == "epoch-below"
    assert track.send(replace(continuing, epoch=3)) == "epoch-above"
    assert track.send(replace(continuing, epoch=2, version=13)) == "topic-ids"
    assert track.send(replace(continuing, epoch=2, session=12345)) == "unknown-id"
    assert track.send(replace(continuing, epoch=2, forgotten=(0,))) == "accepted"
    assert list(track.partitions) == [1]
    assert track.send(replace(continuing, epoch=3, forgotten=(1,))) == "accepted"
    assert track.send(replace(continuing, epoch=4)) == "gone"
    assert track.send(Fetch(asks, epoch=0, session=OWN)) == "full"
    assert track.send(Fetch(asks, session=OWN)) == "closing"
    assert track.send(continuing) == "gone"
    assert track.send(Fetch(asks)) == "sessionless"


def test_waits_are_short_or_ended_by_an_append() -> None:
    for scenario in waits():
        appends = [step for step in scenario.steps if isinstance(step, Append)]
        relations = set(history_relations(scenario))
        in_session = {"wait=repeated-in-session", "wait=followed-in-session"} & relations
        latest = 150 + (REPEATED_MS if in_session else 0)
        assert all(
            step.actor == 1 and step.after_ms % 30 == 0 and 30 <= step.after_ms <= latest
            for step in appends
        )
        times = [
            step.max_wait_ms
            for step in scenario.steps
            if isinstance(step, Fetch) and step.max_wait_ms
        ]
        assert len(times) == 1 + bool(in_session or "wait=repeated" in relations)
        assert times[0] <= 150 or times[0] == (5000 if appends else LASTING_MS)
        if times[0] == 5000:
            assert {"append_fills=at", "append_fills=above"} & relations


@pytest.mark.campaign
def test_a_wrong_epoch_shrinks_to_two_requests() -> None:
    scenario = shrunk(session_histories(), "session=epoch-above")
    full, wrong = scenario.steps
    assert scenario.layout == ONE
    assert full == Fetch((FetchPartition(0, 0),), epoch=0)
    assert isinstance(wrong, Fetch)
    assert (wrong.session, wrong.epoch) == (OWN, 2)


@pytest.mark.campaign
def test_use_after_closing_shrinks_to_three_requests() -> None:
    scenario = shrunk(session_histories(), "session=closed-then-used")
    assert scenario.layout == ONE
    assert len(scenario.steps) == 3


def test_an_exact_append_shrinks_to_one_fetch_and_one_append() -> None:
    scenario = shrunk(waiting_histories(), "append_fills=at")
    assert scenario.steps == (
        Fetch((FetchPartition(0, 0),), min_bytes=100, max_wait_ms=5000),
        Append(0, Batch(100), actor=1, after_ms=30),
    )


def test_an_empty_incremental_fetch_that_must_wait_shrinks_to_it_and_its_full_fetch() -> None:
    """F14."""
    scenario = shrunk(waiting_histories(), "wait=in-session")
    assert scenario.steps == (
        Fetch((FetchPartition(0, 0),), epoch=0),
        Fetch(min_bytes=1, max_wait_ms=120, session=OWN, epoch=1),
    )
