"""Planted faults of a controller, each a change of what decides, and legal variants that must
pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.kafka import Error
from spec.limits.model import (
    Controller,
    counted,
    growth_error,
    has_legal_letters,
    name_error,
    records_of,
    replication_error,
    shape_error,
    total_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.serve.broker_state import BrokerState
    from spec.limits.model import Topic, Topics, Wanted
    from spec.limits.releases import LimitSemantics

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS


@dataclass(frozen=True, slots=True)
class LimitFault:
    """A way for a controller to be wrong, or different; see `PlantedFault`."""

    name: str
    clause: str
    expected: Expected
    summary: str
    controller: Controller

    def plant(self, state: BrokerState) -> None:
        """Make a served model wrong in this way."""
        state.controller = self.controller


def _named(change: Callable[[str, Topics, Error], Error]) -> Controller:
    """The controller says something else of a name."""
    return Controller(naming=lambda name, topics: change(name, topics, name_error(name, topics)))


def _shaped(change: Callable[[Wanted, LimitSemantics, Error], Error]) -> Controller:
    """The controller says something else of a new topic's numbers."""
    return Controller(
        shaping=lambda wanted, semantics: change(wanted, semantics, shape_error(wanted, semantics))
    )


def _totalled(total: Callable[[Sequence[Wanted], LimitSemantics], int]) -> Controller:
    return Controller(totalling=total)


def _coded(old: Error, new: Error) -> Controller:
    """The controller answers another code."""

    def naming(name: str, topics: Topics) -> Error:
        found = name_error(name, topics)
        return new if found is old else found

    def shaping(wanted: Wanted, semantics: LimitSemantics) -> Error:
        found = shape_error(wanted, semantics)
        return new if found is old else found

    def growing(count: int, topic: Topic | None) -> Error:
        found = growth_error(count, topic)
        return new if found is old else found

    return Controller(naming=naming, shaping=shaping, growing=growing)


def _up_to(length: int) -> Controller:
    """Names are taken up to another length."""

    def change(name: str, topics: Topics, found: Error) -> Error:
        if len(name) > length and has_legal_letters(name):
            return found or Error.INVALID_TOPIC_EXCEPTION
        shortened = name_error(name[:200], topics)
        return found if len(name) <= 200 else shortened

    return _named(change)


def _only_where(wrong: Callable[[str], bool]) -> Controller:
    """Names of some kind are taken, unless they are others'."""
    return _named(
        lambda name, topics, found: (
            Error.NONE if wrong(name) and name not in topics and bool(name) else found
        )
    )


def _existing_is_fine(name: str, topics: Topics, found: Error) -> Error:
    return Error.NONE if name in topics else found


def _collisions_are_fine(name: str, topics: Topics, found: Error) -> Error:
    del topics
    return found if found is Error.TOPIC_ALREADY_EXISTS else name_error(name, {})


def _dots_are_refused(name: str, topics: Topics, found: Error) -> Error:
    del topics
    return found or (Error.INVALID_TOPIC_EXCEPTION if "." in name else Error.NONE)


