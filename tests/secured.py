"""A cluster of three brokers behind SASL, TLS and ACLs, and the client properties that reach it."""

from __future__ import annotations

import datetime as dt
import hashlib
import ipaddress
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.ledger import PREFIX
from conformance.systems.embedded_cluster import EmbeddedCluster

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.cluster import Cluster

VERSION = "4.3.1"
ALICE, BOB = "alice", "bob"
"""Users: one that may do everything, and one that may do what a test lets it do."""
PASSWORDS = {ALICE: "alice-s3cret", BOB: "bob-s3cret"}
CERTIFIED = "certified"
"""The user that a client's own certificate names."""
SASL_TLS, SASL_PLAIN, TLS = "SASL_SSL", "SASL_PLAINTEXT", "SSL"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
_MODULE = "org.apache.kafka.common.security"
_SCRAM = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
ITERATIONS = 4096
SESSION_MS = "10000"
"""How long a session on the listener of SASL without TLS lasts."""


LITERAL, PREFIXED = 3, 4
ALL, ALLOW = 2, 3
"""Operation and permission of an ACL."""


class Resource(IntEnum):
    """What an ACL is about, as CreateAcls numbers it."""

    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: an authority, a key and its certificate for the brokers and for a client."""

    authority: Path
    broker: Path
    client: Path


def make_certificates(folder: Path) -> Certificates:
    """Make an authority and what it signs: for brokers on the loopback address, and a client."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("authority")
    authority = _certificate(name, key.public_key(), name, key, authority=True)
    (folder / "authority.pem").write_bytes(authority)
    for who in ("broker", CERTIFIED):
        own = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(_name(who), own.public_key(), name, key, authority=False)
        private = own.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        (folder / f"{who}.pem").write_bytes(private + certificate)
    return Certificates(
        folder / "authority.pem", folder / "broker.pem", folder / f"{CERTIFIED}.pem"
    )


def _name(who: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, who)])


def _certificate(
    subject: x509.Name,
    public: ec.EllipticCurvePublicKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    *,
    authority: bool,
) -> bytes:
    now = dt.datetime.now(dt.UTC)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(signer, hashes.SHA256())
        .public_bytes(serialization.Encoding.PEM)
    )


