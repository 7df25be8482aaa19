"""Limits of administration as a subject."""

from spec.limits.bounds import NUMBERS
from spec.limits.chapters import CHAPTERS
from spec.limits.dry_run import answer_all
from spec.limits.observer import judge
from spec.limits.outcomes import (
    ConfigsAltered,
    ConfigsDescribed,
    ConnectionsHeld,
    ListenerConnections,
    PartitionPage,
    TopicsAnswer,
)
from spec.limits.releases import LIMIT_RELEASES
from spec.limits.requirements import FROZEN
from spec.limits.steps import (
    AlterConfigs,
    CloseConnection,
    CloseOnListener,
    CreatePartitions,
    CreateTopics,
    DescribeConfigs,
    DescribeTopics,
    LimitConnections,
    LimitListener,
    ListPartitions,
    OpenConnection,
    OpenOnListener,
)
from spec.subject import Subject

SUBJECT = Subject(
    name="limits",
    prefix="LIM",
    steps=(
        CreateTopics,
        CreatePartitions,
        DescribeTopics,
        AlterConfigs,
        DescribeConfigs,
        ListPartitions,
        LimitConnections,
        OpenConnection,
        CloseConnection,
        LimitListener,
        OpenOnListener,
        CloseOnListener,
    ),
    outcomes=(
        TopicsAnswer,
        ConfigsAltered,
        ConfigsDescribed,
        PartitionPage,
        ConnectionsHeld,
        ListenerConnections,
    ),
    numbers=NUMBERS,
    words={},
    chapters=CHAPTERS,
    releases=LIMIT_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
