"""Which member ids are taken, and how a session's epoch continues."""

import pytest

from spec.kafka import INT32_MAX, Error
from spec.releases import semantics_for
from spec.share.model.session import Mode, ShareSession, admit, is_uuid
from spec.share.releases import ShareSemantics
from spec.share.steps import ShareFetch

A_UUID = "AAAAAAAAAAAAAAAAAAAAAA"


@pytest.mark.parametrize("padding", ["", "=="])
def test_a_kafka_uuid_is_22_letters_with_or_without_its_padding(padding: str) -> None:
    assert is_uuid(A_UUID + padding)
    assert not is_uuid(A_UUID[1:] + padding)
    assert not is_uuid("+" + A_UUID[1:] + padding)


@pytest.mark.parametrize("release", ["4.0", "4.1", "4.2", "4.3"])
def test_a_member_id_that_is_a_kafka_uuid_is_taken_by_every_release(release: str) -> None:
    assert (
        admit(
            ShareFetch(member=A_UUID), 0, None, 1, semantics_for(release).of(ShareSemantics)
        ).error
        == Error.NONE
    )


@pytest.mark.parametrize(
    ("release", "member", "error"),
    [
        ("4.1", "a consumer", Error.UNKNOWN_SERVER_ERROR),
        ("4.2", "a consumer", Error.NONE),
        ("4.1", None, Error.UNKNOWN_SERVER_ERROR),
        ("4.2", None, Error.INVALID_REQUEST),
        ("4.2", "", Error.INVALID_REQUEST),
        ("4.2", "m" * 36, Error.NONE),
        ("4.2", "m" * 37, Error.INVALID_REQUEST),
    ],
)
def test_another_member_id_is_taken_from_4_2_on_up_to_36_characters(
    release: str, member: str | None, error: Error
) -> None:
    assert (
        admit(
            ShareFetch(member=member), 0, None, 1, semantics_for(release).of(ShareSemantics)
        ).error
        == error
    )


def test_after_the_greatest_epoch_comes_1() -> None:
    admission = admit(
        ShareFetch(),
        INT32_MAX,
        ShareSession(INT32_MAX, (0,)),
        1,
        semantics_for("4.3").of(ShareSemantics),
    )
    assert (admission.mode, admission.after) == (Mode.CONTINUING, ShareSession(1, (0,)))