class SecuredCluster:
    """The cluster. Its listener without SASL belongs to the brokers and to the tests, which may do
    everything there.

    Args:
        folder: where certificates and client properties are written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificates = make_certificates(folder)
        self.brokers = EmbeddedCluster(
            VERSION,
            config=self._settings(),
            listeners={name: name for name in (SASL_TLS, SASL_PLAIN, TLS)},
        )

    def start(self) -> None:
        """Bring it up, with SCRAM credentials for its users; `ALICE` may do everything."""
        self.brokers.start()
        cluster = self.admin()
        with cluster.connect() as connection:
            for mechanism in _SCRAM:  # a user is altered once in a request
                entries = [_scram_entry(user, mechanism) for user in PASSWORDS]
                value = {"deletions": [], "upsertions": entries}
                answer = connection.ask("AlterUserScramCredentials", 0, value)
                assert not any(one["error_code"] for one in answer["results"]), answer

    def heal(self) -> None:
        """Start again what was ended."""
        for number, node in self.brokers.nodes.items():
            if not node.alive:
                self.brokers.revive(number)

    def stop(self) -> None:
        """End it."""
        self.brokers.stop()

    def allow(self, user: str, *resources: Resource) -> None:
        """Let a user do everything with resources whose names begin with `fencepost-`, and with the
        cluster itself where that is one of them.
        """
        cluster = self.admin()
        creations = [
            {
                "resource_type": resource,
                "resource_name": "kafka-cluster" if resource is Resource.CLUSTER else PREFIX,
                "resource_pattern_type": LITERAL if resource is Resource.CLUSTER else PREFIXED,
                "principal": f"User:{user}",
                "host": "*",
                "operation": ALL,
                "permission_type": ALLOW,
            }
            for resource in resources
        ]
        with cluster.connect() as connection:
            version = cluster.version("CreateAcls", 3)
            answer = connection.ask("CreateAcls", version, {"creations": creations})
        assert not any(one["error_code"] for one in answer["results"]), answer

    def move_leaders(self) -> int:
        """Take each partition of a run's topics from the broker that leads it; their number."""
        cluster = self.admin()
        with cluster.connect() as connection:
            named = connection.ask("Metadata", 12, {"topics": None})["topics"]
            topics = [
                {
                    "name": topic["name"],
                    "partitions": [
                        {
                            "partition_index": part["partition_index"],
                            "replicas": [n for n in self.brokers.nodes if n != part["leader_id"]],
                        }
                        for part in topic["partitions"]
                    ],
                }
                for topic in named
                if topic["name"].startswith(PREFIX)
            ]
            version = cluster.version("AlterPartitionReassignments", 1)
            value = {
                "timeout_ms": 30_000,
                "allow_replication_factor_change": True,
                "topics": topics,
            }
            connection.ask("AlterPartitionReassignments", version, value)
        return sum(len(topic["partitions"]) for topic in topics)

    def admin(self) -> Cluster:
        """The cluster by the listener on which everything is allowed."""
        return reach(*self.brokers.address, make_codec())

    def bootstrap(self, listener: str = SASL_TLS) -> str:
        """All brokers' addresses of a listener, as `--bootstrap-server` takes them."""
        return ",".join(f"{host}:{port}" for host, port in self.brokers.addresses(listener))

    def properties(
        self,
        mechanism: str,
        user: str = ALICE,
        *,
        password: str | None = None,
        protocol: str = SASL_TLS,
        **more: str,
    ) -> Path:
        """A file of client properties."""
        password = PASSWORDS.get(user, "") if password is None else password
        settings = {"security.protocol": protocol, **more}
        if protocol != TLS:
            settings |= {
                "sasl.mechanism": mechanism,
                "sasl.jaas.config": _jaas(mechanism, user, password),
            }
        if protocol != SASL_PLAIN:
            settings |= {
                "ssl.truststore.type": "PEM",
                "ssl.truststore.location": str(self.certificates.authority),
            }
        made = self.folder / f"{mechanism}-{user}-{protocol}-{len(list(self.folder.iterdir()))}"
        made.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
        return made

    def _settings(self) -> dict[str, str]:
        settings = {
            "sasl.enabled.mechanisms": ",".join(MECHANISMS),
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:ANONYMOUS;User:{ALICE};User:CN={CERTIFIED}",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.certificates.broker),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.certificates.authority),
            "listener.name.ssl.ssl.client.auth": "required",
            "broker.session.timeout.ms": "6000",
        }
        users = " ".join(f'user_{user}="{word}"' for user, word in PASSWORDS.items())
        modules = {
            "plain": f"{_MODULE}.plain.PlainLoginModule required {users};",
            "scram-sha-256": f"{_MODULE}.scram.ScramLoginModule required;",
            "scram-sha-512": f"{_MODULE}.scram.ScramLoginModule required;",
            "oauthbearer": f"{_MODULE}.oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";',
        }
        for listener in (SASL_TLS, SASL_PLAIN):
            for mechanism, jaas in modules.items():
                settings[f"listener.name.{listener.lower()}.{mechanism}.sasl.jaas.config"] = jaas
        for mechanism in modules:
            limited = f"listener.name.{SASL_PLAIN.lower()}.{mechanism}.connections.max.reauth.ms"
            settings[limited] = SESSION_MS
        return settings


def _jaas(mechanism: str, user: str, password: str) -> str:
    if mechanism == "OAUTHBEARER":
        return (
            f"{_MODULE}.oauthbearer.OAuthBearerLoginModule required "
            f'unsecuredLoginStringClaim_sub="{user}";'
        )
    module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    return f'{_MODULE}.{module}LoginModule required username="{user}" password="{password}";'


def _scram_entry(user: str, mechanism: str) -> dict[str, object]:
    name = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}[mechanism]
    salt = f"salt of {user}".encode()
    salted = hashlib.pbkdf2_hmac(name, PASSWORDS[user].encode(), salt, ITERATIONS)
    return {
        "name": user,
        "mechanism": _SCRAM[mechanism],
        "iterations": ITERATIONS,
        "salt": salt,
        "salted_password": salted,
    }
