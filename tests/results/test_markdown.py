"""Text in Markdown is shown as it is, and reads well before it is rendered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from results.markdown import escape
from results.text import plain

MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet="ab1 _*`[]()<>&#+-=.!|~@$:\\\\/{}\"'", max_size=30)


def shown(text: str) -> str:
    """What a reader sees of one paragraph; fails where it is anything else, or has markup."""
    opening, inline, closing = MARKDOWN.parse(text)
    assert (opening.type, inline.type, closing.type) == (
        "paragraph_open",
        "inline",
        "paragraph_close",
    )
    children = inline.children or []
    assert {child.type for child in children} <= {"text", "text_special"}
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
