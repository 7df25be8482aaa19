"""Text in Markdown is shown as it is, and reads well before it is rendered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from results.markdown import escape, escape_within, prose
from results.text import plain
from spec.catalogue import catalogue

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet="ab1 _*`[]()<>&#+-=.!|~@$:\\\\/{}\"'", max_size=30)


def shown(text: str, *, code: bool = False) -> str:
    """What a reader sees of one paragraph; fails where it is anything else, or has markup other
    than code where that may be.
    """
    opening, inline, closing = MARKDOWN.parse(text)
    assert (opening.type, inline.type, closing.type) == (
        "paragraph_open",
        "inline",
        "paragraph_close",
    )
    children = inline.children or []
    expected = {"text", "text_special", *(("code_inline",) if code else ())}
    assert {child.type for child in children} <= expected
    return "".join([child.content for child in children])


@given(SIGNS.filter(lambda text: bool(text.strip())))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    assert shown(escape(text)) == plain(text, 400).strip()


@pytest.mark.parametrize(
    "text",
    [
        "expected max_bytes=100 or more, found 99 (KIP-74)",
        "fetch.max.bytes: the limit; 4.3.1 has none!",
    ],
)
def test_plain_sentences_stand_as_they_are(text: str) -> None:
    assert escape(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://example.org", "http\\://example.org"),
        ("see www.example.org", "see www\\.example.org"),
        ("by @someone in #12", "by \\@someone in \\#12"),
        ("so :smile: it is", "so \\:smile: it is"),
    ],
)
def test_nothing_becomes_a_link_or_a_picture_by_itself(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_what_begins_no_line_is_no_list() -> None:
    assert escape_within("4.3.1") == "4.3.1"
    assert escape("4.3.1") == "4\\.3.1"
    assert MARKDOWN.render(f"| |\n| --- |\n| {escape_within('1. a|b')} |").count("<td>") == 1


def test_the_catalogue_reads_well_as_it_stands_and_keeps_its_code() -> None:
    texts = [
        text
        for one in catalogue().values()
        for text in (one.statement, one.explanation, *map(str, one.sources))
        if text
    ]
    for text in texts:
        assert shown(prose(text), code=True) == plain(text.strip(), len(text)).replace("`", "")
        assert "\\`" not in prose(text)
        assert "\\#" not in prose(text)
