"""Groups (classic, consumer, share and streams) and their members as a subject."""

from spec.groups.bounds import CONFIGS, NUMBERS, WORDS
from spec.groups.chapters import CHAPTERS
from spec.groups.dry_run import answer_all
from spec.groups.observer import judge
from spec.groups.outcomes import (
    BrokerChanged,
    GroupAnswer,
    GroupDescribed,
    JoinGroupAnswer,
    MemberHeartbeatAnswer,
    Passed,
)
from spec.groups.releases import GROUP_RELEASES
from spec.groups.requirements import FROZEN
from spec.groups.steps import (
    AlterBrokerConfig,
    ConsumerGroupHeartbeat,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    MemberCommit,
    MemberOffsetFetch,
    RestartWith,
    ShareGroupHeartbeat,
    StreamsGroupHeartbeat,
    SyncGroup,
    WaitFor,
)
from spec.subject import Subject

SUBJECT = Subject(
    name="groups",
    prefix="GRP",
    steps=(
        JoinGroup,
        SyncGroup,
        Heartbeat,
        LeaveGroup,
        DescribeGroup,
        ConsumerGroupHeartbeat,
        ShareGroupHeartbeat,
        StreamsGroupHeartbeat,
        MemberCommit,
        MemberOffsetFetch,
        AlterBrokerConfig,
        RestartWith,
        WaitFor,
    ),
    outcomes=(
        JoinGroupAnswer,
        GroupAnswer,
        MemberHeartbeatAnswer,
        GroupDescribed,
        BrokerChanged,
        Passed,
    ),
    numbers=NUMBERS,
    words=WORDS,
    configs=CONFIGS,
    chapters=CHAPTERS,
    releases=GROUP_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
