"""How much of a run in which much breaks is spent on making breaks small and on playing doubtful
ones again, on three brokers that are wrong in nearly every answer of some kind.

For each: the kinds of break, those made small, the seconds of the run, of shrinking and of
confirming, and the part of the run that both are. The broker is the served model with a fault.
Run: python benchmarks/many_breaks.py [SCENARIOS] [SEED]
"""

import secrets
import sys
import time

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.loop import Loop
from conformance.engine.plan import Plan
from conformance.facts import read_facts, semantics_of
from conformance.subjects.registry import find_fault
from conformance.systems.model import Model
from spec.events import Judged, Shrunk
from spec.frozen import frozen

BROKERS = ("no-data", "released-is-lost", "one-batch-a-fetch")
"""The faults of the three: acquired records without their data, released records that are never
delivered (each history waits for them), and fetches that are cut short.
"""


@frozen
class Spent:
    """What a run took.

    Attributes:
        kinds, shrunk: how many kinds broke, and were made small.
        judged: scenarios.
        seconds, shrinking, confirming: seconds of the whole run, and of these.
    """

    kinds: int
    shrunk: int
    judged: int
    seconds: float
    shrinking: float
    confirming: float


def spent_on(fault_name: str, scenarios: int, seed: int) -> Spent:
    """What a run on a broker with a fault takes."""
    runner, _ = find_fault(fault_name)
    assert runner is not None
    with Model(fault=fault_name) as model:
        model.start()
        cluster = reach(*model.address, make_codec())
        semantics = semantics_of(read_facts(cluster))
        player = runner.player(cluster, semantics, f"breaks-{secrets.token_hex(4)}", None)
        loop = runner.loop(player, Plan(seed, scenarios), frozenset())
        assert isinstance(loop, Loop)
        began = time.monotonic()
        try:
            events = list(loop.events())
        finally:
            player.close()
        seconds = time.monotonic() - began
    judged = [event for event in events if isinstance(event, Judged)]
    kinds = {
        verdict.kind
        for event in judged
        for verdict in event.verdicts
        if verdict.primary and verdict.signature
    }
    shrunk = sum(isinstance(event, Shrunk) for event in events)
    return Spent(
        len(kinds),
        shrunk,
        len(judged),
        seconds,
        loop.small_cases.time.spent,
        loop.doubts.spent,
    )


def main() -> None:
    """Print a line for each broker."""
    given = dict(enumerate(sys.argv))
    scenarios, seed = int(given.get(1, "600")), int(given.get(2, "5"))
    for name in BROKERS:
        found = spent_on(name, scenarios, seed)
        part = (found.shrinking + found.confirming) / found.seconds
        print(
            f"{name:<20} {found.kinds:>3} kinds, {found.shrunk:>3} made small, {found.judged} "
            f"judged in {found.seconds:.0f} s: shrinking {found.shrinking:.0f} s, confirming "
            f"{found.confirming:.0f} s, {part:.0%} of the run",
            flush=True,
        )


if __name__ == "__main__":
    main()
