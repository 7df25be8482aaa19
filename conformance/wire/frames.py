"""Cutting a stream of bytes into frames, without any I/O."""

from __future__ import annotations

from struct import Struct as Packing

LENGTH = Packing(">i")


class BadLength(Exception):  # noqa: N818 - it describes the bytes
    """A frame's length that is negative or larger than allowed; the stream can't be read any
    further.
    """


class Frames:
    """Bytes received and not yet handed out; a frame is its length (int32) and so many bytes."""

    def __init__(self, max_frame: int) -> None:
        self.max_frame = max_frame
        self._data = bytearray()

    @property
    def buffered(self) -> int:
        """Bytes of frames that aren't complete yet."""
        return len(self._data)

    @property
    def head(self) -> bytes:
        """The first buffered bytes, as evidence."""
        return bytes(self._data[:64])

    def missing(self) -> int:
        """How many more bytes the next frame needs: at least 4 where its length isn't known."""
        if len(self._data) < 4:
            return 4 - len(self._data)
        return max(0, int.from_bytes(self._data[:4], "big") + 4 - len(self._data))

    def feed(self, data: bytes) -> None:
        """Take bytes as they came."""
        self._data += data

    def next(self) -> bytes | None:
        """The next complete frame without its length, None while there is none.

        Raises:
            BadLength: the length is out of bounds; nothing of that frame is waited for.
        """
        data = self._data
        if len(data) < 4:
            return None
        (size,) = LENGTH.unpack_from(data)
        if not 0 <= size <= self.max_frame:
            raise BadLength(f"frame length {size}, expected 0 to {self.max_frame}")
        end = LENGTH.size + size
        if len(data) < end:
            return None
        frame = bytes(memoryview(data)[LENGTH.size : end])
        del data[:end]
        return frame
