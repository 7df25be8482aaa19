"""`fencepost audit`: names what breaks a rule, and says by its exit code whether anything does."""

import json
from pathlib import Path

from click.testing import CliRunner

from conformance.cli import main
from spec.disk.rules import RULES


def audit(*arguments: str, code: int) -> str:
    result = CliRunner().invoke(main, ["audit", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_good_folder_is_said_to_be_good(folder: Path) -> None:
    assert "stopped in good order: no rule is broken" in audit(str(folder), code=0)


def test_a_break_is_named_with_rule_file_and_position(folder: Path) -> None:
    log = folder / "plain-0/00000000000000000000.log"
    data = bytearray(log.read_bytes())
    data[80] ^= 1
    log.write_bytes(bytes(data))
    assert "SEG-103  plain-0/00000000000000000000.log:0  " in audit(str(folder), code=1)
    *breaks, summary = [
        json.loads(line) for line in audit(str(folder), "--json", code=1).splitlines()
    ]
    assert [(one["kind"], one["rule"], one["position"]) for one in breaks] == [
        ("break", "SEG-103", 0)
    ]
    assert summary["breaks"] == 1
    assert summary["clean_stop"] is True


def test_the_rules_are_listed_in_both_forms() -> None:
    listed = audit("--rules", code=0)
    forms = [json.loads(line) for line in audit("--rules", "--json", code=0).splitlines()]
    assert [one["id"] for one in forms] == list(RULES)
    assert all(f"{rule.id}  " in listed and rule.slug in listed for rule in RULES.values())


def test_wrong_use_is_named(tmp_path: Path) -> None:
    assert "expected the data folder" in audit(code=2)
    assert "expected a broker's data folder" in audit(str(tmp_path), code=2)
    audit(str(tmp_path / "missing"), code=2)
