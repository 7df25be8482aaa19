"""How many batches a limit lets into an answer: pure functions of whole numbers, with contracts
that CrossHair proves.

The lists hold what each batch of one partition counts, or its bytes, in log order. The contracts
are proved for lists of up to two batches; nothing in the functions depends on the length.
"""


def within_count(units: list[int], left: int, before: bool, right: int) -> int:
    """How many batches the count lets through, `left` being what is left of it.

    Args:
        units: what each batch counts.
        left: what is left of the limit; below 0 where a first batch passed it before.
        before: stop before the batch that crosses, not after it.
        right: how many batches at the start may pass the limit (the progress rule); 0 under
            `before=False`, which needs none.

    pre: len(units) <= 2 and all(0 <= unit for unit in units)
    pre: 0 <= right <= len(units) and (before or right == 0)
    post: right <= _ <= len(units)
    post: not before or _ <= right or sum(units[:_]) <= left
    post: before or _ == 0 or sum(units[: _ - 1]) < left
    post: _ == by_partial_sums(units, left, before, right)
    """
    total = 0
    for number, unit in enumerate(units):
        crossed = total + unit > left if before else total >= left
        if crossed:
            return max(number, right)
        total += unit
    return len(units)


def by_partial_sums(units: list[int], left: int, before: bool, right: int) -> int:
    """The same, computed from all partial sums at once: the second formulation."""
    sums = [sum(units[: number + 1]) for number in range(len(units))]
    fitting = [
        number
        for number, total in enumerate(sums)
        if (total <= left if before else total - units[number] < left)
    ]
    return max(len(fitting), right)


def grows_with_its_limit(
    units: list[int], left: int, more: int, before: bool, right: int
) -> tuple[int, int]:
    """The batches under one limit and under a larger one.

    pre: len(units) <= 2 and all(0 <= unit for unit in units)
    pre: 0 <= right <= len(units) and (before or right == 0) and more >= 0
    post: _[0] <= _[1]
    """
    return within_count(units, left, before=before, right=right), within_count(
        units, left + more, before=before, right=right
    )


def stopping_after(first: int, second: int, left: int) -> int:
    """How many of two batches are returned under `stop=after`; what they count is taken as 0 where
    it is below.
    """
    return within_count([max(first, 0), max(second, 0)], left, before=False, right=0)


def stopping_before(first: int, second: int, left: int) -> int:
    """The same under `stop=before,oversize=refused`."""
    return within_count([max(first, 0), max(second, 0)], left, before=True, right=0)


def stopping_before_but_for_the_first(first: int, second: int, left: int) -> int:
    """The same under `stop=before,oversize=returned`."""
    return within_count([max(first, 0), max(second, 0)], left, before=True, right=1)


def stopping_before_by_partial_sums(first: int, second: int, left: int) -> int:
    """The same as `stopping_before`, by the second formulation."""
    return by_partial_sums([max(first, 0), max(second, 0)], left, before=True, right=0)


def both_stop_rules(first: int, second: int, left: int) -> tuple[int, int]:
    """The batches under the two stop rules: at most one more is returned by stopping after the
    batch that crosses.

    pre: first > 0 and second > 0 and left >= 0
    post: _[0] <= _[1] <= _[0] + 1
    """
    return stopping_before(first, second, left), stopping_after(first, second, left)


def within_bytes(sizes: list[int], cap: int, *, progress: bool) -> int:
    """How many whole batches fit into `cap` bytes; with `progress` the first one always does
    (KIP-74).

    pre: len(sizes) <= 2 and all(0 < size for size in sizes) and cap >= 0
    post: 0 <= _ <= len(sizes)
    post: sum(sizes[:_]) <= cap or (progress and _ == 1)
    """
    total = 0
    for number, size in enumerate(sizes):
        total += size
        if total > cap and not (progress and number == 0):
            return number
    return len(sizes)


def within_both(
    units: list[int],
    sizes: list[int],
    left: int,
    cap: int,
    before: bool,
    right: int,
    progress: bool,
) -> int:
    """How many whole batches both limits let through: an added limit never returns more.

    pre: len(units) == len(sizes) <= 2
    pre: all(0 <= unit for unit in units) and all(0 < size for size in sizes)
    pre: 0 <= right <= len(units) and (before or right == 0) and cap >= 0
    post: _ <= within_bytes(sizes, cap, progress=progress)
    post: _ <= within_count(units, left, before=before, right=right)
    """
    return min(
        within_bytes(sizes, cap, progress=progress),
        within_count(units, left, before=before, right=right),
    )


def of_both_scopes(limit: int, spent: int) -> int:
    """The rest where the limit holds for the request and for each partition: never less than
    what the request's leaves.

    pre: limit >= 0 and spent >= 0
    post: _ == limit - spent
    """
    return min(limit, limit - spent)
