"""The subjects that can be run: each is one folder here and one entry of `RUNNERS`, and of
`CLIENT_RUNNERS` where a client can be tested by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drafts import plugs
from conformance.faults.planted import UnknownFaultError
from conformance.serve.peers import PEERS
from conformance.subjects.fairness import runner as fairness
from conformance.subjects.fairness.client_runner import of_client as fairness_of_client
from conformance.subjects.fetch import runner as fetch
from conformance.subjects.groups import runner as groups
from conformance.subjects.limits import runner as limits
from conformance.subjects.offsets import runner as offsets
from conformance.subjects.produce import runner as produce
from conformance.subjects.replication import runner as replication
from conformance.subjects.segments import runner as segments
from conformance.subjects.share import runner as share
from spec.subject_registry import SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.clients.system import ClientUnderTest
    from conformance.engine.runner import Runner
    from conformance.faults.planted import PlantedFault
    from spec.draft import Draft

RUNNERS: tuple[Runner[Any], ...] = (
    fetch.RUNNER,
    share.RUNNER,
    groups.RUNNER,
    offsets.RUNNER,
    produce.RUNNER,
    segments.RUNNER,
    limits.RUNNER,
    fairness.RUNNER,
    replication.RUNNER,
)

CLIENT_RUNNERS: Mapping[str, Callable[[ClientUnderTest], Runner[Any]]] = {
    fairness.RUNNER.subject: fairness_of_client
}
"""By subject, how it is run where a client is tested: it reads from a broker that is not judged."""

_DRAFTS: Mapping[str, Runner[Any]] = dict.fromkeys(
    {one.name for one in SUBJECTS} - {runner.subject for runner in RUNNERS}, fetch.RUNNER
)
"""Subjects of a draft, which changes one that is run: its scenarios are played as that one's."""


def runner_of(subject: str) -> Runner[Any]:
    """How the scenarios of a subject are played.

    Raises:
        LookupError: no subject has that name.
    """
    for runner in RUNNERS:
        if runner.subject == subject:
            return runner
    return _DRAFTS[subject]


def served_faults() -> Iterator[tuple[Runner[Any], PlantedFault]]:
    """Every fault and legal variant that the served model can be given, each with its subject's
    runner.
    """
    for runner in RUNNERS:
        if runner.served_faults:
            for fault in runner.faults:
                yield runner, fault


def draft_of_fault(name: str) -> Draft | None:
    """The draft that brings the fault of that name; None for a fault of a released broker's
    subject.
    """
    return next(
        (plug.draft for plug in plugs() for fault in plug.faults if fault.name == name), None
    )


def find_fault(name: str) -> tuple[Runner[Any] | None, Any]:
    """The fault of that name that the served model can be given, with its subject's runner; None
    for a fault of a draft and for a peer.

    Raises:
        UnknownFaultError: there is none.
    """
    for runner, fault in served_faults():
        if fault.name == name:
            return runner, fault
    for plug in plugs():
        for planted in plug.faults:
            if planted.name == name:
                return None, planted
    if name in PEERS:
        return None, PEERS[name]
    raise UnknownFaultError(
        f"expected the name of a planted fault, found {name!r}; `fencepost serve --list-faults` "
        "shows them"
    )
