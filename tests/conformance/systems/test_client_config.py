"""Client properties as Kafka's tools and librdkafka take them: what they mean, and what is said of
those that mean nothing.
"""

import base64
import http.server
import json
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from conformance.misuse import BadConfiguration
from conformance.systems.client_config import client_config, read_client_config
from conformance.wire.sasl import OAuthBearer, Plain, SaslError, Scram

SASL = {"security.protocol": "SASL_PLAINTEXT"}
MODULE = "org.apache.kafka.common.security"


def plain(options: str) -> dict[str, str]:
    jaas = f"{MODULE}.plain.PlainLoginModule required {options};"
    return {**SASL, "sasl.mechanism": "PLAIN", "sasl.jaas.config": jaas}


def context_of(values: dict[str, str]) -> ssl.SSLContext:
    context = client_config({"security.protocol": "SSL", **values}, "f").security.ssl_context
    assert context is not None
    return context


def test_nothing_said_is_plain_text() -> None:
    assert client_config({}, "f").security.protocol == "PLAINTEXT"
    assert client_config({"security.protocol": "ssl"}, "f").security.protocol == "SSL"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('username="alice" password="pa ss;"', Plain("alice", "pa ss;")),
        ("username=alice password='q\"x'", Plain("alice", 'q"x')),
        ('password="a\\"b\\\\"\n /* note */ username="u" // note\n', Plain("u", 'a"b\\')),
    ],
)
def test_a_login_module_gives_user_and_password(options: str, expected: Plain) -> None:
    assert client_config(plain(options), "f").security.sasl == expected


def test_librdkafkas_keys_mean_the_same() -> None:
    values = {
        "security.protocol": "sasl_plaintext",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": "alice",
        "sasl.password": " s3cret ",
    }
    found = client_config(values, "f").security.sasl
    assert isinstance(found, Scram)
    assert (found.mechanism, found.username, found.password) == (
        "SCRAM-SHA-512",
        "alice",
        " s3cret ",
    )


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"security.protocol": "s3cret"}, "security.protocol"),
        (SASL, "sasl.mechanism"),
        ({**SASL, "sasl.mechanism": "s3cret"}, "sasl.mechanism"),
        ({**SASL, "sasl.mechanism": "GSSAPI"}, "sasl.mechanism"),
        ({**SASL, "sasl.mechanism": "PLAIN"}, "sasl.username"),
        ({**SASL, "sasl.mechanism": "PLAIN", "sasl.username": "s3cret"}, "sasl.password"),
        (plain('password="s3cret"'), "sasl.jaas.config"),
        ({**plain(""), "sasl.jaas.config": "s3cret"}, "sasl.jaas.config"),
        ({**plain(""), "sasl.jaas.config": 'a.Plain required p="s3cret'}, "sasl.jaas.config"),
        ({**plain(""), "sasl.jaas.config": "s3cret sometimes;"}, "sasl.jaas.config"),
        ({**plain(""), "sasl.jaas.config": "a required; b required;"}, "sasl.jaas.config"),
        ({**plain(""), "sasl.jaas.config": "a required s3cret;"}, "sasl.jaas.config"),
        (
            {**plain('username="u" password="s3cret"'), "sasl.mechanism": "SCRAM-SHA-256"},
            "sasl.jaas",
        ),
        ({**SASL, "sasl.mechanism": "OAUTHBEARER"}, "sasl.oauthbearer.token.endpoint.url"),
        (
            {
                **SASL,
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.oauthbearer.token.endpoint.url": "gopher://s3cret",
            },
            "sasl.oauthbearer.token.endpoint.url",
        ),
        (
            {
                **SASL,
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.oauthbearer.token.endpoint.url": "http://x",
            },
            "client.id",
        ),
        (
            {
                **SASL,
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.login.callback.handler.class": "com.example.s3cret",
            },
            "sasl.login.callback.handler.class",
        ),
        ({"security.protocol": "SSL", "ssl.truststore.type": "s3cret"}, "ssl.truststore.type"),
        (
            {"security.protocol": "SSL", "ssl.truststore.location": "/nowhere"},
            "ssl.truststore.location.*No such file",
        ),
        (
            {"security.protocol": "SSL", "ssl.truststore.certificates": "s3cret"},
            "ssl.truststore.certificates",
        ),
        (
            {
                "security.protocol": "SSL",
                "ssl.keystore.key": "s3cret",
                "ssl.key.password": "s3cret",
            },
            "ssl.keystore.key",
        ),
        (
            {"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": "s3cret"},
            "ssl.endpoint",
        ),
        ({"security.protocol": "SSL", "ssl.enabled.protocols": "s3cret"}, "ssl.enabled.protocols"),
        (
            {"security.protocol": "SSL", "enable.ssl.certificate.verification": "s3cret"},
            "enable.ssl",
        ),
    ],
)
def test_a_wrong_value_is_named_by_file_and_key_and_not_shown(
    values: dict[str, str], key: str
) -> None:
    with pytest.raises(BadConfiguration, match=f"(?s)^the-file: .*{key}.*; ") as refused:
        client_config(values, "the-file")
    assert "s3cret" not in str(refused.value)


