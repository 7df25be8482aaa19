"""The timeline of a history of groups: a lane for each client, a column for each step, and beneath
them the group's size with its limits as fences. It is read from what was sent and answered alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spec.frozen import frozen
from spec.groups.outcomes import (
    BrokerChanged,
    GroupAnswer,
    GroupDescribed,
    GroupOutcome,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
)
from spec.groups.steps import (
    NEW,
    OWN,
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    MemberStep,
    NamedStep,
    RestartWith,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
    WaitFor,
)
from spec.groups.subject import SUBJECT
from spec.kafka import Error
from spec.observation import Exchange, Observation
from spec.outcomes import Outcome
from spec.scenario import Scenario
from spec.steps import Step

LETTERS: Mapping[str, str] = {
    "J": "joins",
    "S": "syncs",
    "H": "heartbeats",
    "L": "leaves",
    "O": "commits an offset",
    "F": "fetches committed offsets",
    "A": "goes away for a while",
    "D": "describes the group",
    "C": "changes a config",
    "R": "restarts the broker",
    "W": "waits",
}
"""What each letter of a mark stands for."""
_NamingStep = (
    JoinGroup | SyncGroup | Heartbeat | LeaveGroup | MemberCommit | MemberOffsetFetch | NamedStep
)
"""Requests that name a member."""
_LIMITS: Mapping[type[Step], str] = {
    JoinGroup: "group.max.size",
    ConsumerGroupHeartbeat: "group.consumer.max.size",
    ShareGroupHeartbeat: "group.share.max.size",
    StreamsGroupHeartbeat: "group.streams.max.size",
}
_LETTERS: Mapping[type[Step], str] = {
    JoinGroup: "J",
    SyncGroup: "S",
    Heartbeat: "H",
    LeaveGroup: "L",
    MemberCommit: "O",
    MemberOffsetFetch: "F",
    DescribeGroup: "D",
    AlterBrokerConfig: "C",
    RestartWith: "R",
    WaitFor: "W",
}
_LEAVES, _GOES_AWAY = -1, -2
_LETTERS_OF_EPOCHS: Mapping[int | str, str] = {0: "J", _LEAVES: "L", _GOES_AWAY: "A"}
_NO_MEMBER = (Error.UNKNOWN_MEMBER_ID, Error.FENCED_INSTANCE_ID)
"""Errors that say of the id that was sent that it is no member's."""


@frozen
class Mark:
    """A step in its lane.

    Attributes:
        step: its number, which is its column.
        letter: see `LETTERS`.
        answered: the column by which its answer came; None without an answer.
        refused: whether the answer is an error.
        members: what a description counts; None for any other step.
    """

    step: int
    letter: str
    answered: int | None
    refused: bool
    members: int | None = None


@frozen
class Lane:
    """What one client does.

    Attributes:
        actor: its number.
        marks: its steps.
        member: the columns after whose steps it is a member, each with the next one.
    """

    actor: int
    marks: tuple[Mark, ...]
    member: tuple[int, ...]


@frozen
class Limit:
    """A config that limits the group's size.

    Attributes:
        key: its name.
        values: what it is after each step; None where it is not set.
    """

    key: str
    values: tuple[int | None, ...]


@frozen
class Timeline:
    """One group of a scenario.

    Attributes:
        group: its number; None where the scenario has but one.
        lanes: of the clients, by number.
        sizes: how many members the answers show after each step.
        limits: of the kinds of member that ask to join.
    """

    group: int | None
    lanes: tuple[Lane, ...]
    sizes: tuple[int, ...]
    limits: tuple[Limit, ...]


def timelines(scenario: Scenario, observation: Observation | None) -> tuple[Timeline, ...]:
    """A timeline for each group; none for a scenario of another subject, or that was not played."""
    if scenario.subject != SUBJECT.name or observation is None:
        return ()
    groups = sorted({step.group for step in scenario.steps if isinstance(step, MemberStep)})
    exchanges = {exchange.step: exchange for exchange in observation.exchanges}
    return tuple(
        [
            _timeline(scenario, exchanges, group, None if len(groups) == 1 else group)
            for group in groups
        ]
    )


def _timeline(
    scenario: Scenario, exchanges: Mapping[int, Exchange], group: int, shown: int | None
) -> Timeline:
    steps = {
        number: step
        for number, step in enumerate(scenario.steps)
        if not isinstance(step, MemberStep) or step.group == group
    }
    outcomes = {number: exchanges[number].outcome for number in steps if number in exchanges}
    marks = {number: _mark(number, step, exchanges) for number, step in steps.items()}
    members = _members(len(scenario.steps), steps, outcomes, marks)
    lanes = [
        Lane(
            actor,
            tuple([marks[number] for number, step in steps.items() if step.actor == actor]),
            tuple([column for column, actors in enumerate(members) if actor in actors]),
        )
        for actor in sorted({step.actor for step in steps.values()})
    ]
    return Timeline(
        shown,
        tuple(lanes),
        tuple([len(actors) for actors in members]),
        tuple(_limits(scenario, steps, outcomes)),
    )


