"""All profiles of a draft, as a set that observations make smaller: some questions together, the
others each by itself.
"""

from __future__ import annotations

import random
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spec.frozen import frozen, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spec.readings import Questions

P = TypeVar("P")


def _itself(profile: P) -> P:
    return profile


def _none(name: str, met: tuple[Any, ...]) -> frozenset[str]:
    del name, met
    return frozenset()


@frozen
class Space(Generic[P]):
    """All profiles of a draft, and which of them answer alike.

    Attributes:
        questions: the draft's.
        apart: the questions that are settled each by itself.
        crafted: the questions that only layouts which compaction leaves can settle.
        representative: the profile that stands for all those that answer alike.
        alike: of a question and the profiles that are left in which it arises, the further readings
            that answer as theirs do.
    """

    questions: Questions[P]
    apart: tuple[str, ...] = ()
    crafted: tuple[str, ...] = ()
    representative: Callable[[P], P] = _itself
    alike: Callable[[str, tuple[P, ...]], frozenset[str]] = _none

    def together(self, *, crafted: bool) -> tuple[P, ...]:
        """One profile for each distinguishable way; without `crafted`, those
        questions stay open.
        """
        return _together(self, crafted)

    def draw(self, seed: int) -> P:
        """A profile at random: every question that arises answered by any of its readings. The same
        for the same seed.
        """
        rng = random.Random(seed)  # noqa: S311 - choosing profiles, not secrets
        profile = self.questions.default
        for axis in self.questions.axes:
            profile = self.questions.with_reading(
                profile, axis.name, rng.choice(list(self.questions.answers(axis.name)))
            )
        return self.questions.normal(profile)

    def everything(self, *, crafted: bool) -> ProfileClass[P]:
        """All profiles, before anything is asked."""
        apart = {name: tuple(self.questions.answers(name)) for name in self.apart}
        return ProfileClass(self, self.together(crafted=crafted), apart, crafted)


@cache
def _together(space: Space[P], crafted: bool) -> tuple[P, ...]:
    questions = space.questions
    found = {questions.default}
    for axis in questions.axes:
        if axis.name in space.apart or (axis.name in space.crafted and not crafted):
            continue
        met = [profile for profile in found if axis.arises(profile)]
        answers = questions.answers(axis.name)
        found |= {
            space.representative(questions.with_reading(profile, axis.name, answer))
            for profile in met
            for answer in answers
        }
    return tuple(sorted(found, key=str))


@frozen
class ProfileClass(Generic[P]):
    """The profiles that fit all that was seen.

    Attributes:
        space: the draft's profiles.
        counting: those that are distinguished together, by their representatives.
        apart: of each other question, the readings that fit.
        crafted: whether layouts could be asked about that only compaction leaves.
    """

    space: Space[P]
    counting: tuple[P, ...]
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    crafted: bool = True

    @property
    def empty(self) -> bool:
        """Whether no profile fits."""
        return not self.counting or not all(self.apart.values())

    @property
    def named(self) -> str:
        """Every question that arises with the readings that fit, as `stop=before,
        scope=request|both`; defaults alone are left out.
        """
        default = self.space.questions.default
        words = [(axis.name, self.readings(axis.name)) for axis in self.space.questions.axes]
        text = [
            f"{name}={'|'.join(found)}"
            for name, found in words
            if found and found != (getattr(default, name),)
        ]
        return ", ".join(text) or "default"

    def holds(self, profile: P) -> bool:
        """Whether a profile is in the class."""
        if any(getattr(profile, name) not in readings for name, readings in self.apart.items()):
            return False
        default = self.space.questions.default
        for name in (*self.space.apart, *(() if self.crafted else self.space.crafted)):
            profile = self.space.questions.with_reading(profile, name, getattr(default, name))
        return self.space.representative(profile) in self.counting

    def keep_fitting(self, keep: Callable[[P], bool]) -> ProfileClass[P]:
        """The class without the profiles that do not fit."""
        return replace(
            self, counting=tuple([profile for profile in self.counting if keep(profile)])
        )

    def with_readings(self, name: str, fitting: tuple[str, ...]) -> ProfileClass[P]:
        """The class with these readings left of a question that is apart."""
        return replace(
            self,
            apart={**self.apart, name: tuple([one for one in self.apart[name] if one in fitting])},
        )

    def readings(self, name: str) -> tuple[str, ...]:
        """The readings of a question that some profile of the class has, with those that answer
        alike; empty where it does not arise.
        """
        if name in self.apart:
            return self.apart[name]
        axis = self.space.questions.axis(name)
        answers = self.space.questions.answers(name)
        found = tuple([profile for profile in self.counting if axis.arises(profile)])
        if name in self.space.crafted and not self.crafted:
            return tuple(answers) if found else ()
        kept = {getattr(profile, name) for profile in found} | self.space.alike(name, found)
        return tuple([reading for reading in answers if reading in kept])
