"""Properties of a scenario of fetches on which playing and judging it depend."""

from spec.fetch.steps import Fetch
from spec.kafka import SESSIONLESS_EPOCH
from spec.scenario import Scenario


def changes_log(scenario: Scenario) -> bool:
    """Whether a step writes or deletes, so that other scenarios can't share the layout."""
    return False in [isinstance(step, Fetch) for step in scenario.steps]


def question_of(scenario: Scenario) -> Fetch | None:
    """Its fetch, where it is one fetch outside of any session, sent at once: that changes
    nothing.
    """
    only = scenario.steps[0] if len(scenario.steps) == 1 else None
    if not isinstance(only, Fetch) or only.epoch != SESSIONLESS_EPOCH or only.after_ms:
        return None
    return only
