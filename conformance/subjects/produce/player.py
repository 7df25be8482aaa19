"""Scenarios of produce on a broker, and on the model."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conformance.cluster import MissingApiError
from conformance.engine.player import Player
from conformance.engine.topic_player import TopicPlayer
from conformance.ledger import PREFIX, Kind
from conformance.placement.problem import LayingStep, PlacementFailed, TookTooLong, Unlaid
from conformance.play.history import Acted, History, Retry
from conformance.play.request import Request
from conformance.play.silence import SILENCE_S
from conformance.play.topic_changes import alter_topic, delete_topic, make_topic
from conformance.subjects.produce.batch_bytes import batch_bytes
from conformance.subjects.produce.producer_ids import (
    init_producer_answer,
    init_producer_value,
    names_for,
    names_in,
    unfit_fields,
    wake_coordinator,
)
from conformance.subjects.produce.reading import NEAR_MS, SentBatches, read_answer
from conformance.subjects.produce.requests import (
    FETCH_VERSION,
    LIST_OFFSETS_VERSION,
    AppendTimes,
    end_offsets_answer,
    end_offsets_value,
    look_up_value,
    produce_answer,
    produce_value,
    read_value,
    time_found,
)
from conformance.subjects.produce.without_answer import send_alone, send_without_answer
from conformance.wire.batches import restamp
from conformance.wire.decoding import Malformed
from conformance.wire.single_entry import only
from spec.frozen import replace
from spec.kafka import RETRIABLE
from spec.outcomes import AppendAnswer, Garbled, NotSent, Outcome
from spec.produce.assigned_ids import AssignedIds, Pair
from spec.produce.dry_run import answer_all
from spec.produce.model.seams import REFERENCE, Leader
from spec.produce.outcomes import (
    EndOffsetsAnswer,
    NoAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    ReadBatch,
    TimeFound,
    TopicChanged,
    TopicReady,
)
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import (
    ChangeTopic,
    EndOffsets,
    InitProducer,
    LookUpTime,
    Produce,
    ReadBack,
    UseTopic,
)
from spec.produce.topic import LEAST_SEGMENT, TimestampType, TopicSettings
from spec.steps import DeleteRecords

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.engine.play_result import Played
    from conformance.placement.configured_topics import Configs
    from conformance.placement.placed_partition import Placed
    from conformance.wire.outcomes import Answer
    from spec.scenario import Scenario
    from spec.semantics import Semantics
    from spec.steps import Step

LONG_PAST_MS = 2 * NEAR_MS
"""How long ago, ms, records say that they were made on a topic with the broker's times."""
PLACES = 1000
"""More batches than a request has: a batch's step and place make the seed of its records."""
FIRST_PRODUCER, PRODUCERS = 1 << 50, 1000
"""Producer ids from here on are given out by no coordinator; so many are of one play."""
VISIBLE_S = 2.0
"""How long a batch that not all replicas acknowledged may take to become readable, seconds."""
AGAIN_S = 0.01


SHOWN = (
    TopicReady
    | TopicChanged
    | EndOffsetsAnswer
    | ReadAnswer
    | ProducerGiven
    | TimeFound
    | AppendAnswer
)
"""Answers after which a play continues, beside those to Produce."""
LONG = 4 << 20
"""Bytes from which on a request may be more than a broker takes, so that it closes its connection.
"""


def is_alone(step: Produce) -> bool:
    """Whether a request is sent on a connection of its own, since it may be too long."""
    return bool(step.length) or step.lengths[1] > LONG


