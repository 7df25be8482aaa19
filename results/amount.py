"""Numbers of things in words."""


def amount(count: int, noun: str) -> str:
    """`1 record`, `2 records`."""
    return f"{count} {noun}{'s' * (count != 1)}"
