"""`fencepost cost`: bytes that a consumer of so many records at a time fetches and discards, with
and without the draft.
"""

from __future__ import annotations

from itertools import groupby

import click

from drafts.max_records.typical_costs import costs

BAR = 24


@click.command()
@click.option(
    "--records",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Records that the consumer can take at a time.",
)
@click.option(
    "--total",
    type=click.IntRange(1, 100_000),
    default=2000,
    show_default=True,
    help="Records in the partition.",
)
@click.option(
    "--partition-bytes",
    type=click.IntRange(1),
    default=1048576,
    show_default=True,
    help="max.partition.fetch.bytes.",
)
def cost(records: int, total: int, partition_bytes: int) -> None:
    """Show what is fetched and thrown away by a consumer that can take so many records at a time.

    Today it fetches by bytes, keeps what it can take and fetches the rest again; with MaxRecords
    the broker stops near the limit. Each reading of the draft is shown for logs of small, large and
    compressed batches of records of 100 bytes. The report of `identify` has the same as a table and
    a chart.
    """
    click.echo(
        f"{total} records of 100 bytes, taken {records} at a time, max.partition.fetch.bytes "
        f"{partition_bytes}"
    )
    for shape, some in groupby(costs(records, total, partition_bytes), lambda one: one.shape):
        found = list(some)
        most = max(one.fetched for one in found)
        click.echo(f"\n{shape}: {found[0].stored} bytes")
        click.echo(f"  {'':<28} {'fetches':>8} {'fetched':>12} {'thrown away':>12}")
        for one in found:
            bar = "#" * round(BAR * one.fetched / most)
            missing = "" if one.taken == total else f"  only {one.taken} records read"
            click.echo(
                f"  {one.reading:<28} {one.fetches:>8} {one.fetched:>12} "
                f"{max(0, one.fetched - one.stored):>12}  {bar}{missing}"
            )
