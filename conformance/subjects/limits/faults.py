"""Planted faults of a controller, each a change of what decides, and legal variants that must
pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from spec.kafka import Error
from spec.limits.boundaries import Place, boundaries
from spec.limits.model import (
    Controller,
    counted,
    growth_error,
    has_legal_letters,
    name_error,
    page_of,
    records_of,
    replication_error,
    shape_error,
    total_of,
)
from spec.limits.setting import (
    alteration_error,
    altered,
    config_of,
    default_of,
    topic_config_error,
)
from spec.limits.steps import Resource
from spec.limits.topic import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conformance.serve.broker_state import BrokerState
    from spec.limits.releases import LimitSemantics
    from spec.limits.steps import Change
    from spec.limits.topic import Topic, Topics, Wanted

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


def _configured(
    wrong: Callable[[tuple[tuple[str, str], ...], LimitSemantics], bool],
) -> Controller:
    """The controller takes configs of some new topics whatever their values."""

    def configuring(given: Iterable[tuple[str, str]], semantics: LimitSemantics) -> Error:
        configs = tuple(given)
        return Error.NONE if wrong(configs, semantics) else topic_config_error(configs, semantics)

    return Controller(configuring=configuring)


def _altered(
    change: Callable[[Resource, Topic | None, tuple[Change, ...], LimitSemantics, Error], Error],
) -> Controller:
    """The controller says something else of an alteration."""

    def altering(
        resource: Resource,
        topic: Topic | None,
        changes: Iterable[Change],
        semantics: LimitSemantics,
    ) -> Error:
        given = tuple(changes)
        found = alteration_error(resource, topic, given, semantics)
        return change(resource, topic, given, semantics, found)

    return Controller(altering=altering)


def _of(kind: Resource, taken: Callable[[Change, LimitSemantics], bool]) -> Controller:
    """The controller takes some changes of one kind of resource."""

    def change(
        resource: Resource,
        topic: Topic | None,
        changes: tuple[Change, ...],
        semantics: LimitSemantics,
        found: Error,
    ) -> Error:
        if resource is not kind or found in {Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION}:
            return found
        left = tuple([one for one in changes if not taken(one, semantics)])
        return alteration_error(resource, topic, left, semantics)

    return _altered(change)


def _boundary_of(
    resource: Resource, name: str, value: str | None, semantics: LimitSemantics
) -> Place | None:
    """Where a value stands in its config's range; None for what is none of its boundary values."""
    config = config_of(resource, name, semantics)
    every = () if config is None else tuple(boundaries(config))
    return next((one.place for one in every if one.value == value), None)


