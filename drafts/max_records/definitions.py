"""Kafka's message definitions as the draft would change them: a patch in memory, made for a
profile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drafts.max_records.change import DRAFT_VERSION
from drafts.max_records.profile import Encoding, Negative, Zero
from spec.kafka import FLEXIBLE_SINCE, INT32_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.wire.definitions import Definitions, Message
    from drafts.max_records.profile import Profile

FIELD = "max_records"
TAG = 2
"""The next free tag of FetchRequest: 0 is ClusterId, 1 ReplicaState."""


def default_of(profile: Profile) -> int:
    """The value that stands for no limit: the field's default (MXR-A21)."""
    if profile.zero is Zero.UNLIMITED:
        return 0
    return -1 if profile.negative is Negative.UNLIMITED else INT32_MAX


def with_max_records(definitions: Definitions, profile: Profile) -> Definitions:
    """The definitions with MaxRecords in FetchRequest, plain or tagged, in a new version or without
    one, as the profile says.
    """
    if profile.encoding is Encoding.UNVERSIONED:
        return definitions.with_message(
            "FetchRequest", _with_field(_field(profile, FLEXIBLE_SINCE, tagged=True))
        )
    field = _field(profile, DRAFT_VERSION, tagged=profile.encoding is Encoding.TAGGED)
    return definitions.with_message("FetchRequest", _with_field(field)).with_message(
        "FetchResponse", _with_version
    )


def _field(profile: Profile, since: int, *, tagged: bool) -> Message:
    field: dict[str, Any] = {
        "name": "MaxRecords",
        "type": "int32",
        "versions": f"{since}+",
        "default": str(default_of(profile)),
        "ignorable": True,
    }
    return {**field, "taggedVersions": f"{since}+", "tag": TAG} if tagged else field


def _with_field(field: Message) -> Callable[[Message], Message]:
    def change(message: Message) -> Message:
        changed = message if field["versions"] == f"{FLEXIBLE_SINCE}+" else _with_version(message)
        return {**changed, "fields": [*changed["fields"], field]}

    return change


def _with_version(message: Message) -> Message:
    oldest = message["validVersions"].partition("-")[0]
    return {**message, "validVersions": f"{oldest}-{DRAFT_VERSION}", "latestVersionUnstable": False}
