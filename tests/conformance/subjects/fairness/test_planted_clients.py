"""A real client behind each wrapper: what is planted is found by a clause that names it, what is
legal passes.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from conformance.cli.common import make_codec
from conformance.clients.planted import FAULTS, ClientFault, Expected, fault_named, planted_command
from conformance.clients.process import ClientProcess
from conformance.clients.protocol import Failure
from conformance.clients.registry import client_command
from conformance.clients.topics import ClientTopics
from conformance.cluster import Cluster, reach
from conformance.misuse import BadConfiguration
from conformance.subjects.fairness.application import Application
from conformance.subjects.fairness.scripted_proxy import ScriptedProxy
from conformance.systems.model import Model
from spec.fairness.steps import (
    Acknowledgement,
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    ClientKind,
    CommitPositions,
    DamageBatch,
    EndLocks,
    FairnessStep,
    LimitMessages,
    PausePartitions,
    Poll,
    SeekTo,
    SendRecords,
    StartClient,
    SubscribeTopics,
)
from spec.groups.releases import INITIAL_DELAY
from spec.judge import judge
from spec.layout import Batch, Layout, Marker, Partition
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome, Verdict

pytestmark = pytest.mark.system

ENDED: tuple[FairnessStep, ...] = (
    Poll(8000),
    EndLocks(),
    AcknowledgeRecords(),
    Poll(3000),
    AcknowledgeRecords(),
)
"""The locks of what a poll returned end before it is accepted."""
SHARED: Mapping[str, tuple[FairnessStep, ...]] = {
    "accepts-what-is-released": (Poll(8000), AcknowledgeRecords(Acknowledgement.RELEASE)),
    "forgets-an-acknowledgement": (Poll(8000), AcknowledgeRecords()),
    "counts-each-delivery-as-the-first": (
        Poll(8000),
        AcknowledgeRecords(Acknowledgement.RELEASE),
        *(Poll(3000), AcknowledgeRecords()) * 5,  # what is released may come after all else
    ),
    "hides-refused-acknowledgements": ENDED,
    "names-refusals-otherwise": ENDED,
    "skips-a-record": (Poll(8000), Poll(3000), CommitPositions()),
    "repeats-a-record": (Poll(8000),),
    "reorders-records": (Poll(8000),),
    "": (Poll(8000), *[Poll(600)] * 3),
}
"""Histories of faults that a share consumer shows; the last has no fault."""
LAYOUT = Layout(
    (
        Partition(((Batch(400, records=6), Batch(300, records=4)),)),
        Partition(((Batch(200, records=2, txn=0), Marker(0, commit=False), Batch(150)),)),
        Partition(((Batch(200, records=2, txn=1), Marker(1, commit=True)),)),
    )
)
POLLS = (Poll(1000),) * 3
QUIET = (Poll(100),) * 2
IDLE = (Poll(600),) * 3
"""Enough to say that what a client was sent is not delivered."""
READ: tuple[FairnessStep, ...] = (
    StartClient(max_poll_records=4, isolation=1),
    AssignPartitions((0, 1)),
    *POLLS,
    *QUIET[:1],
)
BEGUN = READ[:3]
OTHERWISE: Mapping[str, tuple[FairnessStep, ...]] = {
    "pause-ignored": (*BEGUN, PausePartitions((0, 1)), *QUIET),
    "seek-ignored": (*BEGUN, SeekTo(0, 1), *POLLS[:1]),
    "position-too-far": (*BEGUN, AskPosition(0)),
    "commits-too-far": (
        StartClient(max_poll_records=4),
        SubscribeTopics(),
        *[Poll(3000)] * 2,
        CommitPositions(),
    ),
    "starves-the-last-partition": (*READ, *IDLE),
    "withholds-records": (*READ, *IDLE),
    "spins-on-an-error": (
        *READ[:2],
        DamageBatch(0, 1),
        *POLLS,
        *IDLE,
    ),
    "partition-limit-limits-the-fetch": (
        StartClient(fetch_max_bytes=3000, partition_max_bytes=5000),
        AssignPartitions((0, 1)),
        *POLLS[:1],
    ),
}
"""Histories of the faults that reading does not show."""


class InProcess(ClientProcess):
    """A client behind a wrapper that runs in this process."""

    def __init__(self, fault: ClientFault, client: ClientProcess) -> None:
        super().__init__(client.command)
        self._client = client
        self._wrapped = fault.wrapper(self._own)
        self._greeting = client.greeting

    @property
    def running(self) -> bool:
        return self._client.running

    def ask(self, command: Mapping[str, Any], deadline_s: float) -> dict[str, Any] | Failure:
        del deadline_s
        answer = self._wrapped.answer(dict(command))
        if "ok" in answer:
            ok: dict[str, Any] = answer["ok"]
            return ok
        return Failure(answer["error"], answer["message"])

    def _own(self, command: dict[str, Any]) -> dict[str, Any]:
        answer = self._client.ask(command, 60.0)
        if isinstance(answer, Failure):
            return {"error": answer.name, "message": answer.message}
        return {"ok": answer}


@pytest.fixture(scope="module")
def client() -> Iterator[ClientProcess]:
    with ClientProcess(client_command("kafka-python")) as client:
        yield client


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Model("4.3.1", config={INITIAL_DELAY: "0"}) as model:
        yield reach(*model.address, make_codec())


@pytest.fixture(scope="module")
def staged(cluster: Cluster) -> Iterator[tuple[ClientTopics, ScriptedProxy]]:
    topics = ClientTopics(cluster, "planted")
    with ScriptedProxy((cluster.host, cluster.port), cluster.codec) as proxy:
        yield topics, proxy
    topics.close()


def breaks_of(
    cluster: Cluster,
    staged: tuple[ClientTopics, ScriptedProxy],
    client: ClientProcess,
    steps: tuple[FairnessStep, ...],
    group: str,
) -> tuple[Verdict, ...]:
    """What is wrong with a client's history."""
    topics, proxy = staged
    placed = topics.place(LAYOUT)
    proxy.begin(placed)
    scenario = Scenario(LAYOUT, steps)
    with cluster.connect() as connection:
        application = Application(scenario, placed, client, proxy, cluster, connection, group)
        observation = application.play()
    topics.release(placed)
    return judge(scenario, observation, semantics_for("4.3")).breaks


