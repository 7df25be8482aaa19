"""Faults of OffsetCommit and OffsetFetch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.offsets.faults.fault import OffsetFault
from spec.frozen import replace
from spec.kafka import Error
from spec.offsets.model import Broker, commit_errors, committed_offset
from spec.offsets.outcomes import Committed
from spec.offsets.releases import MetadataUnit
from spec.offsets.steps import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from spec.offsets.releases import OffsetSemantics
    from spec.offsets.steps import Commit, OffsetCommit


def _committing(change: Callable[[Commit, OffsetSemantics, Error], Error]) -> Broker:
    """Decide each commit otherwise."""

    def committing(
        step: OffsetCommit, partitions: int, semantics: OffsetSemantics
    ) -> tuple[Error, ...]:
        errors = commit_errors(step, partitions, semantics)
        return tuple(
            [change(one, semantics, error) for one, error in zip(step.commits, errors, strict=True)]
        )

    return Broker(committing=committing)


def _all_or_none(
    step: OffsetCommit, partitions: int, semantics: OffsetSemantics
) -> tuple[Error, ...]:
    errors = commit_errors(step, partitions, semantics)
    return (max(errors),) * len(errors)


def _by_bytes(step: OffsetCommit, partitions: int, semantics: OffsetSemantics) -> tuple[Error, ...]:
    counted = replace(semantics, metadata_unit=MetadataUnit.BYTES)
    return commit_errors(step, partitions, counted)


FAULTS: tuple[OffsetFault, ...] = (
    OffsetFault(
        "metadata-one-too-many",
        "OFF-050",
        Expected.VIOLATES,
        "Metadata may be one unit longer than the limit.",
        _committing(
            lambda one, semantics, error: (
                Error.NONE if one.units == semantics.metadata_max + 1 else error
            )
        ),
    ),
    OffsetFault(
        "metadata-below-the-limit-only",
        "OFF-050",
        Expected.VIOLATES,
        "Metadata of exactly the limit is refused.",
        _committing(
            lambda one, semantics, error: (
                Error.OFFSET_METADATA_TOO_LARGE if one.size == semantics.metadata_max else error
            )
        ),
    ),
    OffsetFault(
        "metadata-unlimited",
        "OFF-050",
        Expected.VIOLATES,
        "There is no limit of metadata.",
        _committing(
            lambda _, __, error: Error.NONE if error == Error.OFFSET_METADATA_TOO_LARGE else error
        ),
    ),
    OffsetFault(
        "commit-all-or-none",
        "OFF-050",
        Expected.VIOLATES,
        "A request with one commit that is refused has all refused.",
        Broker(committing=_all_or_none),
    ),
    OffsetFault(
        "metadata-in-bytes",
        "OFF-051",
        Expected.DEVIATES,
        "The limit of metadata counts bytes of UTF-8.",
        Broker(committing=_by_bytes),
    ),
    OffsetFault(
        "metadata-forgotten",
        "OFF-052",
        Expected.VIOLATES,
        "OffsetFetch gives no metadata.",
        Broker(
            recalling=lambda commits, partition: replace(
                committed_offset(commits, partition), length=0, text=Text.ASCII
            )
        ),
    ),
    OffsetFault(
        "nothing-committed-is-zero",
        "OFF-052",
        Expected.VIOLATES,
        "OffsetFetch gives offset 0 where nothing was committed.",
        Broker(
            recalling=lambda commits, partition: (
                committed_offset(commits, partition)
                if partition in commits
                else Committed(partition, 0, 0)
            )
        ),
    ),
    OffsetFault(
        "commit-entry-missing",
        "OFF-054",
        Expected.VIOLATES,
        "A commit that is refused has no entry in the answer.",
        Broker(lists_refused=False),
    ),
)
