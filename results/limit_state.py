"""What a history of limits has made of topics and connections, as the answers show it."""

from collections.abc import Mapping
from dataclasses import field

from spec.frozen import frozen, replace
from spec.limits.listener import OF_LISTENER
from spec.limits.outcomes import ConnectionsHeld, TopicEntry, TopicsAnswer
from spec.limits.steps import (
    CloseConnection,
    CreatePartitions,
    CreateTopics,
    DescribeTopics,
    LimitConnections,
    LimitListener,
    Name,
    OpenConnection,
)
from spec.outcomes import Outcome
from spec.steps import Step

NEAR_LONGEST_NAME = 200
"""The length of a name from which on it is put beside its bound."""
_NAME_CHARACTERS = 40
"""Characters of a name that are shown."""


@frozen
class Before:
    """What a history has made of topics and connections before a step, as the answers show it.

    Attributes:
        partitions: how many a topic has, by its name.
        limits: of addresses.
        held: the connections that an address has.
        of_listener: the limit of the listener.
    """

    partitions: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[int, int] = field(default_factory=dict)
    held: Mapping[int, int] = field(default_factory=dict)
    of_listener: int = OF_LISTENER

    def after(self, step: Step, outcome: Outcome | None) -> "Before":
        """It after a step and its outcome."""
        match step, outcome:
            case CreateTopics() | CreatePartitions() | DescribeTopics(), TopicsAnswer():
                return replace(self, partitions={**self.partitions, **_counts(step, outcome)})
            case LimitConnections() | OpenConnection() | CloseConnection(), ConnectionsHeld():
                limits = {step.address: step.limit} if isinstance(step, LimitConnections) else {}
                held = {step.address: outcome.answered + outcome.served}
                return replace(self, limits={**self.limits, **limits}, held={**self.held, **held})
            case LimitListener(limit=limit), _:
                return replace(self, of_listener=limit)
        return self


def _counts(
    step: CreateTopics | CreatePartitions | DescribeTopics, answer: TopicsAnswer
) -> Mapping[str, int]:
    """The partitions of topics that an answer speaks of."""
    if not isinstance(step, DescribeTopics) and step.validate_only:
        return {}
    found = {}
    for place, name in enumerate(step.asked_names):
        entry = entry_of(answer, place)
        if entry is None or entry.error:
            continue
        asked = step.topics[place].count if isinstance(step, CreatePartitions) else None
        count = entry.partitions if asked is None else asked
        if count is not None:
            found[name.whole] = count
    return found


def entry_of(answer: TopicsAnswer, place: int) -> TopicEntry | None:
    """The entry of the topic at this place of the request; None where the answer has none."""
    return next((one for one in answer.entries if one.topic == place), None)


def entry_error(answer: TopicsAnswer | None, place: int) -> int | None:
    """The error code of the topic at this place of the request; None where there is none."""
    entry = None if answer is None else entry_of(answer, place)
    return None if entry is None else entry.error


def shown_name(name: Name) -> str:
    """A name as it is asked for, without what all names of a play begin with."""
    length = len(name.whole)
    shown = name.text if len(name.text) <= _NAME_CHARACTERS else f"{name.text[:_NAME_CHARACTERS]}…"
    return f"'{shown}'" + (f" of {length} characters" if length >= NEAR_LONGEST_NAME else "")
