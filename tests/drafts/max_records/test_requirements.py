"""The requirement sets of the draft stay as they were published."""

from drafts.max_records.draft import DRAFT

DIGESTS = {
    "max_records-4.0@1": "1027d16fcdecfba5e81d2bda8a4b70f262f2654db6d6c1884fbbd453ddb0bc7e",
    "max_records-4.1@1": "72c93763836591f2be31c4d0390739e2ee200add63d812c47be67b3b6d5fb89d",
    "max_records-4.2@1": "80c0efb8f56099efdb5506a4623bc1f78458d775fe058c4ba2c10ef635a85af8",
    "max_records-4.3@1": "8f2ad1d1b0bd2a08fdc44f36a853c724606c5112c7bacc6066fed6384a6c1788",
    "max_records-4.4@1": "8d96c7a8101100ef024fac778b1b0914e585ce7b1e543d1eb73afac6fe383c1b",
}
"""Never change a line here: publish a set with the next version, and add its line."""


def test_a_published_set_is_never_edited_or_withdrawn() -> None:
    assert {
        published.name: published.digest for published in DRAFT.subject.requirement_sets
    } == DIGESTS
