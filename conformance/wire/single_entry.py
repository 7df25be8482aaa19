"""Taking the one entry of an array in an answer, where a broker may send none, or several."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from conformance.wire.outcomes import RAW_KEPT, Garbled, NoAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping


def only(api: str, version: int, value: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """Return the only entry of an array, or of an array within the only entry of another, and so
    on.

    Args:
        api: what the answer is to.
        version: its version.
        value: the decoded answer.
        path: the arrays' names, from the outermost one.

    Raises:
        NoAnswer: an array is missing or null, or has another number of entries than one; it names
        the array.
    """
    found: Any = value
    for depth, name in enumerate(path, 1):
        entries = found.get(name)
        if not isinstance(entries, list | tuple) or len(entries) != 1:
            count = (
                f"{len(entries)} entries"
                if isinstance(entries, list | tuple) and entries
                else "none"
            )
            reason = f"expected one entry in {'.'.join(path[:depth])}, found {count}"
            raise NoAnswer(
                api, version, Garbled(reason, repr(value)[:RAW_KEPT].encode(), time.monotonic())
            )
        found = entries[0]
    return dict(found)


def find_entry(api: str, version: int, entries: Mapping[Any, Any], wanted: Any) -> Any:
    """Return the entry of an answer that is about one thing.

    Raises:
        NoAnswer: the answer says nothing of it.
    """
    if wanted not in entries:
        reason = f"expected an entry for {wanted!r}, found none"
        raise NoAnswer(
            api, version, Garbled(reason, repr(entries)[:RAW_KEPT].encode(), time.monotonic())
        )
    return entries[wanted]