def test_keys_without_effect_are_noted_and_their_values_are_not() -> None:
    values = {"linger.ms": "s3cret", "hunter2": "", "group.id": "s3cret", "P@ss word": "s3cret"}
    notes = client_config(values, "f").notes
    assert notes == (
        "f: keys without effect here: group.id, linger.ms",
        "f: 2 more that look like no key of a Kafka client",
    )


def test_a_file_is_read_as_java_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-256\n"
        f"sasl.jaas.config={MODULE}.scram.ScramLoginModule required \\\n"
        '  username="alice" \\\n  password="p" tokenauth="true";\n'
    )
    found = read_client_config(file).security
    assert found.protocol == "SASL_SSL"
    assert isinstance(found.sasl, Scram)
    assert found.sasl.delegation_token


def test_host_names_and_certificates_are_checked_unless_a_setting_says_no() -> None:
    algorithm = "ssl.endpoint.identification.algorithm"
    for checked in ({}, {algorithm: "https"}, {algorithm: "HTTPS"}):
        assert context_of(checked).check_hostname
    for unchecked in ({algorithm: ""}, {algorithm: "none"}):
        context = context_of(unchecked)
        assert (context.check_hostname, context.verify_mode) == (False, ssl.CERT_REQUIRED)
    assert context_of({"enable.ssl.certificate.verification": "false"}).verify_mode == ssl.CERT_NONE
    context = context_of({"ssl.enabled.protocols": "TLSv1.3"})
    assert context.minimum_version == context.maximum_version == ssl.TLSVersion.TLSv1_3


class TokenEndpoint(http.server.BaseHTTPRequestHandler):
    """Gives tokens to one client, and remembers what it was asked."""

    asked: list[tuple[str, dict[str, list[str]]]]
    lasts_s = 3600.0

    def do_POST(self) -> None:
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        authorization = self.headers["Authorization"]
        self.asked.append((authorization, parse_qs(form)))
        good = authorization == "Basic Y2xpZW50OnMzY3JldA=="  # client:s3cret
        answer: dict[str, Any] = {"error": "invalid_client", "error_description": "not s3crets"}
        if good:
            answer = {"access_token": f"t{len(self.asked)}", "expires_in": self.lasts_s}
        body = json.dumps(answer).encode()
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[tuple[str, type[TokenEndpoint]]]:
    handler = type("Handler", (TokenEndpoint,), {"asked": []})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/token", handler
        server.shutdown()
        thread.join()


def oauth(url: str, **values: str) -> OAuthBearer:
    settings = {
        **SASL,
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": url,
        "sasl.jaas.config": f"{MODULE}.oauthbearer.OAuthBearerLoginModule required "
        'clientId="client" clientSecret="s3cret" scope="kafka" extension_logicalCluster="lkc";',
        **values,
    }
    found = client_config(settings, "f").security.sasl
    assert isinstance(found, OAuthBearer)
    return found


def test_a_token_comes_from_the_endpoint_once(endpoint: tuple[str, type[TokenEndpoint]]) -> None:
    url, handler = endpoint
    sasl = oauth(url)
    assert next(sasl.exchange()) == b"n,,\x01auth=Bearer t1\x01logicalCluster=lkc\x01\x01"
    assert b"Bearer t1" in next(sasl.exchange())
    assert [form for _, form in handler.asked] == [
        {"grant_type": ["client_credentials"], "scope": ["kafka"]}
    ]


def test_a_token_that_is_over_is_fetched_again(endpoint: tuple[str, type[TokenEndpoint]]) -> None:
    url, handler = endpoint
    handler.lasts_s = 0.0
    sasl = oauth(url)
    said = [next(sasl.exchange()) for _ in range(2)]
    assert [b"Bearer t1\x01" in said[0], b"Bearer t2\x01" in said[1]] == [True, True]
    assert len(handler.asked) == 2


def test_an_endpoint_that_refuses_is_quoted_without_the_secret(
    endpoint: tuple[str, type[TokenEndpoint]],
) -> None:
    sasl = oauth(endpoint[0], **{"sasl.oauthbearer.client.credentials.client.secret": "s3crets"})
    with pytest.raises(SaslError, match="answers 401: invalid_client: not") as refused:
        sasl.exchange()
    assert "s3cret" not in str(refused.value)


def test_an_endpoint_that_is_away_is_said() -> None:
    with pytest.raises(SaslError, match=r"token endpoint can't be reached: .*refused"):
        oauth("http://127.0.0.1:1/").exchange()


def test_a_token_can_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    sasl = oauth(file.as_uri())
    with pytest.raises(SaslError, match="can't be read: No such file"):
        sasl.exchange()
    file.write_text("from-file\n")
    assert b"Bearer from-file\x01" in next(sasl.exchange())


def test_unsecured_tokens_are_made_as_kafkas_client_makes_them() -> None:
    for values in (
        {
            "sasl.jaas.config": f"{MODULE}.oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="alice";'
        },
        {"sasl.oauthbearer.config": "principal=alice"},
    ):
        found = client_config({**SASL, "sasl.mechanism": "OAUTHBEARER", **values}, "f")
        assert isinstance(found.security.sasl, OAuthBearer)
        header, body, signature = found.security.sasl.token().split(".")
        assert (header, signature) == ("eyJhbGciOiAibm9uZSJ9", "")
        claims = json.loads(base64.urlsafe_b64decode(body + "=="))
        assert claims["sub"] == "alice"
        assert claims["exp"] > time.time()
