"""Axes of readings: the questions that a text leaves open, each with the ways in which it can be
understood.

A clause with readings is an axis, and so is an open question of a draft. Where the model can follow
a reading, the axis says how: as a change of the semantics. A profile answers every question of a
draft.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Generic, TypeVar, get_type_hints

from spec.clause import Clause, Reading
from spec.frozen import frozen, replace
from spec.semantics import Change

P = TypeVar("P")


@frozen
class Axis:
    """One question.

    Attributes:
        id: of the clause or the ambiguity, `MXR-A2`.
        name: how a profile and a reader name it, `stop`; of a clause, its id.
        asks: the question; of a clause, its statement.
        readings: the answers, the default first.
        says: the words of the text that leave it open, or what they leave out; in our own words.
        when: when it arises, in words; empty where it always does.
        arises: the same, for a profile.
        needs: changes to the default profile under which it arises.
        ways: by reading, the change with which the model follows it; a reading that is not here
            is one that the model does not answer by.
    """

    id: str
    name: str
    asks: str
    readings: tuple[Reading, ...]
    says: str = ""
    when: str = ""
    arises: Callable[[Any], bool] = lambda _: True
    needs: tuple[tuple[str, StrEnum], ...] = ()
    ways: Mapping[str, Change] = field(default_factory=dict, hash=False)


def axis_of_clause(clause: Clause[Any]) -> Axis:
    """A clause with readings as an axis."""
    ways = {one.name: one.way for one in clause.readings if one.way is not None}
    return Axis(clause.id, clause.id, clause.statement, clause.readings, ways=ways)


class BadProfileError(ValueError):
    """A profile that names no question, or no answer to it."""


@frozen
class Questions(Generic[P]):
    """The open questions of one text, and the profiles that answer them all.

    Attributes:
        kind: the class of a profile: frozen, with one enum for each question under its name.
        axes: the questions, in the order in which they are asked.
        change: the model that follows a profile.
        elsewhere: ambiguities that are no question here, by id, and why not.
    """

    kind: type[P]
    axes: tuple[Axis, ...]
    change: Callable[[P], Change]
    elsewhere: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def default(self) -> P:
        """Every question answered by default."""
        return self.kind()

    def axis(self, name: str) -> Axis:
        """The question of that name. Raises KeyError."""
        return {axis.name: axis for axis in self.axes}[name]

    def answers(self, name: str) -> type[StrEnum]:
        """The enum of a question's answers."""
        kind: type[StrEnum] = get_type_hints(self.kind)[name]
        return kind

    def normal(self, profile: P) -> P:
        """The profile with each question that does not arise answered by default.

        Two profiles with the same normal one can't differ.
        """
        default = self.default
        idle = [axis.name for axis in self.axes if not axis.arises(profile)]
        return _change_profile(profile, {name: getattr(default, name) for name in idle})

    def with_reading(self, profile: P, name: str, reading: str) -> P:
        """The profile with one question answered otherwise."""
        return _change_profile(profile, {name: self.answers(name)(reading)})

    def profile_where(self, name: str, reading: str, profile: P | None = None) -> P:
        """A profile in which a question arises and is answered so; otherwise as `profile`, or as by
        default.
        """
        needs: dict[str, Any] = dict(self.axis(name).needs)
        based = self.default if profile is None else profile
        return self.with_reading(_change_profile(based, needs), name, reading)

    def axes_with_ways(self) -> tuple[Axis, ...]:
        """The questions, each with the model that answers it in each way and all others by
        default.
        """
        return tuple(
            [
                replace(
                    axis,
                    ways={
                        one.name: self.change(self.profile_where(axis.name, one.name))
                        for one in axis.readings
                    },
                )
                for axis in self.axes
            ]
        )

    def parse(self, text: str) -> P:
        """The profile that `stop=before,scope=partition` names; `default`, or nothing, is the
        default.

        Raises:
            BadProfileError: no such question, or no such answer; the message names those that there
            are.
        """
        names = [axis.name for axis in self.axes]
        profile = self.default
        for part in [
            part.strip() for part in text.split(",") if part.strip() not in {"", "default"}
        ]:
            name, equals, value = part.partition("=")
            if name not in names or not equals:
                raise BadProfileError(
                    f"expected QUESTION=ANSWER with one of {', '.join(names)}, found {part!r}; see "
                    "`fencepost readings`"
                )
            if value not in list(self.answers(name)):
                raise BadProfileError(
                    f"expected one of {', '.join(self.answers(name))} for {name}, found {value!r}; "
                    "see `fencepost readings`"
                )
            profile = self.with_reading(profile, name, value)
        return profile


def _change_profile(profile: P, changes: Mapping[str, Any]) -> P:
    changed: P = replace(profile, **changes)  # type: ignore[type-var]  # a profile is a dataclass
    return changed


def differences(profile: Any) -> str:
    """The differences of a profile from the default, as the command line takes it:
    `stop=before,scope=partition`; or `default`.
    """
    default = type(profile)()
    named = [(name, getattr(profile, name)) for name in profile.__dataclass_fields__]
    return (
        ",".join([f"{name}={value}" for name, value in named if value != getattr(default, name)])
        or "default"
    )
