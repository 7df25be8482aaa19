"""A broker whose leader epochs or log starts rise while scenarios are played breaks no clause by
that.
"""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import LEADER_CHANGED, LOG_START_MOVED
from conformance.facts import read_facts, semantics_of
from conformance.placement.laying import Laying
from conformance.placement.log_starts import log_start_change
from conformance.placement.placed_partition import Placed
from conformance.placement.problem import LayingStep, LeaderAway, Unlaid
from conformance.serve.broker_state import BrokerState
from conformance.serve.served_partition import ServedPartition
from conformance.serve.settings import Settings
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import Error
from spec.layout import Batch, Layout, Partition
from spec.replica import Written
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from spec.verdict import Outcome
from tests.conformance.serve.listening import serving

ONE = Layout((Partition(((Batch(100),),)),))
CURRENT = Fetch((FetchPartition(0, 0, leader_epoch=0),))


@pytest.fixture
def state() -> Iterator[BrokerState]:
    """What the served model knows, in a thread of this process."""
    with serving(Settings("4.3.1", {})) as found:
        yield found


@pytest.fixture
def player(state: BrokerState) -> Iterator[FetchBrokerPlayer]:
    cluster = reach(state.host, state.port, make_codec())
    run = f"leadership-{secrets.token_hex(4)}"
    found = FetchBrokerPlayer(cluster, semantics_of(read_facts(cluster)), run)
    yield found
    found.close()


def raise_epochs(state: BrokerState) -> None:
    """Have all partitions led under a newer epoch, as after a broker was fenced and unfenced."""
    for topic in state.topics.values():
        for served in topic.partitions:
            served.leader_epoch += 1


def test_a_layout_is_laid_again_after_its_leader_was_away(
    state: BrokerState, player: FetchBrokerPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = iter([Error.NOT_LEADER_OR_FOLLOWER, Error.KAFKA_STORAGE_ERROR])
    produce, refused = ServedPartition.produce, []

    def produced(served: ServedPartition, records: bytes, *more: Any) -> Written:
        error = next(away, None)
        if error is None:
            return produce(served, records, *more)
        refused.append(error)
        raise_epochs(state)
        return Written(error)

    monkeypatch.setattr(ServedPartition, "produce", produced)
    assert [played.judgement.breaks for played in player.ask_alike(ONE, [CURRENT])] == [()]
    assert len(refused) == 2


def test_a_leader_that_stays_away_is_waited_for_no_longer_than_the_time_limit(
    player: FetchBrokerPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        ServedPartition, "produce", lambda *_: Written(Error.NOT_LEADER_OR_FOLLOWER)
    )
    player.broker.cluster = replace(player.cluster, timeout=0.2)
    with pytest.raises(LeaderAway, match="expected a batch to land at offset 0"):
        player.place([ONE])


def test_a_leader_epoch_that_rose_is_inconclusive_and_followed(
    state: BrokerState, player: FetchBrokerPlayer
) -> None:
    placed = player.place([ONE])
    raise_epochs(state)
    for _, played in player.ask(placed, [(0, CURRENT), (0, CURRENT)]):
        (verdict,) = played.judgement.breaks
        assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, LEADER_CHANGED)
        assert "expected leader epoch 0" in verdict.why
        assert "found leader epoch 1" in verdict.why
    ((_, later),) = player.ask(placed, [(0, CURRENT)])
    assert later.judgement.breaks == ()
    player.release(placed)
    assert [played.judgement.breaks for played in player.ask_alike(ONE, [CURRENT])] == [()]


TWO = Layout((Partition(((Batch(100), Batch(100)),)),))
FROM_START = Fetch((FetchPartition(0, 0),))


def retain_last(state: BrokerState) -> None:
    """Have each log begin at its last batch, as by retention."""
    for topic in state.topics.values():
        for served in topic.partitions:
            served.delete_records(served.log.end - 1)


def test_records_that_a_broker_deletes_by_itself_are_no_break(
    state: BrokerState, player: FetchBrokerPlayer
) -> None:
    placed = player.place([TWO])
    retain_last(state)
    ((_, played),) = player.ask(placed, [(0, FROM_START)])
    (verdict,) = played.judgement.breaks
    assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, LOG_START_MOVED)
    assert "deletes by its own retention" in verdict.why
    assert player.confirmed_play(played).judgement.breaks == ()
    player.release(placed)


def test_records_that_a_scenario_deletes_itself_excuse_nothing(
    state: BrokerState, player: FetchBrokerPlayer
) -> None:
    scenario = Scenario(TWO, (DeleteRecords(0, 1), FROM_START))
    (placed,) = player.place([TWO])
    retain_last(state)
    assert log_start_change(player.cluster, placed, Scenario(TWO, (FROM_START,)))
    assert log_start_change(player.cluster, placed, scenario) == ""
    player.release([placed])


@pytest.mark.parametrize(("standstill_s", "kinds"), [(0.0, [Unlaid, Placed]), (9.0, [Placed] * 2)])
def test_what_could_not_be_laid_while_a_broker_stood_still_is_laid_again(
    player: FetchBrokerPlayer,
    monkeypatch: pytest.MonkeyPatch,
    standstill_s: float,
    kinds: list[type],
) -> None:
    lay = Laying.lay
    failed = iter([True])

    def first_fails(laying: Laying, layouts: Sequence[Layout]) -> list[Placed | Unlaid]:
        laid = lay(laying, layouts)
        if next(failed, False):
            player.release([one for one in laid[:1] if isinstance(one, Placed)])
            return [Unlaid(layouts[0], LayingStep.TRANSACTION, "no answer"), *laid[1:]]
        return laid

    monkeypatch.setattr(Laying, "lay", first_fails)
    monkeypatch.setattr(player.broker.pulse, "standstill_s", lambda _: standstill_s)
    laid = player.lay([ONE, TWO])
    assert [type(one) for one in laid] == kinds
    assert [one.layout for one in laid] == [ONE, TWO]
    player.release([one for one in laid if isinstance(one, Placed)])
