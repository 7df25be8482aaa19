"""Making, growing and deleting topics."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.serve.settings import CONFIGS_REFUSED, config_problem
from spec.frozen import replace
from spec.kafka import Error
from spec.limits import model
from spec.limits.topic import RequestedTopic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.serve.broker_state import BrokerState
    from conformance.wire.codec import Request
    from spec.limits.releases import LimitSemantics
    from spec.limits.topic import Topics


def create_topics(state: BrokerState, request: Request) -> dict[str, Any]:
    """CreateTopics, as `spec.limits.model` decides.

    Raises:
        ConnectionAbortedError: the connection is closed instead of an answer.
    """
    body = request.body.value
    asked = {topic["name"]: topic for topic in body["topics"]}
    configs = {name: _configs(topic) for name, topic in asked.items()}
    problems = {name: config_problem(given) for name, given in configs.items()}
    wanted = [_wanted_topic(topic) for topic in body["topics"]]
    controller = replace(state.controller, configuring=partial(_configs_error, state))
    before, semantics = state.known_topics(), state.limit_semantics
    if not controller.answers(model.total_of(wanted, semantics)):
        raise ConnectionAbortedError("the request is not answered")
    errors = model.create_topics(before, wanted, semantics, controller)
    after = model.topics_after_creation(before, wanted, errors, semantics, controller)
    if controller.makes_validated or not body["validate_only"]:
        for name in after.keys() - before.keys():
            given = {key: value for key, value in configs[name].items() if value is not None}
            state.make(name, after[name].partitions, given)
    names = list(asked)
    answers = [
        _answer(state, name, errors[name], problems[name] or CONFIGS_REFUSED, after)
        for name in [names[place] for place in controller.lists(range(len(names)))]
    ]
    return {"topics": answers}


def _configs_error(
    state: BrokerState, given: Iterable[tuple[str, str]], semantics: LimitSemantics
) -> Error:
    """The error of a new topic's configs: what the release defines, and what this model can do."""
    configs = tuple(given)
    if config_problem(dict(configs)):
        return Error.INVALID_CONFIG
    return state.controller.configuring(configs, semantics)


def _configs(topic: dict[str, Any]) -> dict[str, str | None]:
    return {each["name"]: each["value"] for each in topic["configs"]}


def _wanted_topic(topic: dict[str, Any]) -> RequestedTopic:
    """A topic as the model sees it; one whose replicas are given has as many partitions as these
    are for.
    """
    configs = tuple([(name, value or "") for name, value in _configs(topic).items()])
    if topic["assignments"]:
        return RequestedTopic(topic["name"], len(topic["assignments"]), configs=configs)
    numbers = topic["num_partitions"], topic["replication_factor"]
    return RequestedTopic(topic["name"], *numbers, configs)


def _answer(
    state: BrokerState, name: str, error: Error, problem: str, topics: Topics
) -> dict[str, Any]:
    made = state.topics.get(name)
    said = not error and name in topics and state.controller.says_partitions
    return {
        "name": name,
        "topic_id": made.id if made is not None and not error else bytes(16),
        "error_code": error,
        "error_message": problem if error is Error.INVALID_CONFIG else None,
        "num_partitions": topics[name].partitions if said else -1,
        "replication_factor": 1 if said else -1,
        "configs": [],
    }


def delete_topics(state: BrokerState, request: Request) -> dict[str, Any]:
    """DeleteTopics, by names or ids."""
    body = request.body.value
    wanted = (
        body["topics"]
        if request.version >= 6
        else [{"name": name, "topic_id": bytes(16)} for name in body["topic_names"]]
    )
    answers = []
    for each in wanted:
        topic = state.topic(each["name"] or "", each["topic_id"])
        error = (
            (Error.UNKNOWN_TOPIC_OR_PARTITION if each["name"] else Error.UNKNOWN_TOPIC_ID)
            if topic is None
            else 0
        )
        if topic is not None:
            state.delete(topic)
        name, topic_id = (
            (topic.name, topic.id) if topic is not None else (each["name"], each["topic_id"])
        )
        answers.append({"name": name, "topic_id": topic_id, "error_code": error})
    return {"responses": answers}


def create_partitions(state: BrokerState, request: Request) -> dict[str, Any]:
    """CreatePartitions, as `spec.limits.model` decides: a topic can only grow."""
    body = request.body.value
    counts = {each["name"]: each["count"] for each in body["topics"]}
    before, controller = state.known_topics(), state.controller
    errors = model.grow_topics(before, counts, state.limit_semantics, controller)
    if controller.makes_validated or not body["validate_only"]:
        for name, topic in model.topics_after_growth(before, counts, errors, controller).items():
            state.grow(state.topics[name], topic.partitions)
    names = list(counts)
    return {
        "results": [
            {"name": name, "error_code": errors[name]}
            for name in [names[place] for place in controller.lists(range(len(names)))]
        ]
    }
