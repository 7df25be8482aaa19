"""What is asked in a scenario of limits: topics are made and enlarged, questions are asked around
each fence, and what is there is looked at.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.limits.questions import (
    TEXTS,
    creation,
    growth,
    growth_question,
    name_question,
    total_question,
    wrapping_question,
)
from generators.weighted import several, weighted
from spec.limits.dry_run import wanted_of
from spec.limits.examples import NO_RECORDS
from spec.limits.model import Topics, create_topics, grow_topics, grown, made
from spec.limits.releases import LimitSemantics
from spec.limits.steps import CreatePartitions, CreateTopics, DescribeTopics, Name, TopicsStep
from spec.scenario import Scenario
from spec.semantics import Semantics

_rounds = several(1, 5, 65)
_kinds = weighted(("create", 6), ("grow", 5), ("name", 3), ("total", 4), ("much", 2), ("wrap", 1))


@st.composite
def _request(
    draw: st.DrawFn, topics: Topics, texts: tuple[str, ...], semantics: LimitSemantics
) -> TopicsStep:
    kind = draw(_kinds)
    if kind == "name":
        return draw(name_question())
    if kind == "total":
        return draw(total_question(semantics))
    if kind == "wrap":
        return draw(wrapping_question())
    if kind == "create" or not texts:
        return draw(creation(semantics))
    if kind == "grow":
        return draw(growth(topics, texts))
    return draw(growth_question(topics, texts, semantics))


def topics_after(topics: Topics, step: TopicsStep, semantics: LimitSemantics) -> Topics:
    """The topics after a request."""
    if isinstance(step, CreateTopics) and not step.validate_only:
        wanted = wanted_of(step.topics)
        return made(topics, wanted, create_topics(topics, wanted, semantics), semantics)
    if isinstance(step, CreatePartitions) and not step.validate_only:
        counts = {one.name.whole: one.count for one in step.topics}
        return grown(topics, counts, grow_topics(topics, counts, semantics))
    return topics


def _texts(step: TopicsStep) -> tuple[str, ...]:
    """The texts of the topics that a request names and that can be looked at."""
    if isinstance(step, CreateTopics):
        return tuple([one.name.text for one in step.topics if one.name.text in TEXTS])
    return ()


@st.composite
def _histories(draw: st.DrawFn, semantics: LimitSemantics) -> Scenario:
    topics: Topics = {}
    texts: tuple[str, ...] = ()
    steps: list[TopicsStep] = []
    for _ in range(draw(_rounds)):
        step = draw(_request(topics, texts, semantics))
        topics = topics_after(topics, step, semantics)
        texts = tuple(dict.fromkeys((*texts, *_texts(step))))
        steps.append(step)
    if texts:
        steps.append(DescribeTopics(tuple([Name(text) for text in texts])))
    return Scenario(NO_RECORDS, tuple(steps), subject="limits")


def limit_histories(semantics: Semantics) -> SearchStrategy[Scenario]:
    """One to five requests of an administrator, and a look at what is there then; they shrink
    towards one topic of one partition.
    """
    return _histories(semantics.of(LimitSemantics))
