"""Draft KIPs: everything that the specification knows of one, in one object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spec.errata import Erratum
from spec.frozen import frozen
from spec.ranges import Range
from spec.readings import Axis, Questions
from spec.semantics import Change
from spec.subject import Subject


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A proposal that no release has, as a change of the model. There is one object of each: it is
    equal to itself alone.

    Attributes:
        name: as the command line takes it, `max-records`.
        issue: where it is discussed, `KAFKA-19554`; empty where nowhere.
        title: what it adds, in a few words.
        subject: its clauses and requirement sets; its scenarios are of this subject.
        questions: what its text leaves open; a profile answers them all.
        fields: the fields that it adds to a Fetch request, by name, with their range.
        errata: statements of its text that are wrong.
    """

    name: str
    issue: str
    title: str
    subject: Subject
    questions: Questions[Any]
    fields: Mapping[str, Range] = field(default_factory=dict, hash=False)
    errata: tuple[Erratum, ...] = ()

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Its questions, each with the model that answers it in each way."""
        return self.questions.axes_with_ways()


@frozen
class Drafted:
    """A draft, read in one way: what a broker that has it is given.

    Attributes:
        draft: which.
        profile: the answer to each of its questions.
    """

    draft: Draft
    profile: Any

    @property
    def change(self) -> Change:
        """A release with it."""
        return self.draft.questions.change(self.profile)

    def __str__(self) -> str:
        """`max-records:stop=before`, from which `spec.draft_registry.drafted` makes it again."""
        return f"{self.draft.name}:{self.profile}"
