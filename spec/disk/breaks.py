"""A break of a rule at a place of a data folder."""

from spec.frozen import frozen


@frozen
class Break:
    """What is wrong in a file.

    Attributes:
        rule: the rule's id.
        file: the file, relative to the folder that is looked at.
        position: bytes from its start; for a text file the line, from 1.
        what: what was expected and what was found.
    """

    rule: str
    file: str
    position: int
    what: str


@frozen
class Note:
    """Something that is legal where it is, and worth knowing.

    Attributes:
        file: the file, relative to the folder that is looked at.
        what: what it is.
    """

    file: str
    what: str


Remark = tuple[str, str]
"""The id of a rule that is broken, and what was expected and found."""
