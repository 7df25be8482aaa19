"""Whether a planted fault can show in what is tested."""

from __future__ import annotations

from conformance.cli.errors import wrong
from conformance.serve.peers import PEERS
from conformance.subjects.registry import draft_of_fault, find_fault, runner_of


def must_show(fault: str | None, subject: str) -> None:
    """Raise wrong use where the fault is one of another subject, since a run could only pass. A
    peer is one of every subject.

    Raises:
        UnknownFaultError: no fault has that name.
    """
    if fault is None or fault in PEERS:
        return
    of, _ = find_fault(fault)
    if of is not None and of.subject == subject:
        return
    draft = draft_of_fault(fault)
    name = draft.subject.name if draft is not None else of.subject if of is not None else subject
    instead = (
        f"run model --subject {name}" if draft is None else f"identify model --draft {draft.name}"
    )
    none = (
        "" if runner_of(subject).served_faults else f"; the served model has no faults of {subject}"
    )
    raise wrong(
        f"--fault: expected a fault of the subject {subject}, found {fault}, one of {name}{none}; "
        f"plant it by `{instead} --fault {fault}`"
    )
