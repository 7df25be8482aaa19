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
from collections.abc import Callable

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

Asked = tuple[Placed, Fetch]
ROUNDS = 5
IDLE_S = 2.0
PROCESS_CLOCK = 2
"""The kind of clock that counts the CPU time of a whole process, in Linux's ids of clocks."""


def bare(cluster: Cluster, frames: list[bytes], connections: int, window: int) -> None:
    """Send the frames and read the answers, `window` in flight on each connection."""
    sockets = []
    for _ in range(connections):
        sock = socket.create_connection((cluster.host, cluster.port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets.append((sock, sock.makefile("rb")))
    burst = connections * window
    for start in range(0, len(frames), burst):
        some = frames[start : start + burst]
        for number, frame in enumerate(some):
            sockets[number % connections][0].sendall(frame)
        for number in range(len(some)):
            stream = sockets[number % connections][1]
            stream.read(int.from_bytes(stream.read(4), "big"))
    for sock, stream in sockets:
        stream.close()
        sock.close()


def suite(
    cluster: Cluster, asked: list[Asked], semantics: Semantics, connections: int, window: int
) -> None:
    """Ask, decode and judge, in a process that is set up as that of a run."""
    lanes = Lanes(cluster, connections=connections, window=window)
    with freeze_start_up():
        for number, observation in lanes.ask(asked):
            judge(Scenario(asked[number][0].layout, (asked[number][1],)), observation, semantics)
    lanes.close()


@frozen
class Cost:
    """The cost of one fetch, the best of some rounds.

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


def costs(broker: Embedded, count: int, *works: Callable[[], None]) -> list[Cost]:
    """The cost of a fetch in each of some works of `count` fetches; they are done by turns, so that
    whatever else the machine does meets them all.
    """
    idle = idle_share(broker)
    found: list[list[Cost]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, rounds in zip(works, found, strict=True):
            began, own, brokers = time.perf_counter(), time.process_time(), broker_seconds(broker)
            work()
            wall, own = time.perf_counter() - began, time.process_time() - own
            brokers = broker_seconds(broker) - brokers - idle * wall
            rounds.append(Cost(*[seconds / count * 1e6 for seconds in (wall, own, brokers)]))
    return [
        Cost(
            min([one.wall_us for one in rounds]),
            min([one.own_us for one in rounds]),
            min([one.broker_us for one in rounds]),
        )
        for rounds in found
    ]


def main() -> None:
    """Print the rates and shares."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
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
        bare(cluster, frames, 1, 1)  # warms the broker
        for connections, window in ((1, 1), (1, 16), (16, 8)):
            least, judged = costs(
                broker,
                len(asked),
                lambda c=connections, w=window: bare(cluster, frames, c, w),  # type: ignore[misc]
                lambda c=connections, w=window: suite(  # type: ignore[misc]
                    cluster, asked, semantics, c, w
                ),
            )
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
