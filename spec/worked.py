"""The model's answers to a worked example, in the settings that the example asks for."""

from spec.draft_registry import draft_of
from spec.fetch.releases import FetchSemantics
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics


def semantics_of(scenario: Scenario, release: str) -> Semantics:
    """The semantics that decide a scenario's answers: the release, the scenario's configuration,
    and the default reading of its draft where it is one of a draft.

    Args:
        scenario: layout, configuration and steps.
        release: `major.minor`.

    Raises:
        KeyError: the catalogue does not speak of that release.
    """
    semantics = semantics_for(release)
    if limit := dict(scenario.config).get("fetch.max.bytes"):
        semantics = semantics.with_decisions(FetchSemantics, fetch_max_bytes=int(limit))
    if (draft := draft_of(scenario.subject)) is not None:
        semantics = draft.questions.change(draft.questions.default)(semantics)
    return semantics
