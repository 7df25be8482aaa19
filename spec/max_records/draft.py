"""The draft as a change of the model: which requests carry the field, and what it says in them."""

from dataclasses import replace

from spec.fetch.model.session import Admission, Mode
from spec.kafka import FLEXIBLE_SINCE
from spec.max_records.profile import Encoding, InSession, Profile
from spec.scenario import Fetch
from spec.semantics import Change

DRAFT_VERSION = 19
"""The Fetch version that the draft would make: one more than the newest of any release (FET-040)."""


def drafted(profile: Profile) -> Change:
    """A release with the draft field, read in this way."""
    if profile.encoding is Encoding.UNVERSIONED:
        return lambda semantics: replace(semantics, max_records=profile)
    return lambda semantics: replace(semantics, max_records=profile, newest_fetch=DRAFT_VERSION)


def version_of(profile: Profile) -> int:
    """The lowest Fetch version that carries the field."""
    return FLEXIBLE_SINCE if profile.encoding is Encoding.UNVERSIONED else DRAFT_VERSION


def limit_in_force(fetch: Fetch, admission: Admission, profile: Profile) -> int | None:
    """What the field says for this request, or for the session that it belongs to; None where nothing does."""
    if fetch.version < version_of(profile):
        return None
    if fetch.max_records is None and profile.session is InSession.CACHED and admission.mode is Mode.INCREMENTAL and admission.before:
        return admission.before.max_records
    return fetch.max_records
