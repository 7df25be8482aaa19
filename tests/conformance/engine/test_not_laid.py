"""A layout that can't be laid is left out and counted; the run continues, and ends as incomplete
only under --strict.
"""

import asyncio
import secrets
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from conformance.claims.features import ANYTHING, Claims
from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.asking import Ask
from conformance.engine.loop import Lost
from conformance.engine.outcome import RunOutcome
from conformance.engine.plan import Plan
from conformance.engine.player import LayoutPlayer
from conformance.engine.resume_point import BEGINNING, ResumePoint, resume_point
from conformance.exit_codes import OK, UNREACHABLE
from conformance.facts import read_facts, semantics_of
from conformance.findings import SHIPPED, load_findings, unexpired_reasons
from conformance.placement import laying
from conformance.placement.laying import GIVEN_UP_AFTER
from conformance.placement.placed_partition import Placed
from conformance.placement.pool import OPTIONAL_CONFIG
from conformance.placement.problem import LayingStep, Unlaid
from conformance.serve.broker_state import BrokerState
from conformance.serve.settings import Settings
from conformance.serve.table import APIS, Api
from conformance.subjects.registry import runner_of
from conformance.wire.codec import Request
from conformance.wire.sizing import NoSuchBatchError
from results.clauses import catalogue
from results.junit import junit
from results.log import LOG_NAME, EventWriter, read_log
from results.summary import summarise
from spec.events import Cursor, Event, Judged, LeftOut, NotLaid, RunFinished, RunStarted
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import Error
from spec.layout import Batch, Layout, Marker, Partition
from spec.scenario import Scenario
from spec.steps import Append
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

SCENARIOS = 90
RUN = RunStarted("run", "2026-01-01T00:00:00Z", "0", 5, "fetch", "model", "4.3", "fetch-4.3")


def events_of(
    before: ResumePoint = BEGINNING,
    *,
    timeout: float = 1.0,
    subject: str = "fetch",
    claims: Claims = ANYTHING,
) -> list[Event]:
    """All events of a run on the served model."""
    with serving(Settings("4.3.1", {})) as state:
        cluster = replace(reach(state.host, state.port, make_codec()), timeout=timeout)
        semantics = semantics_of(read_facts(cluster))
        runner = runner_of(subject)
        player = runner.player(cluster, semantics, f"laying-{secrets.token_hex(4)}", None)
        plan = Plan(5, SCENARIOS, shrink=False, before=before, claims=claims)
        try:
            return list(runner.loop(player, plan, frozenset()).events())
        finally:
            player.close()


def altered(monkeypatch: pytest.MonkeyPatch, api: str, answer: Any) -> None:
    """Let an API of the served model be answered by this function of (state, request, answer)."""
    was = APIS[api]

    async def instead(state: BrokerState, request: Request) -> Any:
        value = was.answer(state, request)
        value = await value if asyncio.iscoroutine(value) else value
        return await answer(state, request, value)

    monkeypatch.setitem(APIS, api, Api(instead, was.newest, was.early))


async def never(_: BrokerState, __: Request, ___: Any) -> Any:
    """No answer."""
    await asyncio.Event().wait()


def unlaid(events: Iterable[Event]) -> list[NotLaid]:
    return [event for event in events if isinstance(event, NotLaid)]


def judged(events: Iterable[Event]) -> list[Judged]:
    return [event for event in events if isinstance(event, Judged)]


def transactional(event: NotLaid) -> bool:
    return any(
        isinstance(entry, Marker) or entry.txn is not None
        for partition in event.scenario.layout.partitions
        for entry in partition.entries()
    )


def test_a_producer_id_that_never_comes_leaves_out_the_transactional_layouts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Request] = []

    async def heard(state: BrokerState, request: Request, value: Any) -> Any:
        asked.append(request)
        return await never(state, request, value)

    altered(monkeypatch, "InitProducerId", heard)
    monkeypatch.setattr(laying, "ALONE_S", 0.2)
    events = events_of(timeout=1.0)
    found = unlaid(events)
    assert len(asked) == 1 + GIVEN_UP_AFTER < len(found)
    assert judged(events)
    assert events.index(judged(events)[0]) < events.index(found[0])  # before it is waited for
    assert all(map(transactional, found))
    assert {event.step for event in found} == {"a transaction"}
    assert all("InitProducerId" in event.why for event in found)
    assert all(event.clauses for event in found)
    last = [event for event in events if isinstance(event, Cursor)][-1]
    assert last.not_laid == len(found)
    assert last.scenarios == len(judged(events))
    reasons = [event.reason for event in events if isinstance(event, LeftOut)]
    assert any(reason.startswith("not laid, a transaction: expected") for reason in reasons)


