"""Whether the bytes of a batch are as its shape says."""

from dataclasses import replace

from spec.produce.model.received import Received


def is_as_shaped(seen: Received, expected: Received) -> bool:
    """Whether what a leader sees of bytes is what it sees of their shape; of a size that a shape
    leaves open, that it lies between the bounds.
    """
    least, most = expected.longest
    between = seen.longest == expected.longest or least <= seen.longest[0] <= most
    unpacked = expected.unpacked in {None, seen.unpacked}
    same = replace(seen, unpacked=expected.unpacked, longest=expected.longest) == expected
    return between and unpacked and same