OF_SHARES = SHARED.keys() - {"skips-a-record", "repeats-a-record", "reorders-records"}
"""Faults that a consumer without a share group does not have."""
OF_PRODUCERS = {fault.name: fault for fault in FAULTS if hasattr(fault.wrapper, "produce")}
"""Those of producers."""
ENDING = ("hangs", "hangs-at-a-marker", "dies-on-an-error")
"""Faults that end the client."""
IN_PROCESS = [fault for fault in FAULTS if fault.name not in {*ENDING, *OF_SHARES, *OF_PRODUCERS}]


@pytest.mark.parametrize("fault", IN_PROCESS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_named_by_its_clause_and_a_legal_variant_passes(
    fault: ClientFault,
    client: ClientProcess,
    cluster: Cluster,
    staged: tuple[ClientTopics, ScriptedProxy],
) -> None:
    steps = OTHERWISE.get(fault.name, READ)
    breaks = breaks_of(cluster, staged, InProcess(fault, client), steps, fault.name)
    if fault.expected is Expected.CONFORMS:
        assert [one for one in breaks if one.outcome is Outcome.VIOLATES] == []
    else:
        found = {one.clause for one in breaks if one.outcome == fault.expected.value}
        assert found & fault.clauses, breaks


@pytest.fixture(scope="module")
def share_client() -> Iterator[ClientProcess]:
    with ClientProcess(client_command("confluent-share")) as client:
        yield client


@pytest.mark.parametrize("name", SHARED)
def test_a_share_consumer_with_a_planted_fault_is_named_and_one_without_passes(
    name: str,
    share_client: ClientProcess,
    cluster: Cluster,
    staged: tuple[ClientTopics, ScriptedProxy],
) -> None:
    # where a poll is full, the wrapper that repeats has no room
    most = None if name == "repeats-a-record" else 4
    start = StartClient(ClientKind.SHARE_CONSUMER, max_poll_records=most)
    steps = (start, SubscribeTopics(), *SHARED[name])
    client = InProcess(fault_named(name), share_client) if name else share_client
    breaks = breaks_of(cluster, staged, client, steps, f"share-{name}")
    if name and fault_named(name).expected is not Expected.CONFORMS:
        assert {one.clause for one in breaks} & fault_named(name).clauses, breaks
    else:
        assert breaks == ()


@pytest.fixture(scope="module")
def producer() -> Iterator[ClientProcess]:
    with ClientProcess(client_command("kafka-python-producer")) as client:
        yield client


@pytest.mark.parametrize("name", ["", *OF_PRODUCERS])
def test_a_producer_with_a_planted_fault_is_named_and_one_without_passes(
    name: str,
    producer: ClientProcess,
    cluster: Cluster,
    staged: tuple[ClientTopics, ScriptedProxy],
) -> None:
    start = StartClient(ClientKind.PRODUCER, batch_size=400, max_request_size=1000)
    steps = (start, SendRecords((0, 1), (100,) * 4), LimitMessages(500))
    sends = (SendRecords((0,), (100, 100, 2000)), SendRecords((1,), (600,)))
    fault = OF_PRODUCERS.get(name)
    client = InProcess(fault, producer) if fault else producer
    breaks = breaks_of(cluster, staged, client, (*steps, *sends), f"producer-{name}")
    if fault and fault.expected is Expected.VIOLATES:
        assert {one.clause for one in breaks} & fault.clauses, breaks
    else:
        assert breaks == ()


@pytest.mark.parametrize("name", ENDING)
def test_a_client_that_does_not_return_is_ended_with_what_it_wraps(
    name: str,
    cluster: Cluster,
    staged: tuple[ClientTopics, ScriptedProxy],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("conformance.subjects.fairness.application.PATIENCE_S", 3.0)
    steps = {
        "dies-on-an-error": OTHERWISE["spins-on-an-error"],
        "hangs-at-a-marker": (
            StartClient(),
            AssignPartitions((2,)),
            *POLLS,
        ),
    }.get(name, READ)
    with ClientProcess(planted_command(name, client_command("kafka-python"))) as client:
        breaks = breaks_of(cluster, staged, client, steps, name)
        assert not client.running
    assert {one.clause for one in breaks} & fault_named(name).clauses, breaks


def test_a_fault_that_is_not_known_is_refused() -> None:
    with pytest.raises(BadConfiguration, match="expected one of the faults"):
        fault_named("nosuch")
