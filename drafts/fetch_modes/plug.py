"""The draft on the wire: two tagged fields of Fetch v19, and the ways to get it wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drafts import Plug
from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault, change_part, misread
from drafts.fetch_modes.change import (
    BATCH_OPTIMIZED,
    DRAFT_VERSION,
    MODE,
    RECORD_LIMIT,
    RECORDS,
    limit_fields,
    limit_in,
    mode_in,
)
from drafts.fetch_modes.draft import DRAFT
from spec.frozen import replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.wire.definitions import Definitions, Message
    from drafts.fetch_modes.profile import Profile
    from spec.fetch.outcomes import PartitionAnswer
    from spec.fetch.steps import DraftField, Fetch

TAGS = {"FetchRecords": ("int32", "-1", 3), "FetchMode": ("int8", "0", 4)}
"""The fields with their type, their default, which means absence, and their tag."""


def _with_version(message: Message) -> Message:
    oldest = message["validVersions"].partition("-")[0]
    return {**message, "validVersions": f"{oldest}-{DRAFT_VERSION}", "latestVersionUnstable": False}


def _with_fields(message: Message) -> Message:
    since = f"{DRAFT_VERSION}+"
    fields = [
        {
            "name": name,
            "type": kind,
            "versions": since,
            "taggedVersions": since,
            "tag": tag,
            "default": default,
            "ignorable": True,
        }
        for name, (kind, default, tag) in TAGS.items()
    ]
    return {**_with_version(message), "fields": [*message["fields"], *fields]}


def _patch(definitions: Definitions, _: Profile) -> Definitions:
    return definitions.with_message("FetchRequest", _with_fields).with_message(
        "FetchResponse", _with_version
    )


def _fields_in(body: Mapping[str, Any], _: Profile) -> tuple[DraftField, ...]:
    records = body.get(RECORDS, -1)
    return limit_fields(None if records == -1 else records, body.get(MODE, BATCH_OPTIMIZED))


def _mode_ignored(fetch: Fetch) -> Fetch:
    return (
        replace(fetch, extra=limit_fields(limit_in(fetch)))
        if mode_in(fetch) == RECORD_LIMIT
        else fetch
    )


def _one_batch_more(fetch: Fetch) -> Fetch:
    records = limit_in(fetch)
    return (
        fetch
        if records is None or mode_in(fetch)
        else replace(fetch, extra=limit_fields(2 * records))
    )


def _absent_is_one(fetch: Fetch) -> Fetch:
    absent = fetch.version >= DRAFT_VERSION and not fetch.extra
    return replace(fetch, extra=limit_fields(1)) if absent else fetch


def _first_left_out(fetch: Fetch, got: PartitionAnswer) -> PartitionAnswer:
    several = limit_in(fetch) is not None and len(got.batches) > 1
    return replace(got, batches=got.batches[1:]) if several else got


PLUG = Plug(
    DRAFT,
    _patch,
    _fields_in,
    (
        Fault(
            "fetch-mode-ignored",
            "FMD-100",
            Expected.VIOLATES,
            "record_limit is taken as batch_optimized.",
            misread(_mode_ignored),
        ),
        Fault(
            "fetch-records-doubled",
            "FMD-101",
            Expected.VIOLATES,
            "Twice as many records are let through.",
            misread(_one_batch_more),
        ),
        Fault(
            "fetch-records-absent-is-one",
            "FMD-102",
            Expected.VIOLATES,
            "A fetch of the draft's version without its fields gets one batch.",
            misread(_absent_is_one),
        ),
        Fault(
            "fetch-records-skips-a-batch",
            "FMD-103",
            Expected.VIOLATES,
            "With a limit of records the first batch of several is left out.",
            change_part(_first_left_out),
        ),
    ),
)
