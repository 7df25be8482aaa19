"""The judgement of a scenario of limits: its steps take effect one after the other."""

from collections.abc import Iterator

from spec.frozen import replace
from spec.judgement import Judgement, infrastructure, step_failed
from spec.kafka import Error, error_name
from spec.limits.chapters import CHECKS
from spec.limits.connections import Addresses, FromAddress
from spec.limits.listener import Listener
from spec.limits.model import counted_partitions
from spec.limits.outcomes import (
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    ListenerConnections,
    PartitionPage,
    TopicsAnswer,
)
from spec.limits.releases import LimitSemantics
from spec.limits.setting import alter_topic
from spec.limits.steps import (
    AlterConfigs,
    CloseConnection,
    ConnectionStep,
    CreatePartitions,
    CreateTopics,
    LimitConnections,
    LimitListener,
    LimitStep,
    ListenerStep,
    TopicsStep,
)
from spec.limits.topic import Topic
from spec.limits.turn import Turn, names_of
from spec.observation import Exchange, Observation
from spec.outcomes import Outcome as Seen
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step
from spec.turn_by_turn import TurnByTurn, judge_step_by_step
from spec.verdict import Outcome, Verdict

UNDECIDED = frozenset(
    {
        Error.REQUEST_TIMED_OUT,
        Error.BROKER_NOT_AVAILABLE,
        Error.NOT_CONTROLLER,
        Error.THROTTLING_QUOTA_EXCEEDED,
        Error.TOPIC_AUTHORIZATION_FAILED,
        Error.CLUSTER_AUTHORIZATION_FAILED,
    }
)
"""Errors that say nothing of what was asked: it was not looked at, or its end was not awaited."""


SAYS_NO_DEFAULT = (
    "expected the broker to say how many partitions a topic has by default, in its answer or by "
    "DescribeConfigs, found neither: give num.partitions in a facts file"
)
SAYS_NOT_WHETHER = (
    "expected one entry for a topic, or errors alone where a request names it twice, found "
    "an answer that leaves open whether it was accepted: what is there afterwards is not judged"
)


