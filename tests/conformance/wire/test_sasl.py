"""What a client says in each mechanism, against the examples of the RFCs and wrong servers."""

import base64
import hashlib
import hmac
from collections.abc import Generator

import pytest

from conformance.wire.sasl import OAuthBearer, Plain, SaslError, Scram

NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = (
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
)
SERVER_FINAL = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
SCRAM = Scram("SCRAM-SHA-256", "user", "pencil", nonce=lambda: NONCE)


def played(exchange: Generator[bytes, bytes, None], *answers: str) -> list[str]:
    """What the client sends to these answers, the last of which ends the exchange."""
    said = [next(exchange).decode()]
    for answer in answers:
        try:
            said.append(exchange.send(answer.encode()).decode())
        except StopIteration:
            return said
    raise AssertionError(said)


def test_plain_sends_the_user_and_the_password() -> None:
    assert played(Plain("tim", "tanstaaftanstaaf").exchange(), "") == ["\0tim\0tanstaaftanstaaf"]


def test_scram_says_what_the_example_of_rfc_7677_says() -> None:
    bare = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    proof = "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    said = played(SCRAM.exchange(), SERVER_FIRST, SERVER_FINAL)
    assert said == [f"n,,n=user,r={NONCE}", f"{bare},{proof}"]


def test_scram_escapes_a_name_and_marks_a_delegation_token() -> None:
    token = Scram("SCRAM-SHA-256", "a=b,c", "p", delegation_token=True, nonce=lambda: "n")
    assert next(token.exchange()) == b"n,,n=a=3Db=2Cc,r=n,tokenauth=true"


def test_scram_works_with_sha_512_too() -> None:
    exchange = Scram("SCRAM-SHA-512", "user", "pencil", nonce=lambda: "abc").exchange()
    first = next(exchange).decode()[3:]
    challenge = "r=abcdef,s=" + base64.b64encode(b"salt").decode() + ",i=4096"
    final = exchange.send(challenge.encode()).decode()
    bare, _, proof = final.rpartition(",p=")
    salted = hashlib.pbkdf2_hmac("sha512", b"pencil", b"salt", 4096)
    signed = f"{first},{challenge},{bare}".encode()
    stored = hashlib.sha512(hmac.digest(salted, b"Client Key", "sha512")).digest()
    signature = hmac.digest(stored, signed, "sha512")
    key = bytes(a ^ b for a, b in zip(base64.b64decode(proof), signature, strict=True))
    assert hashlib.sha512(key).digest() == stored
    server = hmac.digest(hmac.digest(salted, b"Server Key", "sha512"), signed, "sha512")
    with pytest.raises(StopIteration):
        exchange.send(b"v=" + base64.b64encode(server))


@pytest.mark.parametrize(
    ("first", "final", "found"),
    [
        (SERVER_FIRST, "v=" + base64.b64encode(b"x" * 32).decode(), "another server"),
        (SERVER_FIRST, "v=%%%", "another server"),
        (SERVER_FIRST, "", "another server"),
        (SERVER_FIRST, "e=other-error", "the broker says: other-error"),
        ("e=unknown-user", "", "refuses: unknown-user"),
        ("r=other,s=W22Z,i=4096", "", "does not continue"),
        (f"r={NONCE},s=W22Z,i=4096", "", "does not continue"),
        (f"m=ext,r={NONCE}x,s=W22Z,i=4096", "", "does not continue"),
        (f"r={NONCE}x,s=W22Z,i=4095", "", "4095 iterations"),
        (f"r={NONCE}x,s=W22Z,i=999999999999", "", "iterations"),
        (f"r={NONCE}x,s=W22Z", "", "lacks"),
        (f"r={NONCE}x,s=%,i=4096", "", "lacks"),
        ("\udcff", "", "does not continue"),
    ],
)
def test_a_server_that_does_not_know_the_password_is_refused(
    first: str, final: str, found: str
) -> None:
    exchange = SCRAM.exchange()
    next(exchange)

    def answer() -> None:
        exchange.send(first.encode("utf-8", "surrogateescape"))
        exchange.send(final.encode())

    with pytest.raises(SaslError, match=found) as refused:
        answer()
    assert "pencil" not in str(refused.value)


def test_a_bearer_token_is_sent_with_its_extensions() -> None:
    exchange = OAuthBearer(lambda: "t.o.k", {"logicalCluster": "lkc-1"}).exchange()
    assert played(exchange, "") == ["n,,\x01auth=Bearer t.o.k\x01logicalCluster=lkc-1\x01\x01"]


def test_the_refusal_of_a_token_is_said_without_the_token() -> None:
    exchange = OAuthBearer(lambda: "t.o.k").exchange()
    next(exchange)
    assert exchange.send(b'{"status":"invalid_token t.o.k"}') == b"\x01"
    with pytest.raises(SaslError, match=r"the broker says: invalid_token \*\*\*"):
        exchange.send(b"")


def test_no_secret_is_in_what_is_printed_of_credentials() -> None:
    shown = f"{Plain('u', 's3cret')!r} {Scram('SCRAM-SHA-256', 'u', 's3cret')!r}"
    assert "s3cret" not in shown
    assert Plain("u", "s3cret").redact("wrong s3cret") == "wrong ***"
