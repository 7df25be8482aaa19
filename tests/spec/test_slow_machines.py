"""Clauses on time allow for the delay of a plain request that was measured beside a play."""

from dataclasses import replace

import pytest

from spec.fetch.steps import Fetch, FetchPartition
from spec.groups.examples import history, size_limits
from spec.groups.steps import NEW, DescribeGroup, JoinGroup, RestartWith, SyncGroup, WaitFor
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario

KAFKA = semantics_for("4.3")
AT_ONCE = Scenario(
    Layout((Partition(((Batch(100),),)),)),
    (Fetch((FetchPartition(0, 0),), min_bytes=1, max_wait_ms=3000),),
)
"""A fetch that nothing holds back."""
FORGOTTEN = history(
    JoinGroup(0, NEW, session_ms=1000),
    JoinGroup(0, session_ms=1000),
    DescribeGroup(1, "CompletingRebalance", 1),
    WaitFor(100, 1),
    DescribeGroup(1, "", 1),
    limit=1,
)
"""A member whose session is over long before the last description."""


RESTARTED = history(
    JoinGroup(0, NEW, session_ms=4000),
    JoinGroup(0, session_ms=4000),
    SyncGroup(0),
    RestartWith(size_limits(2), 7),
    DescribeGroup(1),
)
"""A member that is not heard of after a restart."""


def broken(observation: Observation, scenario: Scenario) -> set[tuple[str, str]]:
    return {(one.clause, one.signature) for one in judge(scenario, observation, KAFKA).breaks}


@pytest.mark.parametrize(
    ("elapsed_ms", "delay_ms", "late"),
    [
        (2_984, 0, False),
        (2_986, 0, True),
        (2_986, 450, True),
        (2_986, 550, False),
        (3_099, 550, False),
        (3_101, 550, True),
    ],
)
def test_an_answer_at_once_is_late_after_what_a_slow_machine_adds(
    elapsed_ms: float, delay_ms: float, late: bool
) -> None:
    (answer,) = answer_all(AT_ONCE, KAFKA).exchanges
    slow = replace(answer, sent_ms=0.0, answered_ms=elapsed_ms)
    found = broken(Observation((slow,), delay_ms=delay_ms), AT_ONCE)
    assert (("FET-114", "waited though there was enough") in found) is late


@pytest.mark.parametrize(
    ("described_ms", "delay_ms", "overdue"),
    [(5_900, 0, False), (6_200, 0, True), (6_200, 300, False), (6_900, 300, True)],
)
def test_a_session_is_overdue_after_what_a_slow_machine_adds(
    described_ms: float, delay_ms: float, overdue: bool
) -> None:
    *made, waited, described = answer_all(FORGOTTEN, KAFKA).exchanges
    there = made[2].outcome
    late = replace(described, outcome=there, sent_ms=described_ms, answered_ms=described_ms + 1)
    waited = replace(waited, answered_ms=described_ms - 1)
    found = broken(Observation((*made, waited, late), delay_ms=delay_ms), FORGOTTEN)
    assert (("GRP-154", "stays") in found) is overdue


@pytest.mark.parametrize(
    ("restart_ms", "later_ms", "overdue"), [(20_000, 10, False), (20_000, 9_100, True)]
)
def test_a_session_begins_with_the_end_of_a_restart(
    restart_ms: float, later_ms: float, overdue: bool
) -> None:
    *made, restart, described = answer_all(RESTARTED, KAFKA).exchanges
    restart = replace(restart, answered_ms=restart.sent_ms + restart_ms)
    sent_ms = restart.answered_ms + later_ms
    described = replace(described, sent_ms=sent_ms, answered_ms=sent_ms + 1)
    found = broken(Observation((*made, restart, described)), RESTARTED)
    assert (("GRP-154", "stays") in found) is overdue
