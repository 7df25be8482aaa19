"""All groups of a history in one state, and how an observer writes down what the next event made of
them.
"""

from math import inf

from spec.frozen import frozen, replace
from spec.groups.history import Event
from spec.groups.model.classic import Decision, Effect, counted_from, led_by
from spec.groups.model.epochs import Topics
from spec.groups.model.group import UNKNOWN_GENERATION, Group, Kind, Member
from spec.groups.model.membership import session_deadlines
from spec.groups.outcomes import JoinGroupAnswer
from spec.groups.releases import Limits
from spec.groups.steps import RestartWith
from spec.groups.turn import JoinPhaseEnd, Phase, Turn
from spec.observer import Move
from spec.outcomes import NotSent, Outcome
from spec.semantics import Semantics
from spec.waiting import with_delay

OVERDUE_MS = 5000.0
"""The time that a member may still be there after its session ran out."""
ANSWERED_MS = 500.0
"""The time in which an answer comes after what ends its request's wait."""
NOTHING = NotSent("")
"""The absence of a request."""


@frozen
class GroupsState:
    """Every group at one moment.

    Attributes:
        groups: by number.
        limits: the broker's settings.
        now: the moment, ms.
        topics: what members of consumer and share groups may subscribe to.
    """

    groups: tuple[Group, ...]
    limits: Limits
    now: float = 0.0
    topics: Topics = ()

    def with_group(self, number: int, group: Group) -> "GroupsState":
        """The same with one group in another state."""
        return replace(self, groups=(*self.groups[:number], group, *self.groups[number + 1 :]))

    @property
    def held_requests(self) -> frozenset[int]:
        """Requests that some group holds until it answers them."""
        members = [member for group in self.groups for member in group.members]
        held = [key for one in members for key in (one.awaiting, one.syncing) if key is not None]
        return frozenset(held)


GroupMove = Move[GroupsState, Turn]


@frozen
class ObservedHistory:
    """An observation, and the semantics that it is judged by.

    Attributes:
        events: the history's.
        semantics: the decisions in force.
        delay_ms: the longest delay that was measured meanwhile, see `Observation`.
    """

    events: tuple[Event, ...]
    semantics: Semantics
    delay_ms: float = 0.0

    def settle(
        self,
        state: GroupsState,
        number: int,
        effect: Effect,
        cause: JoinPhaseEnd,
        came: Event | None = None,
        turns: tuple[Turn, ...] = (),
    ) -> GroupMove:
        """The state after an effect on a group; `came` is the request that had it, looked at in
        `turns`.
        """
        leaders = [
            answer.member for answer in effect.answers if _leads(self.events[answer.key].outcome)
        ]
        if effect.ended is not None and len(leaders) == 1 and leaders[0] != effect.group.leader:
            effect = led_by(effect, leaders[0])
        if effect.ended is not None and effect.ended.generation == UNKNOWN_GENERATION:
            outcomes = [self.events[answer.key].outcome for answer in effect.answers]
            effect = counted_from(effect, _generation(outcomes))
        before, limit = effect.ended or state.groups[number], state.limits.classic
        found = list(turns)
        if effect.ended is not None:
            waited = [member for member in effect.ended.members if member.awaiting is not None]
            answers = tuple(
                [(m, self.events[m.awaiting].outcome) for m in waited if m.awaiting is not None]
            )
            static = effect.group.size - len(answers)
            phase = Phase(effect.ended, cause, answers, static, effect.group.generation)
            found.append(Turn(before, limit, NOTHING, self.semantics, phase=phase))
        late_ms = with_delay(state.now + ANSWERED_MS, self.delay_ms)
        for answer in effect.answers:
            event = self.events[answer.key]
            if event.awaited_until < late_ms:  # it was given up before it could have come
                continue
            found.append(
                Turn(
                    before,
                    limit,
                    event.outcome,
                    self.semantics,
                    event.step,
                    event.member,
                    expected_answer=answer,
                )
            )
        after = state.with_group(number, effect.group)
        return self.move(
            state, after, came, tuple(found), frozenset([answer.key for answer in effect.answers])
        )

    def move(
        self,
        state: GroupsState,
        after: GroupsState,
        came: Event | None,
        turns: tuple[Turn, ...] = (),
        answered: frozenset[int] = frozenset(),
    ) -> GroupMove:
        """From one state to another; a request that no group holds any more is not waited for.

        Args:
            state: before.
            after: see there.
            came: the request that did it; it is answered at once unless a group holds it.
            turns: what the clauses look at.
            answered: requests that were set free by an answer.
        """
        met = frozenset([came.number]) if came is not None else frozenset()
        lost = (state.held_requests | met) - after.held_requests - answered
        orphans = [self._orphaned_turn(after, self.events[number]) for number in sorted(lost - met)]
        return Move(after, (*turns, *orphans), answered | lost, state.now)

    def _orphaned_turn(self, state: GroupsState, event: Event) -> Turn:
        """A request that another one of the same member took the place of."""
        group, limit = state.groups[event.group], state.limits.classic
        return Turn(group, limit, event.outcome, self.semantics, event.step, orphaned=True)

    def _loading_ms(self, member: Member | None) -> float:
        """How much later the session of a member that a restarted broker loaded may have begun: at
        the restart's end, where the earliest moment is what the state has.
        """
        ends = [
            event.end - member.seen
            for event in self.events
            if member is not None
            and isinstance(event.step, RestartWith)
            and event.sent <= member.seen <= event.end < inf
        ]
        return max(ends, default=0.0)

    def turn(
        self,
        group: Group,
        limit: int,
        event: Event,
        expected: int | None = None,
        expected_decision: Decision | None = None,
        decision: Decision | None = None,
    ) -> Turn:
        """A request that meets a group, for the clauses to look at; the arguments are as in
        `Turn`.
        """
        late_ms = with_delay(OVERDUE_MS, self.delay_ms)
        overdue = tuple(
            [
                one
                for due, one in session_deadlines(group)
                if group.kind is Kind.CLASSIC
                and event.sent > due + late_ms + self._loading_ms(group.member(one))
            ]
        )
        return Turn(
            group,
            limit,
            event.outcome,
            self.semantics,
            event.step,
            event.member,
            expected,
            expected_decision,
            decision,
            overdue=overdue,
        )


def _generation(outcomes: list[Outcome]) -> int:
    """The generation that members were answered first; none where no answer has it."""
    return next(
        (one.generation for one in outcomes if isinstance(one, JoinGroupAnswer) and not one.error),
        UNKNOWN_GENERATION,
    )


def _leads(outcome: Outcome) -> bool:
    return isinstance(outcome, JoinGroupAnswer) and outcome.leader and not outcome.error
