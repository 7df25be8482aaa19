import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from results.log import (
    LOG_NAME,
    BrokenLine,
    EventWriter,
    ForeignLogError,
    FutureLogError,
    HeaderMissingError,
    LogEmptyError,
    LogError,
    LogExistsError,
    LogNotFoundError,
    LogReading,
    LogWriteError,
    read_header,
    read_log,
    scan,
)
from spec.canonical import to_json
from spec.events import FORMAT, Event, Judged, Note
from tests.results.synthetic import (
    HOSTILE,
    conforms,
    footer,
    header,
    judged,
    layout,
    placed,
    small_run,
    write,
)

PLACE = layout((5070,))


def scenarios(count: int) -> list[Event]:
    return [header(), placed(PLACE), *[judged(PLACE, conforms()) for _ in range(count - 2)]]


def log_of(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / LOG_NAME
    path.write_bytes(content)
    return path


def lines_of(events: list[Event]) -> bytes:
    return b"".join([to_json(event).encode(errors="backslashreplace") + b"\n" for event in events])


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    events = small_run(hostile=True)
    found = read_log(write(tmp_path, events) / LOG_NAME)
    assert found == LogReading(header(), tuple(events), truncated=False)


def test_a_line_stays_one_line_whatever_the_broker_says(tmp_path: Path) -> None:
    write(tmp_path, [header(), Note(HOSTILE + "\u2028\u0085\n")])
    assert (tmp_path / LOG_NAME).read_bytes().count(b"\n") == 2


def test_each_event_is_in_the_file_before_the_next_one_is_made(tmp_path: Path) -> None:
    with EventWriter(tmp_path / LOG_NAME) as writer:
        writer.write(header())
        writer.write(placed(PLACE))
        assert len(list(scan(tmp_path / LOG_NAME))) == 2


def test_a_line_cut_in_half_and_an_array_are_counted_beside_the_good_ones(tmp_path: Path) -> None:
    """Case X09: 10 good lines, 1 cut in half, 1 array give 10 events and 2 broken lines."""
    half = to_json(judged(PLACE, conforms()))[:40].encode()
    found = read_log(log_of(tmp_path, lines_of(scenarios(10)) + b"[1,2,3]\n" + half))
    assert len(found.events) == 10
    assert [line.number for line in found.broken_lines] == [11, 12]
    assert (
        "expected an object" in found.broken_lines[0].reason
        or "found" in found.broken_lines[0].reason
    )
    assert found.broken_lines[1].reason.startswith("cut short at the end of the file")
    assert found.truncated


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"null\n",
        b"7\n",
        b"{}\n",
        b'{"kind":"judged"}\n',
        b'{"kind":"later"}\n',
        b"\x00\x00\x00\n",
        b"\xff\xfe\n",
        b"[" * 9999 + b"\n",
    ],
)
def test_a_line_that_is_no_event_is_listed_and_the_next_one_still_counts(
    tmp_path: Path, line: bytes
) -> None:
    found = read_log(log_of(tmp_path, lines_of(scenarios(3)) + line + lines_of([footer()])))
    assert len(found.events) == 4
    assert [broken.number for broken in found.broken_lines] == [4]
    assert not found.truncated


def test_every_cut_of_the_last_line_loses_that_line_alone(tmp_path: Path) -> None:
    whole = lines_of(scenarios(3))
    start = whole[:-1].rfind(b"\n") + 1
    for end in range(start + 1, len(whole) - 1):
        items = list(scan(log_of(tmp_path, whole[:end])))
        assert [isinstance(item, BrokenLine) for item in items] == [False, False, True]


def test_a_log_without_footer_is_truncated(tmp_path: Path) -> None:
    assert read_log(log_of(tmp_path, lines_of(scenarios(3)))).truncated


