"""The suite's rate of fetches as a share of a bare socket loop that sends the same request bytes,
side by side in one run.

The bare loop reads each answer's bytes and looks at nothing. The suite decodes every answer in
full, checksums included, and judges it by every clause. On a machine that does other things, the
share by the clock says little; the share by CPU compares what the loops and the broker use for a
fetch, as the clock does where all processors are busy. Run: python benchmarks/fetch_rate.py
[FETCHES]
"""

import random
import secrets
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from statistics import mean
from typing import TYPE_CHECKING

from conformance.cli.common import freeze_start_up, make_codec
from conformance.cluster import Cluster, reach
from conformance.placement.deployment import Deployment
from conformance.placement.placed_partition import Placed
from conformance.subjects.fetch.lanes import Lanes
from conformance.subjects.fetch.requests import answerable, fetch_request, older_epoch_missing
from conformance.systems.embedded import Embedded
from generators.fetch.fences import choose, sample
from generators.layouts import collect, layouts
from spec.fetch.steps import Fetch
from spec.frozen import frozen
from spec.judge import judge
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics

if TYPE_CHECKING:
    from io import BufferedReader

Asked = tuple[Placed, Fetch]
ROUNDS = 10
SLICE = 64
"""Fetches that are measured together."""
IDLE_S = 2.0
PROCESS_CLOCK = 2
"""The kind of clock that counts the CPU time of a whole process, in Linux's ids of clocks."""


class Bare:
    """A bare loop over some connections, `window` requests in flight on each."""

    def __init__(self, cluster: Cluster, connections: int, window: int) -> None:
        """Connect."""
        self._window = window
        self._sockets: list[tuple[socket.socket, BufferedReader]] = []
        for _ in range(connections):
            sock = socket.create_connection((cluster.host, cluster.port))
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets.append((sock, sock.makefile("rb")))

    def ask(self, frames: Sequence[bytes]) -> None:
        """Send the frames and read the answers."""
        connections = len(self._sockets)
        burst = connections * self._window
        for start in range(0, len(frames), burst):
            some = frames[start : start + burst]
            for number, frame in enumerate(some):
                self._sockets[number % connections][0].sendall(frame)
            for number in range(len(some)):
                stream = self._sockets[number % connections][1]
                stream.read(int.from_bytes(stream.read(4), "big"))

    def close(self) -> None:
        """Close the connections."""
        for sock, stream in self._sockets:
            stream.close()
            sock.close()


@frozen
class Suite:
    """Asks, decodes and judges."""

    lanes: Lanes
    semantics: Semantics

    def ask(self, asked: Sequence[Asked]) -> None:
        """Ask some fetches."""
        for number, observation in self.lanes.ask(asked):
            scenario = Scenario(asked[number][0].layout, (asked[number][1],))
            judge(scenario, observation, self.semantics)


@frozen
class Cost:
    """The cost of one fetch: of each slice the best of some rounds.

    Attributes:
        wall_us: microseconds by the clock.
        own_us, broker_us: CPU microseconds of this process, and of the broker beyond what it uses
            while it has nothing to do.
    """

    wall_us: float
    own_us: float
    broker_us: float

    @property
    def cpu_us(self) -> float:
        """CPU microseconds in all."""
        return self.own_us + self.broker_us


def broker_seconds(broker: Embedded) -> float:
    """The CPU time that the broker has used, by its clock of Linux (`clock_getcpuclockid`)."""
    assert broker.pid is not None, "the broker has ended"
    return time.clock_gettime(~broker.pid << 3 | PROCESS_CLOCK)


def idle_share(broker: Embedded) -> float:
    """The CPU seconds that the broker uses in a second in which nothing is asked."""
    began, used = time.perf_counter(), broker_seconds(broker)
    time.sleep(IDLE_S)
    return (broker_seconds(broker) - used) / (time.perf_counter() - began)


