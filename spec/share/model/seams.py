"""The seams of the machine, at which a planted fault can change what it does."""

from collections.abc import Callable

from spec.frozen import frozen
from spec.outcomes import Outcome
from spec.share.model.state import State
from spec.share.releases import ShareSemantics
from spec.steps import Step


def _same_step(step: Step) -> Step:
    return step


def _same_decisions(share: ShareSemantics) -> ShareSemantics:
    return share


def _same_state(state: State) -> State:
    return state


def _same_timers(_: State, after: State, __: float) -> State:
    return after


def _both(changed: frozenset[int], unlocked: frozenset[int]) -> frozenset[int]:
    return changed | unlocked


def _same_outcome(_: Step, outcome: Outcome) -> Outcome:
    return outcome


@frozen
class Sharing:
    """The functions that handle share groups; by default those of the reference.

    Attributes:
        misread: the step that a step is taken for.
        decided: the decisions in force, from those of the release.
        remembered: the state that is kept after each step.
        altered: the outcome that is sent for a step, from the one that was decided.
        timed: the state with its timers as they run, given the state before and the time now, ms;
            before each step, where both states are the same, and after it.
        noticed: the partitions in which fetches that wait look again, from those whose log or start
            offset changed and those in which a lock ran out.
    """

    misread: Callable[[Step], Step] = _same_step
    decided: Callable[[ShareSemantics], ShareSemantics] = _same_decisions
    remembered: Callable[[State], State] = _same_state
    altered: Callable[[Step, Outcome], Outcome] = _same_outcome
    timed: Callable[[State, State, float], State] = _same_timers
    noticed: Callable[[frozenset[int], frozenset[int]], frozenset[int]] = _both


REFERENCE = Sharing()
