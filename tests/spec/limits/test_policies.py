"""A broker may have policies of its own, which refuse with POLICY_VIOLATION."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.limits.examples import alter, create, grow, history, validate
from spec.limits.outcomes import ConfigsAltered, TopicsAnswer
from spec.outcomes import Outcome
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.subject_registry import subject_named
from spec.verdict import Outcome as Says

MADE = history(create("a", 2))
GROWN = history(create("a", 2), grow("a", 3))
ALTERED = history(create("a"), alter("a", ("segment.ms", "1")))


def refused(error: Error) -> Callable[[Outcome], Outcome]:
    """The same answer, with an error for each of its topics."""

    def change(outcome: Outcome) -> Outcome:
        if isinstance(outcome, ConfigsAltered):
            return replace(outcome, error=error)
        assert isinstance(outcome, TopicsAnswer)
        return replace(
            outcome, entries=tuple([replace(one, error=error) for one in outcome.entries])
        )

    return change


def broken(scenario: Scenario, error: Error, release: str = "4.4") -> dict[str, Says]:
    """What breaks where the last request of a scenario is refused so."""
    semantics = semantics_for(release)
    played = subject_named("limits").answer_all(scenario, semantics)
    *before, last = played.exchanges
    answered = replace(last, outcome=refused(error)(last.outcome))
    seen = replace(played, exchanges=(*before, answered))
    return {one.clause: one.outcome for one in judge(scenario, seen, semantics).breaks}


@pytest.mark.parametrize(
    ("scenario", "clause"), [(MADE, "LIM-003"), (GROWN, "LIM-034"), (ALTERED, "LIM-062")]
)
def test_what_a_policy_refuses_breaks_no_clause(scenario: Scenario, clause: str) -> None:
    assert broken(scenario, Error.POLICY_VIOLATION) == {}
    assert broken(scenario, Error.INVALID_REQUEST)[clause] is Says.VIOLATES


def test_as_much_as_a_request_may_have_is_not_refused_as_too_much() -> None:
    topics, records = history(validate(5_000, 5_000)), history(validate(9_999))
    growth = history(create("a"), grow("a", 10_001, validate_only=True))
    assert broken(topics, Error.POLICY_VIOLATION).keys() <= {"LIM-020"}
    assert broken(records, Error.POLICY_VIOLATION) == {"LIM-021": Says.DEVIATES}
    assert broken(growth, Error.POLICY_VIOLATION) == {"LIM-035": Says.DEVIATES}
