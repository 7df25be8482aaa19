"""All profiles of the draft, as a set that observations make smaller: those about counting one by one, the other questions by reading."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from spec.max_records.axes import AXES, axis_of, kind_of, normal, with_reading
from spec.max_records.profile import Compressed, Profile, Scope, Stop, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

APART = ("zero", "negative", "min_bytes", "session", "encoding")
"""Questions that have nothing to do with counting: each is settled by itself."""
CRAFTED = ("gaps", "empty")
"""Questions that only layouts which compaction leaves can settle."""


def representative(profile: Profile) -> Profile:
    """The profile that stands for all those that answer alike.

    A limit for both scopes is that of the request (proved for all numbers in `spec/max_records/counting.py`). Counting by decompressing is
    counting by the header on every layout that there is (`fencepost readings compressed`). Where each partition has its own limit and the
    walk stops after the batch that crosses, nothing follows the head of a batch, so that it does not matter what that counts.
    """
    scope = Scope.REQUEST if profile.scope is Scope.BOTH else profile.scope
    compressed = Compressed.HEADER if profile.compressed is Compressed.DEEP else profile.compressed
    tail = profile.tail
    if scope is Scope.PARTITION and profile.stop is Stop.AFTER and tail is Tail.FREE:
        tail = Tail.COUNTED
    return normal(replace(profile, scope=scope, compressed=compressed, tail=tail))


@cache
def counting_profiles(*, crafted: bool) -> tuple[Profile, ...]:
    """One profile for each way of counting that can be told from the others; without `crafted`, the questions of `CRAFTED` stay open."""
    found = {Profile()}
    for axis in AXES:
        if axis.name in APART or (axis.name in CRAFTED and not crafted):
            continue
        met = [profile for profile in found if axis.arises(profile)]
        found |= {representative(with_reading(profile, axis.name, reading)) for profile in met for reading in kind_of(axis.name)}
    return tuple(sorted(found, key=str))


def drawn(seed: int) -> Profile:
    """A profile at random: every question that arises answered by any of its readings. The same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 - choosing profiles, not secrets
    profile = Profile()
    for axis in AXES:
        profile = with_reading(profile, axis.name, rng.choice(list(kind_of(axis.name))))
    return normal(profile)


def _apart() -> Mapping[str, tuple[str, ...]]:
    return {name: tuple(kind_of(name)) for name in APART}


@dataclass(frozen=True, slots=True)
class ProfileClass:
    """The profiles that fit all that was seen.

    Attributes:
        counting: those about counting, by their representatives.
        apart: of each other question, the readings that fit.
        crafted: whether layouts could be asked about that only compaction leaves.
    """

    counting: tuple[Profile, ...]
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=_apart)
    crafted: bool = True

    @property
    def empty(self) -> bool:
        """Whether no profile fits."""
        return not self.counting or not all(self.apart.values())

    @property
    def named(self) -> str:
        """Every question that arises with the readings that fit, as `stop=before, scope=request|both`; defaults alone are left out."""
        default = Profile()
        words = [(axis.name, self.readings(axis.name)) for axis in AXES]
        told = [f"{name}={'|'.join(found)}" for name, found in words if found and found != (getattr(default, name),)]
        return ", ".join(told) or "default"

    def holds(self, profile: Profile) -> bool:
        """Whether a profile is in the class."""
        if any(getattr(profile, name) not in readings for name, readings in self.apart.items()):
            return False
        default = Profile()
        idle: dict[str, Any] = {name: getattr(default, name) for name in (*APART, *(() if self.crafted else CRAFTED))}
        return representative(replace(profile, **idle)) in self.counting

    def counted(self, keep: Callable[[Profile], bool]) -> ProfileClass:
        """The class without the ways of counting that do not fit."""
        return replace(self, counting=tuple([profile for profile in self.counting if keep(profile)]))

    def answered(self, name: str, fitting: tuple[str, ...]) -> ProfileClass:
        """The class with these readings left of a question that is apart."""
        return replace(self, apart={**self.apart, name: tuple([one for one in self.apart[name] if one in fitting])})

    def readings(self, name: str) -> tuple[str, ...]:
        """The readings of a question that some profile of the class has, with those that answer alike; empty where it does not arise."""
        if name in self.apart:
            return self.apart[name]
        axis = axis_of(name)
        if name in CRAFTED and not self.crafted:
            return tuple(kind_of(name)) if any(axis.arises(profile) for profile in self.counting) else ()
        found = [profile for profile in self.counting if axis.arises(profile)]
        kept = {getattr(profile, name) for profile in found}
        kept |= {Scope.BOTH} if Scope.REQUEST in kept else set()
        alone = any(profile.scope is Scope.PARTITION and profile.stop is Stop.AFTER for profile in found)
        kept |= {Tail.FREE} if name == "tail" and alone and Tail.COUNTED in kept else set()
        kept |= {Compressed.DEEP} if Compressed.HEADER in kept else set()
        return tuple([reading for reading in kind_of(name) if reading in kept])
