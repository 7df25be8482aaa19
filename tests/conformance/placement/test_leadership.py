"""A broker whose leader epochs rise while scenarios are played breaks no clause by that."""

import asyncio
import secrets
import threading
from collections.abc import Iterator

import pytest

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.engine.played import LEADER_CHANGED
from conformance.facts import read_facts, semantics_of
from conformance.serve.serving import listening
from conformance.serve.settings import Settings
from conformance.serve.world import World
from conformance.subjects.fetch.bench import FetchBench
from spec.fetch.steps import Fetch, FetchPartition
from spec.layout import Batch, Layout, Partition
from spec.verdict import Outcome

READY_S = 30.0
ONE = Layout((Partition(((Batch(100),),)),))
CURRENT = Fetch((FetchPartition(0, 0, leader_epoch=0),))


@pytest.fixture
def world() -> Iterator[World]:
    """What the served model knows, in a thread of this process."""
    worlds: list[World] = []
    ready, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        server = await listening(Settings("4.3.1", {}), "127.0.0.1", 0, None)
        worlds.append(server.world)
        ready.set()
        await over.wait()
        await server.stop()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(READY_S), "the served model did not come up"
        yield worlds[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(READY_S)
        loop.close()


@pytest.fixture
def bench(world: World) -> Iterator[FetchBench]:
    cluster = reach(world.host, world.port, make_codec())
    run = f"leadership-{secrets.token_hex(4)}"
    found = FetchBench(cluster, semantics_of(read_facts(cluster)), run)
    yield found
    found.close()


def raise_epochs(world: World) -> None:
    """Have all partitions led under a newer epoch, as after a broker was fenced and unfenced."""
    for topic in world.topics.values():
        for shelf in topic.shelves:
            shelf.leader_epoch += 1


def test_a_leader_epoch_that_rose_is_inconclusive_and_followed(
    world: World, bench: FetchBench
) -> None:
    placed = bench.place([ONE])
    raise_epochs(world)
    for _, played in bench.ask(placed, [(0, CURRENT), (0, CURRENT)]):
        (verdict,) = played.judgement.breaks
        assert (verdict.outcome, verdict.signature) == (Outcome.INCONCLUSIVE, LEADER_CHANGED)
        assert "expected leader epoch 0" in verdict.why
        assert "found leader epoch 1" in verdict.why
    ((_, later),) = bench.ask(placed, [(0, CURRENT)])
    assert later.judgement.breaks == ()
    bench.release(placed)
    assert [played.judgement.breaks for played in bench.ask_alike(ONE, [CURRENT])] == [()]
