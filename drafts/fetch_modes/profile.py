"""The open questions of the draft, one enum each, and a profile that answers both."""

from enum import StrEnum

from spec.frozen import frozen
from spec.readings import differences


class First(StrEnum):
    """The treatment, in record_limit mode, of a first batch that alone is over the limit
    (FMD-A1).
    """

    RETURNED = "returned"
    REFUSED = "refused"


class Unknown(StrEnum):
    """The meaning of an unknown mode (FMD-A2)."""

    INVALID = "invalid"
    BATCH_OPTIMIZED = "batch_optimized"


@frozen
class Profile:
    """One answer to each question."""

    first: First = First.RETURNED
    unknown: Unknown = Unknown.INVALID

    def __str__(self) -> str:
        """The differences from the defaults, `first=refused`; `default` where nothing does."""
        return differences(self)
