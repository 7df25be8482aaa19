import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from conformance.cache import cache_dir
from conformance.misuse import BadConfiguration
from conformance.systems import jars, maven
from conformance.systems.base import NotAvailable, UnknownVersion

CLIENTS, OTHER = b"classes of the clients", b"other classes"
HEX64 = re.compile(r"[0-9a-f]{64}")


class Repository(ThreadingHTTPServer):
    """A Maven repository with two jars; counts what is asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = {
            "/org/apache/kafka/kafka-clients/9.9.9/kafka-clients-9.9.9.jar": CLIENTS,
            "/org/other/other/1/other-1.jar": OTHER,
        }
        self.asked: list[str] = []
        self.authorization: str | None = None
        self.redirects: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.authorization = self.headers["Authorization"]
        if self.path in self.server.redirects:
            self.send_response(302)
            self.send_header("Location", self.server.redirects[self.path])
            self.end_headers()
            return
        content = self.server.files.get(self.path)
        self.send_response(200 if content is not None else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the class that is extended
        pass


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Repository]:
    """A repository, a lock for Kafka "9.9.9" that names its two jars, and an empty cache."""
    server = Repository()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    locks = tmp_path / "locks"
    locks.mkdir()
    entries = [
        {
            "path": path.lstrip("/"),
            "sha256": hashlib.sha256(content).hexdigest(),
            "size": len(content),
        }
        for path, content in server.files.items()
    ]
    (locks / "kafka-9.9.9.json").write_text(json.dumps(entries))
    monkeypatch.setattr(jars, "_LOCKS", locks)
    monkeypatch.setenv("FENCEPOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", server.url)
    monkeypatch.setenv("no_proxy", "*")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_every_shipped_lock_names_a_whole_broker() -> None:
    assert jars.available_versions() == ("4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
    for version in jars.available_versions():
        locked = jars.lock(version)
        names = [jar.name for jar in locked]
        assert len(set(names)) == len(names) >= 30
        assert {
            f"kafka_2.13-{version}.jar",
            f"kafka-clients-{version}.jar",
            "slf4j-simple-1.7.36.jar",
        } <= set(names)
        assert all(HEX64.fullmatch(jar.sha256) and 0 < jar.size < 20_000_000 for jar in locked)
        assert all(
            not jar.path.startswith(("/", "http")) and ".." not in jar.path for jar in locked
        )


def test_an_unlocked_version_is_refused_with_the_locked_ones() -> None:
    with pytest.raises(
        UnknownVersion,
        match=r"4\.0\.2, 4\.1\.2, 4\.2\.2, 4\.3\.1, 4\.4\.0, found '3\.0\.0'.*--bootstrap-server",
    ):
        jars.class_path("3.0.0")


def test_a_version_that_climbs_out_of_the_folder_is_unknown() -> None:
    with pytest.raises(UnknownVersion):
        jars.lock("../../etc/passwd")


def test_jars_are_downloaded_once_sorted_by_name_with_one_time_stamp(
    repository: Repository,
) -> None:
    seen: list[tuple[int, int]] = []
    found = jars.class_path("9.9.9", lambda done, total: seen.append((done, total)))
    assert [jar.name for jar in found] == ["kafka-clients-9.9.9.jar", "other-1.jar"]
    assert [jar.read_bytes() for jar in found] == [CLIENTS, OTHER]
    assert {jar.stat().st_mtime for jar in found} == {946_684_800.0}
    total = len(CLIENTS) + len(OTHER)
    assert (seen[0], seen[-1]) == ((0, total), (total, total))
    assert jars.class_path("9.9.9") == found
    assert len(repository.asked) == 2


def test_the_clients_jar_comes_alone(repository: Repository) -> None:
    assert jars.clients_jar("9.9.9").read_bytes() == CLIENTS
    assert len(repository.asked) == 1


def test_a_jar_that_is_not_the_locked_one_is_thrown_away_and_named(repository: Repository) -> None:
    path = "/org/other/other/1/other-1.jar"
    repository.files[path] = b"OTHER classes"
    with pytest.raises(NotAvailable) as refused:
        jars.class_path("9.9.9")
    message = str(refused.value)
    assert "other-1.jar" in message
    assert hashlib.sha256(OTHER).hexdigest() in message
    assert hashlib.sha256(b"OTHER classes").hexdigest() in message
    assert "FENCEPOST_MAVEN_URL" in message
    assert not [
        file
        for file in cache_dir().rglob("*")
        if file.is_file() and file.read_bytes() == b"OTHER classes"
    ]
    repository.files[path] = OTHER
    assert jars.class_path("9.9.9")[1].read_bytes() == OTHER


def test_a_jar_that_is_too_long_is_not_read_to_its_end(repository: Repository) -> None:
    repository.files["/org/other/other/1/other-1.jar"] = OTHER + b"x" * 100_000
    with pytest.raises(NotAvailable, match=f"found more than {len(OTHER)} bytes"):
        jars.class_path("9.9.9")


def test_a_damaged_cache_mends_itself(repository: Repository) -> None:
    jar = jars.class_path("9.9.9")[1]
    jar.write_bytes(b"damaged bytes")
    assert jars.class_path("9.9.9")[1].read_bytes() == OTHER


def test_a_jar_that_the_repository_lacks_is_named_with_the_answer(repository: Repository) -> None:
    repository.files.clear()
    with pytest.raises(
        NotAvailable,
        match=r"kafka-clients-9\.9\.9\.jar, found: HTTP status 404; set FENCEPOST_MAVEN_URL",
    ):
        jars.clients_jar("9.9.9")


def test_without_a_network_the_message_names_the_setting_and_the_alternative(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", "http://127.0.0.1:1/maven")
    with pytest.raises(
        NotAvailable, match=r"(?s)Connection refused.*FENCEPOST_MAVEN_URL.*--bootstrap-server"
    ):
        jars.class_path("9.9.9")


def test_a_complete_cache_needs_no_address(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = jars.class_path("9.9.9")
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", "ftp://nowhere")
    assert jars.class_path("9.9.9") == found


def test_credentials_in_the_address_are_sent_and_never_shown(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", repository.url.replace("//", "//someone:s3cret@"))
    assert jars.clients_jar("9.9.9").read_bytes() == CLIENTS
    assert repository.authorization == "Basic c29tZW9uZTpzM2NyZXQ="
    repository.files["/org/other/other/1/other-1.jar"] = b"x"
    with pytest.raises(NotAvailable) as refused:
        jars.class_path("9.9.9")
    assert "s3cret" not in str(refused.value)


def test_many_processes_worth_of_threads_get_the_same_jars(repository: Repository) -> None:
    found: list[tuple[Path, ...]] = []
    threads = [
        threading.Thread(target=lambda: found.append(jars.class_path("9.9.9"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1
    assert len(repository.asked) == 2


def test_a_cache_that_cannot_be_written_says_which_setting_moves_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FENCEPOST_CACHE", str(tmp_path / "file"))
    with pytest.raises(NotAvailable, match="set FENCEPOST_CACHE"):
        jars.class_path("9.9.9")


def test_credentials_stay_with_the_host_that_they_are_for(repository: Repository) -> None:
    other = Repository()
    thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        path = "/org/other/other/1/other-1.jar"
        repository.redirects[path] = other.url + path
        fetcher = maven.Fetcher(repository.url.replace("//", "//someone:s3cret@"))
        assert fetcher.fetch(path.removeprefix("/"), 100) == OTHER
    finally:
        other.shutdown()
        thread.join()
        other.server_close()
    assert repository.authorization == "Basic c29tZW9uZTpzM2NyZXQ="
    assert other.asked == [path]
    assert other.authorization is None


@pytest.mark.parametrize(
    "url",
    [
        "https://someone:s3cret@host/maven",
        "https://someone:s3/cret@host/maven",
        "someone:s3cret@host/maven",
        "https://host/maven?token=s3cret",
        "https://host/maven#s3cret",
        "https://someone:s3cret@[bad",
        "//someone:s3cret@host",
    ],
)
def test_no_form_of_an_address_shows_its_secret(url: str) -> None:
    assert "cret" not in maven.redacted_address(url)
    assert "host" in maven.redacted_address(url) or "[bad" in maven.redacted_address(url)


@pytest.mark.parametrize(
    "url", ["https://someone:s3cret@[bad", "someone:s3cret@host/maven", "//someone:s3cret@host"]
)
def test_an_address_that_is_none_is_wrong_use_and_not_shown_whole(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", url)
    with pytest.raises(BadConfiguration) as refused:
        maven.repository_url()
    assert "cret" not in str(refused.value)


def test_a_query_stays_behind_the_path(repository: Repository) -> None:
    fetcher = maven.Fetcher(f"{repository.url}?token=s3cret")
    with pytest.raises(NotAvailable) as refused:
        fetcher.fetch("no/such.jar", 100)
    assert repository.asked == ["/no/such.jar?token=s3cret"]
    assert "s3cret" not in str(refused.value)


def test_an_address_that_is_no_web_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPOST_MAVEN_URL", "file:///etc")
    with pytest.raises(BadConfiguration, match="expected https://HOST"):
        maven.repository_url()


@pytest.mark.parametrize(
    ("mirrored", "used"),
    [("central", True), ("*", True), ("external:*", True), ("*,!central", False), ("other", False)],
)
def test_a_mirror_of_central_in_the_maven_settings_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mirrored: str, used: bool
) -> None:
    settings = tmp_path / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0"><mirrors><mirror><id>m</id>'
        f"<mirrorOf>{mirrored}</mirrorOf><url>https://mirror.example/maven/</url></mirror></mirrors></settings>"
    )
    monkeypatch.delenv("FENCEPOST_MAVEN_URL", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert (maven.repository_url() == "https://mirror.example/maven") is used
