"""Faults at the version of a Fetch. Outside the range that ApiVersions advertises: the request is
answered, or rejected in another way than Apache Kafka does, which closes the connection. Inside
it: the request is rejected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.fetch.faults.fault import Fault
from spec.fetch.model.answer import answer_fetch
from spec.fetch.model.machine import close_on_unknown_version
from spec.fetch.outcomes import FetchAnswer
from spec.kafka import Error
from spec.outcomes import Closed

if TYPE_CHECKING:
    from spec.fetch.model.machine import FetchReply, Rejecting
    from spec.fetch.releases import FetchSemantics
    from spec.fetch.steps import Fetch


def _answer_with(error: int) -> Rejecting:
    """An unknown version is answered with this top-level error, and without partitions."""

    def rejecting(fetch: Fetch, known: FetchSemantics) -> FetchReply | None:
        rejected = close_on_unknown_version(fetch, known)
        return None if rejected is None else FetchAnswer(error)

    return rejecting


def _newest_closes(fetch: Fetch, known: FetchSemantics) -> FetchReply | None:
    if fetch.version == known.newest_fetch:
        return Closed("the newest version, taken for one past it")
    return close_on_unknown_version(fetch, known)


FAULTS = (
    Fault(
        "unknown-version-answered",
        "FET-042",
        Expected.VIOLATES,
        "A Fetch of a version outside the advertised range is answered without an error.",
        answer_fetch,
        rejecting=_answer_with(0),
    ),
    Fault(
        "newest-version-closes",
        "FET-077",
        Expected.VIOLATES,
        "A Fetch of the newest advertised version closes the connection.",
        answer_fetch,
        rejecting=_newest_closes,
    ),
    Fault(
        "unknown-version-is-an-error",
        "FET-142",
        Expected.DEVIATES,
        "A Fetch of a version outside the advertised range is answered with UNSUPPORTED_VERSION.",
        answer_fetch,
        rejecting=_answer_with(Error.UNSUPPORTED_VERSION),
    ),
)
