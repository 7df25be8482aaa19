"""What a standalone program needs: Kafka's wire protocol over a socket, for the messages in its
tables. Its source is put into each program, so it imports the standard library alone, and prints.
"""

import base64
import re
import socket
import struct
import time
import uuid
import zlib
from typing import Any

Fields = Any
"""A message: (name, kind, is array, is nullable, tag or None) for each field; a kind is a name, or
the fields of a struct.
"""
FIXED = {"bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i"}
FIXED |= {"uint32": ">I", "int64": ">q", "float64": ">d", "uuid": ">16s"}
ABSENT: Any = object()
PATIENCE_S = 30.0
ERRORS: dict[int, str] = {}


def error_names(text: str) -> dict[int, str]:
    """Error codes and their names, one after the other."""
    words = text.split()
    return dict(zip(map(int, words[::2]), words[1::2], strict=True))


def fields_of(text: str) -> Fields:
    """The fields of a message: `name: kind`, with `?` before what may be null, `*` before an array,
    `{...}` for a struct and `#1` for a tag.
    """
    words = iter(re.findall(r"\w+:|[?*{}]|#\d+|\w+", text))
    return _struct(words)


def _struct(words: Any) -> Fields:
    fields: list[Any] = []
    for word in words:
        if word == "}":
            break
        if word.startswith("#"):
            fields[-1] = (*fields[-1][:4], int(word[1:]))
            continue
        marks, kind = "", next(words)
        while kind in ("?", "*"):
            marks, kind = marks + kind, next(words)
        kind = _struct(words) if kind == "{" else kind
        fields.append((word[:-1], kind, "*" in marks, "?" in marks, None))
    return fields


def uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def encode(fields: Fields, value: dict[str, Any], flexible: bool) -> bytes:
    """A struct; a field that is absent is zero, empty or, of a struct that may be null, null."""
    out = b""
    tagged = dict(value.get("_tags", {}))
    for name, kind, array, nullable, tag in fields:
        if tag is None:
            out += encode_field(kind, array, nullable, value.get(name, ABSENT), flexible)
        elif name in value:
            tagged[tag] = encode_field(kind, array, nullable, value[name], flexible)
    if flexible:
        parts = [uvarint(tag) + uvarint(len(tagged[tag])) + tagged[tag] for tag in sorted(tagged)]
        out += uvarint(len(tagged)) + b"".join(parts)
    return out


def encode_field(kind: Any, array: bool, nullable: bool, value: Any, flexible: bool) -> bytes:
    if array:
        value = [] if value is ABSENT else value
        if value is None:
            return uvarint(0) if flexible else struct.pack(">i", -1)
        head = uvarint(len(value) + 1) if flexible else struct.pack(">i", len(value))
        return head + b"".join(encode_field(kind, False, False, one, flexible) for one in value)
    if isinstance(kind, list):
        if nullable:
            absent = value is None or value is ABSENT
            return b"\xff" if absent else b"\x01" + encode(kind, value, flexible)
        return encode(kind, {} if value is ABSENT else value, flexible)
    if kind in FIXED:
        zero = bytes(16) if kind == "uuid" else 0
        return struct.pack(FIXED[kind], zero if value is ABSENT else value)
    if value is ABSENT:
        value = b""
    if isinstance(value, str):
        value = value.encode()
    if flexible:
        return uvarint(0) if value is None else uvarint(len(value) + 1) + value
    length = ">h" if kind == "string" else ">i"
    return struct.pack(length, -1) if value is None else struct.pack(length, len(value)) + value


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if count < 0 or len(found) < count:
            raise ValueError("the answer ends too early")
        self.at += count
        return found

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def uvarint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def struct(self, fields: Fields, flexible: bool) -> dict[str, Any]:
        found = {
            name: self.field(kind, array, nullable, flexible)
            for name, kind, array, nullable, tag in fields
            if tag is None
        }
        for _ in range(self.uvarint() if flexible else 0):
            tag, data = self.uvarint(), self.take(self.uvarint())
            for name, kind, array, nullable, known in fields:
                if known == tag:
                    found[name] = Reader(data).field(kind, array, nullable, flexible)
        return found

    def field(self, kind: Any, array: bool, nullable: bool, flexible: bool) -> Any:
        if array:
            count = self.uvarint() - 1 if flexible else self.number(">i")
            items = range(max(count, 0))
            return None if count < 0 else [self.field(kind, False, False, flexible) for _ in items]
        if isinstance(kind, list):
            if nullable and self.number(">b") < 0:
                return None
            return self.struct(kind, flexible)
        if kind in FIXED:
            return self.number(FIXED[kind])
        length = self.uvarint() - 1 if flexible else self.number(">h" if kind == "string" else ">i")
        if length < 0:
            return None
        return self.take(length).decode() if kind == "string" else self.take(length)


