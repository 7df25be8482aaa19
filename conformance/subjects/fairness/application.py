"""The application of a scenario: it asks its client step by step, and notes what the client
returned and what the stage saw meanwhile.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.clients.process import ClientEnded, ClientGarbled, ClientProcess, ClientSilent
from conformance.clients.protocol import (
    UNSUPPORTED,
    BadMessage,
    Failure,
    offset_in,
    records_in,
    results_in,
)
from conformance.clients.topics import written_values
from conformance.placement.problem import PlacementFailed
from conformance.play.silence import SILENCE_S
from conformance.play.steps import log_outcome, log_request
from conformance.wire.config_numbers import GROUP_RESOURCE, SET, TOPIC_RESOURCE
from conformance.wire.outcomes import Answer
from spec.fairness.outcomes import (
    ClientError,
    CommitReturned,
    Delivered,
    PollReturned,
    PositionReturned,
    RecordsSent,
    SentRecord,
    StepDone,
)
from spec.fairness.sending import records_of, value_of
from spec.fairness.steps import (
    AcknowledgeRecords,
    AskPosition,
    AssignPartitions,
    ClientKind,
    CloseClient,
    CommitPositions,
    Idle,
    LimitMessages,
    PausePartitions,
    Poll,
    ResumePartitions,
    SeekTo,
    SendRecords,
    StageStep,
    StartClient,
    SubscribeTopics,
    TruncateLog,
)
from spec.frozen import replace
from spec.kafka import READ_COMMITTED
from spec.layout import Marker
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Garbled, NotSent, Outcome, Silent
from spec.steps import Append, DeleteRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conformance.clients.protocol import Delivered as Record
    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed
    from conformance.subjects.fairness.scripted_proxy import ScriptedProxy
    from conformance.wire.connection import Connection
    from spec.scenario import Scenario
    from spec.steps import Step

CONFIGS_VERSION = 1
PATIENCE_S = 10.0
"""How long a client may take for a command, a poll's own time left out, seconds."""
GROUPED = (SubscribeTopics, CommitPositions)
"""Steps that need a group."""
NEEDED = (StartClient, AssignPartitions, SubscribeTopics)
"""Steps without which a client has nothing to read."""
COMMANDS: dict[type, str] = {
    AssignPartitions: "assign",
    PausePartitions: "pause",
    ResumePartitions: "resume",
}
SENT_WITHIN_S = 40.0
"""How long a producer may take for the records of a step, seconds: longer than its own limit."""
PRODUCER_OPTIONS = {
    "linger.ms": "100",
    "delivery.timeout.ms": "30000",
    "request.timeout.ms": "20000",
}
"""What a producer is given as far as it has these options: time to fill batches, and an end."""
OPTIONS = {
    "max.poll.records": "max_poll_records",
    "fetch.max.bytes": "fetch_max_bytes",
    "max.partition.fetch.bytes": "partition_max_bytes",
    "fetch.min.bytes": "fetch_min_bytes",
    "fetch.max.wait.ms": "max_wait_ms",
    "batch.size": "batch_size",
    "max.request.size": "max_request_size",
}
"""The options of a client that are numbers, with the field of `StartClient` that each has."""
SET_BY_SCENARIOS = frozenset(
    {
        *OPTIONS,
        *PRODUCER_OPTIONS,
        "acks",
        "auto.offset.reset",
        "check.crcs",
        "compression.type",
        "enable.auto.commit",
        "group.id",
        "isolation.level",
        "share.acknowledgement.mode",
        "share.acquire.mode",
    }
)
"""The options that a scenario decides, so that nobody else may."""


