"""Whether a broker does what it is only to validate: one that does must not be asked whether it
could make 10,000 partitions, or change the configs of all brokers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.frozen import replace
from spec.limits.examples import alter, create, describe, grow, history, look, validate
from spec.limits.outcomes import ConfigsDescribed, TopicsAnswer
from spec.limits.steps import AlterConfigs, CreatePartitions, CreateTopics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spec.limits.steps import LimitStep
    from spec.observation import Observation
    from spec.outcomes import Outcome

_CONFIG = ("retention.ms", "86400001")
_MADE, _VALIDATED, _LATER = "a", "t0", "b"
LOOKS = (
    history(validate(1), create(_LATER), look(_LATER, _VALIDATED)),
    history(create(_MADE), grow(_MADE, 2, validate_only=True), create(_LATER), look(_MADE)),
    history(create(_MADE), alter(_MADE, _CONFIG, validate_only=True), describe(_MADE)),
)
"""A topic, a growth and a config are validated, and what is there is looked at. What is made last
shows that the broker shows what was made before.
"""


def validation_ignored(looks: Sequence[Observation]) -> dict[type[LimitStep], str]:
    """By kind of request, what shows in the observations of `LOOKS` that the broker does what it is
    only to validate; a request that is not answered shows nothing.
    """
    created, grown, altered = (_last_outcome(one) for one in looks)
    found: dict[type[LimitStep], str] = {}
    if isinstance(created, TopicsAnswer) and any(
        entry.topic == 1 and not entry.error for entry in created.entries
    ):
        found[CreateTopics] = "a topic that was only to be validated is there"
    if isinstance(grown, TopicsAnswer) and any((one.partitions or 0) > 1 for one in grown.entries):
        found[CreatePartitions] = "a topic grew whose growth was only to be validated"
    if isinstance(altered, ConfigsDescribed) and any(
        (one.config, one.value) == _CONFIG for one in altered.configs
    ):
        found[AlterConfigs] = "a config that was only to be validated is set"
    return found


def harms(step: LimitStep) -> bool:
    """Whether a step that is only to be validated does harm where it is done: it would be none that
    may be done.
    """
    if not isinstance(step, CreateTopics | CreatePartitions | AlterConfigs):
        return False
    return step.validate_only and any(replace(step, validate_only=False).problems())


def _last_outcome(observation: Observation) -> Outcome | None:
    return observation.exchanges[-1].outcome if observation.exchanges else None
