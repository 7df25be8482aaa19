"""The configs of broker, topics and groups: DescribeConfigs, IncrementalAlterConfigs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cluster import NODE_ID
from conformance.serve.settings import TOPIC_CONFIGS, config_problem
from conformance.serve.shares import apply_step
from spec.kafka import Error
from spec.share.outcomes import GroupChanged
from spec.share.steps import AlterGroupConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request

TOPIC, BROKER, GROUP = 2, 4, 32
DEFAULT, STATIC, DYNAMIC_TOPIC, DYNAMIC_GROUP = 5, 4, 1, 8
"""Where a config's value comes from (`config_source`)."""
SET, DELETE = 0, 1
BY_DURATION = "by_duration"


def describe_configs(state: BrokerState, request: Request) -> dict[str, Any]:
    """DescribeConfigs of the broker, of topics or of groups: the configs that the model has; of a
    group those that were set.
    """
    return {"results": [_described(state, each) for each in request.body.value["resources"]]}


def _described(state: BrokerState, wanted: dict[str, Any]) -> dict[str, Any]:
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
        values, source, fixed = {**TOPIC_CONFIGS, **given}, DYNAMIC_TOPIC, False
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
        altered = {TOPIC: _topic_altered, GROUP: _group_altered}.get(
            each["resource_type"], _refused
        )
        error, message = altered(state, each, dry=body["validate_only"])
        head: dict[str, Any] = {
            "resource_type": each["resource_type"],
            "resource_name": each["resource_name"],
        }
        answers.append({**head, "error_code": error, "error_message": message})
    return {"responses": answers}


def _refused(state: BrokerState, _: dict[str, Any], *, dry: bool) -> tuple[int, str | None]:  # noqa: ARG001 - as its siblings
    known = ", ".join(state.settings.defaults)
    return (
        Error.INVALID_REQUEST,
        (
            "the served model changes configs of topics and groups only; start it with "
            "other values "
            f"of {known}"
        ),
    )


def _topic_altered(
    state: BrokerState, wanted: dict[str, Any], *, dry: bool
) -> tuple[int, str | None]:
    topic = state.topics.get(wanted["resource_name"])
    if topic is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION, None
    configs = dict(topic.configs)
    for each in wanted["configs"]:
        if each["config_operation"] == DELETE:
            configs.pop(each["name"], None)
        elif each["config_operation"] == SET:
            configs[each["name"]] = each["value"]
        else:
            return (
                Error.INVALID_CONFIG,
                "the served model can set and delete configs, not append to them or subtract",
            )
    problem = config_problem(configs, state.settings.release)
    if problem:
        return Error.INVALID_CONFIG, problem
    if not dry:
        state.configure(topic, configs)
    return 0, None


def _group_altered(
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
    state.changed()
    text = ", ".join([f"{key}={value}" for key, value in settings])
    return (
        outcome.error,
        f"expected configs that this release knows, within the broker's bounds, found {text}"
        if outcome.error
        else None,
    )
