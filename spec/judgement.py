"""The judgement of an observation, and how the clauses' results become verdicts: the same for
every subject.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, Generic, TypeVar

from spec.clause import Check, Clause, Condition, Fits, Held
from spec.frozen import frozen, replace
from spec.observation import Observation
from spec.outcomes import Closed, NotReady, NotSent, Silent
from spec.outcomes import Outcome as Seen
from spec.verdict import Outcome, Side, Strength, Verdict

T = TypeVar("T")

NOTHING_CAME = (Silent, Closed)
Checks = tuple[tuple[Check[T], tuple[Verdict, ...]], ...]
"""The checks of some clauses, each with the verdicts that the clause held, by the sides of its
fence.
"""
EVERY_CLAUSE = "*"
"""Stands for a clause id where the infrastructure, and so every clause, is meant."""
NOT_READY = "not ready"
"""The signature where what a step needs did not come about in time."""


@frozen
class Judgement:
    """The judgement of a scenario's observation.

    Attributes:
        verdicts: one for each clause whose condition arose, in the order of the catalogue; the
            primary break is marked.
        readings: (clause, reading, fits) where the readings of a clause differ on what was seen.
    """

    verdicts: tuple[Verdict, ...]
    readings: tuple[tuple[str, str, bool], ...] = ()

    @property
    def breaks(self) -> tuple[Verdict, ...]:
        """The verdicts that are neither conforming nor unsupported."""
        return tuple(
            [
                v
                for v in self.verdicts
                if v.outcome in {Outcome.VIOLATES, Outcome.DEVIATES, Outcome.INCONCLUSIVE}
            ]
        )


def infrastructure(outcome: Outcome, why: str) -> Verdict:
    """The verdict on every clause where the infrastructure failed, or can't do what was asked."""
    return Verdict(EVERY_CLAUSE, outcome, why=why, signature="infrastructure")


def step_failed(number: int, name: str, found: str) -> Verdict:
    """The verdict on every clause where a step that the rest of a play needs was not done."""
    why = f"step {number} ({name}): expected it to be done, found {found}; see the broker's log"
    return Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature="step failed")


def not_ready(observation: Observation) -> Verdict | None:
    """The verdict on every clause where what some step needs did not come about in time; None where
    it did. Nothing else is judged: what is not ready may not have been ready before either.
    """
    for exchange in observation.exchanges:
        if isinstance(exchange.outcome, NotReady):
            why = exchange.outcome.reason
            return Verdict(EVERY_CLAUSE, Outcome.INCONCLUSIVE, why=why, signature=NOT_READY)
    return None


def stopped_by(outcome: Seen) -> Verdict | None:
    """The verdict where a request could not be sent, or neither it nor a control request was
    answered; None where it is judged.
    """
    if isinstance(outcome, NotSent):
        return infrastructure(Outcome.UNSUPPORTED, outcome.reason)
    if isinstance(outcome, NOTHING_CAME) and not outcome.control_answered:
        return infrastructure(
            Outcome.INCONCLUSIVE,
            "no answer, and none to a control request either: is the system still there?",
        )
    return None


def weight(held: Mapping[str, Held], clauses: Mapping[str, Clause[Any]]) -> tuple[int, int]:
    """The badness of a state as an explanation of the observation: how many `must` and `reference`
    clauses are broken in it.
    """
    broken = [clauses[clause_id].strength for clause_id, one in held.items() if not one.ok]
    return broken.count(Strength.MUST), broken.count(Strength.REFERENCE)


