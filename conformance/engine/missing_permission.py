"""Whether a scenario met a permission that the user of a secured cluster lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from conformance.ledger import PREFIX
from spec.kafka import Error
from spec.subject_registry import subject_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conformance.engine.play_result import Played
    from spec.scenario import Scenario
    from spec.semantics import Semantics

PERMISSIONS: Mapping[int, str] = {
    Error.TOPIC_AUTHORIZATION_FAILED: "a topic",
    Error.GROUP_AUTHORIZATION_FAILED: "a group",
    Error.CLUSTER_AUTHORIZATION_FAILED: "the cluster",
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "a transactional id",
}
"""Error codes of what a user may not do, with what it is about."""
OF_NAMES = frozenset({Error.TOPIC_AUTHORIZATION_FAILED, Error.GROUP_AUTHORIZATION_FAILED})


def lacking_permission(
    played: Played,
    semantics: Semantics,
    granted: Callable[[Iterable[int]], bool] = lambda _: False,
) -> str | None:
    """Say which permission a scenario lacked, where it breaks a clause and the broker refused
    something for that; None where it did not.

    A code that the model answers too is none: some questions are about such errors. Nor is one
    about what the user may do, as `granted` says of some codes: the broker answers it wrongly. It
    says so of names with the prefix alone, so that a scenario with others may lack a permission.
    """
    if not played.judgement.breaks:
        return None
    met = _codes([exchange.outcome for exchange in played.observation.exchanges])
    if not met:
        return None
    scenario = played.scenario
    expected = subject_named(scenario.subject).answer_all(scenario, semantics)
    lacked = sorted(met - _codes([exchange.outcome for exchange in expected.exchanges]))
    if not lacked or (granted(lacked) and not _asks_elsewhere(scenario, lacked)):
        return None
    said = " and ".join(f"{Error(code).name} (about {PERMISSIONS[code]})" for code in lacked)
    return (
        f"expected a user who may do what the scenario does, the broker says {said}; give the user "
        "of --command-config that permission by an ACL, on names that begin with fencepost-"
    )


def _asks_elsewhere(scenario: Scenario, lacked: Iterable[int]) -> bool:
    """Whether permissions on topics or groups may be about one without the prefix."""
    names = [name for step in scenario.steps for name in step.literal_names]
    return bool(OF_NAMES.intersection(lacked)) and not all(one.startswith(PREFIX) for one in names)


def _codes(value: Any) -> frozenset[int]:
    return frozenset(_permission_codes(value))


def _permission_codes(value: Any, name: str = "") -> Iterator[int]:
    """The codes of permissions in all fields of outcomes that hold error codes."""
    if is_dataclass(value):
        for field in fields(value):
            yield from _permission_codes(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _permission_codes(each, name)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _permission_codes(each, name)
    elif isinstance(value, int) and "error" in name and value in PERMISSIONS:
        yield int(value)
