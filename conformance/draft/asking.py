"""A running broker asked about the draft: how the field is to be sent to it, and a player of scenarios."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.cluster import reach
from conformance.draft.identifying import feels, probe, versioned
from conformance.run.session import Bench
from spec.max_records.draft import DRAFT_VERSION, drafted
from spec.max_records.judging import NOT_KNOWN
from spec.max_records.profile import Encoding, Profile
from spec.scenario import Fetch, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.draft.identifying import Play
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from spec.judgement import Judgement
    from spec.observation import Observation
    from spec.semantics import Semantics

    CodecOf = Callable[[Profile | None], Codec]


@dataclass(frozen=True, slots=True)
class Unknown:
    """The broker does not know the field.

    Attributes:
        why: what was tried.
    """

    why: str


def encoding_of(system: BrokerSystem, semantics: Semantics, codec_of: CodecOf) -> Encoding | Unknown:
    """How the field is to be sent so that a limit of one record is felt; each way is tried, since nothing tells.

    Where Fetch v19 is advertised it may have the field tagged or plain; where it is not, only as a tagged field of an old version.
    """
    newest = reach(*system.address, codec_of(None), system.ssl_context).versions.ranges.get(1, (0, -1))[1]
    ways = (Encoding.TAGGED, Encoding.PLAIN) if newest >= DRAFT_VERSION else (Encoding.UNVERSIONED,)
    for encoding in ways:
        with player(system, encoding, semantics, codec_of) as play:
            asked = probe()
            fetch = asked.steps[0]
            assert isinstance(fetch, Fetch)
            asked = Scenario(asked.layout, (replace(fetch, version=versioned(encoding)),))
            if feels(play(asked)[0]):
                return encoding
    if newest >= DRAFT_VERSION:
        return Unknown(f"Fetch v{newest} is advertised, but a limit of one record is felt neither tagged nor plain; {NOT_KNOWN}")
    return Unknown(f"Fetch v{newest} is the newest that is advertised, and a limit in a tagged field of v17 is ignored; {NOT_KNOWN}")


@contextmanager
def player(system: BrokerSystem, encoding: Encoding, semantics: Semantics, codec_of: CodecOf) -> Iterator[Play]:
    """Plays scenarios on the broker, the field encoded so, and judges them by what holds under every reading."""
    profile = Profile(encoding=encoding)
    cluster = reach(*system.address, codec_of(profile), system.ssl_context)
    bench = Bench(cluster, drafted(profile)(semantics), f"draft-{secrets.token_hex(4)}")

    def play(scenario: Scenario) -> tuple[Observation, Judgement]:
        played = next(iter(bench.play([scenario])))[1]
        return played.observation, played.judgement

    try:
        yield play
    finally:
        bench.close()
