"""The read of one partition of a fetch, by whichever read path."""

from spec.frozen import frozen


@frozen
class Read:
    """The read of one partition.

    Attributes:
        error: its error code.
        first: number of the first batch returned; -1 where nothing is.
        size: bytes returned.
        whole: how many whole batches are in them.
        cut_first: its limit, which is not 0, has no room for its first batch: nothing is returned,
            and no list of aborted transactions either.
        offsets_known: high watermark, last stable offset and log start offset are filled in, not
            -1.
    """

    error: int = 0
    first: int = -1
    size: int = 0
    whole: int = 0
    cut_first: bool = False
    offsets_known: bool = True
