"""`fencepost cost`: what a consumer of so many records at a time fetches in vain, with and without the draft MaxRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conformance.cli.common import told

if TYPE_CHECKING:
    from spec.layout import Partition

READINGS = ("stop=after", "stop=before", "compressed=one", "exact=cut", "start=usable")
BAR = 24


@click.command()
@click.option("--records", type=click.IntRange(1), default=100, show_default=True, help="Records that the consumer can take at a time.")
@click.option("--total", type=click.IntRange(1, 100_000), default=2000, show_default=True, help="Records in the partition.")
@click.option("--partition-bytes", type=click.IntRange(1), default=1048576, show_default=True, help="max.partition.fetch.bytes.")
@told
def cost(records: int, total: int, partition_bytes: int) -> None:
    """Show what is fetched and thrown away by a consumer that can take so many records at a time.

    Today it fetches by bytes, keeps what it can take and fetches the rest again; with MaxRecords the broker stops near the limit. Each
    reading of the draft is shown for logs of small, large and compressed batches of records of 100 bytes.
    """
    from spec.log import log_of  # noqa: PLC0415 - keeps --help quick
    from spec.max_records.axes import parse  # noqa: PLC0415
    from spec.max_records.cost import cost_of  # noqa: PLC0415

    click.echo(f"{total} records of 100 bytes, taken {records} at a time, max.partition.fetch.bytes {partition_bytes}")
    for name, partition in _logs(total):
        log = log_of(partition)
        found = {"today": cost_of(log, records, None, partition_bytes)}
        found |= {reading: cost_of(log, records, parse(reading), partition_bytes) for reading in READINGS}
        most = max(one.fetched for one in found.values())
        click.echo(f"\n{name}: {found['today'].stored} bytes")
        click.echo(f"  {'':<16} {'fetches':>8} {'fetched':>12} {'thrown away':>12}")
        for reading, one in found.items():
            bar = "#" * max(1, round(BAR * one.fetched / most))
            missing = "" if one.records == total else f"  only {one.records} records read"
            click.echo(f"  {reading:<16} {one.fetches:>8} {one.fetched:>12} {one.thrown_away:>12}  {bar}{missing}")


def _logs(total: int) -> list[tuple[str, Partition]]:
    """Logs of batches of 1, 30 and 500 records, and of 500 in a tenth of their bytes by gzip."""
    from spec.kafka import BATCH_HEADER  # noqa: PLC0415 - keeps --help quick
    from spec.layout import Batch, Codec, Partition  # noqa: PLC0415

    logs = []
    for records, codec in ((1, Codec.NONE), (30, Codec.NONE), (500, Codec.NONE), (500, Codec.GZIP)):
        size = BATCH_HEADER + 100 * records // (10 if codec is Codec.GZIP else 1)
        batches = [Batch(size, min(records, total - done), codec) for done in range(0, total, records)]
        logs.append((f"batches of {records}{'' if codec is Codec.NONE else ', ' + codec.value}", Partition((tuple(batches),))))
    return logs