def measure(broker: Embedded, idle: float, work: Callable[[], None]) -> Cost:
    """The cost of a fetch in some work of `SLICE` fetches."""
    began, own, used = time.perf_counter(), time.process_time(), broker_seconds(broker)
    work()
    wall, own = time.perf_counter() - began, time.process_time() - own
    used = broker_seconds(broker) - used - idle * wall
    return Cost(*[seconds / SLICE * 1e6 for seconds in (wall, own, used)])


def costs(broker: Embedded, works: Sequence[tuple[Callable[[], None], ...]]) -> list[Cost]:
    """The cost of a fetch in each of several ways to ask; each work asks one slice.

    Of each slice the best round counts: a machine that others use too is quiet for as long as one
    slice takes, but not for all of them.
    """
    idle = idle_share(broker)
    rounds = [
        [[measure(broker, idle, work) for work in ways] for ways in works] for _ in range(ROUNDS)
    ]
    return [
        Cost(
            *[
                mean([min(map(part, of_slice)) for of_slice in zip(*of_way, strict=True)])
                for part in map(attrgetter, ("wall_us", "own_us", "broker_us"))
            ]
        )
        for of_way in zip(*[zip(*one, strict=True) for one in rounds], strict=True)
    ]


def main() -> None:
    """Print the rates and shares."""
    wanted = int(sys.argv[1]) // SLICE * SLICE if len(sys.argv) > 1 else 32 * SLICE
    semantics = semantics_for("4.3")
    with Embedded("4.3.1") as broker:
        cluster = reach(*broker.address, make_codec())
        deployment = Deployment(cluster, f"benchmark-{secrets.token_hex(4)}")
        placed = deployment.place(collect(layouts(max_partitions=3), 1, 32))
        seen: Counter[str] = Counter()
        rng = random.Random(1)  # noqa: S311 - choosing questions, not secrets
        asked: list[Asked] = []
        while len(asked) < wanted:
            for one in placed:
                fetches = [
                    question.fetch
                    for question in choose(sample(one.layout, semantics, len(asked)), seen, 5, rng)
                ]
                quick = [
                    f for f in fetches if f.max_wait_ms <= 0 and f.quota is None
                ]  # a bare loop sets no quotas
                plain = [
                    f for f in quick if answerable(cluster, f) and not older_epoch_missing(f, one)
                ]
                asked += [(one, fetch) for fetch in plain]
        frames = []
        for number, (one, fetch) in enumerate(asked):
            session = fetch.session if isinstance(fetch.session, int) else 0
            frame = cluster.codec.request("Fetch", fetch.version).encode(
                fetch_request(fetch, one, session), number, "fencepost"
            )
            frames.append(len(frame).to_bytes(4, "big") + frame)
        slices = [slice(start, start + SLICE) for start in range(0, wanted, SLICE)]
        for connections, window in ((1, 1), (1, 16), (16, 8)):
            bare = Bare(cluster, connections, window)
            lanes = Lanes(cluster, connections=connections, window=window)
            suite = Suite(lanes, semantics)
            works = [
                (partial(bare.ask, frames[some]), partial(suite.ask, asked[some]))
                for some in slices
            ]
            with freeze_start_up():
                least, judged = costs(broker, works)
            bare.close()
            lanes.close()
            print(
                f"{connections:>2} connections x {window:>2} in flight: "
                f"bare {1e6 / least.wall_us:6.0f}/s "
                f"({least.own_us:3.0f} us CPU, broker {least.broker_us:3.0f}), "
                f"suite {1e6 / judged.wall_us:6.0f}/s "
                f"({judged.own_us:3.0f} us CPU, broker {judged.broker_us:3.0f}), "
                f"share {least.wall_us / judged.wall_us:4.0%}, by CPU "
                f"{least.cpu_us / judged.cpu_us:4.0%}",
                flush=True,
            )
        deployment.close()


if __name__ == "__main__":
    main()