def test_a_layout_that_can_not_be_taken_off_gives_up_its_partitions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Aborts are refused, with which the transactions end that a layout leaves open."""

    async def refused(_: BrokerState, request: Request, value: dict[str, Any]) -> dict[str, Any]:
        if not request.body.value["committed"]:
            value["error_code"] = Error.INVALID_TXN_STATE
        return value

    altered(monkeypatch, "EndTxn", refused)
    events = events_of()
    assert {event.step for event in unlaid(events)} == {"a transaction"}
    assert all("EndTxn" in event.why for event in unlaid(events))
    assert len(judged(events)) > SCENARIOS / 2


def test_refused_deletions_leave_out_what_needs_them_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(_: BrokerState, __: Request, value: dict[str, Any]) -> dict[str, Any]:
        for topic in value["topics"]:
            for part in topic["partitions"]:
                part |= {"error_code": Error.POLICY_VIOLATION, "low_watermark": -1}
        return value

    altered(monkeypatch, "DeleteRecords", refused)
    events = events_of()
    assert {event.step for event in unlaid(events)} == {"DeleteRecords"}
    for event in unlaid(events):
        assert any(partition.log_start for partition in event.scenario.layout.partitions)
    assert len(judged(events)) > SCENARIOS / 2
    failed = {
        verdict.why
        for event in judged(events)
        for verdict in event.verdicts
        if verdict.signature == "step failed"
    }
    assert all("(delete records): expected it to be done, found POLICY" in why for why in failed)


def test_a_topic_config_that_is_not_known_is_left_out_of_the_topics(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    was = APIS["CreateTopics"]

    def answer(state: BrokerState, request: Request) -> Any:
        (topic,) = request.body.value["topics"]
        if OPTIONAL_CONFIG & {config["name"] for config in topic["configs"]}:
            return {"topics": [{"name": topic["name"], "error_code": Error.INVALID_CONFIG}]}
        return was.answer(state, request)

    monkeypatch.setitem(APIS, "CreateTopics", Api(answer, was.newest))
    events = events_of()
    assert all(forces_a_segment(event) for event in unlaid(events))
    assert len(judged(events)) >= SCENARIOS // 2


def forces_a_segment(event: NotLaid) -> bool:
    """Whether a layout needs a timestamp that a topic without that config refuses."""
    return any(len(partition.segments) > 1 for partition in event.scenario.layout.partitions)


def test_a_broker_without_topics_leaves_out_everything_and_ends_its_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def answer(_: BrokerState, request: Request) -> Any:
        (topic,) = request.body.value["topics"]
        return {"topics": [{"name": topic["name"], "error_code": Error.POLICY_VIOLATION}]}

    monkeypatch.setitem(APIS, "CreateTopics", Api(answer, 7))
    events = events_of()
    assert not judged(events)
    assert {event.step for event in unlaid(events)} == {"creating a topic"}
    assert len(unlaid(events)) >= SCENARIOS


def test_a_broker_that_is_gone_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    async def metadata(_: BrokerState, __: Request, value: Any) -> Any:
        if gone.is_set():
            await asyncio.Event().wait()
        return value

    async def last(_: BrokerState, __: Request, ___: Any) -> Any:
        gone.set()
        await asyncio.Event().wait()

    altered(monkeypatch, "InitProducerId", last)
    altered(monkeypatch, "Metadata", metadata)
    monkeypatch.setattr("conformance.placement.deployment.THERE_S", 0.3)
    with pytest.raises(Lost, match="Metadata"):
        events_of(timeout=0.5)


@pytest.mark.slow
def test_a_wrong_last_stable_offset_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    async def offsets(_: BrokerState, request: Request, value: dict[str, Any]) -> dict[str, Any]:
        if request.body.value["isolation_level"]:
            for topic in value["topics"]:
                for part in topic["partitions"]:
                    part["offset"] += 1
        return value

    async def fetched(_: BrokerState, __: Request, value: dict[str, Any]) -> dict[str, Any]:
        for topic in value["responses"]:
            for part in topic["partitions"]:
                part["last_stable_offset"] += 1
        return value

    altered(monkeypatch, "ListOffsets", offsets)
    altered(monkeypatch, "Fetch", fetched)
    events = events_of(timeout=0.5)
    assert not unlaid(events)
    broken = {
        verdict.clause
        for event in judged(events)
        for verdict in event.verdicts
        if verdict.outcome.value == "violates"
    }
    assert broken


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(0.3, marks=pytest.mark.campaign),
        0.6,
        pytest.param(0.9, marks=pytest.mark.campaign),
    ],
)
def test_a_run_that_is_resumed_does_not_lay_again_what_it_left_out(
    cut: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(_: BrokerState, __: Request, ___: Any) -> dict[str, Any]:
        error = Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        return {"error_code": error, "producer_id": -1, "producer_epoch": -1}

    altered(monkeypatch, "InitProducerId", refused)
    whole = events_of()
    done = whole[: int(len(whole) * cut)]
    events = done + events_of(resume_point(done))
    assert left_out(events) == left_out(whole)
    assert Counter(e.scenario for e in judged(events)) == Counter(e.scenario for e in judged(whole))


@pytest.mark.slow
def test_histories_of_share_groups_are_left_out_likewise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def refused(_: BrokerState, __: Request, ___: Any) -> dict[str, Any]:
        error = Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        return {"error_code": error, "producer_id": -1, "producer_epoch": -1}

    altered(monkeypatch, "InitProducerId", refused)
    events = events_of(subject="share")
    assert unlaid(events)
    assert all(map(transactional, unlaid(events)))
    assert len(judged(events)) + len(unlaid(events)) >= SCENARIOS
    with EventWriter(tmp_path / LOG_NAME) as writer:
        for event in (RUN, *events):
            writer.write(event)
    assert unlaid(read_log(tmp_path / LOG_NAME).events) == unlaid(events)


def test_a_batch_that_can_not_be_made_leaves_out_its_layout_alone_and_its_scenario() -> None:
    """No record has a size of 126: its length takes one byte up to 125, and two from 127 on."""
    good, bad = (Layout((Partition(((Batch(size),),)),)) for size in (100, 126))
    fetch = Fetch((FetchPartition(0, 0),))
    asked = Scenario(good, (fetch, Append(0, Batch(126)), fetch))
    with serving(Settings("4.3.1", {})) as state:
        cluster = reach(state.host, state.port, make_codec())
        runner, name = runner_of("fetch"), f"laying-{secrets.token_hex(4)}"
        player = runner.player(cluster, semantics_of(read_facts(cluster)), name, None)
        assert isinstance(player, LayoutPlayer)
        try:
            laid = player.lay([good, bad, good])
            player.release([one for one in laid if isinstance(one, Placed)])
            with pytest.raises(NoSuchBatchError, match="expected a size that 1 records"):
                player.play_one(Scenario(bad, (fetch,)))
            loop = runner.loop(player, Plan(5, SCENARIOS, shrink=False), frozenset())
            asks = [Ask(asked, "history"), Ask(Scenario(good, (fetch,)), "history")]
            events = list(loop._play_and_judge(asks))
        finally:
            player.close()
    assert [type(one) for one in laid] == [Placed, Unlaid, Placed]
    [found] = unlaid(events)
    assert (found.scenario.steps, found.step) == (asked.steps, "making a batch")
    assert found.why.startswith("step 1 (append): expected a size that 1 records")
    assert found.clauses
    assert [one.steps for one in judged(events)] == [(fetch,)]


def left_out(events: Iterable[Event]) -> Counter[Any]:
    return Counter(event.scenario for event in unlaid(events))


def test_a_strict_run_is_incomplete_without_what_was_not_laid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(_: BrokerState, __: Request, ___: Any) -> dict[str, Any]:
        error = Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
        return {"error_code": error, "producer_id": -1, "producer_epoch": -1}

    altered(monkeypatch, "InitProducerId", refused)
    events = events_of()
    listed = frozenset(
        unexpired_reasons(load_findings((SHIPPED,), "4.3", "apache-kafka"), date.max)
    )
    codes = {}
    for strict in (False, True):
        outcome = RunOutcome(listed, strict)
        for event in events:
            outcome.see(event)
        codes[strict] = outcome.exit_code(OK, problems=False)
    assert codes == {False: OK, True: UNREACHABLE}
    reported(events)


def reported(events: list[Event]) -> None:
    """What was left out is counted by clause, and a case of JUnit."""
    footer = RunFinished("done", OK, 1, 1, 1.0)
    summary = summarise([RUN, *events, footer], catalogue("fetch"))
    (kind,) = summary.not_laid
    assert kind.scenarios == len(unlaid(events))
    counts = Counter(clause for event in unlaid(events) for clause in event.clauses)
    assert kind.clauses == counts
    assert f"{kind.scenarios} scenarios not laid, a transaction" in kind.sentence
    assert b"<skipped" in junit(summary)
    assert f'message="{kind.scenarios} scenarios not laid'.encode() in junit(summary)
    assert b'type="not laid"' in junit(summary, strict=True)


@pytest.mark.parametrize(
    ("api", "step"),
    [("DeleteRecords", LayingStep.LOG_START), ("InitProducerId", LayingStep.TRANSACTION)],
)
def test_an_api_that_the_broker_lacks_leaves_out_the_layouts_that_need_it(
    monkeypatch: pytest.MonkeyPatch, api: str, step: LayingStep
) -> None:
    monkeypatch.delitem(APIS, api)
    events = events_of()
    assert {event.step for event in unlaid(events)} == {step}
    assert f"expected a broker that has {api}" in unlaid(events)[0].why
    assert len(judged(events)) + len(unlaid(events)) >= SCENARIOS
    outcomes = {one.outcome for event in judged(events) for one in event.verdicts}
    assert Outcome.CONFORMS in outcomes
    assert Outcome.INCONCLUSIVE not in outcomes