@frozen(slots=False)
class Clauses(Generic[T]):
    """The clauses of a subject, ready to look at turns.

    Attributes:
        by_id: in the order in which a break is diagnosed.
        conditions: what the checks of some take for granted, each once.
        readings: what is seen of the readings of a clause, by clause id.
    """

    by_id: Mapping[str, Clause[T]]
    conditions: tuple[Condition[T], ...] = field(init=False)
    readings: tuple[tuple[str, Fits[T]], ...] = field(init=False)
    _by_conditions: dict[tuple[bool, ...], Checks[T]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Gather the conditions and the readings."""
        conditions = dict.fromkeys([clause.when for clause in self.by_id.values() if clause.when])
        object.__setattr__(self, "conditions", tuple(conditions))
        readings = [(clause.id, clause.fits) for clause in self.by_id.values() if clause.fits]
        object.__setattr__(self, "readings", tuple(readings))

    def checks(self, turn: T) -> Checks[T]:
        """The checks of the clauses whose condition holds for a turn.

        Which clauses these are is worked out once for each combination of conditions that arises:
        most turns differ in few, and no clause is looked at that can't arise.
        """
        holding = tuple([when(turn) for when in self.conditions])
        checks = self._by_conditions.get(holding)
        if checks is None:
            holds = dict(zip(self.conditions, holding, strict=True))
            checks = self._by_conditions[holding] = tuple(
                [
                    (clause.check, _conforming(clause.id))
                    for clause in self.by_id.values()
                    if clause.check and (clause.when is None or holds[clause.when])
                ]
            )
        return checks

    def results(self, turn: T) -> dict[str, Held]:
        """The result of each clause whose condition arose in a turn."""
        found = {}
        for check, conforming in self.checks(turn):
            held = check(turn)
            if held is not None:
                found[conforming[0].clause] = held
        return found

    def verdicts(self, turn: T) -> tuple[Verdict, ...]:
        """The verdicts on a turn that is all there is, in the order of the catalogue, the primary
        break marked.
        """
        found: list[Verdict] = []
        broken: list[int] = []
        for check, conforming in self.checks(turn):
            held = check(turn)
            if held is None:
                continue
            if held.ok:
                found.append(conforming[held.sides])
            else:
                broken.append(len(found))
                found.append(_breaking(self.by_id[conforming[0].clause], held))
        return _mark_primary(found, broken) if broken else tuple(found)

    def fits(self, turn: T) -> dict[tuple[str, str], bool]:
        """(clause, reading) to whether the turn fits it, where the readings of a clause differ on
        the turn.
        """
        found: dict[tuple[str, str], bool] = {}
        for clause_id, find in self.readings:
            for reading, fit in find(turn).items():
                found[clause_id, reading] = fit
        return found

    def weight(self, held: Mapping[str, Held]) -> tuple[int, int]:
        """The numbers of broken `must` and `reference` clauses."""
        return weight(held, self.by_id)


def merge_held(one: Held, other: Held) -> Held:
    """Two words of one clause as one: the first break, on the sides of both."""
    first = one if not one.ok or other.ok else other
    sides = one.sides | other.sides
    return first if sides == first.sides else Held(first.ok, sides, first.why, first.signature)


def reading_results(readings: Mapping[tuple[str, str], bool]) -> tuple[tuple[str, str, bool], ...]:
    """The readings with whether everything that was seen fits them."""
    if not readings:
        return ()
    return tuple([(clause_id, reading, fits) for (clause_id, reading), fits in readings.items()])


_BROKEN = {
    Strength.MUST: Outcome.VIOLATES,
    Strength.REFERENCE: Outcome.DEVIATES,
    Strength.BEST_EFFORT: Outcome.CONFORMS,
}


def verdicts_of(
    found: Mapping[str, Held], clauses: Mapping[str, Clause[Any]]
) -> tuple[Verdict, ...]:
    """The verdicts of clauses that applied, in the order of the catalogue, the primary break
    marked.
    """
    verdicts: list[Verdict] = []
    broken: list[int] = []
    for clause_id, clause in clauses.items():
        held = found.get(clause_id)
        if held is None:
            continue
        if held.ok:
            verdicts.append(_conforming(clause_id)[held.sides])
        else:
            broken.append(len(verdicts))
            verdicts.append(_breaking(clause, held))
    return _mark_primary(verdicts, broken)


def _mark_primary(verdicts: list[Verdict], broken: Sequence[int]) -> tuple[Verdict, ...]:
    """The verdicts, of which those with these numbers are breaks; the first of the most severe ones
    is the primary break.
    """
    for severity in (Outcome.VIOLATES, Outcome.DEVIATES) if broken else ():
        for number in broken:
            if verdicts[number].outcome is severity:
                verdicts[number] = replace(verdicts[number], primary=True)
                return tuple(verdicts)
    return tuple(verdicts)


def _breaking(clause: Clause[Any], held: Held) -> Verdict:
    return Verdict(clause.id, _BROKEN[clause.strength], held.sides, held.why, held.signature)


@cache
def _conforming(clause_id: str) -> tuple[Verdict, ...]:
    """That the clause held, by the sides of its fence."""
    return tuple([Verdict(clause_id, Outcome.CONFORMS, Side(bits)) for bits in range(8)])
