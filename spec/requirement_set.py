"""Requirement sets: the clauses that count for one Kafka release, frozen by name and version.

A published set is never edited. When a clause is added, withdrawn or can be tested at last, each
release that it touches gets a new set with the next version number, and the old one stays, so that
two runs can be compared by the name of theirs.
"""

from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """The clauses that count for one subject and release.

    Attributes:
        subject: `fetch`.
        release: `4.3`.
        version: from 1; a set that replaces another has the next number.
        clauses: the ids that count, sorted.
        excluded: the ids of the subject that can't be tested, sorted; the catalogue has the reason
            of each.
    """

    subject: str
    release: str
    version: int
    clauses: tuple[str, ...]
    excluded: tuple[str, ...]

    @property
    def name(self) -> str:
        """`fetch-4.3@1`."""
        return f"{self.subject}-{self.release}@{self.version}"

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, over the name and every id: what shows that a published set was
        edited.
        """
        text = "\n".join((self.name, *self.clauses, "excluded", *self.excluded))
        return sha256(text.encode()).hexdigest()