class _KnownState:
    """The topics and connections that are there, as far as a scenario has shown them up to some
    step.
    """

    def __init__(self, semantics: LimitSemantics) -> None:
        self.semantics = semantics
        self.topics: dict[str, Topic] = {}
        self.addresses: Addresses = {}
        self.listener = Listener()

    def turns(self, step: LimitStep, outcome: Seen) -> Iterator[Turn]:
        """The request as a whole, then each of its topics that has one entry in the answer."""
        whole = Turn(
            step,
            {**self.topics},
            outcome,
            self.semantics,
            addresses={**self.addresses},
            listener=self.listener,
        )
        yield whole
        if not isinstance(outcome, TopicsAnswer) or not isinstance(step, TopicsStep):
            return
        names = names_of(step)
        for name in dict.fromkeys(names):
            place = names.index(name)
            found = [one for one in outcome.entries if one.topic == place]
            if len(found) == 1:
                yield replace(whole, place=place, entry=found[0])

    def judge_step(
        self, step: Step, exchange: Exchange, results: TurnByTurn[Turn]
    ) -> Verdict | None:
        """Judge one step; the verdict on all clauses where nothing can be said from here on."""
        outcome = exchange.outcome
        assert isinstance(step, LimitStep)
        undecided = [error for error in _errors(outcome) if error in UNDECIDED]
        if undecided:
            return step_failed(exchange.step, step.name, error_name(undecided[0]))
        for turn in self.turns(step, outcome):
            results.judge(turn)
        if not isinstance(outcome, ANSWERS):
            return step_failed(exchange.step, step.name, str(outcome))
        self.follow(step, outcome)
        if any(_has_unknown_size(turn) for turn in self.turns(step, outcome)):
            return infrastructure(Outcome.UNSUPPORTED, SAYS_NO_DEFAULT)
        if _leaves_open(step, outcome):
            return infrastructure(Outcome.UNSUPPORTED, SAYS_NOT_WHETHER)
        return None

    def follow(self, step: LimitStep, answer: Seen) -> None:
        """What was accepted, and not only validated, is there from here on."""
        if isinstance(step, ConnectionStep):
            assert isinstance(answer, ConnectionsHeld)
            self.addresses = {**self.addresses, step.address: self._connections_after(step, answer)}
            return
        if isinstance(step, ListenerStep):
            assert isinstance(answer, ListenerConnections)
            limit = step.limit if isinstance(step, LimitListener) else self.listener.limit
            self.listener = Listener(answer.served, answer.waiting, limit)
            return
        if isinstance(step, AlterConfigs) and isinstance(answer, ConfigsAltered):
            topic = self.topics.get(step.target.whole)
            if topic is not None and not answer.error and not step.validate_only:
                self.topics[step.target.whole] = alter_topic(topic, step.changes)
            return
        if not isinstance(step, CreateTopics | CreatePartitions) or step.validate_only:
            return
        for turn in self.turns(step, answer):
            if turn.place is None or turn.response_entry.error:
                continue
            if isinstance(step, CreatePartitions):
                topic = self.topics.get(turn.name, Topic(0))
                self.topics[turn.name] = replace(topic, partitions=turn.count)
                continue
            asked = counted_partitions(turn.wanted_topic, self.semantics)
            there = turn.response_entry.partitions if turn.wanted_topic.partitions < 1 else asked
            self.topics[turn.name] = Topic(there or asked, tuple(sorted(turn.wanted_topic.configs)))

    def _connections_after(self, step: ConnectionStep, seen: ConnectionsHeld) -> FromAddress:
        """The connections of an address after a step about them, as far as they answered."""
        before = self.addresses.get(step.address, FromAddress())
        return FromAddress(
            held=seen.answered + seen.served,
            closed=before.closed + (isinstance(step, CloseConnection) and before.held > 0),
            limit=step.limit if isinstance(step, LimitConnections) else before.limit,
        )


def judge(scenario: Scenario, observation: Observation, semantics: Semantics) -> Judgement:
    """What each clause says of one play."""
    known = _KnownState(semantics.of(LimitSemantics))
    return judge_step_by_step(scenario, observation, CHECKS, known)


def _has_unknown_size(turn: Turn) -> bool:
    """Whether a topic of `num.partitions` was made, and neither its answer nor anyone says how many
    those are.
    """
    return (
        isinstance(turn.step, CreateTopics)
        and turn.place is not None
        and turn.wanted_topic.partitions == -1
        and not turn.step.validate_only
        and not turn.response_entry.error
        and turn.response_entry.partitions is None
        and not turn.semantics.knows_default_partitions
    )


def _leaves_open(step: LimitStep, outcome: Seen) -> bool:
    """Whether an answer does not say of each topic whether it was made, or given more partitions.

    LIM-002 allows several entries for a topic that is named more than once; nothing says what they
    mean together where they are not all errors.
    """
    if not isinstance(step, CreateTopics | CreatePartitions) or step.validate_only:
        return False
    assert isinstance(outcome, TopicsAnswer)
    names = names_of(step)
    errors: dict[str, list[int]] = {name: [] for name in names}
    for one in outcome.entries:
        if one.topic in range(len(names)):
            errors[names[one.topic]].append(one.error)
    return any(len(found) != 1 and not (found and all(found)) for found in errors.values())


ANSWERS = (
    TopicsAnswer
    | ConfigsAltered
    | ConfigsDescribed
    | PartitionPage
    | ConnectionsHeld
    | ListenerConnections
)


def _errors(outcome: Seen) -> tuple[int, ...]:
    if isinstance(outcome, TopicsAnswer):
        return tuple([one.error for one in outcome.entries])
    if isinstance(outcome, ConfigsAltered | ConfigsDescribed | PartitionPage):
        return (outcome.error,)
    return ()
