"""The seam at which a draft changes how a fetch is answered. No release does: the hook of a
released broker is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spec.fetch.model.read import Read
    from spec.fetch.model.request import Ask
    from spec.fetch.model.session import Admission
    from spec.fetch.steps import Fetch
    from spec.log import Log

S_contra = TypeVar("S_contra", contravariant=True)
"""The decisions about Fetch, which hold the hook."""


@frozen
class Reads:
    """The records that the partitions of one fetch give.

    Attributes:
        reads: of each partition that was asked for, in service order.
        held_back: whether the answer is held back, for data or for `max_wait_ms`.
    """

    reads: Sequence[Read]
    held_back: bool


class FetchHook(Protocol[S_contra]):
    """A draft's change of the read path. An implementation is hashable: it is part of the
    semantics.
    """

    def refuses(self, fetch: Fetch, admission: Admission) -> int:
        """Return the error with which the whole request is answered; 0 where it is taken."""
        ...

    def read(
        self,
        fetch: Fetch,
        admission: Admission,
        asks: Sequence[Ask],
        logs: Mapping[int, Log],
        limit: int,
        semantics: S_contra,
    ) -> Reads | None:
        """Read the partitions that exist, under `limit` bytes for them all; None where the draft
        changes nothing.
        """
        ...
