"""Three real brokers behind SASL, TLS and ACLs: credentials, runs of several subjects, leaders that
move, a broker that dies, and permissions that are missing.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cluster import Cluster
from conformance.engine.play_result import Played
from conformance.engine.start import reach_cluster, restarts_of
from conformance.play.connection import AsyncConnection
from conformance.retries import async_tries, tries
from conformance.subjects.replication.broker_player import ReplicationBrokerPlayer
from conformance.systems.base import Refused, Unreachable
from conformance.systems.external import External
from results.log import LOG_NAME
from spec.canonical import write_scenario
from spec.catalogue import examples
from spec.releases import semantics_for
from spec.verdict import Outcome
from tests.secured import BOB, MECHANISMS, SASL_PLAIN, SASL_TLS, TLS, Resource, SecuredCluster

pytestmark = pytest.mark.broker

FEW, SOME, SOME_TIME = ("--scenarios", "8"), ("--scenarios", "40"), ("--time", "6s")
SEVERAL = ("--scenarios", "30")


def external(
    secured: SecuredCluster, properties: Path, listener: str, patience_s: float = 90.0
) -> External:
    found = External(secured.bootstrap(listener), properties)
    found.patience_s = patience_s
    found.start()
    return found


async def brokers_named(cluster: Cluster) -> int:
    connection = await AsyncConnection.open(cluster, 10.0)
    answer = await connection.ask("Metadata", 12, {"topics": []}, 10.0)
    connection.close()
    return len(answer["brokers"])


def own_certificate(secured: SecuredCluster) -> dict[str, str]:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(secured.certificates.client),
    }


def test_every_mechanism_opens_every_kind_of_connection(secured: SecuredCluster) -> None:
    codec = make_codec()
    ways = [
        (secured.properties(m, protocol=p), p) for m in MECHANISMS for p in (SASL_TLS, SASL_PLAIN)
    ]
    ways.append((secured.properties("", protocol=TLS, **own_certificate(secured)), TLS))
    for properties, listener in ways:
        cluster = reach_cluster(external(secured, properties, listener), codec)
        assert [node.id for node in cluster.nodes] == [1, 2, 3]
        for node in cluster.nodes:
            with cluster.at(node).connect() as connection:
                assert connection.ask("Metadata", 12, {"topics": []})["cluster_id"]

        assert asyncio.run(brokers_named(cluster)) == 3


async def renewed(cluster: Cluster) -> tuple[bool, int]:
    """Outlive most of a session and renew it; whether it is nearly over then, and how many brokers
    are named over it.
    """
    connection = await AsyncConnection.open(cluster, 10.0)
    async for _ in async_tries(60.0):
        if connection.is_stale:
            break
    else:
        raise AssertionError("the broker grants a session without an end")
    await connection.renew(cluster, 30.0)
    stale = connection.is_stale
    answer = await connection.ask("Metadata", 12, {"topics": []}, 30.0)
    connection.close()
    return stale, len(answer["brokers"])


def test_every_mechanism_renews_a_session_on_its_connection(secured: SecuredCluster) -> None:
    async def all_renewed(clusters: list[Cluster]) -> list[tuple[bool, int]]:
        return await asyncio.gather(*map(renewed, clusters))

    codec = make_codec()
    files = [secured.properties(mechanism, protocol=SASL_PLAIN) for mechanism in MECHANISMS]
    clusters = [reach_cluster(external(secured, file, SASL_PLAIN), codec) for file in files]
    assert asyncio.run(all_renewed(clusters)) == [(False, 3)] * len(MECHANISMS)


def test_a_broker_refuses_wrong_credentials_in_its_own_words(secured: SecuredCluster) -> None:
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        properties = secured.properties(mechanism, password="wr0ng")
        with pytest.raises(
            Refused, match=r"SASL_AUTHENTICATION_FAILED.*Authentication failed"
        ) as no:
            external(secured, properties, SASL_TLS)
        assert "wr0ng" not in str(no.value)
    unknown = secured.properties("PLAIN", protocol=SASL_PLAIN)
    with pytest.raises(Unreachable):
        external(secured, unknown, TLS, patience_s=3.0)
    stranger = secured.properties("", protocol=TLS)
    with pytest.raises(Unreachable):
        external(secured, stranger, TLS, patience_s=3.0)


def run(
    secured: SecuredCluster,
    out: Path,
    subject: str,
    properties: Path,
    size: tuple[str, str],
    more: str = "",
    *,
    strict: bool = False,
) -> Result:
    facts = out / "facts.toml"
    facts.write_text(f'implementation = "apache-kafka"\n{more}')
    named = ["--bootstrap-server", secured.bootstrap(), "--command-config", str(properties)]
    drawn = [*size, "--seed", "7", "--shrink", "0s", *(["--strict"] if strict else [])]
    kept = ["--no-report", "--no-corpus", "--facts", str(facts), "--out", str(out)]
    return CliRunner().invoke(main, ["run", "--subject", subject, *named, *drawn, *kept])


def verdicts_in(out: Path) -> list[dict[str, str]]:
    """All verdicts of the one run in a folder."""
    (log,) = out.glob(f"*/{LOG_NAME}")
    judged = [
        event
        for event in map(json.loads, log.read_text().splitlines())
        if event["kind"] == "judged"
    ]
    return [verdict for event in judged for verdict in event["verdicts"]]


def outcomes_in(out: Path) -> set[str]:
    """The outcomes of all verdicts of the one run in a folder."""
    return {verdict["outcome"] for verdict in verdicts_in(out)}


@pytest.mark.parametrize("subject", ["fetch", "offsets"])
def test_a_subject_runs_on_several_brokers(
    secured: SecuredCluster, tmp_path: Path, subject: str
) -> None:
    """A machine that stands still makes some of it inconclusive (3)."""
    result = run(secured, tmp_path, subject, secured.properties("SCRAM-SHA-512"), FEW)
    assert result.exit_code in {0, 3}, result.output
    assert "conforms" in outcomes_in(tmp_path)
    assert "left on the cluster" not in result.output
    written = "".join(file.read_text() for file in tmp_path.glob("*/*.json*"))
    assert "s3cret" not in result.output + written


def test_what_three_brokers_show_of_a_leader_that_moves_conforms(
    secured: SecuredCluster, tmp_path: Path
) -> None:
    """A machine that stands still makes some of it inconclusive (3)."""
    properties = secured.properties("SCRAM-SHA-256")
    result = run(secured, tmp_path, "replication", properties, SEVERAL, strict=True)
    assert result.exit_code in {0, 3}, result.output
    assert not outcomes_in(tmp_path) & {"violates", "deviates"}
    kept = {one["clause"] for one in verdicts_in(tmp_path) if one["outcome"] == "conforms"}
    assert {"REP-001", "REP-002", "REP-004", "REP-007", "REP-103"} <= kept
    said = " ".join(result.output.split())
    assert "REP-113" in said
    assert "it stops a broker" in said


def test_a_broker_that_is_stopped_shows_what_its_topics_minimum_promises(
    secured: SecuredCluster,
) -> None:
    """A machine that stands still makes some of it inconclusive."""
    codec = make_codec()
    cluster = reach_cluster(secured.brokers, codec)
    restarts = restarts_of(secured.brokers, codec)
    player = ReplicationBrokerPlayer(cluster, semantics_for("4.3"), "outage", restarts)
    wanted = ("REP-113", "REP-114", "REP-115", "REP-116", "REP-117", "REP-119")
    asked = [one.scenario for clause in wanted for one in examples()[clause]]
    try:
        played = [found for _, found in player.play(asked) if isinstance(found, Played)]
        counted = [player.confirmed_play(one) if one.judgement.breaks else one for one in played]
    finally:
        player.close()
    verdicts = [verdict for one in counted for verdict in one.judgement.verdicts]
    assert len(played) == len(asked)
    outcomes = {one.outcome for one in verdicts}
    assert outcomes <= {Outcome.CONFORMS, Outcome.INCONCLUSIVE}, verdicts
    kept = {one.clause for one in verdicts if one.outcome is Outcome.CONFORMS}
    assert kept >= {*wanted} or Outcome.INCONCLUSIVE in outcomes
    assert all(node.alive for node in secured.brokers.nodes.values())


@pytest.mark.parametrize("clause", ["SHR-001", "SHR-020"])
def test_a_share_group_is_played_on_the_broker_that_coordinates_it(
    secured: SecuredCluster, tmp_path: Path, clause: str
) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(write_scenario(examples()[clause][0].scenario), encoding="utf-8")
    named = ["--bootstrap-server", secured.bootstrap(SASL_PLAIN)]
    properties = secured.properties("OAUTHBEARER", protocol=SASL_PLAIN)
    asked = ["replay", str(file), *named, "--command-config", str(properties)]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.output
    assert "FIXED" in result.output


@contextmanager
def meanwhile(secured: SecuredCluster, act: Callable[[], object]) -> Iterator[None]:
    """Do something once a run has made topics."""
    over = threading.Event()

    def watch() -> None:
        cluster = secured.admin()
        for _ in tries(120.0):
            if over.is_set():
                return
            with cluster.connect() as connection:
                topics = connection.ask("Metadata", 12, {"topics": None})["topics"]
            if any(topic["name"].startswith("fencepost-") for topic in topics):
                act()
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("upheaval", ["leaders move", "a broker dies"])
def test_what_an_upheaval_breaks_is_inconclusive(
    secured: SecuredCluster, tmp_path: Path, upheaval: str
) -> None:
    def act() -> None:
        if upheaval == "leaders move":
            secured.move_leaders()
        else:
            secured.brokers.crash(3)

    with meanwhile(secured, act):
        result = run(secured, tmp_path, "produce", secured.properties("PLAIN"), SOME_TIME)
    assert result.exit_code in {0, 3}, result.output  # 1 where something is broken
    assert "conforms" in outcomes_in(tmp_path)


def test_what_a_user_may_not_do_is_left_out_with_the_reason(
    secured: SecuredCluster, tmp_path: Path
) -> None:
    secured.allow(BOB, Resource.TOPIC)
    limits = '"fetch.max.bytes" = 57671680\n'
    result = run(secured, tmp_path, "offsets", secured.properties("PLAIN", BOB), SOME, limits)
    assert result.exit_code in {0, 3}, result.output
    assert "conforms" in outcomes_in(tmp_path)
    said = " ".join(result.output.split())
    assert "GROUP_AUTHORIZATION_FAILED" in said
    assert "because: not laid, a transaction:" in said
    assert "Transactional Id authorization failed" in said
