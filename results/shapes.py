"""The parts of a picture, whatever it is drawn with: panels of rows of boxes, with fences."""

from spec.frozen import frozen


@frozen
class Box:
    """A batch or marker.

    Attributes:
        start, size: where it begins and what it takes, in the row's unit: bytes, or offsets for
            share groups.
        base: its first offset; None where it has none yet.
        kind: `plain`, `txn`, `commit`, `abort`, `altered`, `damaged`.
        label: `5070 bytes, 1 record`, in full.
        rolls: it begins a new segment.
    """

    start: int
    size: int
    base: int | None
    kind: str
    label: str
    rolls: bool = False


@frozen
class Fence:
    """A limit, at a place of a row; past `Row.length` it lies to the right of all that is drawn."""

    at: int
    label: str


@frozen
class Row:
    """One partition in one step.

    Attributes:
        title: `partition 0, offset 3`.
        boxes: its log, in order.
        length: bytes of its log, or its end offset for share groups.
        log_start: where the log start offset lies; None where nothing was deleted.
        reads_from: where the batch begins that holds the fetch offset; None where it lies outside
            the log, or is not known.
        fences: the limits that bear on it.
        answered: (place, size) of each part that the answer gave.
        answer: the answer in words; empty without an observation.
        refused: whether that is an error.
    """

    title: str
    boxes: tuple[Box, ...] = ()
    length: int = 0
    log_start: int | None = None
    reads_from: int | None = None
    fences: tuple[Fence, ...] = ()
    answered: tuple[tuple[int, int], ...] = ()
    answer: str = ""
    refused: bool = False

    @property
    def extent(self) -> int:
        """The span of the drawing: the log, and a fence or an answer a little past it."""
        near = [fence.at for fence in self.fences if fence.at <= 2 * self.length]
        return max(self.length, *near, *[place + size for place, size in self.answered], 0)


@frozen
class Rung:
    """A number on a ladder.

    Attributes:
        number: as it is written.
        words: what it is, and what was answered where it was asked for.
        allowed: whether it lies within the bounds.
        asked: whether it was asked for.
        refused: whether that was answered with an error.
    """

    number: str
    words: str
    allowed: bool
    asked: bool = False
    refused: bool = False


@frozen
class Ladder:
    """Numbers under each other, the greatest first, not to scale: 249 and 250 are as far from each
    other as 1 and 249. A fence lies wherever one is allowed and the next is not.
    """

    title: str
    rungs: tuple[Rung, ...]

    @property
    def fences(self) -> tuple[int, ...]:
        """The places of the rungs above which a fence lies."""
        pairs = enumerate(zip(self.rungs, self.rungs[1:], strict=False), 1)
        return tuple([place for place, (one, other) in pairs if one.allowed != other.allowed])


@frozen
class Panel:
    """One step.

    Attributes:
        title: what it asks, in words.
        rows: its partitions.
        outcome: what came back for it as a whole; empty where nothing is to be said.
        ladders: the numbers that it asks for, among their bounds.
    """

    title: str
    rows: tuple[Row, ...]
    outcome: str = ""
    ladders: tuple[Ladder, ...] = ()
