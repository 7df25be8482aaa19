"""A transcript as a Python program that needs the standard library alone: it makes the topic, lays
the batches, sends the steps, and prints what is observed beside what is expected.

What another run is given other values for is named by variables: topics and their ids, groups,
producers, sessions and member ids. Text of others is in string literals alone.
"""

from __future__ import annotations

import ast
import base64
import math
import re
import zlib
from dataclasses import dataclass, field
from importlib.resources import files
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from conformance.ledger import PREFIX
from conformance.reproduction.runtime import errors, groups, offsets
from conformance.wire.batch_format import HEADER_SIZE, TRANSACTIONAL
from conformance.wire.schema import ZERO_UUID
from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.share.steps import ShareFetch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conformance.reproduction.expected import Expectation
    from conformance.wire.codec import Codec
    from conformance.wire.schema import Field, Struct
    from conformance.wire.transcript import Asked, Transcript
    from spec.scenario import Scenario

WIDTH = 96
_BRACKETS: Mapping[type, tuple[str, str]] = {
    dict: ("{", "}"),
    list: ("[", "]"),
    tuple: ("(", ")"),
}
LONGEST_HEX = 120
"""Bytes that are written out as they are; more are packed."""
IGNORED = frozenset(
    {
        "ApiVersions",
        "DeleteTopics",
        "DescribeCluster",
        "DescribeConfigs",
        "DescribeLogDirs",
        "Fetch",
        "Metadata",
        "ReadShareGroupStateSummary",
        "ShareGroupDescribe",
    }
)
"""Requests that prepare nothing."""
OLD_METADATA = 7
"""A version of Metadata that brokers of any age know."""
LONGEST_PROGRAM = 200_000
"""Characters of a program that can be mailed."""
WAIT_S = 0.1
"""A pause between two requests that is kept, in seconds."""
AFTER_CONFIG_S = 1.0
"""How long a broker may take until a group's config counts, in seconds."""


class NoProgramError(Exception):
    """A scenario that no standalone program shows; the message says why."""


@frozen
class Heading:
    """What a program says of itself.

    Attributes:
        title: what it shows.
        lines: what was tested, and what the broker needs.
        words: for each step, what is done in it.
    """

    title: str
    lines: tuple[str, ...]
    words: tuple[str, ...]


def standalone(
    transcript: Transcript,
    scenario: Scenario,
    codec: Codec,
    expectation: Expectation | None,
    step: int,
    heading: Heading,
) -> str:
    """The program's text.

    Args:
        transcript: one play of the scenario.
        scenario: what was played.
        codec: Kafka's messages.
        expectation: the field that is compared; None where there is none.
        step: the number of the step whose answer has it.
        heading: what it says of itself.

    Raises:
        NoProgramError: there can be none.
    """
    if expectation is None:
        raise NoProgramError(
            "no single field of an answer shows it, so that nothing could be compared"
        )
    kept = _requests_to_send(transcript)
    if any(one.value is None for one in kept):
        raise NoProgramError("a request is none of Kafka's message definitions")
    if not any(one.step == step for one in kept):
        raise NoProgramError("the request that shows it is not sent by a step alone")
    metadata = [one for one in transcript.asked if one.ticket.api == "Metadata" and one.answer]
    written = _Writer(kept, scenario, codec, expectation, step, heading, metadata).text()
    if len(written) > LONGEST_PROGRAM:
        raise NoProgramError(f"it would have {len(written):,} characters")
    ast.parse(written)
    return written


def _requests_to_send(transcript: Transcript) -> list[Asked]:
    """The requests that the program sends, in the order of sending: the steps, and what prepares
    them.
    """
    asked = sorted(transcript.asked, key=lambda one: one.ticket.sent_at)
    last_step = max((at for at, one in enumerate(asked) if one.step is not None), default=-1)
    kept: list[Asked] = []
    unsettled = False
    for one in asked[: last_step + 1]:
        api = one.ticket.api
        if one.step is None and (api in IGNORED or (api == "ListOffsets" and not unsettled)):
            continue
        unsettled = api == "EndTxn" or (unsettled and api == "ListOffsets")
        if one.step is None:
            kept = [other for other in kept if not _is_asked_again(other, one)]
        kept.append(one)
    return kept


