"""What is asked in a scenario of limits: topics are made and enlarged, questions are asked around
each fence, and what is there is looked at.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.limits.config_questions import alteration_question, alterations, created_config
from generators.limits.connection_questions import connection_histories
from generators.limits.listener_questions import listener_histories
from generators.limits.questions import (
    TEXTS,
    collision,
    creation,
    growth,
    growth_question,
    name_question,
    page_question,
    total_question,
    wrapping_question,
)
from generators.weighted import chance, weighted
from spec.limits.dry_run import wanted_of
from spec.limits.examples import NO_RECORDS
from spec.limits.model import create_topics, grow_topics, topics_after_creation, topics_after_growth
from spec.limits.releases import LimitSemantics
from spec.limits.setting import alter_topic, alteration_error
from spec.limits.steps import (
    AlterConfigs,
    CreatePartitions,
    CreateTopics,
    DescribeTopics,
    LimitStep,
    Name,
    NewTopic,
)
from spec.limits.topic import Topics
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import Step

_about_connections = chance(1, 7)
_about_a_listener = chance(1, 1)
_another = chance(65, 35)
_several = chance(1, 1)
APART = ("a", "b", "c-d")
"""Topics, none of which collides with another, that grow beyond the limit only together."""
MOST_ROUNDS = 5
_kinds = weighted(
    ("create", 6),
    ("grow", 4),
    ("alter", 6),
    ("name", 3),
    ("total", 4),
    ("much", 2),
    ("wrap", 1),
    ("page", 3),
    ("collide", 1),
    ("value", 4),
    ("altered value", 9),
)


ABOUT_A_TOPIC = frozenset({"alter", "altered value", "grow", "much", "page"})


@st.composite
def _about_a_topic(
    draw: st.DrawFn, kind: str, topics: Topics, texts: tuple[str, ...], semantics: LimitSemantics
) -> tuple[LimitStep, ...]:
    """Requests about topics, some of which are there."""
    if kind == "alter":
        return draw(alterations(texts, semantics))
    if kind == "altered value":
        return (draw(alteration_question(texts, semantics)),)
    if kind == "page":
        return (draw(page_question(topics, texts)), draw(page_question(topics, texts)))
    if kind == "grow":
        return (draw(growth(topics, texts)),)
    return (draw(growth_question(topics, texts, semantics)),)


@st.composite
def _requests(
    draw: st.DrawFn, topics: Topics, texts: tuple[str, ...], semantics: LimitSemantics
) -> tuple[LimitStep, ...]:
    kind = draw(_kinds)
    if kind == "much" and draw(_several):
        first = CreateTopics(tuple([NewTopic(Name(text), 1) for text in APART]))
        topics = topics_after(topics, first, semantics)
        return (first, draw(growth_question(topics, APART, semantics)))
    if kind in ABOUT_A_TOPIC and not texts:
        first = CreateTopics((NewTopic(Name(TEXTS[0]), 2),))
        topics, texts = topics_after(topics, first, semantics), TEXTS[:1]
        return (first, *draw(_about_a_topic(kind, topics, texts, semantics)))
    if kind in ABOUT_A_TOPIC:
        return draw(_about_a_topic(kind, topics, texts, semantics))
    if kind == "collide":
        return draw(collision())
    return (draw(_about_new_topics(kind, semantics)),)


@st.composite
def _round(
    draw: st.DrawFn, topics: Topics, texts: tuple[str, ...], semantics: LimitSemantics
) -> tuple[tuple[LimitStep, ...], bool]:
    """Some requests, and whether they are the last: both at once, so that shrinking can leave out
    each round but the last one.
    """
    ended = not draw(_another)
    return draw(_requests(topics, texts, semantics)), ended


def _about_new_topics(kind: str, semantics: LimitSemantics) -> SearchStrategy[LimitStep]:
    match kind:
        case "name":
            return name_question()
        case "total":
            return total_question(semantics)
        case "wrap":
            return wrapping_question()
        case "value":
            return created_config(semantics)
    return creation(semantics)


def topics_after(topics: Topics, step: Step, semantics: LimitSemantics) -> Topics:
    """The topics after a request."""
    if isinstance(step, CreateTopics) and not step.validate_only:
        wanted = wanted_of(step.topics)
        return topics_after_creation(
            topics, wanted, create_topics(topics, wanted, semantics), semantics
        )
    if isinstance(step, CreatePartitions) and not step.validate_only:
        counts = {one.name.whole: one.count for one in step.topics}
        return topics_after_growth(topics, counts, grow_topics(topics, counts, semantics))
    if isinstance(step, AlterConfigs) and not step.validate_only:
        name = step.target.whole
        topic = topics.get(name)
        error = alteration_error(step.resource, topic, step.changes, semantics)
        return {**topics, name: alter_topic(topic, step.changes)} if topic and not error else topics
    return topics


def _texts(step: Step) -> tuple[str, ...]:
    """The texts of the topics that a request names and that can be looked at."""
    if isinstance(step, CreateTopics):
        return tuple([one.name.text for one in step.topics if one.name.text in TEXTS])
    return ()


@st.composite
def _histories(draw: st.DrawFn, semantics: LimitSemantics) -> Scenario:
    topics: Topics = {}
    texts: tuple[str, ...] = ()
    steps: list[Step] = []
    for _ in range(MOST_ROUNDS):
        requests, ended = draw(_round(topics, texts, semantics))
        for step in requests:
            topics = topics_after(topics, step, semantics)
            texts = tuple(dict.fromkeys((*texts, *_texts(step))))
            steps.append(step)
        if ended:
            break
    if texts:
        steps.append(DescribeTopics(tuple([Name(text) for text in texts])))
    return Scenario(NO_RECORDS, tuple(steps), subject="limits")


@st.composite
def _any_histories(draw: st.DrawFn, semantics: LimitSemantics) -> Scenario:
    if draw(_about_connections):
        return draw(listener_histories() if draw(_about_a_listener) else connection_histories())
    return draw(_histories(semantics))


def limit_histories(
    semantics: Semantics, *, limits_connections: bool = True
) -> SearchStrategy[Scenario]:
    """One to five requests of an administrator, and a look at what is there then, or steps about
    connections, where the broker's own limits on these may be changed; they shrink towards one
    topic of one partition.
    """
    kind = semantics.of(LimitSemantics)
    return _any_histories(kind) if limits_connections else _histories(kind)