@pytest.mark.parametrize(
    ("content", "error", "word"),
    [
        (b"", LogEmptyError, "empty"),
        (b"hello\n", ForeignLogError, "no event"),
        (b'{"a":1}\n', ForeignLogError, "no event"),
        (b"[1]\n", ForeignLogError, "no event"),
        (b"PK\x03\x04\xff\n", ForeignLogError, "no event"),
        (b'{"kind":"run_started"}\n', ForeignLogError, "can't be read"),
        (b'{"kind":"note","text":"x"}\n', HeaderMissingError, "run_started"),
        (b'{"kind":"run_started","format":99,"new":1}\n', FutureLogError, "upgrade"),
    ],
)
def test_a_head_that_can_not_be_used_is_named_for_what_it_is(
    tmp_path: Path, content: bytes, error: type[LogError], word: str
) -> None:
    path = log_of(tmp_path, content)
    with pytest.raises(error, match=word) as caught:
        read_log(path)
    assert str(path) in str(caught.value)
    assert caught.type is error


def test_a_missing_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogNotFoundError, match="fencepost run"):
        read_header(tmp_path / LOG_NAME)


def test_a_second_run_does_not_write_over_a_log(tmp_path: Path) -> None:
    write(tmp_path, scenarios(3))
    with pytest.raises(LogExistsError, match="--resume"):
        EventWriter(tmp_path / LOG_NAME)
    assert len(read_log(tmp_path / LOG_NAME).events) == 3


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogWriteError, match="choose another"):
        EventWriter(tmp_path / "none" / LOG_NAME)


def test_resuming_takes_a_torn_tail_off_and_says_so(tmp_path: Path) -> None:
    whole = lines_of(scenarios(4))
    path = log_of(tmp_path, whole + b'{"kind":"judged","sc')
    with EventWriter(path, resume=True) as writer:
        writer.write(judged(PLACE, conforms()))
        writer.write(footer())
    found = read_log(path)
    assert not found.broken_lines
    assert not found.truncated
    notes = [event.text for event in found.events if isinstance(event, Note)]
    assert len(notes) == 1
    assert "20 bytes were taken off" in notes[0]
    assert sum(isinstance(event, Judged) for event in found.events) == 3
    assert path.read_bytes().startswith(whole)


def test_resuming_keeps_a_last_line_that_lacks_its_line_break_alone(tmp_path: Path) -> None:
    path = log_of(tmp_path, lines_of(scenarios(4))[:-1])
    with EventWriter(path, resume=True):
        pass
    found = read_log(path)
    assert not found.broken_lines
    assert len(found.events) == 5


def test_resuming_finds_the_tail_of_a_line_longer_than_one_block(tmp_path: Path) -> None:
    whole = lines_of(scenarios(3))
    path = log_of(tmp_path, whole + b'{"kind":"note","text":"' + b"x" * 200_000)
    with EventWriter(path, resume=True):
        pass
    assert len(read_log(path).events) == 4


def test_resuming_refuses_what_is_no_log(tmp_path: Path) -> None:
    path = log_of(tmp_path, b"precious\n")
    with pytest.raises(ForeignLogError):
        EventWriter(path, resume=True)
    assert path.read_bytes() == b"precious\n"


WRITE_UNTIL_FULL = """
import resource, sys
from pathlib import Path
from results.log import EventWriter, LogWriteError
from spec.events import FORMAT, Note
from tests.results.synthetic import header
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
writer = EventWriter(Path(sys.argv[1]))
writer.write(header())
for again in range(2):
    try:
        for _ in range(1000):
            writer.write(Note("x" * 333))
    except LogWriteError as error:
        print(error)
"""


@pytest.mark.system
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="needs a limit on file sizes")
def test_a_full_disk_is_named_and_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / LOG_NAME
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", WRITE_UNTIL_FULL, str(path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    first, second = done.stdout.splitlines()
    assert first == second
    assert str(path) in first
    assert "free some space" in first
    found = read_log(path)
    assert not found.broken_lines
    assert len(found.events) > 5
    assert path.read_bytes().endswith(b"\n")


def test_a_header_of_this_format_is_accepted(tmp_path: Path) -> None:
    plain = json.loads(to_json(header())) | {"format": FORMAT}
    assert read_header(log_of(tmp_path, json.dumps(plain).encode())) == header()


def test_a_header_of_an_older_format_is_still_read(tmp_path: Path) -> None:
    plain = json.loads(to_json(header())) | {"format": 1}
    assert read_header(log_of(tmp_path, json.dumps(plain).encode())) == header(format=1)
