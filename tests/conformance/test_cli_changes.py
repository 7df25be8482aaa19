"""`fencepost changes`: which releases it takes, and the page that it writes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import main


@pytest.mark.parametrize(
    ("releases", "message"),
    [
        (("3.1", "4.3.1"), "expected a release of 4.0.2, "),
        (("4.3.1", "4.3.1"), "expected releases of two lines"),
    ],
)
def test_wrong_use_is_said_before_anything_is_started(
    releases: tuple[str, str], message: str, tmp_path: Path
) -> None:
    found = CliRunner().invoke(main, ["changes", *releases, "--out", str(tmp_path)])
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.broker
def test_a_config_that_a_newer_release_refuses_is_on_the_page(tmp_path: Path) -> None:
    words = ["changes", "4.0.2", "4.3.1", "--subject", "produce", "--scenarios", "3"]
    found = CliRunner().invoke(main, [*words, "--out", str(tmp_path)])
    assert found.exit_code == 3, found.output
    assert found.output.startswith("Kafka 4.3.1 as 4.0.2, produce: CONFORMS")
    (page,) = tmp_path.glob("changes-*/changes.md")
    text = page.read_text()
    assert text.startswith("# From Kafka 4.0.2 to 4.3.1\n")
    assert "## produce\n\n0 changes in " in text
    assert "could not be laid as before, creating a topic" in text
    assert "Value must be at least 1048576" in text
