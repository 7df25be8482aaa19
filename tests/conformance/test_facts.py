"""What a broker reports of itself, what a file gives instead, and what the model makes of it."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.cluster import Cluster
from conformance.facts import (
    GIVEN_LIMITS,
    MORE_LIMITS,
    SHARE_LIMITS,
    Facts,
    FactsError,
    Given,
    infer,
    read_facts,
    read_facts_file,
    require_limits,
    semantics_of,
)
from conformance.wire.negotiation import ApiVersions
from conformance.wire.outcomes import Closed, NoAnswer
from spec.fetch.releases import FetchSemantics
from spec.groups.releases import GroupSemantics
from spec.offsets.releases import OffsetSemantics
from spec.share.model.settings import is_accepted
from spec.share.releases import ShareSemantics

RELEASES = {
    "4.0": (25, 17, 10, None),
    "4.1": (27, 18, 10, 1),
    "4.2": (29, 18, 11, 1),
    "4.3": (30, 18, 11, 1),
    "4.4": (33, 18, 11, 2),
}
REPORTED = {
    "fetch.max.bytes": "57671680",
    "max.incremental.fetch.session.cache.slots": "1000",
    "message.max.bytes": "1048588",
}


def advertised(
    level: int | None,
    fetch: int = 18,
    list_offsets: int = 11,
    share: int | None = 1,
    oldest: int = 4,
) -> ApiVersions:
    features = {"metadata.version": (7, level)} if level is not None else {}
    if share is not None:
        features["share.version"] = (0, share)
    ranges = {1: (oldest, fetch), 2: (1, list_offsets), 3: (0, 13), 32: (1, 4)}
    return ApiVersions(0, 4, ranges, features, {}, -1)


class Broker:
    """Answers Metadata and DescribeConfigs as given, and keeps what it was asked."""

    def __init__(
        self, configs: dict[str, str] | None = None, error: int = 0, closes: bool = False
    ) -> None:
        self.configs, self.error, self.closes = (
            REPORTED if configs is None else configs,
            error,
            closes,
        )
        self.asked: list[tuple[str, Any]] = []
        self.codec: Any = SimpleNamespace(
            versions=lambda _: range(14), api_keys={"Metadata": 3, "DescribeConfigs": 32}
        )

    def cluster(self, versions: ApiVersions) -> Any:
        reached = Cluster("broker.internal", 9092, self.codec, versions)
        return SimpleNamespace(
            host=reached.host,
            port=reached.port,
            codec=self.codec,
            versions=versions,
            version=reached.version,
            connect=lambda: nullcontext(self),
        )

    def ask(self, api: str, version: int, value: Any) -> dict[str, Any]:
        self.asked.append((api, value))
        if api == "Metadata":
            return {
                "brokers": [
                    {"node_id": 8, "host": "other", "port": 9092},
                    {"node_id": 7, "host": "broker.internal", "port": 9092},
                ],
                "controller_id": 8,
            }
        if self.closes:
            raise NoAnswer(api, version, Closed("end of stream", 0, 0.0))
        configs = [
            {"name": name, "value": value, "is_sensitive": False}
            for name, value in self.configs.items()
        ]
        return {"results": [{"error_code": self.error, "configs": [] if self.error else configs}]}


def facts(
    broker: Broker, versions: ApiVersions | None = None, given: Given | None = None, **more: Any
) -> Facts:
    return read_facts(broker.cluster(versions or advertised(30)), given, **more)


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_is_inferred_from_its_metadata_level(release: str) -> None:
    found = infer(advertised(*RELEASES[release]))
    assert (found.release, found.as_kafka, found.note) == (release, True, "")


@pytest.mark.parametrize(
    ("level", "release"),
    [(26, "4.0"), (28, "4.1"), (31, "4.3"), (32, "4.3"), (34, "4.4"), (99, "4.4")],
)
def test_a_level_between_two_releases_is_the_older_ones(level: int, release: str) -> None:
    found = infer(advertised(level))
    assert found.release == release
    assert "inferred" in found.note


@pytest.mark.parametrize(
    ("level", "fetch", "list_offsets", "share", "release"),
    [
        (None, 11, 5, None, "4.0"),
        (21, 17, 9, None, "4.0"),
        (None, 18, 10, None, "4.1"),
        (None, 18, 11, 1, "4.2"),
        (None, 19, 11, 2, "4.4"),
    ],
)
def test_a_broker_without_a_known_level_is_placed_by_its_versions(
    level: int | None, fetch: int, list_offsets: int, share: int | None, release: str
) -> None:
    found = infer(advertised(level, fetch, list_offsets, share))
    assert (found.release, found.as_kafka) == (release, False)
    assert f"inferred from Fetch v{fetch}" in found.note


def test_limits_are_read_from_the_node_at_the_address() -> None:
    broker = Broker({**REPORTED, "fetch.max.bytes": "4096"})
    found = facts(broker, kafka_version="4.3.1", implementation="apache-kafka")
    assert (found.node_id, found.fetch_max_bytes, found.session_slots) == (7, 4096, 1000)
    assert (found.release, found.kafka_version, found.notes) == ("4.3", "4.3.1", ())
    resource = broker.asked[1][1]["resources"][0]
    assert (resource["resource_type"], resource["resource_name"]) == (4, "7")


def test_only_harmless_facts_are_asked_for_and_shown() -> None:
    broker = Broker(
        {**REPORTED, "listener.name.sasl.password": "hunter2", "log.dirs": "/var/lib/kafka"}
    )
    found = facts(broker, kafka_version="4.3.1 at /home/someone")
    assert not {"log.dirs", "sasl.jaas.config"} & set(
        broker.asked[1][1]["resources"][0]["configuration_keys"]
    )
    shown = " ".join([*found.shown, *found.shown.values()])
    assert not any(
        secret in shown for secret in ("hunter2", "password", "/var", "/home", "broker.internal")
    )
    assert found.shown["config.fetch.max.bytes"] == "57671680"
    assert found.shown["fetch.versions"] == "4-18"


@pytest.mark.parametrize(
    ("broker", "found"),
    [
        (Broker(error=31), "CLUSTER_AUTHORIZATION_FAILED"),
        (Broker(closes=True), "end of stream"),
        (Broker({}), "no such config"),
        (Broker({"fetch.max.bytes": "lots"}), "'lots'"),
    ],
)
def test_a_limit_that_is_not_reported_is_an_error_with_the_line_to_write(
    broker: Broker, found: str
) -> None:
    with pytest.raises(FactsError) as error:
        facts(broker)
    assert found in str(error.value)
    assert '"fetch.max.bytes" = 57671680' in str(error.value)
    assert "--facts FILE" in str(error.value)


def test_a_given_limit_stands_in_for_one_that_is_refused() -> None:
    found = facts(Broker(error=31), given=Given(limits={"fetch.max.bytes": 1024}))
    assert (found.fetch_max_bytes, found.session_slots, found.quota_window_s) == (1024, None, None)
    assert "config.max.incremental.fetch.session.cache.slots" not in found.shown


def test_no_quota_is_asked_about_whose_window_nobody_says() -> None:
    silent = Broker({"fetch.max.bytes": "1024"})
    given = Given(limits={"quota.window.num": 11, "quota.window.size.seconds": 1})
    known = [
        semantics_of(facts(silent, given=said)).of(FetchSemantics).knows_quota_window
        for said in (None, given)
    ]
    assert known == [False, True]


def test_what_is_given_goes_before_what_was_found_and_is_reported() -> None:
    found = facts(
        Broker(),
        given=Given(release="4.1", implementation="redpanda", limits={"fetch.max.bytes": 9}),
    )
    assert (found.release, found.implementation, found.fetch_max_bytes) == ("4.1", "redpanda", 9)
    assert any("judged as Kafka 4.1 by the facts file" in note for note in found.notes)


def test_a_broker_that_advertises_what_kafka_does_is_not_taken_for_apache_kafka() -> None:
    found = facts(Broker())
    assert (found.release, found.implementation) == ("4.3", "unknown")
    assert any(
        "findings of Apache Kafka are not applied" in note
        and 'implementation = "apache-kafka"' in note
        for note in found.notes
    )
    assert (
        facts(Broker(), given=Given(implementation="apache-kafka")).implementation == "apache-kafka"
    )
    assert facts(Broker(), implementation="apache-kafka").implementation == "apache-kafka"


def test_more_fetch_versions_than_the_release_has_are_reported_and_not_believed() -> None:
    found = facts(Broker(), advertised(25, fetch=18, share=None))
    assert (found.newest_fetch, semantics_of(found).of(FetchSemantics).newest_fetch) == (18, 17)
    assert any("v4 to v18, more than Kafka 4.0" in note for note in found.notes)


def test_fewer_fetch_versions_than_the_release_has_are_all_that_is_asked() -> None:
    found = facts(Broker(), advertised(None, fetch=11, oldest=5))
    judged = semantics_of(found)
    fetch = judged.of(FetchSemantics)
    assert (judged.release, fetch.oldest_fetch, fetch.newest_fetch) == ("4.0", 5, 11)
    assert any("v5 to v11 only" in note for note in found.notes)


def test_fewer_list_offsets_versions_than_the_release_has_are_all_that_is_asked() -> None:
    newest = [
        semantics_of(facts(Broker(), advertised(25, list_offsets=version, share=None)))
        .of(OffsetSemantics)
        .newest_list_offsets
        for version in (7, 10, 11)
    ]
    assert newest == [7, 10, 10]  # Kafka 4.0 has up to v10


def test_a_version_that_is_advertised_is_not_one_that_must_go_unanswered() -> None:
    wider = semantics_of(facts(Broker(), advertised(25, fetch=19, oldest=0, share=None))).of(
        FetchSemantics
    )
    assert ((wider.oldest_fetch, wider.newest_fetch), wider.offered_versions) == ((4, 17), (0, 19))
    assert FetchSemantics(newest_fetch=17).offered_versions == (4, 17)


@pytest.mark.parametrize(
    ("policy", "downgrades"),
    [
        ("bidirectional", True),
        ("DOWNGRADE", True),
        ("upgrade", False),
        ("disabled", False),
        (None, False),
    ],
)
def test_a_consumer_group_is_downgraded_where_the_broker_says_so(
    policy: str | None, downgrades: bool
) -> None:
    reported = {} if policy is None else {"group.consumer.migration.policy": policy}
    judged = semantics_of(facts(Broker({**REPORTED, **reported})))
    assert judged.of(GroupSemantics).downgrades == downgrades


def test_the_model_gets_the_brokers_own_limits() -> None:
    judged = semantics_of(
        facts(
            Broker(
                {
                    **REPORTED,
                    "fetch.max.bytes": "1024",
                    "max.incremental.fetch.session.cache.slots": "16",
                }
            )
        )
    )
    fetch = judged.of(FetchSemantics)
    assert (judged.release, fetch.fetch_max_bytes, fetch.session_slots, fetch.newest_fetch) == (
        "4.3",
        1024,
        16,
        18,
    )


def test_a_facts_file_gives_every_limit_that_a_broker_may_not_tell(tmp_path: Any) -> None:
    file = tmp_path / "facts.toml"
    limits = {name: 100 + number for number, name in enumerate(GIVEN_LIMITS)}
    limits |= {"quota.window.num": 5, "quota.window.size.seconds": 3}
    file.write_text("[limits]\n" + "".join(f'"{name}" = {limits[name]}\n' for name in limits))
    judged = semantics_of(facts(Broker({}), given=read_facts_file(file)))
    fetch, share = judged.of(FetchSemantics), judged.of(ShareSemantics)
    assert (fetch.fetch_max_bytes, fetch.session_slots) == (100, 101)
    assert fetch.quota_window_s == 12
    for name, ours in SHARE_LIMITS.items():
        assert getattr(share, ours) == limits[name]
    lock = next(one for one in share.group_configs if one.key == "share.record.lock.duration.ms")
    assert (lock.low, lock.high) == (
        limits["group.share.min.record.lock.duration.ms"],
        limits["group.share.max.record.lock.duration.ms"],
    )


def test_what_a_broker_does_at_a_limit_that_nobody_says_is_not_judged() -> None:
    def known(broker: Broker, given: Given | None = None) -> list[bool]:
        judged = semantics_of(facts(broker, given=given))
        return [getattr(judged.of(kind), knows) for kind, _, knows in MORE_LIMITS.values()]

    limits = dict.fromkeys(MORE_LIMITS, 100)
    shown = {name: str(value) for name, value in limits.items()}
    assert known(Broker(REPORTED)) == [False] * 5
    assert known(Broker({**REPORTED, **shown})) == [True] * 5
    assert known(Broker(REPORTED), Given(limits=limits)) == [True] * 5


def test_a_given_limit_counts_before_what_the_broker_reports() -> None:
    name = "group.share.delivery.count.limit"
    broker = Broker({**REPORTED, name: "5"})
    assert semantics_of(facts(broker)).of(ShareSemantics).delivery_count_limit == 5
    given = semantics_of(facts(broker, given=Given(limits={name: 7})))
    assert given.of(ShareSemantics).delivery_count_limit == 7


def test_limits_of_share_groups_that_are_not_told_are_noted_where_it_has_share_groups() -> None:
    name = "group.share.record.lock.duration.ms"
    versions = advertised(30)
    assert not any(name in note for note in facts(Broker(), versions).notes)
    with_share = replace(versions, ranges={**versions.ranges, 78: (1, 2)})
    (note,) = [one for one in facts(Broker(), with_share).notes if name in one]
    assert "a run on share groups asks for them in a facts file (--facts)" in note
    given = Given(limits=dict.fromkeys(SHARE_LIMITS, 200))
    assert not any(name in one for one in facts(Broker(), with_share, given).notes)


def test_an_answer_to_api_versions_that_could_not_be_read_is_noted() -> None:
    versions = replace(advertised(30), version=2, unread=("v4: end of stream",))
    (note,) = [one for one in facts(Broker(), versions).notes if "KIP-511" in one]
    assert "(v4: end of stream), so it was asked in v2" in note


@pytest.mark.parametrize("name", ['"fetch.max.bytes"', "fetch.max.bytes"])
def test_a_facts_file_may_quote_config_names_or_not(tmp_path: Any, name: str) -> None:
    file = tmp_path / "facts.toml"
    file.write_text(
        f'release = "4.2"\nkafka_version = "4.2.2"\n{name} = '
        '77\n[limits]\n"max.incremental.fetch.session.cache.slots" = 8\n'
    )
    assert read_facts_file(file) == Given(
        "4.2",
        "4.2.2",
        None,
        {"fetch.max.bytes": 77, "max.incremental.fetch.session.cache.slots": 8},
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("release = ", "expected TOML"),
        ('release = "3.9"', "4.0, 4.1, 4.2, 4.3, 4.4"),
        ("release = 4.3", 'write release = "4.3"'),
        ('"fetch.max.bytes" = "1 MB"', "whole number"),
        ('"fetch.max.bytes" = -1', "whole number"),
        ('"fetch.max.bytes" = true', "whole number"),
        ('relaese = "4.3"', "'relaese'"),
        ('kafka_version = "trunk"', '"4.3.1"'),
        ('implementation = "Red Panda"', "lower case"),
    ],
)
def test_a_facts_file_that_says_nothing_sensible_names_file_and_mend(
    tmp_path: Any, text: str, expected: str
) -> None:
    file = tmp_path / "facts.toml"
    file.write_text(text)
    with pytest.raises(FactsError) as error:
        read_facts_file(file)
    assert "facts.toml" in str(error.value)
    assert expected in str(error.value)


def test_a_missing_facts_file_is_named(tmp_path: Any) -> None:
    with pytest.raises(FactsError, match=r"nowhere\.toml.*check the path"):
        read_facts_file(tmp_path / "nowhere.toml")


def test_a_run_on_share_groups_asks_for_limits_that_nobody_says() -> None:
    limits = dict.fromkeys(SHARE_LIMITS, 200)
    with pytest.raises(FactsError, match=r"lock\.duration\.ms by DescribeConfigs, found no such"):
        require_limits(SHARE_LIMITS, facts(Broker(REPORTED)))
    require_limits(SHARE_LIMITS, facts(Broker(REPORTED), given=Given(limits=limits)))
    shown = {name: str(value) for name, value in limits.items()}
    require_limits(SHARE_LIMITS, facts(Broker({**REPORTED, **shown})))


def test_a_bound_of_group_configs_that_nobody_says_is_not_judged() -> None:
    key, ending = "share.record.lock.duration.ms", "record.lock.duration.ms"

    def taken(**bounds: str) -> list[bool | None]:
        ends = {f"group.share.{end}.{ending}": value for end, value in bounds.items()}
        share = semantics_of(facts(Broker({**REPORTED, **ends}))).of(ShareSemantics)
        return [is_accepted(key, value, share, {}) for value in ("14999", "20000", "60001", "x")]

    assert taken() == [None, None, None, False]
    assert taken(min="15000") == [False, None, None, False]
    assert taken(max="60000") == [None, None, False, False]
    assert taken(min="15000", max="60000") == [False, True, False, False]