@dataclass
class ProduceHistory(History):
    """One scenario while it is played; `least_segment`: the least value of `segment.bytes`."""

    least_segment: int = LEAST_SEGMENT
    _sent: SentBatches = field(init=False, default_factory=SentBatches)
    _hoped: dict[int, int] = field(init=False, default_factory=dict)
    """By partition: where it ends once all that may be accepted is readable."""
    _batches_read: dict[int, list[ReadBatch]] = field(init=False, default_factory=dict)
    _read_to: dict[int, int] = field(init=False, default_factory=dict)
    """By partition: what was read so far, and where the next read begins."""
    _leads_on: bool = field(init=False, default=False)
    """Whether the last answer led a read further."""
    _led_on_s: float = field(init=False, default=0.0)
    """When an answer last did, seconds after the read began."""
    _first_producer: int = field(
        init=False, default_factory=lambda: FIRST_PRODUCER + PRODUCERS * secrets.randbelow(1 << 30)
    )
    names: Mapping[int, str] = field(default_factory=dict)
    """By number: the scenario's transactional ids."""
    _times: AppendTimes = field(init=False, default_factory=AppendTimes)
    _given: AssignedIds = field(init=False, default_factory=AssignedIds)
    _written: Counter[tuple[int, Pair]] = field(init=False, default_factory=Counter)
    """Records that were accepted of a producer of a transactional id, by partition."""
    _number: int = field(init=False, default=-1)
    """The last Produce step that was sent."""
    _settings: TopicSettings | None = field(init=False, default=None)
    """The configs of the topic now; None before the first step."""
    _beside: list[str] = field(init=False, default_factory=list)
    """Topics beside the layout's that were made."""

    @property
    def place(self) -> Placed:
        """Where the partitions lie."""
        assert self.placed is not None
        return self.placed

    @property
    def _begins(self) -> dict[int, int]:
        """By partition: where the next read begins: at the log start, or behind what was read."""
        begins = dict(self._read_to)
        for number, exchanges in self._exchanges.items():
            step = self.scenario.steps[number]
            for exchange in exchanges:
                found = exchange.outcome
                if isinstance(step, DeleteRecords) and isinstance(found, AppendAnswer):
                    start = 0 if found.error or found.offset is None else found.offset
                    begins[step.partition] = max(begins.get(step.partition, 0), start)
        return begins

    def sends(self, step: Step) -> bool:
        """Whether a step is a request that is answered on the connection of its actor."""
        if isinstance(step, Produce):
            return bool(step.acks) and not is_alone(step)
        return not isinstance(step, UseTopic | ChangeTopic)

    def request(self, step: Step) -> Request | NotSent | None:
        """Make a step's request; None where it is none that is answered."""
        if isinstance(step, Produce):
            if step.version not in self.cluster.versions.usable(self.cluster.codec, "Produce"):
                return NotSent(f"the broker does not offer Produce v{step.version}")
            if not step.acks or is_alone(step):
                return None
            value = produce_value(step, self.place, self._batches(step), self.names)
            return Request("Produce", step.version, value, SILENCE_S)
        if isinstance(step, InitProducer):
            if step.version not in self.cluster.versions.usable(
                self.cluster.codec, "InitProducerId"
            ):
                return NotSent(f"the broker does not offer InitProducerId v{step.version}")
            value = init_producer_value(step, self.names, self._given)
            if (unfit := unfit_fields(value)) is not None:
                return unfit
            return Request("InitProducerId", step.version, value, SILENCE_S)
        if isinstance(step, LookUpTime):
            version = self.cluster.version("ListOffsets", LIST_OFFSETS_VERSION)
            value = look_up_value(self.place, step.partition, self._times.asked(step))
            return Request("ListOffsets", version, value, SILENCE_S)
        if isinstance(step, EndOffsets):
            version = self.cluster.version("ListOffsets", LIST_OFFSETS_VERSION)
            return Request("ListOffsets", version, end_offsets_value(self.place), SILENCE_S)
        if isinstance(step, ReadBack):
            version = self.cluster.version("Fetch", FETCH_VERSION)
            return Request("Fetch", version, read_value(self.place, self._begins), SILENCE_S)
        return None

    def outcome(self, step: Step, request: Request, answer: Answer) -> Outcome:
        """Read an answer."""
        if isinstance(step, Produce):
            return self._note_answer(
                step, produce_answer(answer.value, step, self.place, self._times)
            )
        if isinstance(step, InitProducer):
            return init_producer_answer(answer, step, self._given)
        if isinstance(step, LookUpTime):
            part = only("ListOffsets", request.version, answer.value, "topics", "partitions")
            base = self.place.placed_partitions[step.partition].base
            return time_found(part, step, base, self._times)
        if isinstance(step, EndOffsets):
            return end_offsets_answer(answer.value, self.place)
        try:
            found = read_answer(answer.value, self.place, self._sent)
        except Malformed as wrong:
            return Garbled(f"records that can't be read: {wrong}")
        return self._join_reads(found)

    def retry(
        self, step: Step, request: Request, outcome: Outcome, waited_s: float
    ) -> Retry | None:
        """Look again while what may be accepted is not readable yet, or not all was read: a broker
        may end its answer where a segment ends, or earlier, and be slow, so that only the time in
        which nothing more is read counts.
        """
        del request
        ends: dict[int, int | None] = {}
        unread = False
        if isinstance(outcome, EndOffsetsAnswer):
            ends = dict(enumerate(outcome.ends))
        elif isinstance(outcome, ReadAnswer):
            ends = {one.partition: one.high_watermark for one in outcome.partitions}
            unread = any(
                self._begins.get(one.partition, 0) < one.high_watermark
                for one in outcome.partitions
                if not one.error
            )
            self._led_on_s = waited_s if self._leads_on else self._led_on_s
        behind = any((end or 0) < self._hoped.get(number, 0) for number, end in ends.items())
        if (behind or unread) and (self._leads_on or waited_s - self._led_on_s < VISIBLE_S):
            return Retry(step, 0.0 if unread else AGAIN_S, kept=False)
        if isinstance(step, ReadBack):
            self._batches_read.clear()
            self._read_to.clear()
        self._leads_on, self._led_on_s = False, 0.0
        return None

    def coming_up(self, step: Step, outcome: Outcome) -> int:
        """Whether a transaction coordinator is to come up still, or ends another transaction."""
        del step
        if isinstance(outcome, ProducerGiven) and outcome.error in RETRIABLE:
            return outcome.error
        return 0

    def _join_reads(self, found: ReadAnswer) -> ReadAnswer:
        """What was read so far of each partition. More batches than were sent lead no further."""
        partitions, self._leads_on = [], False
        for one in found.partitions:
            read = self._batches_read.setdefault(one.partition, [])
            begin = self._begins.get(one.partition, 0)
            further = [batch for batch in one.batches if batch.last >= begin]
            read += further
            sent = self._sent.sent.get(one.partition, [])
            self._leads_on |= bool(further) and len(read) <= len(sent)
            if read:
                self._read_to[one.partition] = read[-1].last + 1
            partitions.append(replace(one, batches=tuple(read)))
        return ReadAnswer(tuple(partitions))

    def continues(self, step: Step, outcome: Outcome) -> bool:
        """Continue after whatever became of a Produce request, and after each other answer."""
        if isinstance(step, Produce):
            return not isinstance(outcome, NotSent)
        return isinstance(outcome, SHOWN)

    async def act(self, number: int, step: Step) -> Outcome | Acted:
        """Take note of the topic, or send a request on a connection of its own."""
        if isinstance(step, Produce) and step.acks:
            return await send_alone(
                self.cluster,
                step,
                produce_value(step, self.place, self._batches(step), self.names),
                lambda got: self._note_answer(
                    step, produce_answer(got, step, self.place, self._times)
                ),
            )
        if isinstance(step, Produce):
            value = produce_value(step, self.place, self._batches(step), self.names)
            found = await send_without_answer(
                self.cluster,
                step.version,
                value,
                lambda got: produce_answer(got, step, self.place, self._times),
            )
            if isinstance(found, NoAnswer):
                for batch in step.batches:
                    hoped = self._hoped.get(batch.partition, 0)
                    self._hoped[batch.partition] = hoped + batch.records
            return found
        if isinstance(step, UseTopic) and number == 0:
            self._settings = step.settings
            return TopicReady()
        if isinstance(step, ChangeTopic):
            return await self._change_topic(number, step)
        return NotSent(f"{step.name}: expected it as the first step, found it as step {number}")

    async def _change_topic(self, number: int, step: ChangeTopic) -> Outcome:
        """Change the configs of the topic, or of one beside it that is made for that."""
        connection, before = await self.connection(step.actor), self._settings or TopicSettings()
        topic = self.place.placed_partitions[0].topic
        if step.elsewhere:
            topic = f"{PREFIX}beside-{secrets.token_hex(8)}"
            self.will_make(Kind.TOPIC, topic)
            configs = dict(before.configs(self.least_segment))
            refused = await make_topic(self.cluster, connection, topic, configs)
            if refused is not None:
                return refused
            self._beside.append(topic)
        else:
            self._settings = before.altered_to(step.settings)
        changes = before.changes_to(step.settings)
        refused = await alter_topic(self.cluster, connection, topic, changes, number)
        return TopicChanged() if refused is None else refused

    async def finish(self) -> None:
        """Delete the topics that were made."""
        for topic in self._beside:
            await delete_topic(self.cluster, await self.connection(0), topic)

    def _batches(self, step: Produce) -> list[bytes]:
        """The bytes of a request's batches, which are noted as sent."""
        number = self._number = next(
            at
            for at, one in enumerate(self.scenario.steps)
            if at > self._number and isinstance(one, Produce)
        )
        made = []
        for place, batch in enumerate(step.batches):
            seed = number * PLACES + place
            data = batch_bytes(batch, seed, self._sent_time(), self._first_producer)
            if step.transactional is not None:
                pair = self._given.current(step.transactional)
                data = restamp(
                    data,
                    producer_id=pair[0],
                    producer_epoch=pair[1],
                    base_sequence=self._written[batch.partition, pair],
                )
            self._sent.add(batch.partition, (number, place), data)
            made.append(data)
        return made

    def _sent_time(self) -> int:
        """The time with which records are sent, ms: now, and on a topic with the broker's times one
        that can't be taken for those.
        """
        now = int(time.time() * 1000)
        stamped = self._settings and self._settings.timestamp_type is TimestampType.APPEND
        return now - LONG_PAST_MS if stamped else now

    def _note_answer(self, step: Produce, answer: ProduceAnswer) -> ProduceAnswer:
        """Note which batches were accepted, and where."""
        found = {one.partition: one for one in answer.partitions}
        for place, batch in enumerate(step.batches):
            got = found.get(batch.partition)
            if got is not None and not got.error and got.base is not None:
                self._sent.bases[self._number, place] = got.base
                hoped = self._hoped.get(batch.partition, 0)
                self._hoped[batch.partition] = max(hoped, got.base + batch.records)
                if step.transactional is not None:
                    pair = self._given.current(step.transactional)
                    self._written[batch.partition, pair] += batch.records
        return answer


