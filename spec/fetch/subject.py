"""Fetch as a subject."""

from spec.fetch.bounds import CONFIGS, NUMBERS, WORDS
from spec.fetch.chapters import CHAPTERS
from spec.fetch.dry_run import answer_all
from spec.fetch.observer import judge
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FETCH_RELEASES
from spec.fetch.requirements import FROZEN
from spec.fetch.steps import Fetch
from spec.steps import Append, DeleteRecords
from spec.subject import Subject

SUBJECT = Subject(
    name="fetch",
    prefix="FET",
    steps=(Fetch, Append, DeleteRecords),
    outcomes=(FetchAnswer,),
    numbers=NUMBERS,
    words=WORDS,
    configs=CONFIGS,
    chapters=CHAPTERS,
    releases=FETCH_RELEASES,
    frozen=FROZEN,
    judge=judge,
    answer_all=answer_all,
)
