"""All named decisions of the model in one frozen record, a part for each subject.

A Kafka release, a reading of an ambiguous text and a planted fault are each a small function from
Semantics to Semantics; no rule asks for a version.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from spec.fact import fact
from spec.frozen import frozen, replace

Part = TypeVar("Part")


@frozen(slots=False)
class Semantics:
    """The model's decisions wherever it could decide otherwise.

    Attributes:
        release: the Kafka release, `4.3`.
        parts: one frozen record of decisions for each subject, distinguished by their classes; of a
            class that is not here, its defaults hold.
    """

    release: str = "4.3"
    parts: tuple[object, ...] = ()

    def of(self, kind: type[Part]) -> Part:
        """The decisions of this class."""
        found = self.find(kind)
        return kind() if found is None else found

    def find(self, kind: type[Part]) -> Part | None:
        """The decisions of this class; None where they are not here, as those of a draft that is
        not known.
        """
        found: Part | None = self._by_class.get(kind)
        return found

    @fact
    def _by_class(self) -> Mapping[type, Any]:
        """The parts by their classes."""
        return {type(part): part for part in self.parts}

    def with_part(self, part: object) -> "Semantics":
        """The same with this part in place of the one of its class."""
        others = [one for one in self.parts if type(one) is not type(part)]
        return replace(self, parts=(*others, part))

    def without(self, kind: type[object]) -> "Semantics":
        """The same without the part of this class."""
        return replace(self, parts=tuple([one for one in self.parts if type(one) is not kind]))

    def with_decisions(self, kind: type[Any], **decisions: Any) -> "Semantics":
        """The same with other decisions in the part of this class."""
        return self.with_part(replace(self.of(kind), **decisions))


Change = Callable[[Semantics], Semantics]
"""A release, a reading or a planted fault."""


def decision_change(kind: type[Any], **decisions: Any) -> Change:
    """The change by which the part of this class decides so."""

    def change(semantics: Semantics) -> Semantics:
        return semantics.with_decisions(kind, **decisions)

    return change
