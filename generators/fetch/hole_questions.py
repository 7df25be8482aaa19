"""Questions around what only old or compacted logs hold: emptied batches, and messages of formats 0
and 1.
"""

from generators.fetch.limit_questions import AROUND
from generators.fetch.question_context import QuestionContext
from spec.fetch.steps import FetchPartition
from spec.kafka import CURRENT_MAGIC


def emptied_batches(context: QuestionContext) -> None:
    """In front of an emptied batch, at its base, and inside of it (FET-122)."""
    for isolation in context.isolations():
        for partition, log in enumerate(context.logs):
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
                    context.ask(
                        [FetchPartition(partition, offset)],
                        (f"emptied={where}",),
                        isolation=isolation,
                    )


def old_messages(context: QuestionContext) -> None:
    """The partition's limit around the first message of an old format (FET-023)."""
    for isolation in context.isolations():
        for partition in range(context.count):
            reaches = [
                context.reach(partition, start, isolation) for start in context.starts(partition)
            ]
            old = [
                reach
                for reach in reaches
                if reach is not None and reach.batches[0].magic < CURRENT_MAGIC
            ]
            for reach in context.thin(old, 2):
                for step, where in AROUND:
                    ask = FetchPartition(partition, reach.offset, reach.sums[0] + step)
                    context.ask([ask], (f"old_message={where}",), isolation=isolation)
