"""Requests around the fences of what an administrator may ask for."""

from hypothesis import strategies as st

from generators.numbers import below
from generators.weighted import several, weighted
from spec.kafka import INT32_MAX
from spec.limits.model import LONGEST_NAME
from spec.limits.releases import LimitSemantics
from spec.limits.steps import (
    MOST_MADE,
    CreatePartitions,
    CreateTopics,
    Growth,
    ListPartitions,
    Name,
    NewTopic,
)
from spec.limits.topic import Topics

TEXTS = ("a", "b", "a.b", "a_b", "c-d", "a.b_c", "a_b.c")
"""Texts of names, some of which collide."""
ILLEGAL = ("a b", "a/b", "\u00e9", "a:b", "a,b", "a\\b", "a\tb", "\u0661", "\uff41", "a*", "~")
"""Texts with a letter that no name may have; among them a digit and a letter beyond ASCII."""
FOLDERS = ("", ".", "..")
CONFIGS = (("retention.ms", "1"), ("segment.ms", "1000"), ("max.message.bytes", "1000"))

HARMLESS_VALUES = (
    (("retention.ms", "5000"),),
    (("segment.ms", "0"),),
    (("retention.ms", "-1"), ("flush.messages", "1")),
    (("max.message.bytes", "-1"),),
)
"""Configs of topics that are made; some have values that are refused."""

_harmless = below(len(HARMLESS_VALUES))
COLLIDING = ("a.b", "a_b", "a.b_c", "a_b.c")
_colliding = below(len(COLLIDING))
_texts = weighted(("a", 4), ("b", 3), ("a.b", 2), ("a_b", 2), *[(text, 1) for text in TEXTS[4:]])
_counts = weighted((1, 8), (2, 3), (3, 2), (-1, 2), (0, 2), (-2, 1), (-(2**31), 1))
_factors = weighted((-1, 12), (1, 4), (0, 1), (-2, 1), (None, 1), (2**15 - 1, 1))
_more_brokers = below(2)
_both = weighted((False, 1), (True, 1))
_rarely = weighted((False, 5), (True, 1))
_some = several(1, 3, 40)
_around = weighted((0, 1), (1, 1), (-1, 1), (2, 1), (-2, 1))
_lengths = weighted((LONGEST_NAME, 2), (LONGEST_NAME + 1, 2), (LONGEST_NAME - 1, 1), (255, 1))
_of_names = weighted(("length", 3), ("letters", 3), ("folder", 2))
_illegal = below(len(ILLEGAL))
_folders = below(len(FOLDERS))
_parts = several(1, 4, 55)
_configs = below(len(CONFIGS) + 1)
_shares = below(1000)
_beside = weighted(("nothing", 4), ("refused", 2), ("negative", 1), ("twice", 1))
_huge = weighted((INT32_MAX, 2), (2**30, 1), (INT32_MAX - 1, 1))


@st.composite
def creation(draw: st.DrawFn, semantics: LimitSemantics) -> CreateTopics:
    """One to three small topics, made or validated."""
    topics = []
    for _ in range(draw(_some)):
        factor = draw(_factors)
        if factor is None:
            factor = semantics.brokers + draw(_more_brokers)
        configs = HARMLESS_VALUES[draw(_harmless)] if draw(_rarely) else ()
        topics.append(NewTopic(Name(draw(_texts)), draw(_counts), factor, configs))
    if draw(_rarely):
        topics[0] = NewTopic(Name(ILLEGAL[draw(_illegal)]))
    return CreateTopics(tuple(topics), validate_only=draw(_rarely))


@st.composite
def collision(draw: st.DrawFn) -> tuple[CreateTopics, CreateTopics]:
    """A topic, and one whose name may differ from its in dots and underscores only."""
    first, second = (COLLIDING[draw(_colliding)] for _ in range(2))
    return (
        CreateTopics((NewTopic(Name(first)),)),
        CreateTopics((NewTopic(Name(second)),), validate_only=draw(_rarely)),
    )


