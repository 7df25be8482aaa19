"""A scenario that was played: what came back, what it says, and how far that is to be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.canonical import to_json
from spec.catalogue import is_timing_sensitive
from spec.events import Flaky
from spec.fetch.outcomes import FetchAnswer
from spec.frozen import frozen, replace
from spec.judgement import EVERY_CLAUSE, Judgement
from spec.kafka import LEADER_MOVES, Error
from spec.outcomes import Closed, NotSent, Silent
from spec.share.outcomes import ShareFetchAnswer
from spec.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.engine.resume_point import BreakKind
    from spec.observation import Observation
    from spec.scenario import Scenario

UNANSWERED_ONCE = "unanswered once"
"""The signature where an answer was missing, and no replay missed it."""
LEADER_CHANGED = "leader epoch changed"
"""The signature where a partition has another leader epoch than when its layout was placed."""
LOG_START_MOVED = "log start moved"
"""The signature where a partition's log begins later than when its layout was placed."""
STANDSTILL = "standstill"
"""The signature where nothing at all was answered about when something was late."""
PASSING = LEADER_MOVES | {Error.FENCED_LEADER_EPOCH, Error.UNKNOWN_LEADER_EPOCH}
"""Errors of a partition that pass by themselves after a change of leader."""
DISTURBED = (LEADER_CHANGED, LOG_START_MOVED, STANDSTILL)
"""Signatures of what says nothing of the broker."""


@frozen
class Played:
    """One scenario, what came back and what it says.

    Attributes:
        scenario, observation, judgement: these.
        standstill_s: how long nothing at all was answered about when it was played, in seconds;
            0 where that is not known, or of no use.
    """

    scenario: Scenario
    observation: Observation
    judgement: Judgement
    standstill_s: float = 0.0

    def broke(self, clause: str, signature: str) -> bool:
        """Whether it breaks this clause in this way."""
        return any(v.clause == clause and v.signature == signature for v in self.judgement.breaks)

    @property
    def is_unanswered(self) -> bool:
        """Whether an answer was missing where another connection was answered, and that is held
        against the broker.
        """
        return self.why_unanswered is not None

    @property
    def why_unanswered(self) -> str | None:
        """What is held against the broker where an answer was missing; None where nothing is."""
        if not any(
            isinstance(exchange.outcome, Closed | Silent) for exchange in self.observation.exchanges
        ):
            return None
        held = [v for v in self.judgement.breaks if v.outcome is not Outcome.INCONCLUSIVE]
        return held[0].why if held else None

    @property
    def late(self) -> bool:
        """Whether something that is held against it is timing-sensitive."""
        return bool(self.late_kinds)

    @property
    def kinds(self) -> frozenset[BreakKind]:
        """The kinds of all its breaks."""
        return frozenset(verdict.kind for verdict in self.judgement.breaks)

    @property
    def late_kinds(self) -> frozenset[BreakKind]:
        """The kinds of its breaks that depend on the clock."""
        return frozenset(kind for kind in self.kinds if is_timing_sensitive(*kind))

    @property
    def fleeting(self) -> bool:
        """Whether it breaks a clause and an answer has an error that passes by itself.

        Leader epochs are among them: a broker that was fenced knows the new epoch of a partition at
        one moment by its metadata, and by the partition itself at another.
        """
        answers = [
            exchange.outcome
            for exchange in self.observation.exchanges
            if isinstance(exchange.outcome, FetchAnswer | ShareFetchAnswer)
        ]
        return bool(self.judgement.breaks) and any(
            got.error in PASSING for answer in answers for got in answer.partitions
        )

    @property
    def doubtful(self) -> bool:
        """Whether its breaks may be the clock's or the network's, so that they only count when they
        show again.
        """
        return bool(self.doubtful_kinds)

    @property
    def doubtful_kinds(self) -> frozenset[BreakKind]:
        """The kinds of break that only count when they show again: all of them where an answer was
        missing, an error may pass or something moved; otherwise those that depend on the clock.
        """
        if self.has_moved or self.is_unanswered or self.fleeting:
            return self.kinds
        return self.late_kinds

    @property
    def disturbed(self) -> bool:
        """Whether it says nothing of the broker, by a change of leader, by records that it deleted
        itself or by a standstill.
        """
        return self.has_moved or (self.standstill_s > 0 and self.doubtful)

    @property
    def has_moved(self) -> bool:
        """Whether it is inconclusive, since a partition's leader epoch or log start rose."""
        moved = {LEADER_CHANGED, LOG_START_MOVED}
        return any(verdict.signature in moved for verdict in self.judgement.breaks)

    @property
    def divergences(self) -> tuple[Verdict, ...]:
        """Its primary verdicts that violate or deviate."""
        return tuple(
            [
                verdict
                for verdict in self.judgement.breaks
                if verdict.primary and verdict.outcome is not Outcome.INCONCLUSIVE
            ]
        )

    @property
    def doubt(self) -> Verdict | None:
        """The verdict that nothing can be said of the whole play, though the broker is there; None
        where something can.
        """
        if broken(self):
            return None
        for verdict in self.judgement.breaks:
            if verdict.clause == EVERY_CLAUSE and verdict.outcome is Outcome.INCONCLUSIVE:
                return verdict
        return None

    def without(self, kinds: frozenset[BreakKind]) -> Played:
        """The same without the breaks of some kinds."""
        if not kinds:
            return self
        kept = tuple(
            [
                verdict
                for verdict in self.judgement.verdicts
                if verdict not in self.judgement.breaks or verdict.kind not in kinds
            ]
        )
        return replace(self, judgement=replace(self.judgement, verdicts=kept))

    def as_moved(self, why: str, signature: str) -> Played:
        """The same with its breaks, or its failure, taken for those of a change of leader, or of
        the log start.
        """
        observation = replace(self.observation, broken=None)
        return replace(self, observation=observation).inconclusive(why, signature)

    def with_disturbances(self, standstill_s: float, change: str) -> Played:
        """The same after the broker stood still for so long; inconclusive where a leader moved or
        brokers came or went, as `change` says.
        """
        found = replace(self, standstill_s=standstill_s)
        return found.as_moved(change, LEADER_CHANGED) if change else found

    def as_disturbed(self, replays: int) -> Played:
        """The same, disturbed in so many replays too: with its breaks taken for those of the
        standstill, unless it is inconclusive by what moved.
        """
        if self.has_moved:
            return self
        return self.inconclusive(
            f"nothing at all was answered for {self.standstill_s:.0f} s meanwhile, nor in "
            f"{replays} replays",
            STANDSTILL,
        )

    def inconclusive(self, why: str, signature: str = UNANSWERED_ONCE) -> Played:
        """The same with its breaks taken for the network's."""
        kept = tuple(
            [verdict for verdict in self.judgement.verdicts if verdict not in self.judgement.breaks]
        )
        once = Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature=signature)
        return replace(self, judgement=replace(self.judgement, verdicts=(*kept, once)))


