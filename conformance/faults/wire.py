"""Faults of the wire: what a broken network, or a broken broker, does to a real answer. They know
nothing of `spec`.

A fault turns one answer into what is done instead: bytes are sent, the connection is ended, or
nothing happens at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from spec.frozen import frozen

if TYPE_CHECKING:
    from conformance.wire.codec import Codec


@frozen
class Reply:
    """One answer of the broker.

    Attributes:
        api, version: of the request that it answers.
        frame: its bytes, without the 4 bytes of their length.
    """

    api: str
    version: int
    frame: bytes


@frozen
class Send:
    """Send these bytes."""

    data: bytes


@frozen
class End:
    """End the connection: in good order, or by RST."""

    reset: bool = False


Act = Send | End


class Fault(Protocol):
    """The acts, in order, instead of passing an answer on."""

    def __call__(self, reply: Reply, codec: Codec, /) -> tuple[Act, ...]: ...  # noqa: D102 - the class says it


def with_length(frame: bytes) -> bytes:
    """A frame with its length in front, as it goes over the wire."""
    return len(frame).to_bytes(4, "big") + frame


@frozen
class Truncate:
    """The answer lacks its last bytes, and its length says so: a whole frame with half a
    message.
    """

    missing: int = 1

    def __call__(self, reply: Reply, _: Codec, /) -> tuple[Act, ...]:
        """Send the shorter frame."""
        return (Send(with_length(reply.frame[: max(0, len(reply.frame) - self.missing)])),)


@frozen
class Cut:
    """The connection is closed within the answer, after `sent` bytes of it (those of its length
    count).
    """

    sent: int = 10

    def __call__(self, reply: Reply, _: Codec, /) -> tuple[Act, ...]:
        """Send the beginning, never the whole, and close."""
        whole = with_length(reply.frame)
        return Send(whole[: min(self.sent, len(whole) - 1)]), End()


@frozen
class Reset:
    """The connection is reset instead."""

    def __call__(self, _: Reply, __: Codec, /) -> tuple[Act, ...]:
        """Send nothing."""
        return (End(reset=True),)


@frozen
class Drop:
    """The answer never comes."""

    def __call__(self, _: Reply, __: Codec, /) -> tuple[Act, ...]:
        """Do nothing."""
        return ()


@frozen
class Repeat:
    """The answer comes twice."""

    def __call__(self, reply: Reply, _: Codec, /) -> tuple[Act, ...]:
        """Send it and its copy."""
        return (Send(with_length(reply.frame) * 2),)


class Change(Protocol):
    """The changed value of a field; the same value where it can't be changed."""

    def __call__(self, value: Any, /) -> Any: ...  # noqa: D102 - the class says it


@frozen
class Add:
    """A number is off by so much."""

    amount: int

    def __call__(self, value: Any, /) -> Any:
        """The sum."""
        return value + self.amount if isinstance(value, int) else value


@frozen
class Put:
    """The field has this value, whatever the broker said."""

    value: Any

    def __call__(self, _: Any, /) -> Any:
        """That value."""
        return self.value


@frozen
class FlipByte:
    """One byte is inverted; `at` counts from the end where it is negative."""

    at: int = -1

    def __call__(self, value: Any, /) -> Any:
        """The bytes with that one inverted; the same where there is none."""
        if not isinstance(value, bytes) or not -len(value) <= self.at < len(value):
            return value
        changed = bytearray(value)
        changed[self.at] ^= 0xFF
        return bytes(changed)


@frozen
class Alter:
    """The first field of this name that `change` changes is sent so changed, encoded again; the
    rest is the broker's.

    A name may say where the field stands (`partitions.error_code`). An answer without such a field
    goes through untouched.
    """

    field: str
    change: Change

    def __call__(self, reply: Reply, codec: Codec, /) -> tuple[Act, ...]:
        """Send the changed answer."""
        request = codec.request(reply.api, reply.version)
        correlation_id, decoded = request.decode_response(reply.frame)
        value, changed = alter_field(decoded.value, self.field, self.change)
        return (
            Send(
                with_length(
                    request.encode_response(correlation_id, value) if changed else reply.frame
                )
            ),
        )


def alter_field(value: Any, field: str, change: Change, at: str = "") -> tuple[Any, bool]:
    """A decoded value with the first field of that name changed, depth first, and whether there was
    one; `at` is where it stands.
    """
    if isinstance(value, list):
        for number, one in enumerate(value):
            new, changed = alter_field(one, field, change, at)
            if changed:
                return [*value[:number], new, *value[number + 1 :]], True
    elif isinstance(value, dict):
        for name, one in value.items():
            here = f"{at}.{name}"
            new = change(one) if here.endswith(f".{field}") else one
            changed = new != one
            if not changed:
                new, changed = alter_field(one, field, change, here)
            if changed:
                return {**value, name: new}, True
    return value, False


@frozen
class Planted:
    """A fault, and which answers it strikes.

    Attributes:
        fault: what is done to them.
        api: only answers of this API, `Fetch`.
        after: how many of them go through unharmed first.
        times: how many are struck then; None for all.
    """

    fault: Fault
    api: str = "Fetch"
    after: int = 0
    times: int | None = None

    def strikes(self, api: str, earlier: int) -> bool:
        """Whether an answer of `api` is struck that `earlier` others of it came before."""
        return (
            api == self.api
            and self.after <= earlier
            and (self.times is None or earlier < self.after + self.times)
        )
