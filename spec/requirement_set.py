"""Requirement sets: the clauses that count for one Kafka release.

A set is made from the clauses themselves: it has those that hold in the release. What it has is
frozen by a digest beside its name. When a clause is added or withdrawn, changes its strength or
can be tested at last, each set that it touches gets the next revision; the lines of the earlier
ones stay, so that two runs can be compared by the names of their sets.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

from spec.clause import Clause
from spec.frozen import frozen

T = TypeVar("T")


def holds_in(clause: Clause[Any], release: str) -> bool:
    """Whether a clause holds in a release, `4.3`."""
    return _number(clause.since) <= _number(release)


def clauses_in(clauses: Mapping[str, Clause[T]], release: str) -> Mapping[str, Clause[T]]:
    """Those clauses that hold in a release, in their order."""
    return {name: clause for name, clause in clauses.items() if holds_in(clause, release)}


def _number(release: str) -> tuple[int, ...]:
    return tuple([int(part) for part in release.split(".")])


@frozen
class RequirementSet:
    """The clauses that count for one subject and release.

    Attributes:
        subject: `fetch`.
        release: `4.3`.
        revision: from 1; a set that has other clauses than before has the next number.
        clauses: the ids that count, sorted.
        excluded: the ids that can't be tested, sorted; the catalogue has the reason of each.
        digest: see `digest_of`.
    """

    subject: str
    release: str
    revision: int
    clauses: tuple[str, ...]
    excluded: tuple[str, ...]
    digest: str

    @property
    def name(self) -> str:
        """`fetch-4.3@1`."""
        return f"{self.subject}-{self.release}@{self.revision}"


def set_of(
    subject: str, release: str, clauses: Iterable[Clause[Any]], frozen: Mapping[str, str]
) -> RequirementSet:
    """The set that these clauses make for a release.

    Its revision is the newest frozen one where that has the same digest, otherwise the next one.

    Args:
        subject: its name.
        release: `4.3`.
        clauses: all of the subject's.
        frozen: the digest of each published set by its name.
    """
    members = sorted(
        [clause for clause in clauses if holds_in(clause, release)], key=lambda clause: clause.id
    )
    digest = digest_of(subject, release, members)
    revision = newest_revision(subject, release, frozen)
    if frozen.get(f"{subject}-{release}@{revision}") != digest:
        revision += 1
    return RequirementSet(
        subject,
        release,
        revision,
        tuple([clause.id for clause in members if not clause.excluded]),
        tuple([clause.id for clause in members if clause.excluded]),
        digest,
    )


def newest_revision(subject: str, release: str, frozen: Mapping[str, str]) -> int:
    """The number of the newest frozen revision of a set; 0 where there is none."""
    names = [name.rpartition("@") for name in frozen]
    numbers = [int(number) for name, _, number in names if name == f"{subject}-{release}"]
    return max(numbers, default=0)


def digest_of(subject: str, release: str, members: Iterable[Clause[Any]]) -> str:
    """The digest of a set, SHA-256 in hexadecimal: its subject and release, and each clause with
    its strength, or that it is excluded.
    """
    lines = [
        f"{clause.id} {'excluded' if clause.excluded else clause.strength}" for clause in members
    ]
    return sha256("\n".join([f"{subject}-{release}", *lines]).encode()).hexdigest()