def _is_asked_again(before: Asked, one: Asked) -> bool:
    """Whether a request that prepares something is asked again by another, which is enough. Two
    batches of a layout may be equal, though.
    """
    api = one.ticket.api
    if before.step is not None or before.ticket.api != api or api == "Produce":
        return False
    return before.value == one.value or api in {"ListOffsets", "ShareGroupHeartbeat"}


@dataclass
class _Writer:
    kept: list[Asked]
    scenario: Scenario
    codec: Codec
    expectation: Expectation
    step: int
    heading: Heading
    metadata: Sequence[Asked]
    """The requests for metadata, which say which id a topic has."""
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """Expression by name or id that another run has otherwise."""
    ids: dict[bytes, str] = field(default_factory=dict)
    given: dict[tuple[str, Any], str] = field(default_factory=dict)
    """Expression by (field, value) of what an answer gave."""
    producers: dict[int, str] = field(default_factory=dict)
    connections: dict[int, str] = field(default_factory=dict)
    epochs: dict[int, int] = field(default_factory=dict)
    answers: int = 0

    def text(self) -> str:
        self._body()
        head = [f"Shows: {self.heading.title}", "", *self.heading.lines]
        head += ["", "Usage: python THIS_FILE [HOST:PORT]", ""]
        head += ["It makes a topic of its own, and exits with 1 where the answer differs."]
        comment = "\n".join([f"# {_ascii(line)}".rstrip() for line in head])
        errors = " ".join([f"{code.value} {code.name}" for code in Error if code.value])
        return "\n".join(
            [
                "#!/usr/bin/env python3",
                comment,
                "",
                _runtime(),
                "",
                'ERRORS = error_names("""',
                _block(errors),
                '""")',
                "",
                "# Kafka's message definitions, of the versions that are used: the API's key,",
                "# whether its fields are flexible, and the fields of request and response.",
                "MESSAGES = {",
                *self._messages(),
                "}",
                "",
                "",
                "def main(host, port):",
                "    checks = Checks()",
                *[indent(line, " " * 4) for line in self.lines],
                "    return checks.end()",
                "",
                "",
                'if __name__ == "__main__":',
                '    address = sys.argv[1] if len(sys.argv) > 1 else "localhost:9092"',
                '    where, _, number = address.rpartition(":")',
                "    sys.exit(main(where or address, int(number)))",
                "",
            ]
        )

    # What is done

    def _body(self) -> None:
        waiting: list[tuple[Asked, str]] = []
        last: float | None = None
        for number, one in enumerate(self.kept):
            for parked in [*waiting]:
                if (parked[0].ended_at or math.inf) <= one.ticket.sent_at:
                    self._write_receive(*parked)
                    waiting.remove(parked)
            again = [other for other in self.kept if other.step == one.step]
            if one.step is None:
                self._prepare(one)
                last = one.ended_at
                continue
            if one is not again[0]:
                continue
            if last is not None and one.ticket.sent_at - last > WAIT_S:
                self.lines.append(f"time.sleep({one.ticket.sent_at - last:.1f})")
            last = again[-1].ended_at or again[-1].ticket.sent_at
            name = self._name()
            later = [other for other in self.kept[number + 1 :] if other.step != one.step]
            if any(other.ticket.sent_at < (one.ended_at or 0) for other in later):
                self.lines.append(self._call(f"sent_{name} =", one, "send"))
                waiting.append((one, name))
                last = one.ticket.sent_at
            else:
                self._write_request(one, again, name)
        for parked in waiting:
            self._write_receive(*parked)

    def _name(self) -> str:
        self.answers += 1
        return f"answer{self.answers}"

    def _connection(self, one: Asked) -> str:
        known = self.connections.get(one.connection)
        if known is None:
            known = self.connections[one.connection] = f"connection{len(self.connections)}"
            self.lines.append(f"{known} = Connection(host, port, MESSAGES)")
        return known

    def _topic(self, one: Asked) -> None:
        value = one.value or {}
        topic = dict(value["topics"][0])
        topic["num_partitions"] = max(1, len(self.scenario.layout.partitions))
        number = len(self.ids)
        self.names[topic["name"]] = f"topic{number}"
        self.lines.append(f'topic{number} = fresh("report")')
        connection = self._connection(one)
        literal = _literal(_without_empty(topic), 0, self._atom)
        versions = f"{one.ticket.version}, {self._metadata_version}"
        self.lines.append(f"topic_id{number} = create_topic({connection}, {versions}, {literal})")
        self.ids[self._topic_id(topic["name"])] = f"topic_id{number}"

    def _topic_id(self, name: str) -> bytes:
        for one in self.metadata:
            for topic in (one.answer or {}).get("topics", []):
                if topic["name"] == name:
                    return bytes(topic.get("topic_id", ZERO_UUID))
        return ZERO_UUID

    def _prepare(self, one: Asked) -> None:
        if one.ticket.api == "CreateTopics":
            self._topic(one)
            return
        if one.ticket.api == "ShareGroupHeartbeat":
            group = self._atom((one.value or {})["group_id"])
            count = len(self.scenario.layout.partitions)
            self.lines.append(
                f"join_and_leave({self._connection(one)}, {one.ticket.version}, {group}, topic0, "
                f"{count})"
            )
            return
        name = self._name()
        if one.ticket.api == "ListOffsets":
            done = f"lambda answer: offsets(answer) == {offsets(one.answer or {})!r}"
            self.lines.append(self._call(f"{name} =", one, "until", done))
        elif any(errors(one.answer)):
            self.lines.append(self._call(f"{name} =", one, "ask"))
        else:
            self.lines.append(self._call(f"{name} =", one, "until", "is_right"))
        if one.ticket.api == "IncrementalAlterConfigs":
            self.lines.append(f"time.sleep({AFTER_CONFIG_S})")
        self._learn(one, name)

    def _write_request(self, one: Asked, again: Sequence[Asked], name: str) -> None:
        if _found_at_once(one, again) and self._has_patience(one):
            self._write_share_fetches(one, _follow_up(one), name, 5.0)
            self.epochs[one.connection] = (one.value or {})["share_session_epoch"]
            self._write_comparison(one, name)
            return
        if len(again) == 1:
            within = "" if one.answer is not None else "10.0"
            self.lines.append(self._call(f"{name} =", one, "ask", within))
        elif one.ticket.api == "ShareFetch":
            took = (again[-1].ended_at or again[-1].ticket.sent_at) - one.ticket.sent_at
            self._write_share_fetches(one, again[1], name, max(5.0, 2 * took))
            self.epochs[one.connection] = (again[-1].value or {}).get("share_session_epoch", 0)
        else:
            seen = "errors(answer)"
            wanted: Any = errors(again[-1].answer)
            if one.ticket.api == "DescribeGroups":
                seen, wanted = "groups(answer)", groups(again[-1].answer or {})
            done = f"lambda answer: {seen} == {_ascii(repr(wanted))}"
            self.lines.append(self._call(f"{name} =", one, "until", done))
        self._write_comparison(again[-1], name)

    def _has_patience(self, one: Asked) -> bool:
        """Whether a step asks until something is acquired."""
        steps = self.scenario.steps
        step = steps[one.step] if one.step is not None and one.step < len(steps) else None
        return isinstance(step, ShareFetch) and step.patience_ms > 0

    def _write_share_fetches(self, one: Asked, more: Asked, name: str, within_s: float) -> None:
        """Ask until something is acquired, as the step did: where nothing had to be waited for
        when it was played, it may have to be another time.
        """
        self.lines.append(f"deadline = time.monotonic() + {within_s:.1f}")
        self.lines.append(self._call(f"{name} =", one, "ask"))
        self.lines.append(f"while is_empty({name}) and time.monotonic() < deadline:")
        self.lines.append("    time.sleep(0.1)")
        self.lines.append(indent(self._call(f"{name} =", more, "ask"), " " * 4))

    def _write_receive(self, one: Asked, name: str) -> None:
        self.lines.append(f"{name} = {self.connections[one.connection]}.receive(sent_{name})")
        self._write_comparison(one, name)

    def _write_comparison(self, one: Asked, name: str) -> None:
        assert one.step is not None
        words = f"{one.ticket.api} v{one.ticket.version}"
        if one.step < len(self.heading.words):
            words = self.heading.words[one.step]
        self.lines.append(f"checks.show({one.step}, {_ascii(repr(words))}, {name})")
        if one.step == self.step:
            found = self.expectation
            path = tuple(found.path)
            if found.expected is None:
                self.lines.append(
                    f"checks.expect_other({name}, {path!r}, {found.observed!r}, "
                    f"{_ascii(repr(found.words))})"
                )
            else:
                self.lines.append(f"checks.expect({name}, {path!r}, {found.expected!r})")
        self._learn(one, name)

    def _learn(self, one: Asked, name: str) -> None:
        """Take note of what an answer gives that later requests carry."""
        answer = one.answer or {}
        for key in ("session_id", "member_id"):
            if answer.get(key):
                self.given[key, answer[key]] = f"{name}[{key!r}]"
        if one.ticket.api == "InitProducerId" and answer.get("producer_id", -1) >= 0:
            self.producers[answer["producer_id"]] = name

    # How it is written

    def _call(self, target: str, one: Asked, method: str, more: str = "") -> str:
        connection = self._connection(one)
        value = dict(one.value or {})
        if "share_session_epoch" in value:
            epoch = value["share_session_epoch"]
            if epoch > 0 and epoch == self.epochs.get(one.connection, -1) + 1:
                value["share_session_epoch"] = "next"
            self.epochs[one.connection] = epoch
        literal = _literal(_without_empty(value), 0, self._atom)
        extra = f", {more}" if more else ""
        api, version = one.ticket.api, one.ticket.version
        return f'{target} {connection}.{method}("{api}", {version}, {literal}{extra})'

    def _atom(self, value: Any, key: str = "") -> str:
        if isinstance(value, bytes):
            return self._bytes(value)
        if (key, value) in self.given:
            return self.given[key, value]
        if isinstance(value, str):
            return self._string(value)
        if key.endswith("producer_id") and value in self.producers:
            return f'{self.producers[value]}["producer_id"]'
        if key.endswith("producer_epoch") and self.producers:
            return repr(value)
        return repr(value)

    def _string(self, value: str) -> str:
        if value in self.names:
            return self.names[value]
        for topic_id, expression in self.ids.items():
            text = base64.urlsafe_b64encode(topic_id).decode().rstrip("=")
            if topic_id != ZERO_UUID and text in value:
                parts = [
                    f"uuid_text({expression})" if one == text else self._string(one)
                    for one in re.split(f"({re.escape(text)})", value)
                    if one
                ]
                return " + ".join(parts)
        for name, expression in self.names.items():
            if value.startswith(name):
                return f"{expression} + {value[len(name) :]!a}"
        if value.startswith(PREFIX):
            own = f"name{sum(one.startswith('name') for one in self.names.values())}"
            group, colon, rest = value.partition(":") if value.count(":") > 1 else (value, "", "")
            kept = re.sub(r"[0-9a-f]{8,}", "", group.removeprefix(PREFIX)).strip("-") or "group"
            self.lines.append(f"{own} = fresh({'report-' + kept!a})")
            self.names[group] = own
            return f"{own} + {colon + rest!a}" if colon else own
        return ascii(value)

    def _bytes(self, value: bytes) -> str:
        if value in self.ids:
            return self.ids[value]
        if len(value) > LONGEST_HEX:
            packed = base64.b64encode(zlib.compress(value, 9)).decode()
            literal = f'unpack("{packed}")'
        else:
            literal = f'bytes.fromhex("{value.hex()}")'
        if len(value) >= HEADER_SIZE and value[16] == 2 and value[22] & TRANSACTIONAL:
            producer = int.from_bytes(value[43:51], "big")
            if producer in self.producers:
                return f"produced_by({literal}, {self.producers[producer]})"
        return literal

    def _used_versions(self) -> list[tuple[str, int]]:
        used = {(one.ticket.api, one.ticket.version) for one in [*self.kept, *self.metadata]}
        if any(one.ticket.api == "CreateTopics" for one in self.kept):
            used.add(("Metadata", self._metadata_version))
        return sorted(used)

    @property
    def _metadata_version(self) -> int:
        """The version of Metadata by which the leaders of a new topic are awaited: the newest that
        was asked, otherwise an old one.
        """
        return max([one.ticket.version for one in self.metadata], default=OLD_METADATA)

    def _messages(self) -> Iterator[str]:
        for api, version in self._used_versions():
            codec = self.codec.request(api, version)
            flexible = codec.body.schema.flexible
            yield f'    ("{api}", {version}): ({codec.api_key}, {flexible}, fields_of("""'
            yield _block(_fields(codec.body.schema.root))
            yield '    """), fields_of("""'
            yield _block(_fields(codec.response.schema.root))
            yield '    """)),'


