"""Whether a planted fault can show in what is tested."""

from __future__ import annotations

from conformance.cli.common import wrong


def must_show(fault: str | None, subject: str) -> None:
    """Raise wrong use where the fault is one of another subject, since a run could only pass.

    Raises:
        UnknownFaultError: no fault has that name.
    """
    from conformance.faults import find, subject_of  # noqa: PLC0415 - keeps --help quick

    if fault is None or (of := subject_of(find(fault))) == subject:
        return
    instead = f"run model --subject {of}" if of != "max_records" else "identify model --draft max-records"
    none = "; the served model has no faults of groups" if subject == "groups" else ""
    raise wrong(
        f"--fault: expected a fault of the subject {subject}, found {fault}, one of {of}{none}; plant it by `{instead} --fault {fault}`"
    )
