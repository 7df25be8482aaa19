"""Questions around what only old or compacted logs hold: emptied batches, and messages of formats 0 and 1."""

from generators.ground import Ground
from generators.limit_questions import STEPS
from spec.kafka import CURRENT_MAGIC
from spec.scenario import FetchPartition


def emptied_batches(ground: Ground) -> None:
    """In front of an emptied batch, at its base, and inside of it (FET-122)."""
    for isolation in ground.isolations():
        for partition, log in enumerate(ground.logs):
            for batch in ground.thin([batch for batch in log.batches if not batch.records and batch.base >= log.start], 2):
                offsets = [(log.start, "below")] if log.start < batch.base else []
                offsets.append((batch.base, "at"))
                if batch.base < batch.last:
                    offsets.append((batch.last, "above"))
                for offset, where in offsets:
                    ground.ask([FetchPartition(partition, offset)], (f"emptied={where}",), isolation=isolation)


def old_messages(ground: Ground) -> None:
    """The partition's limit around the first message of an old format (FET-023)."""
    for isolation in ground.isolations():
        for partition in range(ground.count):
            reaches = [ground.reach(partition, start, isolation) for start in ground.starts(partition)]
            old = [reach for reach in reaches if reach is not None and reach.batches[0].magic < CURRENT_MAGIC]
            for reach in ground.thin(old, 2):
                for step, where in STEPS:
                    ask = FetchPartition(partition, reach.offset, reach.sums[0] + step)
                    ground.ask([ask], (f"old_message={where}",), isolation=isolation)
