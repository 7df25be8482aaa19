"""Settings files of images: what is taken, what is refused, and a container that is started by
one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.systems.base import StartFailed
from conformance.systems.container import Container, environment_name, settings
from conformance.systems.image_settings import (
    SHIPPED_IMAGES,
    ImageSettingsError,
    image_settings,
)
from conformance.systems.probe import probe
from tests.conformance.systems.test_container import IMAGE

WHOLE = """
image = "vendor/broker:1.2"
implementation = "my-broker"
port = 9099
command = ["serve", "--advertise", "{host}:{port}", "{other}"]
ready = "^listening"
ready_seconds = 30

[environment]
ADVERTISED = "PLAINTEXT://{host}:{port}"
"""


def written(folder: Path, text: str) -> str:
    path = folder / "image.toml"
    path.write_text(text)
    return str(path)


def test_the_address_is_filled_in(tmp_path: Path) -> None:
    found = image_settings(written(tmp_path, WHOLE)).at("localhost", 5)
    assert found.command == ("serve", "--advertise", "localhost:5", "{other}")
    assert found.environment == {"ADVERTISED": "PLAINTEXT://localhost:5"}
    assert (found.image, found.port, found.ready_seconds) == ("vendor/broker:1.2", 9099, 30)
    assert (found.implementation, found.ready) == ("my-broker", "^listening")


def test_another_image_may_be_named(tmp_path: Path) -> None:
    assert image_settings(written(tmp_path, WHOLE), "mine:2").image == "mine:2"


@pytest.mark.parametrize("name", SHIPPED_IMAGES)
def test_the_settings_that_ship_are_right(name: str) -> None:
    found = image_settings(name)
    assert found.implementation == name
    assert ":" in found.image
    filled = found.at("localhost", 12345)
    assert any("12345" in text for text in (*filled.command, *filled.environment.values()))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("imag = 'a:1'", "found 'imag'"),
        ("command = ['{port}']", "expected an image"),
        ("image = 'a:1'\ncommand = 'x {port}'", "expected a list of texts for command"),
        ("image = 'a:1'\ncommand = ['x']", r"expected \{port\} in the command or the environment"),
        ("image = 'a:1'\nport = 0\ncommand = ['{port}']", "from 1 to 65535 for port, found 0"),
        ("image = 'a:1'\nready = '('\ncommand = ['{port}']", "regular expression for ready"),
        ("image = 'a:1'\n[environment]\n'A B' = '{port}'", r"expected variables with texts"),
        ("image = 'a:1'\n[environment]\nA = 1", r"expected variables with texts"),
        ("image = 'a:1'\nimplementation = 'A B'\ncommand = ['{port}']", "lower case letters"),
        ("image = [", "expected TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(tmp_path: Path, text: str, message: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ImageSettingsError, match=message) as wrong:
        image_settings(file)
    assert file in str(wrong.value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--image-settings", "nobody"), "expected a settings file or one of bufstream, "),
        (("--image-settings", ""), "found an empty text"),
        (("--image-settings", "tansu", "--bootstrap-server", "a:1"), "found both"),
        (("model", "--image-settings", "tansu"), "expected one broker"),
    ],
)
def test_wrong_use_ends_with_two(words: Sequence[str], message: str) -> None:
    found = CliRunner().invoke(main, ["run", *words])
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def kafka_file(folder: Path, ready: str, seconds: int = 120) -> str:
    """The settings by which the image laid out as Kafka's own is started."""
    variables = settings(("{host}", 1), {})
    variables["advertised.listeners"] = "PLAINTEXT://{host}:{port},BROKER://localhost:9093"
    lines = [f"{environment_name(name)} = '{value}'" for name, value in variables.items()]
    head = [f"image = '{IMAGE}'", "implementation = 'apache-kafka'", f"ready = '{ready}'"]
    head += [f"ready_seconds = {seconds}", "[environment]", "CLUSTER_ID = '5L6g3nShT-eMCtK--X86sw'"]
    return written(folder, "\n".join([*head, *lines]))


@pytest.mark.container
def test_a_container_is_started_by_a_file_and_removed(tmp_path: Path, daemon: Any) -> None:
    how = image_settings(kafka_file(tmp_path, "Kafka Server started"))
    with Container(how.image, how=how) as broker:
        assert probe(broker.address).cluster_id == "5L6g3nShT-eMCtK--X86sw"
        facts = broker.facts()
        made = broker._container.get_wrapped_container().id
    assert (facts["implementation"], facts["image"]) == ("apache-kafka", IMAGE)
    assert made not in {one.id for one in daemon.containers.list(all=True)}


@pytest.mark.container
def test_one_that_is_never_ready_is_removed(tmp_path: Path, daemon: Any) -> None:
    how = image_settings(kafka_file(tmp_path, "no such line", seconds=1))
    before = {one.id for one in daemon.containers.list(all=True)}
    with pytest.raises(StartFailed, match="no line of its log matched 'no such line' within 1 s"):
        Container(how.image, how=how).start()
    assert {one.id for one in daemon.containers.list(all=True)} <= before
