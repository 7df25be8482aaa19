"""The model: which topics a controller makes and enlarges, and which it refuses."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.limits.connections import ConnectionRules
from spec.limits.listener import ListenerRules
from spec.limits.releases import LimitSemantics, PartitionTotal
from spec.limits.setting import alter_topic, alteration_error, default_of, topic_config_error
from spec.limits.steps import Change, Resource
from spec.limits.topic import DEFAULT, RequestedTopic, Topic, Topics

LONGEST_NAME = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")
_NO_FOLDERS = {".", ".."}


def has_legal_letters(name: str) -> bool:
    """Whether all letters of a name may stand in a topic's."""
    return _LEGAL.fullmatch(name) is not None


def is_no_folder(name: str) -> bool:
    """Whether a name stands for another folder than one of its own."""
    return name in _NO_FOLDERS


def is_legal_length(name: str) -> bool:
    """Whether a name is neither empty nor too long."""
    return 1 <= len(name) <= LONGEST_NAME


def collides(name: str, topics: Iterable[str]) -> bool:
    """Whether a topic is there whose name differs in nothing but dots and underscores."""
    same = _unify(name)
    return any(other != name and _unify(other) == same for other in topics)


def _unify(name: str) -> str:
    return name.replace(".", "_")


def name_error(name: str, topics: Topics) -> Error:
    """The error of a new topic's name.

    Source: Topic.java, validate; ReplicationControlManager.java, validateNewTopicNames, of Kafka
    4.3.1.
    """
    if name in topics:
        return Error.TOPIC_ALREADY_EXISTS
    legal = is_legal_length(name) and has_legal_letters(name) and not is_no_folder(name)
    if not legal or collides(name, topics):
        return Error.INVALID_TOPIC_EXCEPTION
    return Error.NONE


def replication_error(wanted: RequestedTopic, semantics: LimitSemantics) -> Error:
    """The error of a replication factor."""
    bad = wanted.replication < 1 and wanted.replication != DEFAULT
    too_many = wanted.replication > semantics.brokers
    return Error.INVALID_REPLICATION_FACTOR if bad or too_many else Error.NONE


def count_error(wanted: RequestedTopic) -> Error:
    """The error of a number of partitions."""
    bad = wanted.partitions < 1 and wanted.partitions != DEFAULT
    return Error.INVALID_PARTITIONS if bad else Error.NONE


def shape_error(wanted: RequestedTopic, semantics: LimitSemantics) -> Error:
    """The error of a new topic's numbers: a replication factor that can never be comes first, then
    the partitions, then a factor that there are too few brokers for.

    Source: ReplicationControlManager.java, createTopic, of Kafka 4.3.1.
    """
    replication, count = replication_error(wanted, semantics), count_error(wanted)
    return (replication or count) if wanted.replication < 1 else (count or replication)


def counted_partitions(wanted: RequestedTopic, semantics: LimitSemantics) -> int:
    """The partitions that a topic adds to its request's total."""
    if wanted.partitions == DEFAULT:
        return semantics.default_partitions
    return max(0, wanted.partitions)


def total_of(wanted: Sequence[RequestedTopic], semantics: LimitSemantics) -> int:
    """All partitions of a request, refused topics included, as the controller adds them up.

    Source: ReplicationControlManager.java:1222-1239, of Kafka 4.3.1.
    """
    total = sum(counted_partitions(one, semantics) for one in wanted)
    return total if semantics.total is PartitionTotal.EXACT else wrap_int32(total)


def wrap_int32(number: int) -> int:
    """What a number is in 32 bits with a sign."""
    return (number + 2**31) % 2**32 - 2**31


def records_of(wanted: RequestedTopic, semantics: LimitSemantics) -> int:
    """The metadata records of a topic that is made: its own, and one for each partition and each
    config.

    Source: ReplicationControlManager.java, createTopic; QuorumController.java:179-186, of Kafka
    4.3.1.
    """
    return 1 + counted_partitions(wanted, semantics) + len(wanted.configs)


