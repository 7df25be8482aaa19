"""An observation as events: what each request carried, and when it can have had its effect."""

from collections.abc import Sequence
from math import inf

from spec.frozen import frozen, replace
from spec.groups.outcomes import GroupOutcome, JoinGroupAnswer, MemberHeartbeatAnswer, MemberId
from spec.groups.steps import (
    NEW,
    OWN,
    STRANGER,
    GroupStep,
    JoinGroup,
    MemberCommit,
    MemberOffsetFetch,
    MemberStep,
    NamedStep,
)
from spec.observation import Exchange
from spec.outcomes import Outcome, Silent
from spec.scenario import Scenario


@frozen
class Event:
    """One exchange.

    Attributes:
        number: its place among the events; its request's number.
        step: what was asked.
        outcome: what came back.
        sent: when it was sent, ms.
        end: when its answer was there, ms; infinite where none came.
        member: the member id that it carried.
        generation: the generation that it carried.
        epoch: the member epoch that it carried, and whether it is the one that the member was
            answered last.
        current: see `epoch`.
        group: which group.
        fresh: the name of the member id that its answer gives.
    """

    number: int
    step: GroupStep
    outcome: Outcome
    sent: float
    end: float
    member: str = ""
    generation: int = -1
    epoch: int = 0
    current: bool = True
    group: int = 0
    fresh: str = ""

    @property
    def awaited_until(self) -> float:
        """When its answer was waited for no longer, ms; infinite where one came."""
        if isinstance(self.outcome, Silent):
            return self.sent + self.outcome.waited_ms
        return inf

    @property
    def line(self) -> int | None:
        """The connection that it was sent over."""
        return self.step.actor if isinstance(self.step, MemberStep) else None


class Identities:
    """Which member id, generation and epoch each actor goes by; a player and the judge keep them
    alike.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, int], str] = {}
        self._generations: dict[tuple[int, int], int] = {}
        self._epochs: dict[tuple[int, int], int] = {}

    def sent_id(self, step: MemberStep, fresh: str) -> str:
        """The member id that a request carries; `fresh` is a name for a member that names
        itself.
        """
        member = getattr(step, "member", OWN)
        if isinstance(member, int):
            return self._ids.get((member, step.group), "")
        if member == STRANGER:
            return STRANGER
        key = step.actor, step.group
        if isinstance(step, NamedStep) and (member == NEW or key not in self._ids):
            self._ids[key] = fresh
        return "" if member == NEW and not isinstance(step, NamedStep) else self._ids.get(key, "")

    def generation(self, step: MemberStep) -> int:
        """The generation that a request carries."""
        member = getattr(step, "member", OWN)
        return self._generations.get(
            (member if isinstance(member, int) else step.actor, step.group), -1
        )

    def commit_epoch(self, step: MemberCommit | MemberOffsetFetch) -> int:
        """The generation or member epoch that a commit or an OffsetFetch carries."""
        if isinstance(step.epoch, int):
            return step.epoch
        member = step.member if isinstance(step.member, int) else step.actor
        return self._epochs.get((member, step.group), self.generation(step))

    def epoch(self, step: NamedStep) -> int:
        """The member epoch that a heartbeat carries."""
        if isinstance(step.epoch, int):
            return step.epoch
        member = step.member if isinstance(step.member, int) else step.actor
        return self._epochs.get((member, step.group), 0)

    def take_answer(self, step: GroupStep, outcome: Outcome, given: str) -> None:
        """Take in an answer; `given` is the member id in it."""
        if isinstance(step, JoinGroup) and isinstance(outcome, JoinGroupAnswer):
            key = step.actor, step.group
            if outcome.member is MemberId.GIVEN:
                self._ids[key] = given
            if not outcome.error:
                self._generations[key] = outcome.generation
                if outcome.member is MemberId.SENT and isinstance(step.member, int):
                    self._ids[key] = self._ids.get((step.member, step.group), "")
        elif (
            isinstance(step, NamedStep)
            and isinstance(outcome, MemberHeartbeatAnswer)
            and not outcome.error
            and outcome.epoch > 0
        ):
            self._epochs[step.actor, step.group] = outcome.epoch


def events_of(scenario: Scenario, exchanges: Sequence[Exchange]) -> tuple[Event, ...]:
    """The exchanges with what each carried, in the order of sending."""
    moments: list[tuple[float, int, int]] = []
    for number, exchange in enumerate(exchanges):
        moments += [
            (exchange.sent_ms, 1, number),
            (exchange.answered_ms, 0 if exchange.answered_ms > exchange.sent_ms else 2, number),
        ]
    identities, events = Identities(), {}
    for _, kind, number in sorted(moments):
        exchange, step = exchanges[number], scenario.steps[exchanges[number].step]
        assert isinstance(step, GroupStep), step
        if kind != 1:
            identities.take_answer(step, exchange.outcome, str(number))
            continue
        events[number] = _event(number, exchange, step, identities)
    return tuple([events[number] for number in sorted(events)])


def events_by_group(events: Sequence[Event]) -> tuple[tuple[Event, ...], ...]:
    """The events of each group with those of the whole broker, numbered by their places: what
    happens in one group depends on no other.
    """
    groups = sorted({event.group for event in events if isinstance(event.step, MemberStep)})
    parts = [
        [e for e in events if e.group == group or not isinstance(e.step, MemberStep)]
        for group in groups or [0]
    ]
    return tuple([tuple([replace(e, number=n) for n, e in enumerate(part)]) for part in parts])


def _event(number: int, exchange: Exchange, step: GroupStep, identities: Identities) -> Event:
    end = exchange.answered_ms if isinstance(exchange.outcome, GroupOutcome) else inf
    if not isinstance(step, MemberStep):
        return Event(number, step, exchange.outcome, exchange.sent_ms, end)
    member = identities.sent_id(step, f"named-{number}")
    event = Event(
        number,
        step,
        exchange.outcome,
        exchange.sent_ms,
        end,
        member,
        identities.generation(step),
        group=step.group,
        fresh=str(number),
    )
    if isinstance(step, MemberCommit | MemberOffsetFetch):
        return replace(event, epoch=identities.commit_epoch(step))
    if not isinstance(step, NamedStep):
        return event
    epoch = identities.epoch(step)
    return replace(event, epoch=epoch, current=epoch == identities.epoch(replace(step, epoch=OWN)))
