"""The strip of a client: the partition of each record, in the order in which polls returned them;
how fair that was, and which fields the client sent.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from spec.fairness.measures import measure_fairness
from spec.fairness.outcomes import ClientOutcome, PollReturned, ServedFetch
from spec.frozen import frozen
from spec.observation import Observation

FILLS = ("#9dbfe0", "#e6c98f", "#a9d3a2", "#d9a7c7", "#c3b7e8", "#b8b8b8")
"""The colours of partitions, by their numbers; after the last the first again."""
ERROR = "#b3261e"
EMPTY = "#999999"
_BOX, _HEIGHT, _GAP, _LINE = 9, 13, 6, 17


@frozen
class Returned:
    """What a poll returned.

    Attributes:
        partitions: of its records, in order.
        failed: whether it reported an error.
    """

    partitions: tuple[int, ...]
    failed: bool


@frozen
class Strip:
    """The polls of a client's history.

    Attributes:
        polls: in order.
        fair: the measures over all polls, in words.
        sent: the fields of the client's first request, in words; empty where it sent none.
    """

    polls: tuple[Returned, ...]
    fair: str
    sent: str


def strip_of(observation: Observation | None) -> Strip | None:
    """The strip of a history; None for one without polls, or that was not played."""
    if observation is None:
        return None
    outcomes = [one.outcome for one in observation.exchanges]
    polls = [one for one in outcomes if isinstance(one, PollReturned)]
    if not polls:
        return None
    partitions = [tuple([record.partition for record in one.records]) for one in polls]
    found = measure_fairness(partitions)
    first = next(
        (
            served
            for one in outcomes
            if isinstance(one, ClientOutcome)
            for served in one.fetches
            if served.asked
        ),
        None,
    )
    return Strip(
        tuple(
            [
                Returned(numbers, bool(poll.errors))
                for numbers, poll in zip(partitions, polls, strict=True)
            ]
        ),
        f"Jain {found.jain:.3f} over the first {found.window} records; longest run "
        f"{found.longest_run}, longest wait {found.longest_wait} records, {found.most_polls} polls",
        "" if first is None else ", ".join(_fields(first)),
    )


def _fields(served: ServedFetch) -> Iterator[str]:
    """The fields of a request, as they were sent."""
    yield f"MaxBytes {served.max_bytes}"
    limits = {part.max_bytes for part in served.asked if part.max_bytes is not None}
    if limits:
        yield "PartitionMaxBytes " + "/".join([str(one) for one in sorted(limits)])
    yield f"MinBytes {served.min_bytes}"
    yield f"MaxWaitMs {served.max_wait_ms}"
    if served.max_records is not None:
        yield f"MaxRecords {served.max_records}"
    if served.acquire_mode is not None:
        yield f"ShareAcquireMode {served.acquire_mode}"


def add_strip(parts: list[str], strip: Strip, y: float, width: int) -> float:
    """The elements of a strip from a height on, poll after poll, in lines of a width; the height
    where they end.
    """
    x, y = 0.0, y + 2
    for poll in strip.polls:
        for box in _boxes(poll):
            if x + _BOX > width:
                x, y = 0.0, y + _LINE
            parts.append(box.format(x=x, y=y, middle=x + _BOX / 2, base=y + _HEIGHT - 3))
            x += _BOX
        x += _GAP
    y += _LINE
    for line in (strip.fair, strip.sent and f"the first request: {strip.sent}"):
        if line:
            parts.append(f'<text x="0" y="{y + 11:.0f}">{escape(line)}</text>')
            y += _LINE
    return y


def _boxes(poll: Returned) -> Iterator[str]:
    """A box for each record, with its partition; a mark for an error, or for nothing."""
    for number in poll.partitions:
        yield _box(FILLS[number % len(FILLS)], str(number), "#222222")
    if poll.failed:
        yield _box(ERROR, "!", "#ffffff")
    elif not poll.partitions:
        yield _box("none", "-", EMPTY)


def _box(fill: str, text: str, colour: str) -> str:
    return (
        f'<rect x="{{x:.0f}}" y="{{y:.0f}}" width="{_BOX - 1}" height="{_HEIGHT}" fill="{fill}"/>'
        f'<text x="{{middle:.1f}}" y="{{base:.0f}}" text-anchor="middle" font-size="8" '
        f'fill="{colour}">{text}</text>'
    )
