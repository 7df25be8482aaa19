"""The judgement of a scenario of produce: its steps follow each other, so that there is one history
to look at.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from spec.frozen import replace
from spec.judgement import Clauses, Judgement, infrastructure, step_failed, stopped_by
from spec.kafka import LEADER_MOVES, RETRIABLE, Error, error_name
from spec.log import log_of
from spec.observation import Exchange, Observation
from spec.outcomes import AppendAnswer
from spec.outcomes import Outcome as Seen
from spec.produce.assigned_ids import Pair, with_pair
from spec.produce.chapters import CLAUSES
from spec.produce.model.acceptance import AddressedBatch, check_request, check_transaction
from spec.produce.model.received import Received, incoming_of, received_of
from spec.produce.model.stored_size import depends_on_bytes
from spec.produce.outcomes import (
    EndOffsetsAnswer,
    ProduceAnswer,
    ProducerGiven,
    ReadAnswer,
    TimeFound,
    TopicChanged,
    TopicReady,
)
from spec.produce.releases import ProduceSemantics
from spec.produce.steps import ChangeTopic, InitProducer, LookUpTime, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.produce.turn import (
    Attempt,
    InitProducerExchange,
    PartitionState,
    PossibleBatch,
    Reading,
    Search,
    Sending,
    Turn,
)
from spec.replica import check_sequence
from spec.requirement_set import clauses_in
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step
from spec.turn_by_turn import TurnByTurn
from spec.verdict import Outcome, Verdict

NOT_LOOKED_AT = RETRIABLE | {
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    Error.CLUSTER_AUTHORIZATION_FAILED,
}
"""Errors by which a coordinator says that it did not look at a request."""


@cache
def _clauses(release: str) -> Clauses[Turn]:
    return Clauses(clauses_in(CLAUSES, release))


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """Judge one play of a scenario of produce."""
    if observation.broken is not None:
        return Judgement((infrastructure(Outcome.INCONCLUSIVE, observation.broken),))
    results = TurnByTurn(_clauses(semantics.release))
    decided = semantics.of(ProduceSemantics)
    following = _ObservedPartitions(
        scenario,
        decided.request_max_bytes if decided.knows_request_max else None,
        decided.transaction_max_ms if decided.knows_transaction_max else None,
    )
    for exchange in observation.exchanges:
        step = scenario.steps[exchange.step]
        if (stopped := _ending_verdict(step, exchange, following)) is not None:
            return results.judgement(stopped)
        for turn in following.turns(exchange.step, step, exchange.outcome):
            results.judge(turn)
    return results.judgement()


def _ending_verdict(
    step: Step, exchange: Exchange, following: "_ObservedPartitions"
) -> Verdict | None:
    """The verdict where a step says nothing of the broker, so that the rest is not judged."""
    outcome = exchange.outcome
    if (stopped := stopped_by(outcome)) is not None:
        return stopped
    if isinstance(step, InitProducer):
        if not isinstance(outcome, ProducerGiven):
            return step_failed(exchange.step, step.name, str(outcome))
        undecided = outcome.error in NOT_LOOKED_AT
        return (
            step_failed(exchange.step, step.name, error_name(outcome.error)) if undecided else None
        )
    if not isinstance(step, Produce):
        if isinstance(outcome, AppendAnswer | TimeFound) and outcome.error:
            if isinstance(step, DeleteRecords) and following.deletes_too_much(step, outcome):
                return None
            return step_failed(exchange.step, step.name, error_name(outcome.error))
        ends = TopicReady | TopicChanged | EndOffsetsAnswer
        expected = ends | ReadAnswer | AppendAnswer | TimeFound
        if not isinstance(outcome, expected):
            return step_failed(exchange.step, step.name, str(outcome))
        return None
    moved = following.leader_away(outcome)
    return None if moved is None else step_failed(exchange.step, step.name, error_name(moved))


@dataclass
class _ObservedPartitions:
    """The state of the partitions, and of transactional ids, from step to step; `limit`: bytes that
    a request may have, `longest_ms`: a transaction's timeout; None where nobody says it.
    """

    scenario: Scenario
    limit: int | None
    longest_ms: int | None
    named: dict[int, tuple[tuple[Pair, ...], Pair | None]] = field(default_factory=dict)
    producers: set[int] = field(default_factory=set)
    topic: TopicSettings = field(default_factory=TopicSettings)
    states: dict[int, PartitionState] = field(init=False)

    def __post_init__(self) -> None:
        logs = [log_of(partition) for partition in self.scenario.layout.partitions]
        self.states = {
            number: PartitionState(log.start, log.end, log.end) for number, log in enumerate(logs)
        }

    def leader_away(self, outcome: Seen) -> Error | None:
        """The error of a partition of the layout that passes while its leader moves."""
        if not isinstance(outcome, ProduceAnswer):
            return None
        codes = [one.error for one in outcome.partitions if one.partition in self.states]
        return next((error for error in LEADER_MOVES if error in codes), None)

    def deletes_too_much(self, step: DeleteRecords, outcome: Seen) -> bool:
        """Whether records were to be deleted beyond what is stored, and were not: batches before
        were refused.
        """
        state = self.states.get(step.partition)
        refused = isinstance(outcome, AppendAnswer) and outcome.error == Error.OFFSET_OUT_OF_RANGE
        return refused and state is not None and step.offset > state.end

    def turns(self, number: int, step: Step, outcome: Seen) -> Iterator[Turn]:
        """What there is to look at in a step. The states after it follow from its outcome."""
        if isinstance(step, UseTopic | ChangeTopic):
            self.topic = step.settings_after(self.topic)
        elif isinstance(step, Produce):
            yield from self._sent(number, step, outcome)
        elif isinstance(step, DeleteRecords):
            self._delete(step, outcome)
        elif isinstance(step, InitProducer):
            assert isinstance(outcome, ProducerGiven)
            yield self._given(step, outcome)
        else:
            yield from self._looks(step, outcome)

    def _looks(self, step: Step, outcome: Seen) -> Iterator[Turn]:
        """What there is to look at where a step changes nothing."""
        if isinstance(step, LookUpTime) and isinstance(outcome, TimeFound):
            state = self.states.get(step.partition)
            if state is not None and not state.lost:
                yield Turn(search=Search(state, self.topic, outcome))
        elif isinstance(outcome, EndOffsetsAnswer):
            for partition, end in enumerate(outcome.ends):
                state = self.states.get(partition)
                if state is not None and not state.lost:
                    yield Turn(reading=Reading(state, end))
        elif isinstance(outcome, ReadAnswer):
            for read in outcome.partitions:
                state = self.states.get(read.partition)
                if state is not None and not state.lost:
                    end = None if read.error else read.high_watermark
                    yield Turn(reading=Reading(state, end, read))

    def _delete(self, step: DeleteRecords, outcome: Seen) -> None:
        """The log start of a partition is where it was answered to be."""
        state = self.states.get(step.partition)
        moved = None
        if isinstance(outcome, AppendAnswer) and not outcome.error:
            moved = outcome.offset
        if state is not None and moved is not None:
            self.states[step.partition] = replace(state, start=max(state.start, moved))

    def _given(self, step: InitProducer, answer: ProducerGiven) -> Turn:
        """An InitProducerId request; the pairs of its transactional id follow."""
        pairs: tuple[Pair, ...] = ()
        carried: Pair | None = None
        if step.transactional is not None:
            pairs, carried = self.named.get(step.transactional, (pairs, carried))
        found = InitProducerExchange(
            step, answer, pairs, carried, frozenset(self.producers), self.longest_ms
        )
        if answer.producer is not None:
            self.producers.add(answer.producer)
        if step.transactional is not None and found.pair is not None:
            after = with_pair(pairs, found.pair)
            if after != pairs:
                carried = pairs[-1] if found.claims_last else None
            self.named[step.transactional] = after, carried
        return Turn(initiation=found)

    def _sequence_error(self, partition: int, received: Received) -> Error:
        """The error by what a producer sent before; NONE where it follows, or repeats."""
        state = self.states.get(partition)
        known = state.producers.get(received.producer) if state is not None else None
        found = None if known is None else check_sequence(known, incoming_of(received))
        return Error.NONE if found is None else found.error

    def _sent(self, number: int, step: Produce, outcome: Seen) -> Iterator[Turn]:
        received = [received_of(batch) for batch in step.batches]
        addressed = [
            AddressedBatch(one, self.topic if batch.partition in self.states else None)
            for one, batch in zip(received, step.batches, strict=True)
        ]
        named = step.transactional is not None
        checked = check_request(addressed, step.acks, step.version, transactional_id=named)
        if named:
            outside = [check_transaction(one, has_partition=False) for one in received]
            checked = tuple([one or other for one, other in zip(checked, outside, strict=True)])
        errors = tuple(
            [
                error or self._sequence_error(batch.partition, one)
                for error, batch, one in zip(checked, step.batches, received, strict=True)
            ]
        )
        undecided = [
            not error and depends_on_bytes(one, self.topic)
            for error, one in zip(errors, received, strict=True)
        ]
        sending = Sending(step, outcome, len(self.states), errors, any(undecided), self.limit)
        yield Turn(sending=sending)
        answers = sending.answer.partitions if sending.answer is not None else ()
        for place, (batch, one, error) in enumerate(
            zip(step.batches, received, errors, strict=True)
        ):
            mine = [answer for answer in answers if answer.partition == batch.partition]
            before = self.states.get(batch.partition)
            if sending.names_twice(batch.partition):
                continue
            if len(mine) == 1:
                attempt = Attempt(
                    sending, batch, one, self.topic, error, checked[place], before, mine[0]
                )
                yield Turn(attempt=attempt)
            if before is not None:
                expected = not (error or undecided[place] or sending.may_be_too_long)
                kept = PossibleBatch(
                    (number, place), batch, step.acks, None, expected=expected, topic=self.topic
                )
                after = before.state_after(
                    kept, incoming_of(one), mine[0] if len(mine) == 1 else None
                )
                self.states[batch.partition] = replace(after, lost=after.lost or before.lost)
        self._adopt_named_twice(number, sending)

    def _adopt_named_twice(self, number: int, sending: Sending) -> None:
        """The states of the partitions that a request names more than once."""
        places: dict[int, list[PossibleBatch]] = {}
        for place, batch in enumerate(sending.step.batches):
            kept = PossibleBatch(
                *((number, place), batch, sending.step.acks, None),
                expected=False,
                topic=self.topic,
            )
            places.setdefault(batch.partition, []).append(kept)
        answers = sending.answer.partitions if sending.answer is not None else ()
        for partition, some in places.items():
            if len(some) > 1 and partition in self.states:
                mine = [answer for answer in answers if answer.partition == partition]
                state = self.states[partition]
                self.states[partition] = state.after_several(
                    some, mine[0] if len(mine) == 1 else None
                )