@frozen
class Confirmation:
    """The result of replays of a play whose breaks may be the clock's or the network's.

    Attributes:
        first: the play as it was.
        counts: the play that counts: the first one, or a replay.
        replays: all replays, in their order.
    """

    first: Played
    counts: Played
    replays: tuple[Played, ...] = ()

    @classmethod
    def of(cls, first: Played, *replays: Played) -> Confirmation:
        """The last replay counts, with those of its doubtful breaks that the first play shows too;
        what depends on the clock must show in all.
        """
        last = replays[-1]
        in_all = first.kinds.intersection(*[one.kinds for one in replays])
        doubtful = (last.doubtful_kinds - first.kinds) | (last.late_kinds - in_all)
        return cls(first, last.without(doubtful), replays)

    @property
    def flaky(self) -> tuple[Flaky, ...]:
        """The breaks of any play that the play that counts does not show.

        What stays as an inconclusive verdict is not among them: an answer that was missing once,
        and what a change of leader or a standstill disturbed.
        """
        undecided = (UNANSWERED_ONCE, *DISTURBED)
        if any(verdict.signature in undecided for verdict in self.counts.judgement.breaks):
            return ()
        found: dict[BreakKind, Flaky] = {}
        for place, play in enumerate((self.first, *self.replays)):
            others = [one for number, one in enumerate(self.replays, 1) if number != place]
            for verdict in play.divergences:
                kind = verdict.kind
                if kind not in found and not self.counts.broke(*kind):
                    found[kind] = Flaky(
                        *kind,
                        play.scenario,
                        verdict,
                        play.observation,
                        reproduced=sum(one.broke(*kind) for one in others),
                        replays=len(self.replays),
                    )
        return tuple(found.values())


def broken(played: Played) -> str | None:
    """Why the infrastructure failed; None where it did not."""
    if played.observation.broken is not None:
        return played.observation.broken
    lost = [
        v
        for v in played.judgement.verdicts
        if v.outcome is Outcome.INCONCLUSIVE and v.signature == "infrastructure"
    ]
    return lost[0].why if lost else None


def impossible(played: Played) -> str | None:
    """Why no system can be asked this: one of its batches does not exist; None where each does."""
    reasons = [
        exchange.outcome.reason
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, NotSent) and exchange.outcome.impossible
    ]
    return reasons[0] if reasons else None


def cut_short_reason(played: Played) -> str | None:
    """Why not all of it was asked or judged, though the broker is there; None where all was."""
    words = [
        v.why
        for v in played.judgement.verdicts
        if v.clause == EVERY_CLAUSE and v.outcome in {Outcome.UNSUPPORTED, Outcome.INCONCLUSIVE}
    ]
    return words[0] if words else None


def unsupported_reason(played: Played) -> str | None:
    """Why the broker can't be held to anything here: it does not know what was asked; None where it
    does.
    """
    words = [
        v.why
        for v in played.judgement.verdicts
        if v.clause == EVERY_CLAUSE and v.outcome is Outcome.UNSUPPORTED
    ]
    return words[0] if words and not played.judgement.breaks else None


def undecided_reason(played: Played) -> str | None:
    """Why this says nothing of the broker: something is inconclusive, or no clause applies; None
    where it does.
    """
    words = [
        verdict.why
        for verdict in played.judgement.breaks
        if verdict.outcome is Outcome.INCONCLUSIVE
    ]
    if words or any(verdict.clause != EVERY_CLAUSE for verdict in played.judgement.verdicts):
        return words[0] if words else None
    return (
        "nothing was exercised: expected a clause with a word on what came back, found none; see "
        "the versions that the steps ask with"
    )


def simplest(found: Sequence[Played]) -> Played:
    """The one whose steps read shortest."""
    return min(
        found, key=lambda played: (len(played.scenario.steps), len(to_json(played.scenario.steps)))
    )
