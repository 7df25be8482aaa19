"""A running broker asked about the draft: how the field is to be sent to it, and a player of scenarios."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.cluster import reach
from conformance.draft.identifying import differs, feels, probe
from conformance.engine.bench import Bench
from spec.max_records.draft import DRAFT_VERSION, drafted
from spec.max_records.judging import NOT_KNOWN
from spec.max_records.profile import Encoding, Negative, Profile, Zero

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.draft.identifying import Play
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from spec.judgement import Judgement
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics

    CodecOf = Callable[[Profile | None], Codec]


@dataclass(frozen=True, slots=True)
class Unknown:
    """The broker does not know the field.

    Attributes:
        why: what was tried.
        scenario: the last thing that was tried.
    """

    why: str
    scenario: Scenario


def carrier_of(system: BrokerSystem, semantics: Semantics, codec_of: CodecOf) -> Profile | Unknown:
    """A profile by whose message definitions a limit of one record is felt, and none without one; each way is tried, since nothing tells.

    A broker that advertises Fetch v19 and feels the limit otherwise, the same way twice, knows the field and is wrong: it is to be judged.
    Where Fetch v19 is advertised it may have the field tagged or plain; where it is not, only as a tagged field of an old version. A plain
    field is never absent: what means no limit is tried too (MXR-A21).
    """
    newest = reach(*system.address, codec_of(None), system.ssl_context).versions.ranges.get(1, (0, -1))[1]
    ways = (_TAGGED, *_PLAIN) if newest >= DRAFT_VERSION else (_UNVERSIONED,)
    for carrier in ways:
        with player(system, carrier, semantics, codec_of) as play:
            if feels(play(probe(carrier.encoding))[0]):
                return carrier
    for carrier in ways if newest >= DRAFT_VERSION else ():
        with player(system, carrier, semantics, codec_of) as play:
            found = [differs(play(probe(carrier.encoding))[0]) for _ in range(2)]
            if found[0] and found[0] == found[1]:
                return carrier
    if newest >= DRAFT_VERSION:
        why = f"Fetch v{newest} is advertised, but a limit of one record is felt neither tagged nor plain"
    else:
        why = f"Fetch v{newest} is the newest that is advertised, and a limit in a tagged field of v17 is ignored"
    return Unknown(f"{why}; {NOT_KNOWN}", probe(ways[-1].encoding))


def _with_default(encoding: Encoding, zero: Zero, negative: Negative) -> Profile:
    return Profile(encoding=encoding, zero=zero, negative=negative)


_TAGGED = _with_default(Encoding.TAGGED, Zero.INVALID, Negative.INVALID)
_UNVERSIONED = _with_default(Encoding.UNVERSIONED, Zero.INVALID, Negative.INVALID)
"""Definitions whose default is the largest limit, so that every other value is sent."""
_PLAIN = (
    _with_default(Encoding.PLAIN, Zero.UNLIMITED, Negative.UNLIMITED),
    _with_default(Encoding.PLAIN, Zero.INVALID, Negative.UNLIMITED),
    _with_default(Encoding.PLAIN, Zero.INVALID, Negative.INVALID),
)
"""Definitions with the defaults 0, -1 and the largest limit."""


@contextmanager
def player(system: BrokerSystem, carrier: Profile, semantics: Semantics, codec_of: CodecOf) -> Iterator[Play]:
    """Plays scenarios on the broker, the field sent as the carrier's definitions say, and judges them by what holds under every reading."""
    cluster = reach(*system.address, codec_of(carrier), system.ssl_context)
    bench = Bench(cluster, drafted(carrier)(semantics), f"draft-{secrets.token_hex(4)}")

    def play(scenario: Scenario) -> tuple[Observation, Judgement]:
        played = bench.confirmed(next(iter(bench.play([scenario])))[1])
        return played.observation, played.judgement

    try:
        yield play
    finally:
        bench.close()