def _members(
    columns: int,
    steps: Mapping[int, Step],
    outcomes: Mapping[int, Outcome],
    marks: Mapping[int, Mark],
) -> list[tuple[int, ...]]:
    """The members after each step, by their actors.

    A generation that is answered after further steps begins with the step after those.
    """
    roll, members = _Members(), list[tuple[int, ...]]()
    begins: dict[int, list[JoinGroupAnswer]] = {}
    for number in range(columns):
        for answer in begins.get(number, ()):
            roll.complete(answer)
        if number in steps and number in outcomes:
            step, outcome = steps[number], outcomes[number]
            roll.take(step, outcome)
            if isinstance(outcome, JoinGroupAnswer) and outcome.leader:
                last = marks[number].answered
                if last is None or last == number:
                    roll.complete(outcome)
                else:
                    begins.setdefault(last + 1, []).append(outcome)
        members.append(tuple([one.actor for one in roll.members]))
    return members


def _mark(number: int, step: Step, exchanges: Mapping[int, Exchange]) -> Mark:
    exchange = exchanges.get(number)
    letter = (
        _LETTERS_OF_EPOCHS.get(step.epoch, "H")
        if isinstance(step, NamedStep)
        else _LETTERS[type(step)]
    )
    if exchange is None or not isinstance(exchange.outcome, GroupOutcome):
        return Mark(number, letter, None, refused=False)
    outcome = exchange.outcome
    return Mark(
        number,
        letter,
        max(number, *[other.step for other in exchanges.values() if _precedes(other, exchange)], 0),
        refused=getattr(outcome, "error", Error.NONE) != Error.NONE,
        members=outcome.members if isinstance(outcome, GroupDescribed) else None,
    )


def _precedes(other: Exchange, exchange: Exchange) -> bool:
    """Whether another was sent before this one was answered, where times were kept."""
    return 0 < other.sent_ms <= exchange.answered_ms


@dataclass(slots=True, eq=False)
class _Member:
    actor: int
    instance: str | None
    generation: int


@dataclass(slots=True)
class _Members:
    """The members, as far as the answers show them.

    One whose join was accepted is a member from when it asked: the size counts it from then on.
    """

    members: list[_Member] = field(default_factory=list)
    own: dict[int, _Member] = field(default_factory=dict)

    def take(self, step: Step, outcome: Outcome) -> None:
        """A step, and what was answered to it."""
        error = getattr(outcome, "error", Error.NONE)
        if error and isinstance(step, _NamingStep):
            if error in _NO_MEMBER and step.member == OWN:
                self._remove(self.own.get(step.actor))
        elif isinstance(step, JoinGroup) and isinstance(outcome, JoinGroupAnswer):
            self._join(step, outcome.generation)
        elif isinstance(step, NamedStep) and isinstance(outcome, MemberHeartbeatAnswer):
            if step.epoch == _LEAVES:
                self._remove(self._addressed_member(step))
            elif step.epoch != _GOES_AWAY:
                self._join(step, 0)
        elif isinstance(step, LeaveGroup) and isinstance(outcome, GroupAnswer):
            self._remove(self._addressed_member(step))
        elif isinstance(outcome, GroupDescribed) and outcome.state == "Empty":
            self.members = []

    def _join(self, step: JoinGroup | NamedStep, generation: int) -> None:
        instance: str | None = getattr(step, "instance", None)
        member = self._addressed_member(step)
        if member is None or member not in self.members:
            if instance is not None:
                self._remove(self._holder(instance))
            member = _Member(step.actor, instance, generation)
            self.members.append(member)
            self.own[step.actor] = member
        member.generation = generation

    def complete(self, leader: JoinGroupAnswer) -> None:
        """The generation that is answered to its leader begins: who did not join it is none of its
        members.
        """
        if leader.members < len(self.members):
            self.members = [one for one in self.members if one.generation >= leader.generation]

    def _addressed_member(self, step: _NamingStep) -> _Member | None:
        """The member that a request names."""
        if isinstance(step, LeaveGroup) and step.member == NEW and step.instance is not None:
            return self._holder(step.instance)
        if step.member == OWN:
            return self.own.get(step.actor)
        return self.own.get(step.member) if isinstance(step.member, int) else None

    def _holder(self, instance: str | None) -> _Member | None:
        return next((one for one in self.members if one.instance == instance), None)

    def _remove(self, member: _Member | None) -> None:
        self.members = [one for one in self.members if one is not member]


def _limits(
    scenario: Scenario, steps: Mapping[int, Step], outcomes: Mapping[int, Outcome]
) -> Iterator[Limit]:
    kinds = {type(step) for step in steps.values()}
    for kind, key in _LIMITS.items():
        if kind in kinds:
            yield Limit(key, tuple(_values(key, scenario, steps, outcomes)))


def _values(
    key: str, scenario: Scenario, steps: Mapping[int, Step], outcomes: Mapping[int, Outcome]
) -> Sequence[int | None]:
    value, values = dict(scenario.config).get(key), list[int | None]()
    for number in range(len(scenario.steps)):
        match steps.get(number), outcomes.get(number):
            case AlterBrokerConfig(key=changed, value=new), BrokerChanged(error=0) if (
                changed == key
            ):
                value = new
            case RestartWith(config=config), _:
                value = dict(config).get(key)
        values.append(None if value is None else int(value))
    return values
