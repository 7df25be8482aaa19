"""Planted faults of share consumers, each a change of what decides; a deviation; and legal
variants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.fairness.client_fault import deviation, variant, violation
from spec.fairness.dry_run import Client
from spec.fairness.outcomes import Delivered
from spec.fairness.releases import ExcessRecords, FairnessSemantics
from spec.fairness.share_dry_run import ShareClient, collect_batches, share_options_of
from spec.frozen import replace
from spec.semantics import decision_change
from spec.share.steps import AcknowledgeType

if TYPE_CHECKING:
    from spec.fairness.outcomes import ClientError, PollReturned
    from spec.fairness.share_dry_run import Acknowledgements, Batch, ShareOptions
    from spec.fairness.steps import StartClient

Batches = tuple["Batch", ...]


def _deliver_more(returned: PollReturned) -> PollReturned:
    """Deliver the offset before the first record too, of which nothing was acquired."""
    if not returned.records:
        return returned
    last = returned.records[-1]
    return replace(
        returned, records=(*returned.records, Delivered(last.partition, last.offset + 1_000))
    )


def _deliver_twice(returned: PollReturned) -> PollReturned:
    return replace(returned, records=(*returned.records, *returned.records[:1]))


def _reverse(returned: PollReturned) -> PollReturned:
    return replace(returned, records=returned.records[::-1])


def _count_one(returned: PollReturned) -> PollReturned:
    return replace(
        returned, records=tuple([replace(one, deliveries=1) for one in returned.records])
    )


def _say_nothing(returned: PollReturned) -> PollReturned:
    return replace(
        returned, records=tuple([replace(one, deliveries=0) for one in returned.records])
    )


def _lose_the_rest(
    held: Batches, most: int, semantics: FairnessSemantics
) -> tuple[Batches, Batches]:
    """Deliver as many records as the limit, and forget what was acquired beside them."""
    taken, _ = collect_batches(
        held, most, replace(semantics, excess_records=ExcessRecords.NEXT_POLLS)
    )
    return taken, ()


def _take_all(held: Batches, most: int, semantics: FairnessSemantics) -> tuple[Batches, Batches]:
    """Deliver all that is held, and what comes with it, whatever the limit."""
    del most, semantics
    return held, ()


def _bytes_forgotten(step: StartClient) -> ShareOptions:
    return share_options_of(replace(step, fetch_max_bytes=None))


def _twice_the_limit(step: StartClient) -> ShareOptions:
    """Ask for twice as many records as a poll may return."""
    found = share_options_of(step)
    most = 2 * found.options.max_poll_records
    return replace(found, options=replace(found.options, max_poll_records=most))


def _sending_instead(of: AcknowledgeType, sent: AcknowledgeType) -> Client:
    """A share consumer that sends another type of acknowledgement instead of one."""

    def sending(acknowledged: Acknowledgements) -> Acknowledgements:
        return tuple(
            [(partition, at, sent if kind == of else kind) for partition, at, kind in acknowledged]
        )

    return Client(sharing=ShareClient(sending=sending))


def _acknowledge_more(acknowledged: Acknowledgements) -> Acknowledgements:
    """Acknowledge an offset far behind the last one too, which nobody acquired."""
    return (*acknowledged, *[(part, at + 1_000, kind) for part, at, kind in acknowledged[-1:]])


def _report_nothing(errors: tuple[ClientError, ...]) -> tuple[ClientError, ...]:
    """Report success, whatever became of the acknowledgements."""
    del errors
    return ()


def _report_by_class(errors: tuple[ClientError, ...]) -> tuple[ClientError, ...]:
    """Report one exception that names no partition."""
    return tuple(
        [replace(one, name="InvalidRecordStateException", partition=None) for one in errors[:1]]
    )


def _forget_the_last(acknowledged: Acknowledgements) -> Acknowledgements:
    return acknowledged[:-1]


SHARE_FAULTS = (
    violation(
        "share-delivers-unacquired",
        "FAI-060",
        "A poll returns one record too many, which no response said was acquired.",
        Client(sharing=ShareClient(returning=_deliver_more)),
    ),
    violation(
        "share-delivers-twice",
        "FAI-061",
        "A poll of a share consumer returns its first record twice.",
        Client(sharing=ShareClient(returning=_deliver_twice)),
    ),
    violation(
        "share-reorders",
        "FAI-062",
        "A poll of a share consumer returns its records in reverse.",
        Client(sharing=ShareClient(returning=_reverse)),
    ),
    violation(
        "share-loses-over-limit",
        "FAI-063",
        "What was acquired beyond max.poll.records is neither delivered nor released.",
        Client(sharing=ShareClient(collecting=_lose_the_rest)),
    ),
    deviation(
        "share-cuts-batches",
        "FAI-064",
        "A poll of a share consumer returns no more records than its limit, whatever was acquired.",
        change=decision_change(FairnessSemantics, excess_records=ExcessRecords.NEXT_POLLS),
    ),
    violation(
        "share-limit-ignored",
        "FAI-065",
        "With record_limit, a poll returns twice max.poll.records.",
        Client(sharing=ShareClient(optioned=_twice_the_limit, collecting=_take_all)),
    ),
    violation(
        "share-accepts-released",
        "FAI-066",
        "What the application releases is accepted.",
        _sending_instead(AcknowledgeType.RELEASE, AcknowledgeType.ACCEPT),
    ),
    violation(
        "share-acknowledges-unacquired",
        "FAI-071",
        "An offset that was not acquired is acknowledged along with the last one that was.",
        Client(sharing=ShareClient(sending=_acknowledge_more)),
    ),
    violation(
        "share-accepts-gaps",
        "FAI-072",
        "Offsets without a record are accepted, though no application has seen them.",
        _sending_instead(AcknowledgeType.GAP, AcknowledgeType.ACCEPT),
    ),
    violation(
        "share-forgets-acknowledgement",
        "FAI-067",
        "The last acknowledgement of a commit is not sent.",
        Client(sharing=ShareClient(sending=_forget_the_last)),
    ),
    deviation(
        "share-limit-not-sent",
        "FAI-068",
        "fetch.max.bytes is not sent.",
        Client(sharing=ShareClient(optioned=_bytes_forgotten)),
    ),
    violation(
        "share-deliveries-not-counted",
        "FAI-069",
        "Each record comes with a delivery count of one.",
        Client(sharing=ShareClient(returning=_count_one)),
    ),
    violation(
        "share-hides-refusals",
        "FAI-070",
        "A commit whose acknowledgements were refused reports success.",
        Client(sharing=ShareClient(reporting=_report_nothing)),
    ),
)
SHARE_VARIANTS = (
    variant(
        "share-reports-one-exception",
        "A share consumer reports refused acknowledgements by one exception without a partition.",
        Client(sharing=ShareClient(reporting=_report_by_class)),
    ),
    variant(
        "share-no-delivery-counts",
        "A share consumer does not say how often a record was given out.",
        Client(sharing=ShareClient(returning=_say_nothing)),
    ),
    variant(
        "share-releases-gaps",
        "A share consumer releases offsets without a record, and names no gaps.",
        _sending_instead(AcknowledgeType.GAP, AcknowledgeType.RELEASE),
    ),
)