@st.composite
def name_question(draw: st.DrawFn) -> CreateTopics:
    """Whether a topic of some name could be made, beside another one or alone."""
    kind = draw(_of_names)
    if kind == "length":
        name = Name(draw(_texts), draw(_lengths))
    elif kind == "letters":
        name = Name(ILLEGAL[draw(_illegal)])
    else:
        name = Name(FOLDERS[draw(_folders)], own=False)
    beside = [NewTopic(Name("z"))] if draw(_rarely) else []
    return CreateTopics((NewTopic(name), *beside), validate_only=True)


@st.composite
def total_question(draw: st.DrawFn, semantics: LimitSemantics) -> CreateTopics:
    """Whether topics could be made whose partitions, or whose records, are around 10,000."""
    count = draw(_parts)
    configs = [CONFIGS[: draw(_configs)] for _ in range(count)]
    total = semantics.most_partitions + draw(_around)
    if draw(_both):
        total -= count + sum(map(len, configs))
    sizes = []
    for left in range(count - 1, 0, -1):
        sizes.append(1 + draw(_shares) * (total - left - 1) // 1000)
        total -= sizes[-1]
    sizes.append(total)
    topics = [
        NewTopic(Name(f"t{number}"), size, configs=own)
        for number, (size, own) in enumerate(zip(sizes, configs, strict=True))
    ]
    return CreateTopics((*topics, *draw(_neighbours(semantics))), validate_only=True)


@st.composite
def _neighbours(draw: st.DrawFn, semantics: LimitSemantics) -> tuple[NewTopic, ...]:
    """Topics that are refused anyway, whose partitions count or do not."""
    match draw(_beside):
        case "refused":
            return (NewTopic(Name("a b"), 1 + draw(_shares)),)
        case "negative":
            return (NewTopic(Name("u"), -semantics.most_partitions),)
        case "twice":
            same = NewTopic(Name("u"), semantics.most_partitions)
            return (same, same)
    return ()


@st.composite
def wrapping_question(draw: st.DrawFn) -> CreateTopics:
    """Topics that are refused, and so large that 32 bits hardly hold the total, or do not."""
    size = draw(_huge)
    huge = [NewTopic(Name("h"), size, -2)]
    if size == 2**30:
        huge.append(NewTopic(Name("i"), 2**30, -2))
    small = NewTopic(Name("j"), draw(_some))
    return CreateTopics((*huge, small), validate_only=True)


@st.composite
def growth(draw: st.DrawFn, topics: Topics, texts: tuple[str, ...]) -> CreatePartitions:
    """More, as many or fewer partitions of one or two topics, some of which may not exist."""
    some = texts if draw(_rarely) else (texts[draw(below(len(texts)))],)
    grown = []
    for text in some:
        known = topics.get(Name(text).whole)
        there = 1 if known is None else known.partitions
        grown.append(Growth(Name(text), min(MOST_MADE, there + draw(_around))))
    return CreatePartitions(tuple(grown), draw(_rarely))


@st.composite
def page_question(draw: st.DrawFn, topics: Topics, texts: tuple[str, ...]) -> ListPartitions:
    """The partitions of a topic, from some partition on, around those that are left."""
    name = Name(texts[draw(below(len(texts)))])
    known = topics.get(name.whole)
    count = 1 if known is None else known.partitions
    start = draw(below(count)) if draw(_both) else None
    limit = max(-1, count - (start or 0) + draw(_around))
    return ListPartitions(name, 2_000 if draw(_rarely) else limit, start)


@st.composite
def growth_question(
    draw: st.DrawFn, topics: Topics, texts: tuple[str, ...], semantics: LimitSemantics
) -> CreatePartitions:
    """Whether topics could get some 10,000 new partitions in all, most of them one of the topics,
    in any place.
    """
    known = [text for text in texts if Name(text).whole in topics][:3]
    if not known:
        return CreatePartitions((Growth(Name(texts[0]), semantics.most_partitions),), True)
    some = known if draw(_both) else known[:1]
    more = semantics.most_partitions + draw(_around)
    grown = []
    for left, text in enumerate(reversed(some)):
        share = more if left + 1 == len(some) else 1 + draw(_shares) * 3
        more -= share
        grown.append(Growth(Name(text), topics[Name(text).whole].partitions + share))
    first = draw(below(len(grown)))
    return CreatePartitions((*grown[first:], *grown[:first]), validate_only=True)
