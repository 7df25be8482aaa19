"""What a scenario needs and does not get in time says nothing of the broker: the scenario is
inconclusive, the run continues, and ends early where nothing gets ready for long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from conformance.cli.common import make_codec
from conformance.engine import readiness
from conformance.engine.event_stream import Run, plan_start, run
from conformance.engine.plan import Plan
from conformance.exit_codes import UNREACHABLE
from conformance.ledger import PREFIX
from conformance.placement.problem import TookTooLong
from conformance.play import history
from conformance.serve.server import Server
from conformance.serve.settings import Settings
from conformance.subjects.groups import coordinator
from conformance.subjects.groups.loop import GroupLoop
from conformance.subjects.registry import runner_of
from conformance.subjects.share import broker_player
from conformance.subjects.share.coordinators import await_coordinators
from conformance.systems.external import External
from spec.events import Flaky, Judged, Note, RunFinished
from spec.judgement import EVERY_CLAUSE, NOT_READY
from spec.kafka import Error, error_name
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cluster import Cluster
    from conformance.wire.codec import Request
    from conformance.wire.connection import Connection
    from spec.events import Event

COMING_UP_S = 0.3
"""How long a coordinator is waited for here; one that is there answers at once."""
COORDINATED = frozenset(
    {"JoinGroup", "SyncGroup", "Heartbeat", "OffsetCommit"}
    | {f"{kind}GroupHeartbeat" for kind in ("Consumer", "Share", "Streams")}
)
"""Requests that a group coordinator answers."""
NEVER = 1_000_000


@dataclass
class Loading:
    """A coordinator that does nothing for the first plays of a run, and says so.

    Attributes:
        plays: for how many plays, each of which has names of its own.
        error: what it answers then.
        apis: what it answers so.
        names: what the names of the plays so far begin with.
    """

    plays: int
    error: int = Error.COORDINATOR_NOT_AVAILABLE
    apis: frozenset[str] = COORDINATED
    names: list[str] = field(default_factory=list)

    def refusal(self, request: Request) -> dict[str, Any] | None:
        """The answer to a request that it refuses; None where it does not."""
        value = request.body.value
        name = value.get("group_id") or value.get("transactional_id")
        if request.api not in self.apis or not name:
            return None
        play = name.removeprefix(PREFIX).removeprefix("offsets-").removeprefix("produce-")
        if (begin := play.split("-")[0]) not in self.names:
            self.names.append(begin)
        if self.names.index(begin) >= self.plays:
            return None
        if request.api != "OffsetCommit":
            return {"error_code": self.error}
        topics = [
            {
                **topic,
                "partitions": [
                    {"partition_index": one["partition_index"], "error_code": self.error}
                    for one in topic["partitions"]
                ],
            }
            for topic in value["topics"]
        ]
        return {"topics": topics}


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> Callable[[Loading], None]:
    """Have served models load as asked, and coordinators be waited for no longer than here."""
    answer = Server._value

    def load(how: Loading) -> None:
        async def value(server: Server, request: Request) -> dict[str, Any] | None:
            refused = how.refusal(request)
            return await answer(server, request) if refused is None else refused

        monkeypatch.setattr(Server, "_value", value)

    for module in (history, coordinator):
        monkeypatch.setattr(module, "COMING_UP_S", COMING_UP_S)
    return load


def events_of(subject: str, scenarios: int, *clauses: str, examples: bool = False) -> list[Event]:
    """All events of a run on a served model that someone else runs."""
    plan = Plan(3, scenarios, restart=False, examples=examples, clauses=frozenset(clauses))
    with serving(Settings("4.3.1")) as state:
        asked = Run(
            subject,
            External(f"{state.host}:{state.port}"),
            make_codec(),
            plan_start(runner_of(subject), plan, "r1"),
            plan.seed,
            "r1",
            whole=False,
        )
        return list(run(asked))


def unready(events: list[Event]) -> list[str]:
    """The reasons of the scenarios that were inconclusive since something was not ready."""
    return [
        verdict.why
        for event in events
        if isinstance(event, Judged)
        for verdict in event.verdicts
        if (verdict.clause, verdict.signature) == (EVERY_CLAUSE, NOT_READY)
    ]


def footer(events: list[Event]) -> RunFinished:
    """How the run ended."""
    assert isinstance(events[-1], RunFinished)
    return events[-1]


@pytest.mark.system
def test_a_coordinator_that_comes_up_late_makes_its_scenarios_inconclusive_and_no_others(
    loading: Callable[[Loading], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GroupLoop, "batch", 1)
    loading(Loading(plays=5))
    events = events_of("groups", 4)
    found = unready(events)
    assert len(found) == 2, "two plays and the replay of each; the third is ready when replayed"
    assert all("COORDINATOR_NOT_AVAILABLE" in why for why in found)
    undecided = [event for event in events if isinstance(event, Flaky)]
    assert [one.signature for one in undecided if one.clause == EVERY_CLAUSE] == [NOT_READY]
    judged = [event for event in events if isinstance(event, Judged)]
    assert len(judged) == 4
    assert all(
        any(verdict.outcome is Outcome.CONFORMS for verdict in event.verdicts)
        for event in judged[2:]
    )
    assert (footer(events).reason, footer(events).exit_code) == ("done", UNREACHABLE)


@pytest.mark.system
def test_a_coordinator_that_never_comes_up_ends_the_run(
    loading: Callable[[Loading], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GroupLoop, "batch", 1)
    monkeypatch.setattr(readiness, "LASTING_S", COMING_UP_S)
    loading(Loading(plays=NEVER))
    events = events_of("groups", 1_000)
    assert len(unready(events)) == readiness.MOST_UNREADY
    assert (footer(events).reason, footer(events).exit_code) == ("broken", UNREACHABLE)
    [why] = [one.text for one in events if isinstance(one, Note) and "ended early" in one.text]
    assert "in 3 scenarios in a row" in why
    assert "COORDINATOR_NOT_AVAILABLE" in why


@pytest.mark.system
@pytest.mark.parametrize(
    ("subject", "api", "error"),
    [
        ("offsets", "OffsetCommit", Error.NOT_COORDINATOR),
        ("produce", "InitProducerId", Error.COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
def test_where_some_scenarios_need_no_coordinator_the_run_comes_to_its_end(
    loading: Callable[[Loading], None],
    monkeypatch: pytest.MonkeyPatch,
    subject: str,
    api: str,
    error: Error,
) -> None:
    monkeypatch.setattr(readiness, "LASTING_S", 0.0)
    monkeypatch.setattr(readiness, "MOST_UNREADY", 1)
    loading(Loading(plays=NEVER, error=error, apis=frozenset({api})))
    events = events_of(subject, 1, examples=True)
    found = unready(events)
    assert found
    assert all(error_name(error) in why for why in found)
    assert footer(events).reason == "done"


@pytest.mark.system
def test_share_groups_whose_coordinators_come_up_late_are_played_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited = 0

    def late(cluster: Cluster, connection: Connection) -> None:
        nonlocal waited
        waited += 1
        if waited == 1:
            raise TookTooLong("expected the coordinators of share groups to come up")
        await_coordinators(cluster, connection)

    monkeypatch.setattr(broker_player, "await_coordinators", late)
    events = events_of("share", 8, "SHR-001")
    assert waited > 1
    assert footer(events).reason == "done"
    flaky = [event for event in events if isinstance(event, Flaky)]
    assert (EVERY_CLAUSE, NOT_READY) in {(one.clause, one.signature) for one in flaky}
    assert not unready(events)
