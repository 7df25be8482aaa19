"""Faults in what is stored."""

from __future__ import annotations

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    store_differently,
)
from spec.kafka import Error
from spec.produce.model.seams import REFERENCE, Leader, StoredForm

FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "refused-is-stored",
        "PRO-052",
        VIOLATES,
        "A batch that is too large is answered with an error, and stored all the same.",
        store_differently(StoredForm.AS_SENT, lambda _, error: error is Error.MESSAGE_TOO_LARGE),
    ),
    ProduceFault(
        "accepted-is-lost",
        "PRO-152",
        VIOLATES,
        "Nothing of an accepted batch of three records is stored.",
        store_differently(
            StoredForm.NOTHING, lambda received, error: received.records == 3 and not error
        ),
    ),
    ProduceFault(
        "stored-damaged",
        "PRO-068",
        VIOLATES,
        "The last byte of a batch of two records is stored as another one.",
        store_differently(
            StoredForm.DAMAGED, lambda received, error: received.records == 2 and not error
        ),
    ),
    ProduceFault(
        "offset-left-out",
        "PRO-051",
        DEVIATES,
        "An offset is left out before each batch.",
        store_differently(StoredForm.GAP, lambda _, error: not error),
    ),
    ProduceFault(
        "lost-without-acks",
        "PRO-069",
        DEVIATES,
        "A request with acks=0 is dropped.",
        Leader(
            keeping=lambda received, error, acks: (
                REFERENCE.keeping(received, error, acks) if acks else StoredForm.NOTHING
            )
        ),
    ),
    ProduceFault(
        "stored-rewritten",
        "PRO-124",
        DEVIATES,
        "An unused bit is set in the attributes of each batch.",
        store_differently(StoredForm.REWRITTEN, lambda _, error: not error),
    ),
)
