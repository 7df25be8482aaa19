"""Questions around what only old or compacted logs hold: emptied batches, and messages of formats 0
and 1.
"""

from generators.fetch.ground import Ground
from generators.fetch.limit_questions import STEPS
from spec.fetch.steps import FetchPartition
from spec.kafka import CURRENT_MAGIC


def emptied_batches(ground: Ground) -> None:
    """In front of an emptied batch, at its base, and inside of it (FET-122)."""
    for isolation in ground.isolations():
        for partition, log in enumerate(ground.logs):
            for number, batch in enumerate(log.batches):
                if batch.records or batch.base < log.start:
                    continue
                front = [
                    one.base
                    for one in log.batches[:number]
                    if one.segment == batch.segment and one.base >= log.start
                ]
                offsets = [(batch.base, "at"), *[(base, "below") for base in front]]
                offsets += [
                    (offset, "above")
                    for offset in sorted({batch.base + 1, batch.last})
                    if offset <= batch.last
                ]
                for offset, where in offsets:
                    ground.ask(
                        [FetchPartition(partition, offset)],
                        (f"emptied={where}",),
                        isolation=isolation,
                    )


def old_messages(ground: Ground) -> None:
    """The partition's limit around the first message of an old format (FET-023)."""
    for isolation in ground.isolations():
        for partition in range(ground.count):
            reaches = [
                ground.reach(partition, start, isolation) for start in ground.starts(partition)
            ]
            old = [
                reach
                for reach in reaches
                if reach is not None and reach.batches[0].magic < CURRENT_MAGIC
            ]
            for reach in ground.thin(old, 2):
                for step, where in STEPS:
                    ask = FetchPartition(partition, reach.offset, reach.sums[0] + step)
                    ground.ask([ask], (f"old_message={where}",), isolation=isolation)