class Connection:
    """One connection. `MESSAGES` has (key, flexible, request, response) by (API, version)."""

    def __init__(self, host: str, port: int, messages: dict[Any, Any]) -> None:
        self.socket = socket.create_connection((host, port), 10)
        self.messages = messages
        self.sent = 0
        self.epoch = -1

    def send(self, api: str, version: int, value: dict[str, Any]) -> tuple[str, int, int]:
        key, flexible, request, _ = self.messages[api, version]
        if value.get("share_session_epoch") == "next":
            value = {**value, "share_session_epoch": self.epoch + 1}
        self.epoch = value.get("share_session_epoch", self.epoch)
        head = struct.pack(">hhih", key, version, self.sent, 6) + b"report"
        frame = head + (b"\0" if flexible else b"") + encode(request, value, flexible)
        self.socket.sendall(struct.pack(">i", len(frame)) + frame)
        self.sent += 1
        return api, version, self.sent - 1

    def receive(self, sent: tuple[str, int, int], within_s: float = PATIENCE_S) -> dict[str, Any]:
        """The answer's fields; `{"none": why}` where none comes."""
        api, version, number = sent
        _, flexible, _, response = self.messages[api, version]
        try:
            self.socket.settimeout(within_s)
            data = self.exactly(struct.unpack(">i", self.exactly(4))[0])
        except TimeoutError:
            return {"none": f"no answer within {within_s:.0f} s"}
        except OSError as ended:
            return {"none": f"the connection was closed ({ended})"}
        reader = Reader(data)
        if reader.number(">i") != number:
            return {"none": "an answer to another request"}
        if flexible and api != "ApiVersions":
            reader.struct([], True)
        return reader.struct(response, flexible)

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise ConnectionError("end of stream")
            data += part
        return data

    def ask(
        self, api: str, version: int, value: dict[str, Any], within_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        return self.receive(self.send(api, version, value), within_s)

    def until(self, api: str, version: int, value: dict[str, Any], done: Any) -> dict[str, Any]:
        """Ask again until the answer is as wanted, or for so long that it never will be."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self.ask(api, version, value)
            if done(answer) or "none" in answer or time.monotonic() > deadline:
                return answer
            time.sleep(0.1)


def fresh(name: str) -> str:
    """A name that no earlier run of this program used."""
    return f"{name}-{uuid.uuid4().hex[:8]}"


def uuid_text(topic_id: bytes) -> str:
    return base64.urlsafe_b64encode(topic_id).decode().rstrip("=")


def unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def produced_by(batch: bytes, answer: dict[str, Any]) -> bytes:
    """The batch with the producer that InitProducerId gave, and a checksum that fits."""
    producer = struct.pack(">qh", answer["producer_id"], answer["producer_epoch"])
    rest = batch[21:43] + producer + batch[53:]
    return batch[:17] + struct.pack(">I", crc32c(rest)) + rest


def errors(value: Any) -> list[int]:
    """All error codes in an answer, in order."""
    if isinstance(value, list):
        return [code for one in value for code in errors(one)]
    if not isinstance(value, dict):
        return []
    own = [code for name, code in value.items() if name.endswith("error_code")]
    return own + [code for one in value.values() for code in errors(one)]


def is_right(answer: dict[str, Any]) -> bool:
    """Whether an answer has no error code."""
    return not any(errors(answer))


def offsets(answer: dict[str, Any]) -> list[int]:
    """The offsets in a ListOffsets answer."""
    return [part["offset"] for topic in answer.get("topics", []) for part in topic["partitions"]]


def groups(answer: dict[str, Any]) -> list[tuple[str, int]]:
    """State and number of members of the groups in a DescribeGroups answer."""
    return [(one["group_state"], len(one["members"])) for one in answer.get("groups", [])]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """What lies in an answer: a name is a field, a number an element, "*" the elements of all."""
    for place, name in enumerate(path):
        if value is None:
            return "nothing"
        if name == "*":
            rest = path[place + 1 :]
            value = [one for each in value for one in each[rest[0]] or []]
            return at(value, rest[1:])
        if isinstance(name, int):
            if name >= len(value):
                return "nothing"
            value = value[name]
        else:
            value = value.get(name, "nothing")
            if value == "nothing":
                return value
    return value


def compared_value(answer: dict[str, Any], path: tuple[Any, ...]) -> Any:
    """What is compared of an answer: a field, or the batches in records."""
    if "none" in answer:
        return answer["none"]
    value = at(answer, path)
    return batches(value or b"") if path[-1] == "records" and value != "nothing" else value


def short(value: Any, name: str = "") -> Any:
    """An answer without what is empty or null; records as (base offset, bytes)."""
    if isinstance(value, dict):
        kept = {key: short(one, key) for key, one in value.items() if key != "throttle_time_ms"}
        return {key: one for key, one in kept.items() if one not in (None, "", [], {}, b"")}
    if name == "records" and value:
        return batches(value)
    if isinstance(value, list):
        return [short(one, name) for one in value]
    if name.endswith("error_code") and value in ERRORS:
        return f"{value} {ERRORS[value]}"
    return value.hex() if isinstance(value, bytes) else value


def batches(records: bytes) -> list[tuple[int, int]]:
    """(base offset, bytes) of each batch, the last one perhaps cut."""
    found, place = [], 0
    while place + 12 <= len(records):
        base, length = struct.unpack_from(">qi", records, place)
        found.append((base, min(length + 12, len(records) - place)))
        place += max(length, 0) + 12
    return found


def is_empty(answer: dict[str, Any]) -> bool:
    """Whether a ShareFetch was answered without an error, and acquired nothing."""
    parts = [part for topic in answer.get("responses", []) for part in topic["partitions"]]
    return not any(errors(answer)) and not any(part["acquired_records"] for part in parts)


def create_topic(
    connection: Connection,
    version: int,
    metadata_version: int,
    topic: dict[str, Any],
) -> bytes:
    """Create a topic and wait for its leaders; its id."""
    made = connection.ask("CreateTopics", version, {"topics": [topic], "timeout_ms": 60000})
    if any(errors(made)):
        raise SystemExit(f"the topic can't be created: {made}")
    wanted = {"topics": [{"name": topic["name"]}]}

    def led(answer: dict[str, Any]) -> bool:
        parts = answer.get("topics", [{}])[0].get("partitions") or []
        return not any(errors(answer)) and len(parts) == topic["num_partitions"]

    found = connection.until("Metadata", metadata_version, wanted, led)
    return bytes(found["topics"][0].get("topic_id") or bytes(16))


def join_and_leave(
    connection: Connection, version: int, group: str, topic: str, partitions: int
) -> None:
    """Let a member of a share group subscribe until it has the topic, so that the broker knows its
    partitions, and leave.
    """
    member, epoch, assigned = uuid.uuid4().hex[:22], 0, 0
    deadline = time.monotonic() + PATIENCE_S
    while assigned < partitions and time.monotonic() < deadline:
        names = [topic] if epoch == 0 else None
        value = {"group_id": group, "member_id": member, "member_epoch": epoch, "rack_id": None}
        answer = connection.ask(
            "ShareGroupHeartbeat", version, {**value, "subscribed_topic_names": names}
        )
        epoch = answer.get("member_epoch") or epoch
        for one in (answer.get("assignment") or {}).get("topic_partitions", []):
            assigned = len(one["partitions"])
        time.sleep(0.1)
    value = {"group_id": group, "member_id": member, "member_epoch": -1, "rack_id": None}
    connection.ask("ShareGroupHeartbeat", version, {**value, "subscribed_topic_names": None})


class Checks:
    """What was expected and observed."""

    def __init__(self) -> None:
        self.differs = False

    def show(self, step: int, words: str, answer: dict[str, Any]) -> None:
        print(f"step {step}: {words}\n  observed {short(answer)}")

    def expect(self, answer: dict[str, Any], path: tuple[Any, ...], expected: Any) -> None:
        observed = compared_value(answer, path)
        self._say(path, str(expected), observed, differs=observed != expected)

    def expect_other(
        self, answer: dict[str, Any], path: tuple[Any, ...], wrong: Any, words: str
    ) -> None:
        observed = compared_value(answer, path)
        self._say(path, words, observed, differs=observed == wrong)

    def _say(self, path: tuple[Any, ...], expected: str, observed: Any, *, differs: bool) -> None:
        print(f"  {'.'.join(str(name) for name in path)}")
        print(f"    expected {expected}")
        shown = observed if path[-1] == "records" else short(observed, str(path[-1]))
        print(f"    observed {shown}{'   <-- differs' if differs else ''}")
        self.differs = self.differs or differs

    def end(self) -> int:
        print("DIFFERS from what is expected" if self.differs else "as expected")
        return 1 if self.differs else 0