def growth_error(count: int, topic: Topic | None) -> Error:
    """The error of a number of partitions that a topic is to have.

    Source: ReplicationControlManager.java, createPartitions, of Kafka 4.3.1.
    """
    if topic is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    return Error.INVALID_PARTITIONS if count <= topic.partitions else Error.NONE


def page_of(limit: int, semantics: LimitSemantics) -> int:
    """How many partitions an answer to DescribeTopicPartitions has at most.

    Source: DescribeTopicPartitionsRequestHandler.java:108, of Kafka 4.3.1.
    """
    return max(1, min(limit, semantics.page))


def following_of(start: int, count: int, partitions: int) -> int | None:
    """The first partition that an answer does not have; None where it has the last one."""
    return start + count if start + count < partitions else None


Altering = Callable[[Resource, Topic | None, Iterable[Change], LimitSemantics], Error]


def _always(partitions: int) -> bool:
    del partitions
    return True


@frozen
class Controller:
    """Everything that decides, so that a planted fault can take the place of each part.

    Attributes:
        naming: the error of a new topic's name.
        configuring: the error of its configs.
        altering: the error of an alteration of configs.
        setting: what a topic is after one.
        defaulting: the default of a topic config that is not set.
        sets_validated: whether an alteration that is only validated is made all the same.
        sets_refused: whether one that is refused is.
        paging: how many partitions an answer to DescribeTopicPartitions may have.
        following: the partition that its cursor names, given where the page began, how many it has,
            and how many the topic has; None for no cursor.
        describes_any: whether configs of a topic that is not there are given.
        shaping: the error of its numbers.
        totalling: the partitions of a request.
        recording: the metadata records of a topic.
        growing: the error of a number of partitions that a topic is to have.
        answers_twice: the error of a topic that a request names more than once; none for that of
            its name.
        refuses_together: whether each topic of a request is refused that has one which is.
        refuses_alone: whether of a request with too many partitions or records only those are
            refused that do not fit any more.
        refuses_growth_whole: whether each topic of a request with too many new partitions is
            refused, in whatever release.
        growing_backwards: whether the topics of a request grow in the order in which they were not
            asked for.
        makes_validated: whether topics that are only validated are made, or grown, all the same.
        makes_refused: whether topics that are refused are made, where their names can be.
        grows_by: how many partitions more or less than asked for a topic comes to have.
        makes_by: how many partitions more or less than asked for a new topic has.
        counting: the partitions of a new topic.
        bounds_growth: whether the new partitions of a request are bounded at all.
        growth_bound_by: how many more than the release's limit they may be.
        growth_code: the error of too many new partitions, where it is not the release's.
        answers: whether a CreateTopics request for so many partitions is answered, instead of its
            connection being closed.
        lists: which entries of an answer, by their places in it, are given, in which order.
        says_partitions: whether an answer says how many partitions a new topic has.
        connections: what decides about connections.
        listener: what decides about those of a listener.
    """

    naming: Callable[[str, Topics], Error] = name_error
    configuring: Callable[[Iterable[tuple[str, str]], LimitSemantics], Error] = topic_config_error
    altering: Altering = alteration_error
    setting: Callable[[Topic, Iterable[Change]], Topic] = alter_topic
    defaulting: Callable[[str, LimitSemantics], str | None] = default_of
    sets_validated: bool = False
    sets_refused: bool = False
    paging: Callable[[int, LimitSemantics], int] = page_of
    following: Callable[[int, int, int], int | None] = following_of
    describes_any: bool = False
    shaping: Callable[[RequestedTopic, LimitSemantics], Error] = shape_error
    totalling: Callable[[Sequence[RequestedTopic], LimitSemantics], int] = total_of
    recording: Callable[[RequestedTopic, LimitSemantics], int] = records_of
    growing: Callable[[int, Topic | None], Error] = growth_error
    answers_twice: Error = Error.INVALID_REQUEST
    refuses_together: bool = False
    refuses_alone: bool = False
    refuses_growth_whole: bool = False
    growing_backwards: bool = False
    makes_validated: bool = False
    makes_refused: bool = False
    grows_by: int = 0
    makes_by: int = 0
    counting: Callable[[RequestedTopic, LimitSemantics], int] = counted_partitions
    bounds_growth: bool = True
    growth_bound_by: int = 0
    growth_code: Error | None = None
    answers: Callable[[int], bool] = _always
    lists: Callable[[Sequence[int]], Sequence[int]] = lambda places: places
    says_partitions: bool = True
    connections: ConnectionRules = ConnectionRules()
    listener: ListenerRules = ListenerRules()


