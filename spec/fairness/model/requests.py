"""The requests of a consumer: what a Fetch names, given what its session already knows.

Source: FetchSessionHandler.java and AbstractFetch.java of Kafka 4.3.1.
"""

from collections.abc import Mapping
from dataclasses import field

from spec.fairness.model.options import Options
from spec.fairness.model.reader import Reader
from spec.fairness.outcomes import AskedPart
from spec.fairness.releases import FairnessSemantics, NextFetch
from spec.frozen import frozen
from spec.kafka import FULL_EPOCH, INT32_MAX


@frozen
class ClientSession:
    """A fetch session as the client knows it.

    Attributes:
        number: 0 where there is none.
        epoch: of the next request: 0 where it opens a session.
        offsets: the fetch offset that was sent last, by partition.
    """

    number: int = 0
    epoch: int = FULL_EPOCH
    offsets: Mapping[int, int] = field(default_factory=dict)

    def session_after(self, request: "FetchRequest", error: int, number: int) -> "ClientSession":
        """After a response; an error of the whole response ends the session.

        Args:
            request: what was sent.
            error: the error code of the whole response.
            number: of the session that the response names, 0 for none.
        """
        if error or not number:
            return ClientSession()
        epoch = 1 if request.epoch == INT32_MAX else request.epoch + 1
        return ClientSession(number, epoch, request.covered)


@frozen
class FetchRequest:
    """One request.

    Attributes:
        asked: what it names.
        covered: the fetch offset of each partition that it asks for, named or remembered.
        forgotten: the partitions that it takes out of the session.
        session, epoch: of the session that it belongs to.
        options: its limits.
        node: whom it is sent to.
        leader_epochs: the leader epoch that it names, by partition; 0 for one that is not here.
    """

    asked: tuple[AskedPart, ...]
    covered: Mapping[int, int]
    forgotten: tuple[int, ...]
    session: int
    epoch: int
    options: Options
    node: int = 0
    leader_epochs: Mapping[int, int] = field(default_factory=dict)


def next_request(
    reader: Reader, session: ClientSession, options: Options, semantics: FairnessSemantics
) -> FetchRequest | None:
    """The next request to the broker; None where there is nothing to ask for, or the gate is shut.

    In a session it names the partitions that are new, and those whose offset is no longer the one
    that was sent last; those that it no longer asks for are forgotten.
    """
    if semantics.next_fetch is NextFetch.BROKER and reader.buffered_partitions - reader.paused:
        return None
    offsets = (
        reader.ends
        if semantics.next_fetch is NextFetch.AHEAD
        else {one: reader.positions[one] for one in reader.fetchable}
    )
    if not offsets:
        return None
    changed = [one for one, at in offsets.items() if session.offsets.get(one) != at]
    return FetchRequest(
        asked=tuple([AskedPart(one, offsets[one], options.partition_max_bytes) for one in changed]),
        covered=offsets,
        forgotten=tuple([one for one in session.offsets if one not in offsets]),
        session=session.number,
        epoch=session.epoch,
        options=options,
    )
