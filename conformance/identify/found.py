"""The results of finding out about readings, of a draft or of the clauses of released
brokers: the same to whoever asks.
"""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from conformance.cluster import at_advertised_address, reach
from conformance.identify.asking import Unknown, carrier_of, player
from conformance.identify.inquiry import inquiry_of
from conformance.identify.inquiry_events import InquiryEvents
from conformance.identify.profiles import identify
from conformance.identify.released import Identifying
from conformance.subjects.registry import runner_of
from spec.draft_registry import draft_of
from spec.subject_registry import subject_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.engine.restarts import Restarts
    from conformance.identify.asking import CodecOf
    from conformance.identify.inquiry import Inquiry
    from conformance.systems.base import BrokerSystem
    from spec.events import Event
    from spec.semantics import Semantics


class Identified(ABC):
    """The readings that a broker follows, as far as they are known.

    Attributes:
        strict: whether a deviation counts as a break.
    """

    strict: bool

    @property
    @abstractmethod
    def empty(self) -> bool:
        """Whether no reading of some question fits."""

    @property
    @abstractmethod
    def layouts(self) -> int:
        """Layouts that were placed."""

    @property
    @abstractmethod
    def scenarios(self) -> int:
        """Scenarios that were played."""

    @abstractmethod
    def events(
        self,
        system: BrokerSystem,
        semantics: Semantics,
        codec_of: CodecOf,
        restarts: Callable[[], Restarts | None],
        seed: int,
    ) -> Iterator[Event]:
        """Ask a started system; all events between the header and the footer."""

    @abstractmethod
    def lines(self, *, exercised: bool) -> Iterator[str]:
        """The result, in lines to be shown; `exercised` says whether any clause was."""


class IdentifiedProfile(Identified):
    """The profile of a draft that a broker follows."""

    strict = True

    def __init__(self, inquiry: Inquiry[Any]) -> None:
        self._inquiry = inquiry
        self._telling = InquiryEvents(inquiry)

    @property
    def empty(self) -> bool:
        """Whether no profile fits."""
        return self._telling.left.empty

    @property
    def layouts(self) -> int:
        """Layouts that were placed."""
        return self._telling.layouts

    @property
    def scenarios(self) -> int:
        """Scenarios that were played."""
        return self._telling.scenarios

    def events(
        self,
        system: BrokerSystem,
        semantics: Semantics,
        codec_of: CodecOf,
        restarts: Callable[[], Restarts | None],
        seed: int,
    ) -> Iterator[Event]:
        """Find how the fields are sent, then ask until the profiles that are left can't be
        distinguished.
        """
        del restarts
        found = carrier_of(self._inquiry, system, semantics, codec_of)
        if isinstance(found, Unknown):
            yield from self._telling.unsupported_events(found)
            return
        with player(self._inquiry, system, found, semantics, codec_of) as play:
            asked = identify(self._inquiry, play, found, semantics, crafted=False, seed=seed)
            yield from self._telling.ask(asked, found, semantics)

    def lines(self, *, exercised: bool) -> Iterator[str]:
        """The readings that fit, question by question, and the class of profiles."""
        left = self._telling.left
        if not exercised:
            yield "UNSUPPORTED  no profile is named"
            return
        for axis in left.space.questions.axes if not left.empty else ():
            yield f"  {axis.name:<11} {' | '.join(left.readings(axis.name)) or 'does not arise'}"
        yield "NO PROFILE  fits" if left.empty else f"PROFILE  {left.named}"


class IdentifiedReadings(Identified):
    """The readings of a subject's clauses that a broker follows."""

    strict = False

    def __init__(self, subject: str) -> None:
        self._identifying = Identifying(subject_named(subject))

    @property
    def empty(self) -> bool:
        """Whether no reading of some clause fits."""
        return bool(self._identifying.axes.unreadable)

    @property
    def layouts(self) -> int:
        """Layouts that were placed."""
        return self._identifying.layouts

    @property
    def scenarios(self) -> int:
        """Scenarios that were played."""
        return self._identifying.scenarios

    def events(
        self,
        system: BrokerSystem,
        semantics: Semantics,
        codec_of: CodecOf,
        restarts: Callable[[], Restarts | None],
        seed: int,
    ) -> Iterator[Event]:
        """Play what distinguishes readings, until each question is settled or nothing is left to
        play.
        """
        del seed
        cluster = at_advertised_address(reach(*system.address, codec_of(None), system.security))
        name = f"readings-{secrets.token_hex(4)}"
        broker_player = runner_of(self._identifying.axes.subject.name).player(
            cluster, semantics, name, restarts()
        )
        try:
            yield from self._identifying.events(broker_player)
        finally:
            broker_player.close()

    def lines(self, *, exercised: bool) -> Iterator[str]:
        """One line for each clause with readings."""
        del exercised
        for line in self._identifying.axes.lines():
            yield f"READING  {line}"


def identified_of(subject: str) -> Identified:
    """A search for a subject: the profiles of a draft, or the clauses with readings of a
    subject of released brokers.
    """
    draft = draft_of(subject)
    inquiry = None if draft is None else inquiry_of(draft)
    return IdentifiedReadings(subject) if inquiry is None else IdentifiedProfile(inquiry)
