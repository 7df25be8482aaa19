"""Who follows the events of a run: handlers, which know nothing of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import TYPE_CHECKING

from spec.events import Event, Note

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from conformance.engine.corpus import CorpusWriter

Handler = Callable[[Event], Iterable[Event]]
"""Takes in one event; what it gives back is handed to all handlers after it, as if the run had said
it.
"""


def follow(events: Generator[Event, None, None], handlers: Sequence[Handler]) -> None:
    """Hand every event of a run to all handlers, in their order.

    An interrupt that comes while a handler works is the run's: it ends with a footer.

    Raises:
        Exception: what the run or a handler raises; the run is cleaned up then.
    """
    with closing(events):
        event = next(events, None)
        while event is not None:
            try:
                _hand_on_from(event, events, handlers)
                break
            except KeyboardInterrupt as interrupt:
                event = _throw_interrupt(events, interrupt)


def _hand_on_from(
    event: Event, events: Generator[Event, None, None], handlers: Sequence[Handler]
) -> None:
    """Hand this event on, and all that come after it."""
    following: Event | None = event
    while following is not None:
        _hand_on(following, handlers)
        following = next(events, None)


def _throw_interrupt(
    events: Generator[Event, None, None], interrupt: KeyboardInterrupt
) -> Event | None:
    try:
        return events.throw(interrupt)
    except StopIteration:
        return None


def _hand_on(event: Event, handlers: Sequence[Handler]) -> None:
    added = [more for handler in handlers for more in handler(event)]
    for more in added:
        _hand_on(more, handlers)


def keeping(corpus_writer: CorpusWriter) -> Handler:
    """Keeps scenarios that broke a clause for later runs, and notes what the corpus has to say."""

    def handle(event: Event) -> Iterable[Event]:
        note = corpus_writer.see(event)
        return () if note is None else (Note(note),)

    return handle
