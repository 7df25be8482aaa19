"""The configs of broker, topics and groups: DescribeConfigs, IncrementalAlterConfigs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import NODE_ID
from conformance.serve.settings import CONFIGS_REFUSED, config_problem
from conformance.serve.shares import apply_step
from conformance.wire.config_numbers import BROKER_RESOURCE as BROKER
from conformance.wire.config_numbers import DELETE, SET
from conformance.wire.config_numbers import GROUP_RESOURCE as GROUP
from conformance.wire.config_numbers import TOPIC_RESOURCE as TOPIC
from spec.kafka import Error
from spec.limits.setting import topic_configs
from spec.limits.steps import Change, Resource
from spec.limits.topic import Topic as KnownTopic
from spec.share.outcomes import GroupChanged
from spec.share.steps import AlterGroupConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request

DEFAULT, STATIC, DYNAMIC_TOPIC, DYNAMIC_GROUP = 5, 4, 1, 8
"""Where a config's value comes from (`config_source`)."""
BY_DURATION = "by_duration"
BROKERS_REFUSED = "expected configs that can be changed, each with a value in its range"


def describe_configs(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeConfigs of the broker, of topics or of groups: the configs that the model has; of a
    group those that were set.
    """
    return {"results": [_describe(state, each) for each in request.body.value["resources"]]}


def _describe(state: BrokerState, wanted: dict[str, Any]) -> dict[str, Any]:
    kind, name, keys = (
        wanted["resource_type"],
        wanted["resource_name"],
        wanted["configuration_keys"],
    )
    head: dict[str, Any] = {
        "error_code": 0,
        "error_message": None,
        "resource_type": kind,
        "resource_name": name,
        "configs": [],
    }
    given: Mapping[str, str]
    values: Mapping[str, str]
    if kind == BROKER and name in {"", str(NODE_ID)}:
        given, values, source, fixed = state.settings.config, state.settings.configs, STATIC, True
    elif kind == TOPIC and name in state.topics:
        given = state.topics[name].configs
        values, source, fixed = {**_topic_defaults(state), **given}, DYNAMIC_TOPIC, False
    elif kind == TOPIC and state.controller.describes_any:
        given, values, source, fixed = {}, _topic_defaults(state), DYNAMIC_TOPIC, False
    elif kind == TOPIC:
        return {**head, "error_code": Error.UNKNOWN_TOPIC_OR_PARTITION}
    elif kind == GROUP and name:
        given = values = dict(state.shares.served_group(name).state.configs)
        source, fixed = DYNAMIC_GROUP, False
    else:
        return {
            **head,
            "error_code": Error.INVALID_REQUEST,
            "error_message": f"the served model has no configs of resource {kind} {name!r}",
        }
    configs: list[dict[str, Any]] = [
        {
            "name": key,
            "value": value,
            "read_only": fixed,
            "config_source": source if key in given else DEFAULT,
            "is_sensitive": False,
            "synonyms": [],
            "documentation": None,
        }
        for key, value in sorted(values.items())
        if keys is None or key in keys
    ]
    return {**head, "configs": configs}


def alter_configs(state: BrokerState, request: Request) -> dict[str, Any]:
    """IncrementalAlterConfigs of topics and groups; the broker's own configs are fixed while it
    runs.
    """
    body = request.body.value
    answers = []
    for each in body["resources"]:
        altered = {TOPIC: _alter_topic, GROUP: _alter_group}.get(
            each["resource_type"], _alter_brokers
        )
        error, message = altered(state, each, dry=body["validate_only"])
        head: dict[str, Any] = {
            "resource_type": each["resource_type"],
            "resource_name": each["resource_name"],
        }
        answers.append({**head, "error_code": error, "error_message": message})
    return {"responses": answers}


def _topic_defaults(state: BrokerState) -> dict[str, str]:
    semantics, default = state.limit_semantics, state.controller.defaulting
    found = {name: default(name, semantics) for name in topic_configs(semantics)}
    return {name: value or "" for name, value in found.items()}


def _alter_brokers(
    state: BrokerState, wanted: dict[str, Any], *, dry: bool
) -> tuple[int, str | None]:
    """The configs of all brokers can be validated; what the model was started with stays."""
    if dry and wanted["resource_type"] == BROKER and not wanted["resource_name"]:
        changes = _changes(wanted)
        error = state.controller.altering(Resource.BROKERS, None, changes, state.limit_semantics)
        return error, BROKERS_REFUSED if error else None
    known = ", ".join(state.settings.defaults)
    return (
        Error.INVALID_REQUEST,
        (
            "the served model changes configs of topics and groups only; start it with "
            "other values "
            f"of {known}"
        ),
    )


def _changes(wanted: dict[str, Any]) -> tuple[Change, ...]:
    return tuple(
        [
            Change(each["name"], each["value"] if each["config_operation"] == SET else None)
            for each in wanted["configs"]
        ]
    )


def _alter_topic(
    state: BrokerState, wanted: dict[str, Any], *, dry: bool
) -> tuple[int, str | None]:
    """Which values a topic takes is `spec.limits.setting`'s to say, and what becomes of them."""
    topic = state.topics.get(wanted["resource_name"])
    if any(each["config_operation"] not in {SET, DELETE} for each in wanted["configs"]):
        return (
            Error.INVALID_CONFIG,
            "the served model can set and delete configs, not append to them or subtract",
        )
    if any(each["config_operation"] == SET and each["value"] is None for each in wanted["configs"]):
        return Error.INVALID_REQUEST, "expected a value for each config that is set"
    known = (
        None if topic is None else KnownTopic(len(topic.partitions), tuple(topic.configs.items()))
    )
    changes, controller = _changes(wanted), state.controller
    error = controller.altering(Resource.TOPIC, known, changes, state.limit_semantics)
    problem = config_problem({one.config: one.value for one in changes})
    if problem and not error:
        return Error.INVALID_CONFIG, problem
    takes = controller.sets_validated or not dry
    if topic is not None and known is not None and takes and (not error or controller.sets_refused):
        state.configure(topic, dict(controller.setting(known, changes).configs))
    return error, CONFIGS_REFUSED if error else None


def _alter_group(
    state: BrokerState, wanted: dict[str, Any], *, dry: bool
) -> tuple[int, str | None]:
    """Which values a group takes is `spec.share.model.settings`'s to say."""
    if any(each["config_operation"] not in {SET, DELETE} for each in wanted["configs"]):
        return (
            Error.INVALID_CONFIG,
            "the served model can set and delete configs, not append to them or subtract",
        )
    settings = tuple(
        [
            (each["name"], each["value"] if each["config_operation"] == SET else None)
            for each in wanted["configs"]
        ]
    )
    if any(value is not None and value.lower().startswith(BY_DURATION) for _, value in settings):
        return (
            Error.INVALID_CONFIG,
            (
                "expected latest or earliest: the served model has no share groups that start by "
                "duration"
            ),
        )
    served = state.shares.served_group(wanted["resource_name"])
    before = served.state
    outcome = apply_step(state, served, AlterGroupConfig(settings))
    assert isinstance(outcome, GroupChanged), outcome
    if dry:
        served.state = before
    state.wake_waiting()
    text = ", ".join([f"{key}={value}" for key, value in settings])
    return (
        outcome.error,
        f"expected configs that this release knows, within the broker's bounds, found {text}"
        if outcome.error
        else None,
    )
