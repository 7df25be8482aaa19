"""Decisions about Produce in which releases differ."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProduceSemantics:
    """The model's decisions about Produce.

    Attributes:
        newest_produce: the newest Produce version; v13 names topics by their ids (KIP-516).
    """

    newest_produce: int = 13


PRODUCE_RELEASES: Mapping[str, ProduceSemantics] = {
    "4.0": ProduceSemantics(newest_produce=12),
    "4.1": ProduceSemantics(),
    "4.2": ProduceSemantics(),
    "4.3": ProduceSemantics(),
    "4.4": ProduceSemantics(),
}
