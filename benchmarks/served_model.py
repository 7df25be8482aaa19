"""The served model against a live broker of the same release: the same questions on equal logs.

Clauses permit more than one answer to most questions; the model should give the very one that
Apache Kafka gives, wherever that does not depend on the clock. Each field of an answer that differs
is counted, with the first scenario that shows it. Run:
python benchmarks/served_model.py [SUBJECT] [LAYOUTS OR HISTORIES] [SEED] [RELEASE]
"""

import random
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import fields, is_dataclass

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.play_result import Played
from conformance.engine.player import Player
from conformance.facts import read_facts, semantics_of
from conformance.subjects.registry import runner_of
from conformance.systems.base import BrokerSystem
from conformance.systems.embedded import Embedded
from conformance.systems.model import Model
from generators.fetch.fences import choose, sample
from generators.fetch.histories import session_histories
from generators.layouts import collect, layouts
from generators.share.histories import share_histories
from spec.canonical import to_json
from spec.fetch.subject import SUBJECT as FETCH
from spec.observation import Observation
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.subject import SUBJECT as SHARE

CHUNK = 24
QUESTIONS = 8
LEFT_OUT = ("message", "reason", "epoch")
"""Fields that are not compared: texts, which are each broker's own, and the epoch of a share
session, which counts how often a patient step asked.
"""


def main() -> int:
    """Play on both, and print what differs; 0 if nothing does, 1 if something, 2 for wrong use."""
    given = dict(enumerate(sys.argv))
    subject, count, seed = (
        given.get(1, FETCH.name),
        int(given.get(2, "240")),
        int(given.get(3, "1")),
    )
    release = given.get(4, "4.3.1")
    if subject not in DRAWN:
        print(f"expected a subject out of {', '.join(DRAWN)}, found {subject}", file=sys.stderr)
        return 2
    asked, differing, found = 0, Counter[str](), dict[str, str]()
    with ExitStack() as stack:
        systems: tuple[BrokerSystem, ...] = (Embedded(release), Model(release))
        players = [player_on(stack.enter_context(system), subject) for system in systems]
        for player in players:
            stack.callback(player.close)
        for scenarios in DRAWN[subject](count, seed, players[0].semantics):
            both = [
                {
                    number: played.observation
                    for number, played in player.play(scenarios)
                    if isinstance(played, Played)
                }
                for player in players
            ]
            for number, scenario in enumerate(scenarios):
                if number not in both[0].keys() & both[1].keys():
                    continue
                asked += 1
                for kind in differences(both[0][number], both[1][number]):
                    differing[kind] += 1
                    found.setdefault(kind, to_json(scenario))
    print(f"{subject}: {asked} scenarios on Kafka {release} and on its model, seed {seed}")
    for kind, times in differing.most_common():
        print(f"{times:6}  {kind}\n        {found[kind][:2000]}")
    return 1 if differing else 0


def player_on(system: BrokerSystem, subject: str) -> Player:
    """What plays on a system that was started."""
    cluster = reach(*system.address, make_codec())
    name = f"served-{secrets.token_hex(4)}"
    return runner_of(subject).player(cluster, semantics_of(read_facts(cluster)), name, None)


def fetches(count: int, seed: int, semantics: Semantics) -> Iterator[list[Scenario]]:
    """Histories of fetch sessions and questions about layouts, some at a time."""
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


def share_fetches(count: int, seed: int, semantics: Semantics) -> Iterator[list[Scenario]]:
    """Histories of share groups, some at a time."""
    for chunk in range(0, count, CHUNK):
        yield collect(share_histories(semantics), seed + chunk, CHUNK)


DRAWN: Mapping[str, Callable[[int, int, Semantics], Iterator[list[Scenario]]]] = {
    FETCH.name: fetches,
    SHARE.name: share_fetches,
}
"""The scenarios of each subject that is compared, from their number, a seed and the semantics."""


def differences(live: Observation, model: Observation) -> Iterator[str]:
    """The fields in which two observations differ, of the first step alone that does: what follows
    may be its consequence.

    A step that asks again until it has its answer counts by its last exchange.
    """
    lasts = [{one.step: one.outcome for one in seen.exchanges} for seen in (live, model)]
    for step in sorted(lasts[0].keys() & lasts[1].keys()):
        mine, other = lasts[0][step], lasts[1][step]
        if found := sorted(set(different(mine, other, type(mine).__name__))):
            yield from found
            return


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