def _in_range_refused(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del topic
    greatest = any(
        _boundary_of(resource, one.config, one.value, semantics) is Place.GREATEST
        for one in changes
    )
    return Error.INVALID_CONFIG if greatest and resource is Resource.TOPIC else found


def _is_unknown(resource: Resource) -> Callable[[Change, LimitSemantics], bool]:
    return lambda one, semantics: config_of(resource, one.config, semantics) is None


def _is_at(resource: Resource, place: Place) -> Callable[[Change, LimitSemantics], bool]:
    return lambda one, semantics: _boundary_of(resource, one.config, one.value, semantics) is place


def _is_read_only(one: Change, semantics: LimitSemantics) -> bool:
    config = config_of(Resource.BROKERS, one.config, semantics)
    return config is not None and config.mode == "read-only"


def _is_no_number(one: Change, semantics: LimitSemantics) -> bool:
    config = config_of(Resource.TOPIC, one.config, semantics)
    return config is not None and one.value in {"", "x"}


def _sets_first_only(topic: Topic, changes: Iterable[Change]) -> Topic:
    return altered(topic, tuple(changes)[:1])


def _never_takes_away(topic: Topic, changes: Iterable[Change]) -> Topic:
    return altered(topic, [one for one in changes if one.value is not None])


def _forgets_others(topic: Topic, changes: Iterable[Change]) -> Topic:
    return altered(replace(topic, configs=()), changes)


def _unknown_topic_is_invalid(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del resource, topic, changes, semantics
    unknown = found is Error.UNKNOWN_TOPIC_OR_PARTITION
    return Error.INVALID_REQUEST if unknown else found


def _brokers_as_topics(
    resource: Resource,
    topic: Topic | None,
    changes: tuple[Change, ...],
    semantics: LimitSemantics,
    found: Error,
) -> Error:
    del resource, topic, changes, semantics
    return Error.INVALID_CONFIG if found is Error.INVALID_REQUEST else found


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
        "many-partitions-unanswered",
        "LIM-001",
        VIOLATES,
        "A CreateTopics request for more than 10,000 partitions ends its connection.",
        Controller(answers=lambda partitions: partitions <= 10_000),
    ),
    LimitFault(
        "two-partitions-by-default",
        "LIM-018",
        VIOLATES,
        "A new topic without a number of partitions has one more than num.partitions.",
        Controller(
            counting=lambda wanted, semantics: (
                counted(wanted, semantics) + (wanted.partitions == DEFAULT)
            )
        ),
    ),
    LimitFault(
        "growth-not-bounded",
        "LIM-032",
        DEVIATES,
        "A request may add any number of partitions.",
        Controller(bounds_growth=False),
    ),
    LimitFault(
        "too-much-growth-has-another-code",
        "LIM-033",
        DEVIATES,
        "Too many new partitions are refused with INVALID_PARTITIONS.",
        Controller(growth_code=Error.INVALID_PARTITIONS),
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
CONFIG_FAULTS = (
    LimitFault(
        "created-below-range",
        "LIM-060",
        VIOLATES,
        "A new topic may have a config below its range.",
        _configured(
            lambda given, semantics: any(
                _boundary_of(Resource.TOPIC, *one, semantics) is Place.BELOW for one in given
            )
        ),
    ),
    LimitFault(
        "created-above-range",
        "LIM-060",
        VIOLATES,
        "A new topic may have a config above its range.",
        _configured(
            lambda given, semantics: any(
                _boundary_of(Resource.TOPIC, *one, semantics) is Place.ABOVE for one in given
            )
        ),
    ),
    LimitFault(
        "created-unchecked",
        "LIM-060",
        VIOLATES,
        "The configs of a new topic are not looked at.",
        _configured(lambda _given, _semantics: True),
    ),
    LimitFault(
        "configs-with-topic-refused",
        "LIM-003",
        VIOLATES,
        "A new topic with a config is refused.",
        Controller(
            configuring=lambda given, _semantics: (
                Error.INVALID_CONFIG if tuple(given) else Error.NONE
            )
        ),
    ),
    LimitFault(
        "altered-below-range",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set below its range.",
        _of(Resource.TOPIC, _is_at(Resource.TOPIC, Place.BELOW)),
    ),
    LimitFault(
        "altered-above-range",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set above its range.",
        _of(Resource.TOPIC, _is_at(Resource.TOPIC, Place.ABOVE)),
    ),
    LimitFault(
        "altered-to-no-number",
        "LIM-061",
        VIOLATES,
        "A topic's config may be set to what is no number.",
        _of(Resource.TOPIC, _is_no_number),
    ),
    LimitFault(
        "group-altered-below-range",
        "LIM-061",
        VIOLATES,
        "A group's config may be set below its range.",
        _of(Resource.GROUP, _is_at(Resource.GROUP, Place.BELOW)),
    ),
    LimitFault(
        "brokers-altered-above-range",
        "LIM-061",
        VIOLATES,
        "A config of all brokers may be set above its range.",
        _of(Resource.BROKERS, _is_at(Resource.BROKERS, Place.ABOVE)),
    ),
    LimitFault(
        "greatest-refused",
        "LIM-062",
        VIOLATES,
        "The greatest value of a topic's config is refused.",
        _altered(_in_range_refused),
    ),
    LimitFault(
        "read-only-altered",
        "LIM-063",
        VIOLATES,
        "Configs that a broker reads at its start are altered.",
        _of(Resource.BROKERS, _is_read_only),
    ),
    LimitFault(
        "unknown-config-of-topic-taken",
        "LIM-064",
        DEVIATES,
        "A config of a topic that the release does not have is taken.",
        _of(Resource.TOPIC, _is_unknown(Resource.TOPIC)),
    ),
    LimitFault(
        "unknown-config-of-group-taken",
        "LIM-064",
        DEVIATES,
        "A config of a group that the release does not have is taken.",
        _of(Resource.GROUP, _is_unknown(Resource.GROUP)),
    ),
    LimitFault(
        "no-topic-is-invalid",
        "LIM-065",
        DEVIATES,
        "Where there is no topic to alter, the error is INVALID_REQUEST.",
        _altered(_unknown_topic_is_invalid),
    ),
    LimitFault(
        "brokers-have-the-code-of-topics",
        "LIM-065",
        DEVIATES,
        "A value that brokers can't have is refused with INVALID_CONFIG.",
        _altered(_brokers_as_topics),
    ),
    LimitFault(
        "refused-configs-set",
        "LIM-066",
        VIOLATES,
        "An alteration that is refused is made all the same.",
        Controller(sets_refused=True),
    ),
    LimitFault(
        "validated-configs-set",
        "LIM-066",
        VIOLATES,
        "An alteration that is only validated is made.",
        Controller(sets_validated=True),
    ),
    LimitFault(
        "first-config-set-only",
        "LIM-066",
        VIOLATES,
        "Of several configs only the first one is set.",
        Controller(setting=_sets_first_only),
    ),
    LimitFault(
        "configs-never-taken-away",
        "LIM-066",
        VIOLATES,
        "A config that is taken away stays set.",
        Controller(setting=_never_takes_away),
    ),
    LimitFault(
        "other-configs-forgotten",
        "LIM-066",
        VIOLATES,
        "Configs that an alteration does not name are taken away.",
        Controller(setting=_forgets_others),
    ),
    LimitFault(
        "other-default",
        "LIM-067",
        DEVIATES,
        "The default of retention.ms is forever.",
        Controller(
            defaulting=lambda name, semantics: (
                "-1" if name == "retention.ms" else default_of(name, semantics)
            )
        ),
    ),
    LimitFault(
        "page-of-one-more",
        "LIM-070",
        VIOLATES,
        "A page has one partition more than asked for.",
        Controller(paging=lambda limit, semantics: page_of(limit, semantics) + 1),
    ),
    LimitFault(
        "page-not-full",
        "LIM-071",
        DEVIATES,
        "A page has at most one partition.",
        Controller(paging=lambda _limit, _semantics: 1),
    ),
    LimitFault(
        "no-limit-is-no-page",
        "LIM-071",
        DEVIATES,
        "A page of at most no partitions has all of them.",
        Controller(
            paging=lambda limit, semantics: page_of(limit if limit > 0 else 2000, semantics)
        ),
    ),
    LimitFault(
        "no-cursor",
        "LIM-072",
        VIOLATES,
        "A page that is not the last one has no cursor.",
        Controller(following=lambda _start, _count, _partitions: None),
    ),
    LimitFault(
        "cursor-at-the-last-given",
        "LIM-072",
        VIOLATES,
        "The cursor names the last partition of the page.",
        Controller(
            following=lambda start, count, partitions: (
                start + count - 1 if start + count < partitions else None
            )
        ),
    ),
    LimitFault(
        "described-though-not-there",
        "LIM-068",
        VIOLATES,
        "The configs of a topic that is not there are those of a new one.",
        Controller(describes_any=True),
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
