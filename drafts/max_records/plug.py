"""The draft MaxRecords on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drafts import Plug
from drafts.max_records.change import FIELD, limited_to
from drafts.max_records.definitions import default_of, with_max_records
from drafts.max_records.draft import DRAFT
from drafts.max_records.faults import FAULTS, NO_PROFILE, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drafts.max_records.profile import Profile
    from spec.fetch.steps import DraftField


def _fields_in(body: Mapping[str, Any], profile: Profile) -> tuple[DraftField, ...]:
    """The limit; nothing where it stands at the default, which is no limit."""
    value: int | None = body.get(FIELD)
    return limited_to(None if value == default_of(profile) else value)


PLUG = Plug(DRAFT, with_max_records, _fields_in, (*FAULTS, *NO_PROFILE, *VARIANTS))
