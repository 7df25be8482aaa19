"""Logs that were truncated, on a stage before a broker whose own log only grows: which of its
offsets a client is shown as which.

What was written before a truncation and lies behind it is lost: it stays in the broker's log, and
no client is shown it. What is written afterwards takes its offsets. An offset, and the leader epoch
of a batch, lie outside the batch's checksum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conformance.wire.batch_format import PREFIX_SIZE

EPOCH_END = 16
OFFSET = 8


class Piece(NamedTuple):
    """A part of the log that clients are shown, up to where the next one begins.

    Attributes:
        shown: its first offset, as clients are shown it.
        stored: the same, in the broker's log.
        moves: how often the leader had moved when it began.
    """

    shown: int
    stored: int
    moves: int


@dataclass(slots=True)
class Lineage:
    """One partition's log; offsets are absolute.

    Attributes:
        pieces: what clients are shown, in order.
        every: these, and those that were lost as a whole.
        truncated_ms: when it was truncated last, since the scenario's start; -1 for never.
    """

    pieces: list[Piece] = field(default_factory=lambda: [Piece(0, 0, 0)])
    every: list[Piece] = field(default_factory=lambda: [Piece(0, 0, 0)])
    truncated_ms: float = -1.0

    def truncate(self, at: int, stored_end: int, moves: int) -> None:
        """The log ends at an offset as clients are shown it; what comes next has so many moves of
        the leader behind it.
        """
        kept = [one for one in self.pieces if one.shown < at] or self.pieces[:1]
        piece = Piece(at, stored_end, moves)
        self.pieces = [*kept, piece]
        self.every.append(piece)

    def stored(self, shown: int) -> int:
        """Where an offset that clients are shown lies in the broker's log."""
        if shown < 0:
            return shown
        piece = [one for one in self.pieces if one.shown <= shown][-1]
        return shown - piece.shown + piece.stored

    def shown(self, stored: int) -> int | None:
        """The offset that clients are shown for one of the broker's log; None where it is lost."""
        if stored < 0:
            return stored
        number = max(place for place, one in enumerate(self.pieces) if one.stored <= stored)
        piece, following = self.pieces[number], self.pieces[number + 1 :]
        offset = stored - piece.stored + piece.shown
        return None if following and offset >= following[0].shown else offset

    def ever_stored(self, shown: int) -> list[int]:
        """Every offset of the broker's log that clients have been shown as one."""
        return [shown - one.shown + one.stored for one in self.every if one.shown <= shown]

    def end_of(self, moves: int, stored_end: int) -> tuple[int, int]:
        """The last leader epoch up to one, as a count of moves, that wrote anything or began with a
        truncation; and where it ended.
        """
        number = max(place for place, one in enumerate(self.pieces) if one.moves <= max(moves, 0))
        following = self.pieces[number + 1 :]
        end = following[0].shown if following else self.shown(stored_end)
        return self.pieces[number].moves, stored_end if end is None else end

    def fetched(self, part: dict[str, Any], epoch: int) -> dict[str, Any]:
        """A partition's part of a response to Fetch as clients are shown it, given the leader epoch
        before the first move.
        """
        marks = ("high_watermark", "last_stable_offset", "log_start_offset")
        value = {**part, **{one: self._or_end(part[one]) for one in marks if one in part}}
        value["records"] = self._records(part.get("records") or b"", epoch)
        listed = part.get("aborted_transactions")
        if listed:
            value["aborted_transactions"] = [
                {**one, "first_offset": shown}
                for one in listed
                if (shown := self.shown(one["first_offset"])) is not None
            ]
        return value

    def _or_end(self, stored: int) -> int:
        """An offset that clients are shown; of one that is lost, where the log was truncated."""
        shown = self.shown(stored)
        return self.pieces[-1].shown if shown is None else shown

    def listed(self, part: dict[str, Any], epoch: int) -> dict[str, Any]:
        """A partition's part of a response to ListOffsets as clients are shown it."""
        if part.get("offset", -1) < 0:
            return part
        shown = self._or_end(part["offset"])
        value = {**part, "offset": shown}
        if part.get("leader_epoch", -1) >= 0:
            value["leader_epoch"] = epoch + self._moves_at(shown)
        return value

    def _moves_at(self, shown: int) -> int:
        return [one.moves for one in self.pieces if one.shown <= shown][-1]

    def _records(self, records: bytes, epoch: int) -> bytes:
        """Batches with the offsets and leader epochs that clients are shown, without those that are
        lost.
        """
        found = []
        position = 0
        while position + PREFIX_SIZE <= len(records):
            size = PREFIX_SIZE + int.from_bytes(
                records[position + OFFSET : position + PREFIX_SIZE], "big"
            )
            data = records[position : position + size]
            shown = self.shown(int.from_bytes(data[:OFFSET], "big"))
            if shown is not None:
                named = (epoch + self._moves_at(shown)).to_bytes(4, "big")
                rest = named + data[EPOCH_END:] if len(data) >= EPOCH_END else data[PREFIX_SIZE:]
                found.append(shown.to_bytes(OFFSET, "big") + data[OFFSET:PREFIX_SIZE] + rest)
            position += max(size, PREFIX_SIZE)
        return b"".join(found)
