"""The findings of an inquiry as it proceeds, in the events of a run: each question with its
verdicts, each reading that it rules out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.engine.loop import Lost
from conformance.identify.reporter import Reporter
from generators.small_scope import Bounds
from spec.canonical import identity
from spec.events import Note, ReadingRuledOut
from spec.fetch.outcomes import FetchAnswer
from spec.judgement import infrastructure
from spec.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.identify.asking import Unknown
    from conformance.identify.candidates import ProfileClass
    from conformance.identify.inquiry import Inquiry
    from conformance.identify.profiles import Asked
    from spec.events import Event
    from spec.observation import Observation
    from spec.scenario import Scenario
    from spec.semantics import Semantics


class InquiryEvents(Reporter):
    """Turns what is asked into events.

    Args:
        inquiry: of the draft that is asked about.

    Attributes:
        left: the profiles that fit so far.
    """

    def __init__(self, inquiry: Inquiry[Any]) -> None:
        super().__init__()
        self.inquiry = inquiry
        self.left: ProfileClass[Any] = inquiry.space.everything(crafted=False)

    def ask(
        self, asked: Iterable[Asked[Any]], carrier: Any, semantics: Semantics
    ) -> Iterator[Event]:
        """All events between the header and the footer, for a broker that takes the draft's fields
        as this profile says.

        Raises:
            Lost: the broker, or the way to it, is gone; what was asked before stands.
        """
        found = self.left
        for name in self.inquiry.carried:
            found = found.with_readings(name, (getattr(carrier, name),))
        yield from self._exclusion_events(
            found,
            self.inquiry.probe(carrier),
            f"the draft's fields are felt where they are sent as by {carrier}",
        )
        for one in asked:
            yield from self.judgement_events(
                one.scenario,
                one.judgement.verdicts,
                one.observation if one.judgement.breaks else None,
            )
            if lost := [
                verdict.why
                for verdict in one.judgement.verdicts
                if verdict.outcome is Outcome.INCONCLUSIVE
            ]:
                raise Lost(lost[0])
            yield from self._exclusion_events(
                one.left, one.scenario, f"found {_last_answer_text(one.observation)}"
            )
        for line in profile_lines(self.inquiry, self.left, semantics):
            yield Note(line)
        yield from self.inquiry.summing_up(self.left)

    def unsupported_events(self, unknown: Unknown) -> Iterator[Event]:
        """All events between the header and the footer, for a broker that does not know the draft:
        no pass.
        """
        yield from self.judgement_events(
            unknown.scenario, (infrastructure(Outcome.UNSUPPORTED, unknown.why),), None
        )
        prefix = self.inquiry.draft.subject.prefix
        yield Note(f"no clause of {prefix} was exercised, and no profile is named: {unknown.why}")
        yield from self.inquiry.summing_up(None)

    def _exclusion_events(
        self, left: ProfileClass[Any], scenario: Scenario, why: str
    ) -> Iterator[Event]:
        """Each reading that fits no longer. Where no reading of a question is left, it does not
        arise any more, or no profile fits.
        """
        before, self.left = self.left, left
        for axis in self.inquiry.space.questions.axes:
            now = left.readings(axis.name)
            for reading in before.readings(axis.name) if now else ():
                if reading not in now:
                    yield ReadingRuledOut(axis.id, f"{axis.name}={reading}", scenario, why)
        if left.empty and not before.empty:
            yield Note(f"no profile fits any longer: scenario {identity(scenario)} {why}")


def profile_lines(
    inquiry: Inquiry[Any], left: ProfileClass[Any], semantics: Semantics
) -> tuple[str, ...]:
    """The profiles that fit all that was seen, and in what sense they are one; that none fits where
    none does.
    """
    if left.empty:
        return ("no profile fits all that was seen",)
    lines = [f"the profile is {left.named}"]
    if len(left.counting) > 1:
        bounds = Bounds(crafted=False)
        apart = inquiry.inseparable(left.counting, bounds, semantics)
        proof = (
            f"equal within these bounds: {bounds}"
            if apart is None
            else "not distinguished by the questions that were asked"
        )
        lines.append(f"{len(left.counting)} profiles fit, {proof}")
    crafted = (
        ", or differ on layouts alone that only compaction leaves "
        f"({', '.join(left.space.crafted)})"
        if left.space.crafted
        else ""
    )
    lines.append(f"readings joined by | answer alike on one node{crafted}")
    return tuple(lines)


def _last_answer_text(observation: Observation) -> str:
    """The last answer in a few words."""
    answer = observation.exchanges[-1].outcome if observation.exchanges else None
    if not isinstance(answer, FetchAnswer):
        return "no answer to the last fetch"
    if answer.error:
        return f"error {answer.error}"
    parts = [
        f"error {got.error} for partition {got.partition}"
        if got.error
        else f"{_batches(len(got.batches))} of partition {got.partition}"
        + (f" and {got.tail} bytes of the next" if got.tail else "")
        for got in answer.partitions
    ]
    return ", ".join(parts) or "no partition"


def _batches(count: int) -> str:
    return "1 batch" if count == 1 else f"{count} batches"