REFERENCE = Controller()

Errors = Mapping[str, Error]
"""The error of each topic of a request, by name."""


def create_topics(
    topics: Topics,
    wanted: Sequence[RequestedTopic],
    semantics: LimitSemantics,
    controller: Controller = REFERENCE,
) -> Errors:
    """The error of each topic that is to be made.

    A topic that is named more than once is refused before, and counts nowhere.
    """
    names = [one.name for one in wanted]
    once = [one for one in wanted if names.count(one.name) == 1]
    errors = {
        name: controller.answers_twice or controller.naming(name, topics)
        for name in names
        if names.count(name) > 1
    }
    total = controller.totalling(once, semantics)
    if total > semantics.most_partitions and not controller.refuses_alone:
        return dict.fromkeys(names, Error.POLICY_VIOLATION)
    records = 0
    for one in once:
        error = (
            controller.naming(one.name, topics)
            or controller.configuring(one.configs, semantics)
            or controller.shaping(one, semantics)
        )
        needed = 0 if error else controller.recording(one, semantics)
        if records + needed > semantics.most_records:
            if not controller.refuses_alone:
                return dict.fromkeys(names, Error.POLICY_VIOLATION)
            error, needed = Error.POLICY_VIOLATION, 0
        records += needed
        errors[one.name] = error
    if controller.refuses_together and any(errors.values()):
        return {name: error or Error.INVALID_REQUEST for name, error in errors.items()}
    return errors


def topics_after_creation(
    topics: Topics,
    wanted: Sequence[RequestedTopic],
    errors: Errors,
    semantics: LimitSemantics,
    controller: Controller = REFERENCE,
) -> Topics:
    """The topics once those without an error are made."""
    new = {
        one.name: Topic(
            max(1, controller.counting(one, semantics) + controller.makes_by),
            tuple(sorted(one.configs)),
        )
        for one in reversed(wanted)
        if not errors[one.name] or (controller.makes_refused and one.name not in topics)
    }
    return {**topics, **new}


def grow_topics(
    topics: Topics,
    counts: Mapping[str, int],
    semantics: LimitSemantics,
    controller: Controller = REFERENCE,
) -> Errors:
    """The error of each topic that is to have another number of partitions, by name."""
    errors = {name: controller.growing(count, topics.get(name)) for name, count in counts.items()}
    added = {
        name: counts[name] - topics[name].partitions
        for name, error in errors.items()
        if not error and name in topics
    }
    most = semantics.most_partitions + controller.growth_bound_by
    if sum(added.values()) <= most or not controller.bounds_growth:
        return errors
    refusal = controller.growth_code or semantics.too_much_growth
    whole = semantics.refuses_all_growth or controller.refuses_growth_whole
    if whole and not controller.refuses_alone:
        return dict.fromkeys(errors, refusal)
    total = 0
    for name in reversed(added) if controller.growing_backwards else added:
        total += added[name]
        if total > most:
            errors[name] = refusal
    return errors


def topics_after_growth(
    topics: Topics, counts: Mapping[str, int], errors: Errors, controller: Controller = REFERENCE
) -> Topics:
    """The topics once those without an error have so many partitions."""
    new = {
        name: replace(topics[name], partitions=max(1, count + controller.grows_by))
        for name, count in counts.items()
        if not errors[name] and name in topics
    }
    return {**topics, **new}