@dataclass
class Application:
    """One scenario under way.

    Attributes:
        scenario: what is played.
        placed: where its layout lies.
        client: a client that is started, and has no consumer open.
        stage: what the client reads from.
        cluster: the broker, for what is written meanwhile.
        connection: to it.
        group: the scenario's group.
        given: options that the client is given beside the scenario's.
    """

    scenario: Scenario
    placed: Placed
    client: ClientProcess
    stage: ScriptedProxy
    cluster: Cluster
    connection: Connection
    group: str
    given: Mapping[str, str] = field(default_factory=dict)
    _last: tuple[Record, ...] = field(init=False, default=())
    _opened: bool = field(init=False, default=False)
    _given: int = field(init=False, default=0)

    def play(self) -> Observation:
        """Do every step, and close the client in the end; what came of it.

        A client that is silent, garbled or gone is killed, and ends the scenario.
        """
        began = time.monotonic()
        exchanges = []
        for number, step in enumerate(self.scenario.steps):
            sent = time.monotonic()
            outcome = self._outcome(step)
            answered = time.monotonic()
            exchanges.append(
                Exchange(
                    number,
                    outcome,
                    round((sent - began) * 1000, 3),
                    round((answered - began) * 1000, 3),
                )
            )
            if isinstance(outcome, Silent | Closed | Garbled) or (
                isinstance(outcome, NotSent) and isinstance(step, NEEDED)
            ):
                break
        if self._opened and self.client.running:
            self._guard(lambda: self._command("close"))
        return Observation(tuple(exchanges))

    def _outcome(self, step: Step) -> Outcome:
        if isinstance(step, Append | DeleteRecords):
            return self._write(step)
        if isinstance(step, LimitMessages):
            return self._limit(step)
        if isinstance(step, TruncateLog):
            return self._truncate(step)
        if isinstance(step, StageStep):
            self.stage.script(step)
            return StepDone()
        if isinstance(step, Idle):
            time.sleep(step.idle_ms / 1000)
            fetches, _ = self.stage.take_served()
            return StepDone((), fetches)
        return self._guard(lambda: self._ask(step))

    def _truncate(self, step: TruncateLog) -> Outcome:
        """Have the stage truncate a log; what it was asked before belongs to the log before."""
        if any(
            isinstance(entry, Marker) or entry.txn is not None
            for entry in self.scenario.layout.partitions[step.partition].entries()
        ):
            return NotSent("a log with transactions is not truncated on the stage")
        if not self.cluster.versions.usable(self.cluster.codec, "OffsetForLeaderEpoch"):
            return NotSent("the broker has no OffsetForLeaderEpoch, by which clients learn of it")
        self.stage.script(step)
        fetches, _ = self.stage.take_served()
        return StepDone((), fetches)

    def _guard(self, ask: Callable[[], Outcome]) -> Outcome:
        """What asking the client leads to, or how it failed."""
        try:
            return ask()
        except ClientSilent:
            return Silent(int(PATIENCE_S * 1000), self._reachable())
        except ClientEnded as ended:
            return Closed(str(ended), self._reachable())
        except (ClientGarbled, BadMessage) as bad:
            self.client.kill()
            return Garbled(str(bad))

    def _reachable(self) -> bool:
        """Whether the broker answers: what its client did is the client's, then."""
        try:
            with self.cluster.connect(timeout=SILENCE_S) as connection:
                connection.ask("Metadata", self.cluster.version("Metadata", 12), {"topics": []})
        except Exception:  # noqa: BLE001 - whatever failed, it is not there
            return False
        return True

    def _ask(self, step: Step) -> Outcome:
        """Ask the client what a step says."""
        match step:
            case AssignPartitions() | PausePartitions() | ResumePartitions():
                return self._command(
                    COMMANDS[type(step)], partitions=self._addresses(step.partitions)
                )
            case SubscribeTopics():
                topics = sorted({one.topic for one in self.placed.placed_partitions})
                return self._command("subscribe", topics=topics)
            case SeekTo():
                placed = self.placed.placed_partitions[step.partition]
                (partition,) = self._addresses((step.partition,))
                return self._command(
                    "seek", partition=partition, offset=placed.absolute(step.offset)
                )
            case AcknowledgeRecords():
                records = [[one.topic, one.partition, one.offset] for one in self._last]
                return self._command("acknowledge", records=records, way=step.way.value)
            case CloseClient():
                return self._command("close")
        return self._ask_for_result(step)

    def _ask_for_result(self, step: Step) -> Outcome:
        """Ask the client for what a step returns."""
        match step:
            case StartClient():
                return self._start(step)
            case Poll():
                return self._poll(step)
            case AskPosition():
                return self._position(step)
            case CommitPositions():
                return self._commit()
            case SendRecords():
                return self._send(step)
        return NotSent(f"{step.name} is no step of {self.scenario.subject}")

    def _start(self, step: StartClient) -> Outcome:
        if step.client_kind.value != self.client.greeting.kind:
            return NotSent(f"{self.client.greeting.client} is no {step.client_kind.value}")
        options = dict(self.given) | {
            name: str(value)
            for name, given in OPTIONS.items()
            if (value := getattr(step, given)) is not None
        }
        if step.check_crcs is not None:
            options["check.crcs"] = "true" if step.check_crcs else "false"
        if step.client_kind is ClientKind.SHARE_CONSUMER:
            options |= self._sharing(step)
        elif step.client_kind is ClientKind.PRODUCER:
            options |= {"acks": "all", "compression.type": "none"}
            given = self.client.greeting.options & PRODUCER_OPTIONS.keys()
            options |= {name: PRODUCER_OPTIONS[name] for name in given}
        else:
            options |= {"auto.offset.reset": "earliest", "isolation.level": _isolation(step)}
            if any(isinstance(one, GROUPED) for one in self.scenario.steps):
                options |= {"group.id": self.group, "enable.auto.commit": "false"}
        if missing := sorted(options.keys() - self.client.greeting.options):
            return NotSent(f"{self.client.greeting.client} has no option {', '.join(missing)}")
        host, port = self.stage.address
        outcome = self._command("open", bootstrap=f"{host}:{port}", options=options)
        if isinstance(outcome, StepDone) and outcome.errors:
            name = outcome.errors[0].name
            return NotSent(f"{self.client.greeting.client} refuses {options}: {name}")
        self._opened = isinstance(outcome, StepDone)
        return outcome

    def _sharing(self, step: StartClient) -> dict[str, str]:
        """The options of a share consumer, whose group reads from the beginning.

        Raises:
            NoAnswer: the broker is gone.
            PlacementFailed: it refuses the group's settings.
        """
        configs = {"share.auto.offset.reset": "earliest", "share.isolation.level": _isolation(step)}
        self._configure(GROUP_RESOURCE, self.group, configs)
        mode = {"share.acquire.mode": step.acquire_mode.value} if step.acquire_mode else {}
        explicit = any(isinstance(one, AcknowledgeRecords) for one in self.scenario.steps)
        return {
            "group.id": self.group,
            "share.acknowledgement.mode": "explicit" if explicit else "implicit",
            **mode,
        }

    def _limit(self, step: LimitMessages) -> StepDone:
        """Set the topic's `max.message.bytes`.

        Raises:
            NoAnswer: the broker is gone.
            PlacementFailed: it refuses that.
        """
        topic = self.placed.placed_partitions[0].topic
        self._configure(TOPIC_RESOURCE, topic, {"max.message.bytes": str(step.size)})
        return StepDone()

    def _configure(self, kind: int, name: str, configs: Mapping[str, str]) -> None:
        """Set configs of a group or of a topic.

        Raises:
            NoAnswer: the broker is gone.
            PlacementFailed: it refuses them.
        """
        value = {
            "resources": [
                {
                    "resource_type": kind,
                    "resource_name": name,
                    "configs": [
                        {"name": one, "config_operation": SET, "value": wanted}
                        for one, wanted in configs.items()
                    ],
                }
            ],
            "validate_only": False,
        }
        answer = self.connection.ask("IncrementalAlterConfigs", CONFIGS_VERSION, value)
        for failed in answer["responses"]:
            if failed["error_code"]:
                raise PlacementFailed(
                    f"expected {name} to take {dict(configs)}, found error "
                    f"{failed['error_code']}: {failed['error_message']}"
                )

    def _send(self, step: SendRecords) -> Outcome:
        """Give a producer records, and wait for what becomes of each."""
        records = records_of(step, self._given)
        self._given += len(records)
        named = [
            [*self._addresses((one.partition,))[0], value_of(one.number, one.size)]
            for one in records
        ]
        answer = self._answer_to("produce", SENT_WITHIN_S, records=named)
        requests = self.stage.take_produced()
        if isinstance(answer, Outcome):
            return answer
        if isinstance(answer, Failure):
            return RecordsSent((), requests, (self._error(answer),))
        results = []
        for record, found in zip(records, results_in(answer), strict=False):
            base = self.placed.placed_partitions[record.partition].base
            if isinstance(found, str):
                results.append(SentRecord(None, found))
            else:
                results.append(SentRecord(found if found is None else max(-1, found - base)))
        return RecordsSent(tuple(results), requests)

    def _poll(self, step: Poll) -> Outcome:
        self.stage.take_refused()
        answer = self._answer_to("poll", step.timeout_ms / 1000, timeout_ms=step.timeout_ms)
        fetches, _ = self.stage.take_served()
        refused = self.stage.take_refused()
        if isinstance(answer, Outcome):
            return answer
        if isinstance(answer, Failure):
            self._last = ()
            return PollReturned((), (self._error(answer),), fetches, refused=refused)
        self._last = records_in(answer)
        return PollReturned(self._delivered_records(self._last), (), fetches, refused=refused)

    def _position(self, step: AskPosition) -> Outcome:
        (partition,) = self._addresses((step.partition,))
        answer = self._answer_to("position", partition=partition)
        fetches, _ = self.stage.take_served()
        if isinstance(answer, Outcome):
            return answer
        if isinstance(answer, Failure):
            return PositionReturned(None, (self._error(answer),), fetches)
        base = self.placed.placed_partitions[step.partition].base
        return PositionReturned(offset_in(answer) - base, (), fetches)

    def _commit(self) -> Outcome:
        answer = self._answer_to("commit")
        fetches, commits = self.stage.take_served()
        if isinstance(answer, Outcome):
            return answer
        errors = (self._error(answer),) if isinstance(answer, Failure) else ()
        return CommitReturned(commits, errors, fetches)

    def _command(self, do: str, **fields: Any) -> Outcome:
        answer = self._answer_to(do, **fields)
        fetches, _ = self.stage.take_served()
        if isinstance(answer, Outcome):
            return answer
        errors = (self._error(answer),) if isinstance(answer, Failure) else ()
        return StepDone(errors, fetches)

    def _answer_to(
        self, do: str, own_s: float = 0.0, **fields: Any
    ) -> dict[str, Any] | Failure | NotSent:
        """The answer to a command; `NotSent` where the client does not have it."""
        if do not in self.client.greeting.commands:
            return NotSent(f"{self.client.greeting.client} has no command {do}")
        answer = self.client.ask({"do": do, **fields}, own_s + PATIENCE_S)
        if isinstance(answer, Failure) and answer.name == UNSUPPORTED:
            return NotSent(f"{self.client.greeting.client}: {answer.message}")
        return answer

    def _addresses(self, partitions: Sequence[int]) -> list[list[Any]]:
        placed = self.placed.placed_partitions
        return [[placed[one].topic, placed[one].partition] for one in partitions]

    def _delivered_records(self, records: Sequence[Record]) -> tuple[Delivered, ...]:
        """Records in the terms of the layout, each held against what was written."""
        numbers = {
            (one.topic, one.partition): number
            for number, one in enumerate(self.placed.placed_partitions)
        }
        values: dict[int, dict[int, str | None]] = {}
        found = []
        for record in records:
            number = numbers.get((record.topic, record.partition), -1)
            if number < 0:
                found.append(Delivered(-1, record.offset))
                continue
            placed = self.placed.placed_partitions[number]
            if number not in values:
                values[number] = written_values(placed)
            written = values[number]
            present, *before = [
                record.key is None and at in written and written[at] == record.value
                for at in self.stage.ever_stored(number, record.offset)
            ]
            lost = not present and any(before)
            deliveries = self._deliveries(record)
            offset = record.offset - placed.base
            found.append(Delivered(number, offset, present or lost, deliveries, lost))
        return tuple(found)

    def _deliveries(self, record: Record) -> int:
        """How often a record was given out, as far as the client says."""
        if self.client.greeting.kind == ClientKind.CONSUMER.value:
            return 1
        return record.deliveries or 0

    def _error(self, failure: Failure) -> ClientError:
        """An error in the terms of the layout, as far as its text names a partition of it."""
        for number, placed in enumerate(self.placed.placed_partitions):
            named = rf"{re.escape(placed.topic)}\D{{1,20}}{placed.partition}\b"
            if re.search(named, failure.message):
                return ClientError(failure.name, number)
        return ClientError(failure.name)

    def _write(self, step: Append | DeleteRecords) -> Outcome:
        """Write to a log, or delete from it, as another client would."""
        placed = self.placed.placed_partitions[step.partition]
        if isinstance(step, DeleteRecords):
            offset = self.stage.stored_offset(step.partition, step.offset)
            step = replace(step, offset=offset)
        request = log_request(self.cluster, step, placed, SILENCE_S, distinct=True)
        value = self.connection.ask(request.api, request.version, request.value)
        return log_outcome(step, placed, Answer(value, 0, 0, 0.0, 0.0), request)


def _isolation(step: StartClient) -> str:
    """The value of `isolation.level`."""
    return "read_committed" if step.isolation == READ_COMMITTED else "read_uncommitted"