def _found_at_once(one: Asked, again: Sequence[Asked]) -> bool:
    """Whether a ShareFetch was sent once alone, since it acquired something."""
    if len(again) > 1 or one.ticket.api != "ShareFetch":
        return False
    topics = (one.answer or {}).get("responses", [])
    return any(part["acquired_records"] for topic in topics for part in topic["partitions"])


def _follow_up(one: Asked) -> Asked:
    """The same ShareFetch sent again: in its session, without what was acknowledged already."""
    value = dict(one.value or {})
    value["share_session_epoch"] += 1
    value["topics"] = []
    value["forgotten_topics_data"] = []
    return replace(one, value=value)


def _block(text: str) -> str:
    return fill(text, WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _fields(struct: Struct) -> str:
    """The fields of a message as the runtime reads them: `name:kind`, with `?` before what may be
    null, `*` before an array, `{...}` for a struct and `#1` for a tag.
    """
    return " ".join([_field(one) for one in (*struct.fields, *struct.tagged)])


def _field(one: Field) -> str:
    kind = one.kind if one.struct is None else "{ " + _fields(one.struct) + " }"
    tag = "" if one.tag is None else f" #{one.tag}"
    return f"{one.key}: {'?' if one.nullable else ''}{'*' if one.array else ''}{kind}{tag}"


def _runtime() -> str:
    """The source that each program needs, with the imports, without its docstring."""
    source = files("conformance.reproduction").joinpath("runtime.py").read_text(encoding="utf-8")
    return (
        source.split('"""\n', 1)[1]
        .strip()
        .replace("import struct\n", "import struct\nimport sys\n")
    )


def _without_empty(value: Any) -> Any:
    """A request's fields without those that are empty."""
    if isinstance(value, dict):
        kept = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in ("", [], b"", ZERO_UUID)}
    return [_without_empty(one) for one in value] if isinstance(value, (list, tuple)) else value


