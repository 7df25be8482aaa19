"""The suite's rate on share groups as a share of a bare socket loop that sends the same request
bytes, side by side in one run.

Histories are played once to learn their frames. The bare loop sends them again for groups of other
names, reads each answer's bytes and looks at nothing. The suite draws nothing here; it plays,
decodes and judges the same histories. Both do so one history at a time, and 16 at a time. Run:
python benchmarks/share_rate.py [HISTORIES]
"""

import secrets
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

from conformance.cli.common import freeze_start_up, make_codec
from conformance.cluster import Cluster, reach
from conformance.placement.deployment import Deployment
from conformance.placement.placed_partition import Placed
from conformance.play.background import Background, play_alone
from conformance.subjects.share.coordinators import await_coordinators
from conformance.subjects.share.history import ShareHistory
from conformance.systems.embedded import Embedded
from conformance.wire.codec import RequestCodec
from conformance.wire.connection import Connection
from conformance.wire.outcomes import Ticket
from conformance.wire.security import Opened
from generators.layouts import collect
from generators.share.histories import share_histories
from spec.frozen import frozen, replace
from spec.judge import judge
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.share.releases import ShareSemantics
from spec.share.steps import AlterShareGroupOffsets, ShareAcknowledge, ShareFetch

if TYPE_CHECKING:
    from io import BufferedRWPair


ROUNDS = 3
Frames = list[tuple[int, bytes]]
"""What a history sends: (connection, frame)."""


@frozen
class Recording(Cluster):
    """A cluster whose connections keep what they send.

    Attributes:
        frames: what was sent.
        connections: those that were made.
    """

    frames: Frames = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)

    def connect(self, timeout: float | None = None, connected: Opened | None = None) -> Connection:
        """A fresh connection."""
        self.connections.append(
            Recorded(
                self, len(self.connections), self.timeout if timeout is None else timeout, connected
            )
        )
        return self.connections[-1]


class Recorded(Connection):
    """A connection that keeps what it sends."""

    def __init__(
        self, recording: Recording, number: int, timeout: float, connected: Opened | None
    ) -> None:
        """Connect."""
        super().__init__(
            recording.host, recording.port, recording.codec, timeout=timeout, connected=connected
        )
        self.frames, self.number = recording.frames, number

    def send_frame(self, request: RequestCodec, frame: bytes, *, answered: bool = True) -> Ticket:
        """Send a frame, and keep it."""
        self.frames.append((self.number, frame))
        return super().send_frame(request, frame, answered=answered)


def named() -> str:
    """A fresh name of a group; all are as long."""
    return f"rate-{secrets.token_hex(8)}"


def recorded(
    cluster: Cluster, semantics: Semantics, scenario: Scenario, placed: Placed, group: str
) -> Frames:
    """Play a history; what was sent."""
    recording = Recording(cluster.host, cluster.port, cluster.codec, cluster.versions)
    play_alone(
        ShareHistory(
            recording, scenario, placed, semantics=semantics.of(ShareSemantics), group=group
        )
    )
    return recording.frames


def bare(cluster: Cluster, frames: Frames, known: str, group: str) -> int:
    """Send the frames for another group, each after the answer to the one before; how many."""
    with ExitStack() as open_ones:
        streams: dict[int, BufferedRWPair] = {}
        for number, frame in frames:
            if number not in streams:
                sock = open_ones.enter_context(
                    socket.create_connection((cluster.host, cluster.port))
                )
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                streams[number] = open_ones.enter_context(sock.makefile("rwb"))
            stream = streams[number]
            stream.write(
                len(frame).to_bytes(4, "big") + frame.replace(known.encode(), group.encode())
            )
            stream.flush()
            stream.read(int.from_bytes(stream.read(4), "big"))
    return len(frames)


def rate(work: Callable[[], object], histories: int, requests: int) -> tuple[float, float]:
    """Requests and histories a second, best of some rounds."""
    best = (0.0, 0.0)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        seconds = time.perf_counter() - began
        best = max(best, (requests / seconds, histories / seconds))
    return best


def repeatable(scenario: Scenario) -> bool:
    """Whether a history leaves the logs as they are, loses no connection and parks no fetch."""
    steps = [one for one in scenario.steps if not isinstance(one, AlterShareGroupOffsets)]
    return all(
        isinstance(one, ShareAcknowledge) or (isinstance(one, ShareFetch) and not one.parked)
        for one in steps
    )


def impatient(scenario: Scenario) -> Scenario:
    """The same with each fetch sent once, as the bare loop does."""
    return replace(
        scenario,
        steps=tuple(
            [
                replace(one, patience_ms=0) if isinstance(one, ShareFetch) else one
                for one in scenario.steps
            ]
        ),
    )


def main() -> None:
    """Print the rates and shares."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    semantics = semantics_for("4.3")
    with Embedded("4.3.1") as broker:
        cluster = reach(*broker.address, make_codec())
        deployment = Deployment(cluster, f"rate-{secrets.token_hex(4)}")
        await_coordinators(cluster, deployment.connection)
        drawn = [
            one for one in collect(share_histories(semantics), 1, 3 * wanted) if repeatable(one)
        ][:wanted]
        histories = [impatient(one) for one in drawn]
        placed = deployment.place([one.layout for one in histories])
        names = [named() for _ in histories]
        for number, one in enumerate(histories):  # loads what is loaded once, and warms the broker
            recorded(cluster, semantics, one, placed[number], named())
        frames = [
            recorded(cluster, semantics, one, placed[number], names[number])
            for number, one in enumerate(histories)
        ]
        requests = sum(len(some) for some in frames)
        background = Background()

        def plainly(side_by_side: int) -> None:
            with ThreadPoolExecutor(side_by_side) as pool:
                list(
                    pool.map(
                        lambda number: bare(cluster, frames[number], names[number], named()),
                        range(len(histories)),
                    )
                )

        def fully(side_by_side: int) -> None:
            share = semantics.of(ShareSemantics)
            plays = [
                ShareHistory(cluster, one, where, semantics=share)
                for one, where in zip(histories, placed, strict=True)
            ]
            played = background.play(plays, side_by_side=side_by_side)
            with freeze_start_up():  # as a run does
                for number, observation in enumerate(played):
                    judge(histories[number], observation, semantics)

        for side_by_side in (1, 16):
            plain = rate(partial(plainly, side_by_side), len(histories), requests)
            full = rate(partial(fully, side_by_side), len(histories), requests)
            print(
                f"{side_by_side:>2} histories at a time: bare {plain[0]:6.0f} requests/s "
                f"({plain[1]:5.0f} histories/s), "
                f"suite {full[0]:6.0f} ({full[1]:5.0f}), share {full[0] / plain[0]:4.0%}",
                flush=True,
            )
        background.close()
        deployment.close()


if __name__ == "__main__":
    main()
