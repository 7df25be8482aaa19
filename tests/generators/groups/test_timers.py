"""Each timer of a classic group is asked about on both sides of its end: a coordinator whose timer
ends early, or is not prolonged, is caught within a stated number of drawn histories.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from generators.drawing import collect
from generators.groups.histories import TIMED_GROUP, classic_histories
from spec.groups import machine
from spec.groups.dry_run import answer_all
from spec.groups.model import classic, membership, timers
from spec.groups.model.classic import Effect
from spec.groups.model.group import Group
from spec.groups.model.timers import Rings, Timer
from spec.judge import judge
from spec.releases import semantics_for
from spec.scenario import Scenario

SEMANTICS = semantics_for("4.3")
HISTORIES = 300
FOUND_IN_KAFKA = {"GRP-008", "GRP-034"}
Patched = Callable[..., object]


@cache
def drawn(seed: int) -> tuple[Scenario, ...]:
    """The histories in which timers are looked at."""
    every = collect(classic_histories(2), seed, HISTORIES)
    return tuple(
        [
            scenario
            for scenario in every
            if any(getattr(step, "group", 0) == TIMED_GROUP for step in scenario.steps)
        ]
    )


def as_seen_before(before: Group, effect: Effect) -> Effect:
    """The effect, but for what prolongs sessions."""
    seen = {member.id: member.seen for member in before.members}
    members = [
        replace(member, seen=seen.get(member.id, member.seen)) for member in effect.group.members
    ]
    return replace(effect, group=replace(effect.group, members=tuple(members)))


def _heartbeat(group: Group, *rest: object) -> Effect:
    return as_seen_before(group, membership.heartbeat(group, *rest))  # type: ignore[arg-type]


def _sync(group: Group, *rest: object) -> Effect:
    return as_seen_before(group, membership.sync(group, *rest))  # type: ignore[arg-type]


def _join(group: Group, *rest: object) -> Effect:
    return as_seen_before(group, classic.join(group, *rest))  # type: ignore[arg-type]


def _at_half(rings: Rings) -> Callable[[Group], tuple[Timer, ...]]:
    """Timers of one kind that ring after half of their time, as far as that is known."""

    def early(group: Group) -> tuple[Timer, ...]:
        return tuple(
            [
                replace(timer, at=timer.at - _length(group, timer) / 2)
                if timer.rings is rings
                else timer
                for timer in timers.timers(group)
            ]
        )

    return early


def _length(group: Group, timer: Timer) -> float:
    member = group.member(timer.member)
    if timer.rings is Rings.OUT:
        return member.session_ms if member is not None else 0.0
    return max([one.rebalance_ms for one in group.members], default=0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_timers_are_looked_at_in_a_tenth_of_the_histories(seed: int) -> None:
    assert len(drawn(seed)) >= HISTORIES // 10


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_reference_conforms(seed: int) -> None:
    for scenario in drawn(seed):
        found = judge(scenario, answer_all(scenario, SEMANTICS), SEMANTICS)
        assert {one.clause for one in found.breaks} <= FOUND_IN_KAFKA


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("heartbeat", _heartbeat),
        ("sync", _sync),
        ("join", _join),
        ("timers", _at_half(Rings.OUT)),
        ("timers", _at_half(Rings.JOIN)),
        ("timers", _at_half(Rings.SYNC)),
    ],
    ids=[
        "heartbeat-prolongs-nothing",
        "sync-prolongs-nothing",
        "join-prolongs-nothing",
        "session-ends-early",
        "join-phase-ends-early",
        "sync-phase-ends-early",
    ],
)
def test_a_wrong_timer_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Patched, seed: int
) -> None:
    monkeypatch.setattr(machine, name, wrong)
    assert any(
        one.clause not in FOUND_IN_KAFKA
        for scenario in drawn(seed)
        for one in judge(scenario, answer_all(scenario, SEMANTICS), SEMANTICS).breaks
    )
