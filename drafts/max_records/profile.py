"""The open questions of the draft, one enum each, and a profile that answers them all.

No released broker has the field. The draft is short and can be understood in many ways; each way is
executable here, so that its authors can settle it and its implementers can test against what was
settled.
"""

from enum import StrEnum

from spec.frozen import frozen
from spec.readings import differences


class Scope(StrEnum):
    """The scope of the limit (MXR-A1)."""

    REQUEST = "request"
    PARTITION = "partition"
    BOTH = "both"


class Stop(StrEnum):
    """Where the assembly stops when a batch crosses the limit (MXR-A2)."""

    AFTER = "after"
    BEFORE = "before"


class Oversize(StrEnum):
    """The treatment of a first batch that alone is over the limit (MXR-A3)."""

    RETURNED = "returned"
    REFUSED = "refused"


class Progress(StrEnum):
    """How often a first batch may pass the limit (MXR-A4)."""

    REQUEST = "request"
    PARTITION = "partition"


class Empty(StrEnum):
    """Whether a batch without records uses up the right of the first batch (MXR-A13)."""

    USES = "uses"
    KEEPS = "keeps"


class Compressed(StrEnum):
    """The count of a compressed batch (MXR-A5)."""

    ONE = "one"
    HEADER = "header"
    DEEP = "deep"


class Trivial(StrEnum):
    """Of which codecs a batch is counted record by record, since decompression is trivial
    (MXR-A7).
    """

    NONE = "none"
    FAST = "fast"


class Mixed(StrEnum):
    """How batches that count one and batches that count records go together (MXR-A6)."""

    SUM = "sum"
    SEPARATE = "separate"
    FIRST = "first"


class Start(StrEnum):
    """The count of a first batch that begins before the fetch offset (MXR-A9)."""

    WHOLE = "whole"
    USABLE = "usable"


class Control(StrEnum):
    """The count of a control batch (MXR-A10)."""

    COUNTED = "counted"
    FREE = "free"


class Aborted(StrEnum):
    """The count of a batch of an aborted transaction in a read_committed fetch (MXR-A11)."""

    COUNTED = "counted"
    FREE = "free"


class Gaps(StrEnum):
    """The count of a batch that compaction has thinned (MXR-A12)."""

    RECORDS = "records"
    OFFSETS = "offsets"


class Tail(StrEnum):
    """The treatment of the batch that a byte limit falls into (MXR-A14, MXR-A23)."""

    COUNTED = "counted"
    FREE = "free"
    LEFT_OUT = "left_out"


class Exact(StrEnum):
    """Whether a later, uncompressed batch that crosses the limit is cut (MXR-A8)."""

    ALIGNED = "aligned"
    CUT = "cut"


class Zero(StrEnum):
    """The meaning of a limit of 0 (MXR-A19)."""

    UNLIMITED = "unlimited"
    NO_DATA = "no_data"
    INVALID = "invalid"


class Negative(StrEnum):
    """The meaning of a limit below 0 (MXR-A20)."""

    UNLIMITED = "unlimited"
    INVALID = "invalid"
    FAILED = "failed"


class MinBytes(StrEnum):
    """Whether reaching the limit ends the wait for min_bytes (MXR-A15, MXR-A16)."""

    ANSWERED = "answered"
    WAITS = "waits"


class InSession(StrEnum):
    """Whether a fetch session remembers the limit (MXR-A17)."""

    REQUEST = "request"
    CACHED = "cached"


class Encoding(StrEnum):
    """How the field stands in the request (MXR-A22)."""

    TAGGED = "tagged"
    PLAIN = "plain"
    UNVERSIONED = "unversioned"


@frozen
class Profile:
    """One answer to every question. The defaults are the likeliest: the assembly stops once the
    limit is reached, as in ShareFetch.
    """

    scope: Scope = Scope.REQUEST
    stop: Stop = Stop.AFTER
    oversize: Oversize = Oversize.RETURNED
    progress: Progress = Progress.REQUEST
    empty: Empty = Empty.USES
    compressed: Compressed = Compressed.HEADER
    trivial: Trivial = Trivial.NONE
    mixed: Mixed = Mixed.SUM
    start: Start = Start.WHOLE
    control: Control = Control.COUNTED
    aborted: Aborted = Aborted.COUNTED
    gaps: Gaps = Gaps.RECORDS
    tail: Tail = Tail.COUNTED
    exact: Exact = Exact.ALIGNED
    zero: Zero = Zero.UNLIMITED
    negative: Negative = Negative.UNLIMITED
    min_bytes: MinBytes = MinBytes.ANSWERED
    session: InSession = InSession.REQUEST
    encoding: Encoding = Encoding.TAGGED

    def __str__(self) -> str:
        """The differences from the defaults, as the command line takes them:
        `stop=before,scope=partition`; `default` where nothing does.
        """
        return differences(self)
