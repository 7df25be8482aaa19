"""Playing one kept scenario again on a system that is started for it."""

from __future__ import annotations

import secrets
from dataclasses import field
from typing import TYPE_CHECKING, Any

from conformance.engine.start import Started, start_and_stop
from conformance.facts import NOTHING_GIVEN, Given, require_limits, semantics_of
from conformance.misuse import BadConfiguration
from conformance.systems.base import CanPlaceFiles
from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.cluster import Cluster
    from conformance.engine.play_result import Confirmation
    from conformance.engine.runner import Runner
    from conformance.facts import Facts
    from conformance.systems.base import BrokerSystem
    from conformance.wire.codec import Codec
    from conformance.wire.transcript import Transcript
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class UnfitBroker(Exception):  # noqa: N818 - it describes the broker
    """A broker that has other settings than a scenario needs."""


@frozen
class Replayed:
    """A scenario that was played again.

    Attributes:
        confirmation: its plays.
        semantics: what they were judged by.
        facts: what the broker says of itself.
        system: what is known of the system that was started, its planted fault too.
    """

    confirmation: Confirmation
    semantics: Semantics
    facts: Facts
    system: Mapping[str, str] = field(default_factory=dict)


def released_target(broker: Started) -> tuple[Cluster, Semantics]:
    """Who is asked, and what is judged by, where no draft is."""
    return broker.cluster, semantics_of(broker.facts)


def replay(
    runner: Runner[Any],
    scenario: Scenario,
    system: BrokerSystem,
    codec: Codec,
    given: Given = NOTHING_GIVEN,
    asked: Callable[[Started], tuple[Cluster, Semantics]] = released_target,
    transcript: Transcript | None = None,
) -> Replayed:
    """Play a scenario on a system, again where what breaks is doubtful; the system is stopped in
    the end.

    Args:
        runner: the scenario's subject's.
        scenario: what is played.
        system: not started yet.
        codec: what it is asked with.
        given: facts from a file, which count before what the broker says.
        asked: whom to ask once it is up, and what to judge by.
        transcript: takes note of the first play; None for nobody.

    Raises:
        BadConfiguration: the scenario takes files, which can't be put into this kind of system, or
            its subject can't be tested on it.
        UnfitBroker: the broker has other settings than the scenario needs.
        NoSuchBatchError: one of its batches can't be made.
        SystemProblem, NotConnected, NoAnswer, PlacementFailed, MissingApiError: it can't be played.
    """
    if scenario.layout.is_crafted and not isinstance(system, CanPlaceFiles):
        raise BadConfiguration(
            "this scenario's layout has holes or old formats, which no Produce request can write; "
            "it can be explained, and replayed "
            "on a broker that Fencepost starts as a child process (--kafka)"
        )
    with start_and_stop(system, codec, given) as broker:
        if why := runner.unfit(
            semantics_of(broker.facts),
            broker.facts.brokers,
            restarts=broker.restarts is not None,
        ):
            raise BadConfiguration(f"this scenario of {runner.subject}: {why}")
        sets_config = runner.sets_config and broker.restarts is not None
        for name, value in () if sets_config else scenario.config:
            if str(broker.facts.limits.get(name)) != value:
                raise UnfitBroker(
                    f"the scenario needs {name}={value}, this broker has "
                    f"{broker.facts.limits.get(name)}"
                )
        require_limits(runner.limits, broker.facts)
        known = system.facts()
        cluster, semantics = asked(broker)
        restarts = broker.restarts
        if transcript is not None:
            cluster = replace(cluster, transcript=transcript)
            restarts = None if restarts is None else restarts.with_transcript(transcript)
        player = runner.player(
            cluster, semantics, f"replay-{secrets.token_hex(4)}", restarts, scenario.config
        )
        try:
            first = player.play_one(scenario)
            if transcript is not None:
                transcript.close()
            return Replayed(player.confirm(first), player.semantics, broker.facts, known)
        finally:
            player.close()
