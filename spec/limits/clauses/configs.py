"""Configs: which values are taken when a topic is made, and later; what is set then."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import quote
from spec.kafka import Error, error_name
from spec.limits.configs import Config
from spec.limits.examples import (
    alter,
    alter_brokers,
    alter_group,
    create,
    describe,
    history,
    validate,
)
from spec.limits.outcomes import BY_DEFAULT, OF_TOPIC, ConfigsAltered, ConfigsDescribed
from spec.limits.releases import LimitSemantics
from spec.limits.setting import alteration_error, config_of, default_of, is_in_range
from spec.limits.steps import AlterConfigs, CreateTopics, DescribeConfigs, Resource
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side_of_range

RANGES = Doc("configs of topics, groups and brokers: valid values")
FENCE = Fence(
    "the value", Unit.VALUES, "the range of the config", "at: inside of the range, ends included"
)

chapter: Chapter[Turn] = Chapter()
new_topics = chapter.under(
    lambda turn: turn.place is not None and isinstance(turn.step, CreateTopics)
)
alterations = chapter.under(
    lambda turn: isinstance(turn.step, AlterConfigs) and isinstance(turn.outcome, ConfigsAltered)
)
descriptions = chapter.under(
    lambda turn: (
        isinstance(turn.step, DescribeConfigs) and isinstance(turn.outcome, ConfigsDescribed)
    )
)


def _side(config: Config, value: str) -> Side:
    """The side of its range on which a number lies; none for what is no number."""
    if not config.numeric:
        return Side.NONE
    try:
        number = float(value) if config.type == "DOUBLE" else int(value)
    except ValueError:
        return Side.NONE
    least, greatest = config.bounds.least, config.bounds.greatest
    if number == config.bounds.besides:
        return Side.AT
    low = number if least is None else least
    high = number if greatest is None else greatest
    return side_of_range(number, low, high)  # type: ignore[arg-type]


def _bad(
    resource: Resource, given: dict[str, str], semantics: LimitSemantics
) -> tuple[list[str], Side]:
    """The configs whose values are outside of their ranges, and on which sides values are."""
    bad, sides = [], Side.NONE
    for name, value in given.items():
        config = config_of(resource, name, semantics)
        if config is not None:
            sides |= _side(config, value)
            if not is_in_range(config, value):
                bad.append(f"{name}={value}")
    return bad, sides


def _error(turn: Turn) -> int:
    assert isinstance(turn.outcome, ConfigsAltered)
    return turn.outcome.error


def _set_configs(turn: Turn) -> dict[str, str]:
    """What an alteration sets."""
    changes = turn.alteration.changes
    return {one.config: one.value for one in changes if one.value is not None}


@new_topics.clause(
    "LIM-060",
    Strength.MUST,
    LimitClass.SOFT,
    RANGES,
    slug="limits/config/create",
    fence=FENCE,
)
def a_new_topic_has_configs_in_their_ranges(turn: Turn) -> Held | None:
    """A new topic that its request names once is refused if one of its configs has a value that is
    no number of the config's type, lies outside of the range that the release defines, or is
    neither true nor false where one of these is due.
    """
    if turn.names.count(turn.name) > 1:
        return None
    bad, sides = _bad(Resource.TOPIC, dict(turn.wanted_topic.configs), turn.semantics)
    if not bad:
        return None if turn.reasons or turn.response_entry.error or not sides else holds(sides)
    if turn.response_entry.error:
        return holds(sides)
    return breaks(sides, f"{', '.join(bad)}: expected an error, found none", "taken")


@a_new_topic_has_configs_in_their_ranges.example("segment.ms of 0 and 1, index.interval.bytes")
def _ranges() -> Scenario:
    return history(
        validate(1, configs=(("segment.ms", "0"),)),
        validate(1, configs=(("segment.ms", "1"),)),
        validate(1, configs=(("index.interval.bytes", "2147483648"),)),
    )


@alterations.clause(
    "LIM-061",
    Strength.MUST,
    LimitClass.SOFT,
    RANGES,
    slug="limits/config/alter",
    fence=FENCE,
)
def configs_are_altered_within_their_ranges(turn: Turn) -> Held | None:
    """An IncrementalAlterConfigs request that sets a config of a topic, a group or all brokers to a
    value that is no number of the config's type, lies outside of the range that the release
    defines, or is neither true nor false where one of these is due, is refused.
    """
    bad, sides = _bad(turn.alteration.resource, _set_configs(turn), turn.semantics)
    if not bad:
        return holds(sides) if sides and not _error(turn) else None
    if _error(turn):
        return holds(sides)
    return breaks(sides, f"{', '.join(bad)}: expected an error, found none", "taken")


@configs_are_altered_within_their_ranges.example("around the range of a topic's, and others'")
def _altered_example() -> Scenario:
    return history(
        create("a"),
        *[alter("a", ("segment.ms", value)) for value in ("0", "1", "9223372036854775808")],
        alter_group(("consumer.session.timeout.ms", "0")),
        alter_brokers(("message.max.bytes", "-1")),
    )


@alterations.clause(
    "LIM-062",
    Strength.MUST,
    LimitClass.SOFT,
    RANGES,
    KIP(133, "AlterConfigs"),
    slug="limits/config/alter-accepted",
)
def a_topic_takes_every_value_in_range(turn: Turn) -> Held | None:
    """An IncrementalAlterConfigs request for a topic that exists, each of whose configs is known
    and is taken away or set to a value in its range, has no error, unless a policy of the
    broker refuses it with POLICY_VIOLATION.

    Groups and brokers are checked beyond their definitions, by configs of the broker and by what it
    does at the moment.
    """
    step = turn.alteration
    if step.resource is not Resource.TOPIC or turn.target is None:
        return None
    if alteration_error(step.resource, turn.target, step.changes, turn.semantics):
        return None
    if not _error(turn):
        return holds()
    if _error(turn) == Error.POLICY_VIOLATION:
        return None
    return fails(f"expected no error, found {error_name(_error(turn))}", "refused")


@a_topic_takes_every_value_in_range.example("the ends of a range, and a config that is taken away")
def _ends() -> Scenario:
    return history(
        create("a"),
        alter("a", ("retention.ms", "-1")),
        alter("a", ("retention.ms", "9223372036854775807")),
        alter("a", ("retention.ms", None)),
        describe("a", "retention.ms"),
    )


@alterations.clause(
    "LIM-063",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("broker configs, update mode: read-only"),
    slug="limits/config/read-only",
)
def a_config_of_the_start_is_not_altered(turn: Turn) -> Held | None:
    """An IncrementalAlterConfigs request that sets a config of all brokers that is read only when a
    broker starts is refused, whatever the value.
    """
    if turn.alteration.resource is not Resource.BROKERS:
        return None
    fixed = [
        name
        for name in _set_configs(turn)
        if (config := config_of(Resource.BROKERS, name, turn.semantics)) is not None
        and config.mode == "read-only"
    ]
    if not fixed:
        return None
    if _error(turn):
        return holds()
    return fails(f"{', '.join(fixed)}: expected an error, found none", "taken")


@a_config_of_the_start_is_not_altered.example("queued.max.requests, set to what it is")
def _fixed_example() -> Scenario:
    return history(alter_brokers(("queued.max.requests", "500")))


@alterations.clause(
    "LIM-064",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ControllerConfigurationValidator.scala", "validate"),
    Code("ConfigurationControlManager.java", "incrementalAlterConfigResource"),
    slug="limits/config/unknown",
)
def an_unknown_config_is_refused(turn: Turn) -> Held | None:
    """An IncrementalAlterConfigs request all of whose configs that it sets are unknown to the
    release is refused for a topic or a group, and accepted for all brokers.
    """
    step = turn.alteration
    given = _set_configs(turn)
    strange = [name for name in given if config_of(step.resource, name, turn.semantics) is None]
    if not strange or len(given) != len(strange):
        return None
    taken, takes = not _error(turn), step.resource is Resource.BROKERS
    if taken is takes:
        return holds()
    return fails(f"{', '.join(strange)}: found {error_name(_error(turn))}", "unknown")


@an_unknown_config_is_refused.example("of a topic, a group, and of all brokers")
def _strange() -> Scenario:
    setting = ("fencepost.no.config", "1")
    return history(create("a"), alter("a", setting, validate_only=True), alter_group(setting))


@alterations.clause(
    "LIM-065",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ControllerConfigurationValidator.scala", "validate"),
    Code("ConfigAdminManager.scala", "preprocess"),
    slug="limits/config/code",
)
def the_code_says_what_is_altered(turn: Turn) -> Held | None:
    """A request with a value that is not taken, or with a config that is unknown, is refused with
    INVALID_CONFIG for a topic or a group; one with a value that is not taken, or with a config that
    is read-only, with INVALID_REQUEST for all brokers. Where all values of a topic's configs can be
    taken, and there is no such topic, it is refused with UNKNOWN_TOPIC_OR_PARTITION.
    """
    step = turn.alteration
    expected = alteration_error(step.resource, turn.target, step.changes, turn.semantics)
    found = _error(turn)
    if not found or expected == Error.NONE:
        return None
    if found == expected:
        return holds()
    return fails(f"expected {expected.name}, found {error_name(found)}", expected.name)


@the_code_says_what_is_altered.example("a bad value of each kind, and no such topic")
def _codes() -> Scenario:
    bad = ("segment.ms", "0")
    return history(
        create("a"),
        alter("a", bad),
        alter("b", ("segment.ms", "1")),
        alter("b", bad),
        alter_group(("consumer.session.timeout.ms", "0")),
        alter_brokers(("message.max.bytes", "-1")),
    )


def _description(turn: Turn) -> ConfigsDescribed:
    assert isinstance(turn.outcome, ConfigsDescribed)
    return turn.outcome


@descriptions.clause(
    "LIM-066",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("protocol guide, DescribeConfigs, IncrementalAlterConfigs: validate_only"),
    slug="limits/config/set",
)
def a_topic_has_the_configs_that_were_set(turn: Turn) -> Held | None:
    """DescribeConfigs gives, 30 s later at most (LIM-050), a config of a topic with the topic as
    its source if and only if the last request that names it, was answered without an error and did
    more than validate has set it, and then with that value: a request that is refused changes none
    of its configs.
    """
    topic, answer = turn.target, _description(turn)
    if topic is None or answer.error:
        return None
    given = dict(topic.configs)
    for one in answer.configs:
        own = one.source == OF_TOPIC
        if own != (one.config in given):
            return fails(
                f"{one.config}: expected {'the value' if one.config in given else 'none'} that was "
                f"set for the topic, found {quote(one.value)} from source {one.source}",
                "not set" if one.config in given else "set",
            )
        if own and one.value != given[one.config]:
            return fails(
                f"{one.config}: expected {quote(given[one.config])}, found {quote(one.value)}",
                "other value",
            )
    asked = turn.step.configs if isinstance(turn.step, DescribeConfigs) else ()
    shown = {one.config for one in answer.configs}
    missing = [name for name in given if name not in shown and (not asked or name in asked)]
    if missing:
        return fails(f"expected {', '.join(missing)}, found none", "missing")
    return holds()


@a_topic_has_the_configs_that_were_set.example("set, refused, validated, taken away")
def _steps() -> Scenario:
    names = ("retention.ms", "segment.ms")
    return history(
        create("a"),
        alter("a", ("retention.ms", "5000")),
        describe("a", *names),
        alter("a", ("retention.ms", "7000"), ("segment.ms", "0")),
        alter("a", ("segment.ms", "9000"), validate_only=True),
        describe("a", *names),
        alter("a", ("retention.ms", None)),
        describe("a", *names),
    )


@descriptions.clause(
    "LIM-067",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Doc("configs of topics: default"),
    Code("LogConfig.java", "119-240"),
    slug="limits/config/default",
)
def a_config_has_the_default_of_the_release(turn: Turn) -> Held | None:
    """DescribeConfigs gives a config of a topic that is set nowhere with the default that the
    release defines.
    """
    answer = _description(turn)
    if turn.target is None or answer.error:
        return None
    seen = False
    for one in answer.configs:
        config = config_of(Resource.TOPIC, one.config, turn.semantics)
        if one.source != BY_DEFAULT or config is None:
            continue
        seen, expected = True, default_of(one.config, turn.semantics)
        if (one.value or "") != (expected or ""):
            why = f"{one.config}: expected {quote(expected)}, found {quote(one.value)}"
            return fails(why, one.config)
    return holds() if seen else None


@a_config_has_the_default_of_the_release.example("all configs of a new topic")
def _defaults() -> Scenario:
    return history(create("a"), describe("a"))


@descriptions.clause(
    "LIM-068",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, DescribeConfigs"),
    slug="limits/config/of-a-topic",
)
def a_topic_that_is_there_is_described(turn: Turn) -> Held | None:
    """A DescribeConfigs request for a topic has, 30 s later at most (LIM-050), an error if and only
    if there is no such topic.
    """
    there, error = turn.target is not None, _description(turn).error
    if there != bool(error):
        return holds()
    return fails(
        f"expected {'no error' if there else 'an error'}, found {error_name(error)}",
        "refused" if there else "given",
    )


@a_topic_that_is_there_is_described.example("one that is there, and one that is not")
def _there() -> Scenario:
    return history(create("a"), describe("a", "retention.ms"), describe("b", "retention.ms"))
