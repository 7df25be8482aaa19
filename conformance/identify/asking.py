"""A running broker asked about a draft: how the draft's fields are to be sent to it, and a player
of scenarios.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from conformance.cluster import at_advertised_address, reach
from conformance.identify.inquiry import differing_answers
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from spec.draft import Drafted
from spec.fetch.releases import FetchSemantics
from spec.frozen import frozen
from spec.kafka import FETCH_API

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.identify.inquiry import Inquiry
    from conformance.identify.profiles import Play
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from spec.judgement import Judgement
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics

    CodecOf = Callable[[Drafted | None], Codec]

P = TypeVar("P")


@frozen
class Unknown:
    """The broker does not know the draft.

    Attributes:
        why: what was tried.
        scenario: the last thing that was tried.
    """

    why: str
    scenario: Scenario


def carrier_of(
    inquiry: Inquiry[P], system: BrokerSystem, semantics: Semantics, codec_of: CodecOf
) -> P | Unknown:
    """A profile by whose message definitions the draft's fields are felt; each way is tried, since
    no request reports it.

    A broker that does not follow the draft in them, the same way twice, knows them and is
    wrong: it is to be judged.
    """
    newest = reach(*system.address, codec_of(None), system.security).versions.ranges.get(
        FETCH_API, (0, -1)
    )[1]
    ways = inquiry.ways(newest)
    for way in ways:
        with player(inquiry, system, way, semantics, codec_of) as play:
            if inquiry.feels(play(inquiry.probe(way))[0]):
                return way
    for way in ways if newest > semantics.of(FetchSemantics).newest_fetch else ():
        with player(inquiry, system, way, semantics, codec_of) as play:
            probe = inquiry.probe(way)
            found = [differing_answers(probe, play(probe)[0]) for _ in range(2)]
            if found[0] and found[0] == found[1]:
                return way
    tried = " or ".join(dict.fromkeys(str(way) for way in ways)) or "no way"
    why = (
        f"Fetch v{newest} is the newest that is advertised, and the fields of the draft are not "
        f"felt, sent as by {tried}"
    )
    last = inquiry.probe(ways[-1] if ways else inquiry.space.questions.default)
    return Unknown(f"{why}; {inquiry.not_known}", last)


@contextmanager
def player(
    inquiry: Inquiry[Any],
    system: BrokerSystem,
    carrier: Any,
    semantics: Semantics,
    codec_of: CodecOf,
) -> Iterator[Play]:
    """Play scenarios with the fields sent as a profile's definitions say, and judge them by what
    holds under every reading.
    """
    drafted = Drafted(inquiry.draft, carrier)
    cluster = at_advertised_address(reach(*system.address, codec_of(drafted), system.security))
    fetch_player = FetchBrokerPlayer(
        cluster, drafted.change(semantics), f"draft-{secrets.token_hex(4)}"
    )

    def play(scenario: Scenario) -> tuple[Observation, Judgement]:
        played = fetch_player.confirmed_play(fetch_player.play_one(scenario))
        return played.observation, played.judgement

    try:
        yield play
    finally:
        fetch_player.close()