def _literal(value: Any, start: int, atom: Callable[..., str]) -> str:
    """A value as Python, on one line where it fits."""

    def form(one: Any, key: str, depth: int) -> str:
        if isinstance(one, (dict, list, tuple)):
            flat = "".join(parts(one, key, depth, " "))
            if len(flat) <= WIDTH - depth - len(key) - 12:
                return flat
            return "".join(parts(one, key, depth, "\n"))
        return atom(one) if atom is repr else atom(one, key)

    def parts(one: Any, key: str, depth: int, between: str) -> Iterator[str]:
        opening, closing = _BRACKETS[type(one)]
        yield opening
        inner = "\n" + " " * (depth + 4) if between == "\n" else ""
        items = (
            [f"{name!a}: {form(each, str(name), depth + 4)}" for name, each in one.items()]
            if isinstance(one, dict)
            else [form(each, key, depth + 4) for each in one]
        )
        if between == "\n":
            yield "".join([f"{inner}{item}," for item in items])
            yield "\n" + " " * depth
        else:
            yield ", ".join(items) + ("," if isinstance(one, tuple) and len(one) == 1 else "")
        yield closing

    return form(value, "", start)


def _ascii(text: str) -> str:
    """Text without anything but printable ASCII."""
    return re.sub(r"[^ -~]", lambda found: found[0].encode("unicode_escape").decode(), text)