def _brokers_plus_one(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    del found
    return shape_error(wanted, replace(semantics, brokers=semantics.brokers + 1))


def _any_factor(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    del found
    return shape_error(replace(wanted, replication=-1), semantics)


def _zero_is_default(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    same = replace(wanted, partitions=-1) if not wanted.partitions else wanted
    return found and shape_error(same, semantics)


def _negative_is_default(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    same = replace(wanted, partitions=-1) if wanted.partitions < -1 else wanted
    return found and shape_error(same, semantics)


def _no_default(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    del semantics
    return found or (Error.INVALID_PARTITIONS if wanted.partitions == -1 else Error.NONE)


def _one_replica_refused(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    full = wanted.replication == semantics.brokers
    return found or (Error.INVALID_REPLICATION_FACTOR if full else Error.NONE)


def _partitions_first(wanted: Wanted, semantics: LimitSemantics, found: Error) -> Error:
    del found
    counts = shape_error(replace(wanted, replication=-1), semantics)
    return counts or replication_error(wanted, semantics)


def _total_of_accepted(wanted: Sequence[Wanted], semantics: LimitSemantics) -> int:
    return total_of([one for one in wanted if has_legal_letters(one.name)], semantics)


def _grown(change: Callable[[int, Topic, Error], Error]) -> Controller:
    """The controller says something else of a topic that is there and is to grow."""

    def growing(count: int, topic: Topic | None) -> Error:
        found = growth_error(count, topic)
        return found if topic is None else change(count, topic, found)

    return Controller(growing=growing)


FAULTS = (
    LimitFault(
        "entry-of-refused-missing",
        "LIM-002",
        VIOLATES,
        "The answer has no entry for the second topic of a request.",
        Controller(lists=lambda places: [*places[:1], *places[2:]]),
    ),
    LimitFault(
        "dots-refused",
        "LIM-003",
        VIOLATES,
        "A name with a dot is refused.",
        _named(_dots_are_refused),
    ),
    LimitFault(
        "default-partitions-refused",
        "LIM-003",
        VIOLATES,
        "A topic without a number of partitions is refused.",
        _shaped(_no_default),
    ),
    LimitFault(
        "all-replicas-refused",
        "LIM-003",
        VIOLATES,
        "As many replicas as there are brokers are refused.",
        _shaped(_one_replica_refused),
    ),
    LimitFault(
        "name-of-249-refused",
        "LIM-003",
        VIOLATES,
        "A name of 249 characters is refused.",
        _up_to(248),
    ),
    LimitFault(
        "name-of-250-taken",
        "LIM-010",
        VIOLATES,
        "A name of 250 characters is taken.",
        _up_to(250),
    ),
    LimitFault(
        "name-as-long-as-a-folder",
        "LIM-010",
        VIOLATES,
        "A name of 255 characters is taken, which leaves no room for the partition's number.",
        _up_to(255),
    ),
    LimitFault(
        "empty-name-taken",
        "LIM-010",
        VIOLATES,
        "An empty name is taken.",
        _named(lambda name, _topics, found: found if name else Error.NONE),
    ),
    LimitFault(
        "letters-of-unicode-taken",
        "LIM-011",
        DEVIATES,
        "Letters and digits beyond ASCII are taken in a name.",
        _only_where(lambda name: not name.isascii() and name.replace("-", "").isalnum()),
    ),
    LimitFault(
        "space-taken",
        "LIM-011",
        DEVIATES,
        "A space is taken in a name.",
        _only_where(lambda name: " " in name),
    ),
    LimitFault(
        "slash-taken",
        "LIM-011",
        DEVIATES,
        "A slash is taken in a name.",
        _only_where(lambda name: "/" in name),
    ),
    LimitFault(
        "parent-folder-taken",
        "LIM-012",
        DEVIATES,
        "The name of two dots is taken.",
        _only_where(lambda name: name == ".."),
    ),
    LimitFault(
        "own-folder-taken",
        "LIM-012",
        DEVIATES,
        "The name of one dot is taken.",
        _only_where(lambda name: name == "."),
    ),
    LimitFault(
        "collisions-taken",
        "LIM-013",
        DEVIATES,
        "A name is taken that differs from another topic's in a dot and an underscore only.",
        _named(_collisions_are_fine),
    ),
    LimitFault(
        "existing-taken",
        "LIM-014",
        VIOLATES,
        "A topic that is there already is made again.",
        _named(_existing_is_fine),
    ),
    LimitFault(
        "named-twice-taken",
        "LIM-015",
        DEVIATES,
        "A topic that a request names twice is taken.",
        Controller(answers_twice=Error.NONE),
    ),
    LimitFault(
        "no-partition-taken",
        "LIM-016",
        VIOLATES,
        "A topic of no partitions is taken as one without a number.",
        _shaped(_zero_is_default),
    ),
    LimitFault(
        "negative-partitions-taken",
        "LIM-016",
        VIOLATES,
        "Any negative number of partitions is taken for the broker's own.",
        _shaped(_negative_is_default),
    ),
    LimitFault(
        "one-replica-too-many",
        "LIM-017",
        VIOLATES,
        "One replica more than there are brokers is taken.",
        _shaped(_brokers_plus_one),
    ),
    LimitFault(
        "replication-not-checked",
        "LIM-017",
        VIOLATES,
        "Any replication factor is taken.",
        _shaped(_any_factor),
    ),
    LimitFault(
        "one-more-made",
        "LIM-019",
        VIOLATES,
        "A new topic has one partition more than asked for.",
        Controller(makes_by=1),
    ),
    LimitFault(
        "one-partition-over-the-total",
        "LIM-021",
        DEVIATES,
        "A request may have one metadata record more.",
        Controller(recording=lambda wanted, semantics: records_of(wanted, semantics) - 1),
    ),
    LimitFault(
        "configs-not-counted",
        "LIM-021",
        DEVIATES,
        "Configs are no metadata records.",
        Controller(recording=lambda wanted, semantics: 1 + counted(wanted, semantics)),
    ),
    LimitFault(
        "records-not-counted",
        "LIM-021",
        DEVIATES,
        "Only partitions are counted, so that a topic of 10,000 is taken.",
        Controller(recording=lambda _wanted, _semantics: 0),
    ),
    LimitFault(
        "refused-not-counted",
        "LIM-020",
        DEVIATES,
        "The partitions of topics that are refused for their names count in no total.",
        _totalled(_total_of_accepted),
    ),
    LimitFault(
        "excess-refused-alone",
        "LIM-020",
        DEVIATES,
        "Of too many partitions only those topics are refused that do not fit any more.",
        Controller(refuses_alone=True),
    ),
    LimitFault(
        "total-not-wrapped",
        "LIM-022",
        DEVIATES,
        "The partitions of a request are added up as they are.",
        _totalled(lambda wanted, semantics: sum(max(0, counted(one, semantics)) for one in wanted)),
    ),
    LimitFault(
        "shrinks",
        "LIM-030",
        VIOLATES,
        "A topic is given fewer partitions.",
        _grown(lambda count, topic, found: Error.NONE if 0 < count < topic.partitions else found),
    ),
    LimitFault(
        "as-many-taken",
        "LIM-030",
        VIOLATES,
        "A topic may be given as many partitions as it has.",
        _grown(lambda count, topic, found: Error.NONE if count == topic.partitions else found),
    ),
    LimitFault(
        "growth-by-one-refused",
        "LIM-030",
        VIOLATES,
        "One partition more is refused.",
        _grown(
            lambda count, topic, found: (
                Error.INVALID_PARTITIONS if count == topic.partitions + 1 else found
            )
        ),
    ),
    LimitFault(
        "unknown-topic-grows",
        "LIM-031",
        VIOLATES,
        "A topic that does not exist may be given partitions.",
        Controller(
            growing=lambda count, topic: Error.NONE if topic is None else growth_error(count, topic)
        ),
    ),
    LimitFault(
        "name-has-another-code",
        "LIM-040",
        DEVIATES,
        "A name that can't be is refused with INVALID_REQUEST.",
        _coded(Error.INVALID_TOPIC_EXCEPTION, Error.INVALID_REQUEST),
    ),
    LimitFault(
        "existing-has-another-code",
        "LIM-040",
        DEVIATES,
        "A topic that is there already is refused with INVALID_TOPIC_EXCEPTION.",
        _coded(Error.TOPIC_ALREADY_EXISTS, Error.INVALID_TOPIC_EXCEPTION),
    ),
    LimitFault(
        "partitions-before-replication",
        "LIM-040",
        DEVIATES,
        "The partitions are looked at before a replication factor below 1.",
        _shaped(_partitions_first),
    ),
    LimitFault(
        "growth-has-another-code",
        "LIM-041",
        DEVIATES,
        "A topic that does not grow is refused with INVALID_REQUEST.",
        _coded(Error.INVALID_PARTITIONS, Error.INVALID_REQUEST),
    ),
    LimitFault(
        "validated-made",
        "LIM-050",
        VIOLATES,
        "Topics that are only validated are made.",
        Controller(makes_validated=True),
    ),
    LimitFault(
        "refused-made",
        "LIM-050",
        VIOLATES,
        "Topics that are refused are made all the same.",
        Controller(makes_refused=True),
    ),
    LimitFault(
        "grows-by-one-less",
        "LIM-051",
        VIOLATES,
        "A topic that grows has one partition less than asked for.",
        Controller(grows_by=-1),
    ),
    LimitFault(
        "grows-by-one-more",
        "LIM-051",
        VIOLATES,
        "A topic that grows has one partition more than asked for.",
        Controller(grows_by=1),
    ),
)
VARIANTS = (
    LimitFault(
        "partitions-unsaid",
        "LIM-019",
        CONFORMS,
        "Answers do not say how many partitions a new topic has, as those before version 5.",
        Controller(says_partitions=False),
    ),
    LimitFault(
        "entries-backwards",
        "LIM-002",
        CONFORMS,
        "Answers name the topics in the order in which they were not asked for.",
        Controller(lists=lambda places: tuple(reversed(places))),
    ),
)
