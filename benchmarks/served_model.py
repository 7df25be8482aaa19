"""The served model against a live broker of the same release: the same questions on equal logs.

Clauses permit more than one answer to most questions; the model should give the very one that
Apache Kafka gives, wherever that does not depend on the clock. Each field of an answer that differs
in every play is counted, with the first scenario that shows it. Run:
python benchmarks/served_model.py [WHAT] [LAYOUTS OR HISTORIES] [SEED] [RELEASE]

WHAT is one of `DRAWN`: fetch, share, share-expiring, share-restarting, groups, offsets.
"""

import random
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, is_dataclass

from conformance.cli.common import make_codec
from conformance.cluster import Cluster, reach
from conformance.engine.play_result import Played
from conformance.engine.player import Config, Player
from conformance.engine.restarts import Restarts
from conformance.facts import read_facts, semantics_of
from conformance.subjects.groups.loop import strategies
from conformance.subjects.registry import runner_of
from conformance.systems.base import BrokerSystem, CanRestart, Files
from conformance.systems.embedded import Embedded
from conformance.systems.model import Model
from generators.fetch.fences import choose, sample
from generators.fetch.histories import session_histories
from generators.layouts import collect, layouts
from generators.offsets.histories import offset_histories
from generators.share.histories import (
    FEW_LOCKS,
    SHORT_LOCKS,
    expiring_histories,
    restarting_histories,
    share_histories,
)
from spec.canonical import to_json
from spec.fetch.subject import SUBJECT as FETCH
from spec.frozen import frozen, replace
from spec.groups.model.group import State
from spec.groups.outcomes import GroupDescribed, JoinGroupAnswer
from spec.groups.releases import GroupSemantics
from spec.groups.steps import WaitFor
from spec.groups.subject import SUBJECT as GROUPS
from spec.log import log_of
from spec.observation import Observation
from spec.offsets.outcomes import ListOffsetsAnswer
from spec.offsets.subject import SUBJECT as OFFSETS
from spec.outcomes import Outcome, Silent
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.outcomes import (
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import (
    FINAL_EPOCH,
    DropConnection,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.share.subject import SUBJECT as SHARE
from spec.steps import Step

CHUNK = 24
QUESTIONS = 8
LEFT_OUT = ("message", "reason")
"""Fields that are not compared: texts, which are each broker's own."""
SHOWN = 4000
"""Characters of each answer and scenario that are printed."""
REPLAYS = 3
"""How often a scenario that differs is played again, alone: timers that end close to a step may end
before it or after it where many are played side by side.
"""
Differences = Mapping[str, tuple[str, str]]
"""By field: both answers that differ in it."""


@frozen
class Drawn:
    """Scenarios that are compared.

    Attributes:
        subject: whose player plays them.
        scenarios: gives them, some at a time, from their number, a seed, the semantics and the
            broker's configs.
    """

    subject: str
    scenarios: Callable[[int, int, Semantics, Config], Iterator[list[Scenario]]]


def main() -> int:
    """Play on both, and print what differs; 0 if nothing does, 1 if something, 2 for wrong use."""
    given = dict(enumerate(sys.argv))
    what, count, seed = (
        given.get(1, FETCH.name),
        int(given.get(2, "240")),
        int(given.get(3, "1")),
    )
    release = given.get(4, "4.3.1")
    if what not in DRAWN:
        print(f"expected one of {', '.join(DRAWN)}, found {what}", file=sys.stderr)
        return 2
    tally = Tally()
    configs = CONFIGS.get(what, ((),))
    for config in configs:
        compare(DRAWN[what], release, config, count // len(configs), seed, tally)
    print(f"{what}: {tally.asked} scenarios on Kafka {release} and on its model, seed {seed}")
    print(f"{tally.passing:6}  differed once, and not in a replay alone")
    for kind, times in tally.differing.most_common():
        print(f"{times:6}  {kind}")
        for line in tally.found[kind]:
            print(f"        {line[:SHOWN]}")
    return 1 if tally.differing else 0


@dataclass
class Tally:
    """What was found.

    Attributes:
        asked: scenarios that both have played.
        passing: those that differed, but not in each replay.
        differing: of the others, by field: how many differ in it.
        found: by field: the first answers that differ in it, and their scenario.
    """

    asked: int = 0
    passing: int = 0
    differing: Counter[str] = field(default_factory=Counter)
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)


def compare(
    drawn: Drawn, release: str, config: Config, count: int, seed: int, tally: Tally
) -> None:
    """Play scenarios on a broker and on its model that have these settings."""
    with ExitStack() as stack:
        systems: tuple[BrokerSystem, ...] = (
            Embedded(release, config=dict(config)),
            Model(release, config=dict(config)),
        )
        players = [player_on(stack.enter_context(one), drawn.subject, config) for one in systems]
        for player in players:
            stack.callback(player.close)
        for scenarios in drawn.scenarios(count, seed, players[0].semantics, config):
            together = compared(players, scenarios)
            tally.asked += len(together)
            for number, kinds in together.items():
                if not kinds:
                    continue
                again = [compared(players, [scenarios[number]]).get(0) for _ in range(REPLAYS)]
                if not all(again):
                    tally.passing += 1
                    continue
                for kind, answers in kinds.items():
                    tally.differing[kind] += 1
                    tally.found.setdefault(kind, (*answers, to_json(scenarios[number])))


def compared(players: Sequence[Player], scenarios: list[Scenario]) -> dict[int, Differences]:
    """The fields in which the two differ, of each scenario that both have played, by its number."""
    both = [
        {
            number: played.observation
            for number, played in player.play(scenarios)
            if isinstance(played, Played)
        }
        for player in players
    ]
    return {
        number: dict(differences(scenarios[number], both[0][number], both[1][number]))
        for number in sorted(both[0].keys() & both[1].keys())
    }


AS_SERVED = {
    "group.consumer.assignment.interval.ms": "0",
    "group.share.assignment.interval.ms": "0",
    "group.consumer.migration.policy": "disabled",
}
"""Configs of Kafka under which an assignment follows every change at once, and no group changes its
protocol, as the served model has it.
"""


def player_on(system: BrokerSystem, subject: str, config: Config) -> Player:
    """What plays on a system that was started."""
    codec = make_codec()

    def restart(config: Mapping[str, str], files: Files) -> Cluster:
        del files
        assert isinstance(system, CanRestart)
        system.restart({**config, **(AS_SERVED if isinstance(system, Embedded) else {})})
        return reach(*system.address, codec)

    cluster = reach(*system.address, codec)
    semantics, name = semantics_of(read_facts(cluster)), f"served-{secrets.token_hex(4)}"
    return runner_of(subject).player(
        cluster, semantics, name, Restarts(restart, places_files=False), config
    )


def fetches(
    count: int, seed: int, semantics: Semantics, config: Config
) -> Iterator[list[Scenario]]:
    """Histories of fetch sessions and questions about layouts, some at a time."""
    del config
    rng, asked = random.Random(seed), Counter[str]()  # noqa: S311 - choosing questions
    for chunk in range(0, count, CHUNK):
        yield collect(session_histories(semantics), seed + chunk, CHUNK)
        for layout in collect(layouts(), seed + chunk, CHUNK):
            chosen = choose(sample(layout, semantics, chunk), asked, QUESTIONS, rng)
            yield [
                Scenario(layout, (question.fetch,))
                for question in chosen
                if question.fetch.quota is None  # the served model has no quotas
            ]


def share_fetches(
    count: int, seed: int, semantics: Semantics, config: Config
) -> Iterator[list[Scenario]]:
    """Histories of share groups, some at a time."""
    for chunk in range(0, count, CHUNK):
        drawn = collect(share_histories(semantics, config), seed + chunk, CHUNK)
        yield [settled(one) for one in drawn]


def share_expiries(
    count: int, seed: int, semantics: Semantics, config: Config
) -> Iterator[list[Scenario]]:
    """Histories about the ends of locks, as many of each kind, some at a time."""
    del config
    every = expiring_histories(semantics)
    drawn = [
        settled(one)
        for number, strategy in enumerate(every)
        for one in collect(strategy, seed + number, -(-count // len(every)))
    ]
    for chunk in range(0, len(drawn), CHUNK):
        yield drawn[chunk : chunk + CHUNK]


def share_restarts(
    count: int, seed: int, semantics: Semantics, config: Config
) -> Iterator[list[Scenario]]:
    """Histories over a restart, which all of a row share."""
    del config
    for chunk in range(0, count, CHUNK):
        drawn = collect(restarting_histories(semantics), seed + chunk, CHUNK)
        yield [settled(one) for one in drawn]


def offsets(
    count: int, seed: int, semantics: Semantics, config: Config
) -> Iterator[list[Scenario]]:
    """Writes, lookups, commits and fetches of what was committed."""
    del config
    for chunk in range(0, count, CHUNK):
        yield collect(offset_histories(semantics), seed + chunk, CHUNK)


LOADER = 99
"""The actor that waits, or has the share partitions loaded and acquires nothing."""
LOADED_MS, SETTLED_MS = 2000, 300
"""How long loading may take; and giving back what a closed session held, or a fetch that waits to
have arrived.
"""


def loading(partitions: int) -> list[Step]:
    """The steps by which so many share partitions are loaded, one by one."""
    loads = [
        ShareFetch(
            (SharePartition(number),), 0, max_records=-1, max_wait_ms=LOADED_MS, actor=LOADER
        )
        for number in range(partitions)
    ]
    return [*loads, ShareFetch(epoch=FINAL_EPOCH, actor=LOADER)]


def settled(scenario: Scenario) -> Scenario:
    """A history of a share group in which nothing depends on how fast the broker is: its share
    partitions are loaded before its first request, and again where a lost connection may have
    unloaded them; what a session gives back is given back before the next step, and a fetch that
    waits has arrived before it.
    """
    steps: list[Step] = []
    loaded = False
    for step in scenario.steps:
        if isinstance(step, ShareFetch | ShareAcknowledge) and not loaded:
            steps += loading(len(scenario.layout.partitions))
            loaded = True
        steps.append(step)
        lost = isinstance(step, DropConnection | RestartBroker)
        if lost or getattr(step, "epoch", 0) == FINAL_EPOCH or getattr(step, "parked", False):
            steps.append(Pause(SETTLED_MS))
        loaded = loaded and not lost
    return replace(scenario, steps=tuple(steps))


def groups(count: int, seed: int, semantics: Semantics, config: Config) -> Iterator[list[Scenario]]:
    """Histories of groups, those under one limit together; the served model has no streams
    groups.
    """
    del config
    for number, chunk in enumerate(range(0, count, CHUNK)):
        every = strategies(replace(semantics.of(GroupSemantics), streams=False))
        drawn = collect(every[number % len(every)], seed + chunk, CHUNK)
        yield [in_order(one) for one in drawn]


ARRIVED_MS = 40
"""How long a request that is not waited for takes to arrive."""


def in_order(scenario: Scenario) -> Scenario:
    """A history of groups whose requests arrive one after the other, those that wait too."""
    steps: list[Step] = []
    for step in scenario.steps:
        steps.append(step)
        if getattr(step, "parked", False):
            steps.append(WaitFor(ARRIVED_MS, LOADER))
    return replace(scenario, steps=tuple(steps))


DRAWN: Mapping[str, Drawn] = {
    FETCH.name: Drawn(FETCH.name, fetches),
    SHARE.name: Drawn(SHARE.name, share_fetches),
    "share-expiring": Drawn(SHARE.name, share_expiries),
    "share-restarting": Drawn(SHARE.name, share_restarts),
    GROUPS.name: Drawn(GROUPS.name, groups),
    OFFSETS.name: Drawn(OFFSETS.name, offsets),
}
CONFIGS: Mapping[str, tuple[Config, ...]] = {
    SHARE.name: ((), (*FEW_LOCKS, ("group.share.delivery.count.limit", "2"))),
    "share-expiring": (SHORT_LOCKS,),
}
"""The broker's configs under which scenarios are compared; otherwise none."""


def differences(
    scenario: Scenario, live: Observation, model: Observation
) -> Iterator[tuple[str, tuple[str, str]]]:
    """The fields in which two observations differ, with both answers, of the first step alone that
    does: what follows may be its consequence.

    A step that asks again until it has its answer counts by its last exchange. Where it asked on
    one side more often than on the other, an entry with nothing in it says no more than a missing
    one; and with several partitions, whose turn the epoch is, nothing is comparable from there on.
    """
    asked = [Counter(one.step for one in seen.exchanges) for seen in (live, model)]
    lasts = [{one.step: one.outcome for one in seen.exchanges} for seen in (live, model)]
    several = len(scenario.layout.partitions) > 1
    for step in sorted(lasts[0].keys() & lasts[1].keys()):
        alike = asked[0][step] == asked[1][step]
        mine, other = (comparable(scenario, seen[step], alike=alike) for seen in lasts)
        if incomparable(mine, other):
            return
        if found := sorted(set(different(mine, other, type(mine).__name__))):
            answers = f"step {step}, live: {mine}", f"step {step}, model: {other}"
            yield from ((kind, answers) for kind in found)
            return
        if (several and not alike) or leaves_to_chance(lasts[0][step]):
            return


def leaves_to_chance(outcome: Outcome) -> bool:
    """Whether what follows an answer of Kafka is not comparable.

    Of several partitions that gave records in an open session, which comes last from then on is the
    order of a hash of random ids. A range that ends before it begins, as a BatchSize below 1 makes
    it, stays in Kafka's cache and is met by later acknowledgements; the model does not keep it.
    """
    if not isinstance(outcome, ShareFetchAnswer):
        return False
    gave = [part for part in outcome.partitions if part.acquired]
    inverted = any(one.first > one.last for part in gave for one in part.acquired)
    return inverted or (len(gave) > 1 and outcome.epoch > 0)


def comparable(scenario: Scenario, outcome: Outcome, *, alike: bool) -> Outcome:
    """An outcome as it is compared. The partitions of a share group's answer stand in the order of
    a hash of their topic's id, which is drawn at random; the epoch of its session counts how often
    a patient step asked. Lookups of several partitions are answered in the order of a hash too, and
    a transaction's marker has the time at which it was written.
    """
    if isinstance(outcome, ListOffsetsAnswer):
        markers = {
            (number, batch.base)
            for number, partition in enumerate(scenario.layout.partitions)
            for batch in log_of(partition).batches
            if batch.control
        }
        found = [
            replace(one, timestamp=None) if (one.partition, one.offset) in markers else one
            for one in outcome.found
        ]
        return replace(outcome, found=tuple(sorted(found, key=lambda one: one.partition)))
    if isinstance(outcome, ShareAcknowledgeAnswer):
        return replace(outcome, epoch=0, partitions=tuple(sorted(outcome.partitions)))
    if not isinstance(outcome, ShareFetchAnswer):
        return outcome
    parts = sorted(outcome.partitions, key=lambda part: part.partition)
    says = [part for part in parts if alike or part != ShareAnswerPartition(part.partition)]
    return replace(outcome, epoch=0, partitions=tuple(says))


def incomparable(live: Outcome, model: Outcome) -> bool:
    """Whether two outcomes differ in what Kafka leaves to chance, so that what follows is not
    comparable either: which member of a generation leads where the leader is gone is the order of
    a hash of member ids; and how soon a description shows a group that is new depends on what else
    its coordinator writes.
    """
    if isinstance(live, JoinGroupAnswer) and isinstance(model, JoinGroupAnswer):
        same = replace(model, leader=live.leader, members=live.members)
        return live == same and live.leader != model.leader and not live.error
    if isinstance(live, GroupDescribed) and isinstance(model, GroupDescribed):
        return live.state == State.DEAD.value and model.state in {State.PREPARING, State.EMPTY}
    return isinstance(live, Silent) and isinstance(model, Silent)


def different(live: object, model: object, path: str) -> Iterator[str]:
    """The paths of the fields in which two values differ, with what they are."""
    if type(live) is not type(model):
        yield f"{path}: {live!r:.60} live, {model!r:.60} of the model"
    elif is_dataclass(live):
        for one in fields(live):
            if one.name in LEFT_OUT:
                continue
            yield from different(
                getattr(live, one.name), getattr(model, one.name), f"{path}.{one.name}"
            )
    elif isinstance(live, tuple) and isinstance(model, tuple) and len(live) == len(model):
        for mine, other in zip(live, model, strict=True):
            yield from different(mine, other, path)
    elif live != model:
        yield f"{path}: {live!r:.60} live, {model!r:.60} of the model"


if __name__ == "__main__":
    sys.exit(main())