class ProduceBrokerPlayer(TopicPlayer):
    """Plays scenarios of produce on one broker and judges them; see `TopicPlayer`."""

    _coordinated = False
    _unnamed = ""
    """Why no transactional id was found for a scenario that is played beside."""

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played | Unlaid]]:
        """Play scenarios side by side; one that has no transactional ids here is left out."""
        self._unnamed = ""
        yield from super().play(scenarios)

    def configs_of(self, scenario: Scenario) -> Configs:
        """The configs of the topic that a scenario's partitions belong to."""
        first = scenario.steps[0]
        settings = first.settings if isinstance(first, UseTopic) else TopicSettings()
        return settings.configs(self._least_segment)

    def changes_configs(self, scenario: Scenario) -> bool:
        """Whether a step changes them."""
        return any(isinstance(step, ChangeTopic) for step in scenario.steps)

    @property
    def _least_segment(self) -> int:
        return self.semantics.of(ProduceSemantics).least_segment_bytes

    def uses_once(self, scenario: Scenario) -> bool:
        """Whether times are looked up: deleted records may decide what is found."""
        return any(isinstance(step, LookUpTime) for step in scenario.steps)

    def _history(self, scenario: Scenario, placed: Placed) -> ProduceHistory | Unlaid:
        cluster = self.broker.cluster
        if self._unnamed and names_in(scenario):
            return Unlaid(scenario.layout, LayingStep.TRANSACTION, self._unnamed)
        try:
            names = names_for(cluster, scenario)
        except TookTooLong:
            raise
        except (PlacementFailed, MissingApiError) as unnamed:
            self._unnamed = str(unnamed)
            return Unlaid(scenario.layout, LayingStep.TRANSACTION, self._unnamed)
        if names and not self._coordinated:
            wake_coordinator(cluster)
            self._coordinated = True
        return ProduceHistory(
            *(cluster, scenario, placed), least_segment=self._least_segment, names=names
        )


class ProduceDryRun(Player):
    """Plays scenarios on the model, or on one that handles requests otherwise."""

    def __init__(self, semantics: Semantics, leader: Leader = REFERENCE) -> None:
        super().__init__(semantics)
        self.leader = leader

    def play(self, scenarios: Sequence[Scenario]) -> Iterator[tuple[int, Played]]:
        """Play scenarios without a broker."""
        for number, scenario in enumerate(scenarios):
            yield (
                number,
                self._judge(scenario, answer_all(scenario, self.semantics, self.leader)),
            )
