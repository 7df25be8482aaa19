"""Share groups as a subject."""

from spec.share.bounds import CONFIGS, NUMBERS, WORDS
from spec.share.chapters import CHAPTERS
from spec.share.clauses.comparing import NOTHING
from spec.share.dry_run import answer_all
from spec.share.observer import judge
from spec.share.outcomes import Done, GroupChanged, ShareAcknowledgeAnswer, ShareFetchAnswer
from spec.share.releases import SHARE_RELEASES
from spec.share.requirements import FROZEN
from spec.share.steps import (
    AlterGroupConfig,
    AlterShareGroupOffsets,
    DeleteShareGroupOffsets,
    DropConnection,
    FindShareCoordinator,
    NameGroup,
    Pause,
    RestartBroker,
    ShareAcknowledge,
    ShareFetch,
)
from spec.steps import Append, DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="share",
    prefix="SHR",
    steps=(
        ShareFetch,
        ShareAcknowledge,
        DropConnection,
        NameGroup,
        FindShareCoordinator,
        AlterShareGroupOffsets,
        DeleteShareGroupOffsets,
        AlterGroupConfig,
        RestartBroker,
        Pause,
        Append,
        DeleteRecords,
    ),
    outcomes=(ShareFetchAnswer, ShareAcknowledgeAnswer, GroupChanged, Done),
    numbers=NUMBERS,
    words=WORDS,
    configs=CONFIGS,
    chapters=CHAPTERS,
    releases=SHARE_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
    timing_signatures=frozenset({NOTHING}),
)
