"""What is measured: the workloads, and the figures they have to reach."""

import dataclasses
from typing import Callable

SLUICE, JAVA, ECHO, DISK = "sluice", "java", "echo", "disk"
IDLE_CONNECTIONS = 5_000
FDATASYNC_SHARE = 2.6


@dataclasses.dataclass(frozen=True)
class Workload:
    """One command of `sluice_bench` against several servers, in turns."""

    name: str
    title: str
    command: tuple
    durability: str | None  # of Sluice; None: what it ships with
    servers: tuple
    timed: bool = True  # takes --warm-up and --seconds
    fresh_server: bool = False  # Sluice is started anew for every run
    disk_probe: bool = False  # the disk is measured before every round
    bounded_store: bool = False  # Sluice's store is as large as it may get, and recycles


# A broker that has run for longer than its retention writes into segments that it wrote before.
BOUNDED_STORE = {"retention.bytes": "512MiB", "retention.check_interval": "1s"}


CONNECTIONS = ("--connections", "64")

WORKLOADS = (
    Workload("start", "start on an empty store", ("start",), None, (SLUICE, JAVA), timed=False),
    Workload(
        "send",
        "sync send, 1 KiB",
        ("send", *CONNECTIONS),
        "buffered",
        (SLUICE, JAVA, ECHO),
        bounded_store=True,
    ),
    Workload(
        "pipelined",
        "pipelined send, 1 KiB, 32 in flight",
        ("send", *CONNECTIONS, "--in-flight", "32"),
        "buffered",
        (SLUICE, JAVA, ECHO),
        bounded_store=True,
    ),
    Workload(
        "batch_1k",
        "client batches of 32 x 1 KiB",
        ("send", *CONNECTIONS, "--batch", "32"),
        "buffered",
        (SLUICE, JAVA, ECHO),
        bounded_store=True,
    ),
    Workload(
        "batch_128",
        "client batches of 32 x 128 B",
        ("send", *CONNECTIONS, "--batch", "32", "--body-bytes", "128"),
        "buffered",
        (SLUICE, JAVA, ECHO),
        bounded_store=True,
    ),
    Workload(
        "pull",
        "pull, 32 x 1 KiB, warm",
        ("pull", *CONNECTIONS),
        "buffered",
        (SLUICE, JAVA, ECHO),
    ),
    Workload(
        "deliver",
        "append to a waiting pull, 1,000 messages/s",
        ("deliver", "--connections", "8", "--rate", "1000"),
        "buffered",
        (SLUICE, JAVA),
    ),
    Workload(
        "synced",
        "sync send, 1 KiB: Sluice synced, Java asynchronous",
        ("send", *CONNECTIONS),
        None,
        (SLUICE, JAVA),
        disk_probe=True,
        bounded_store=True,
    ),
    Workload(
        "idle",
        "idle connections",
        ("idle", "--connections", str(IDLE_CONNECTIONS)),
        "buffered",
        (SLUICE,),
        timed=False,
        fresh_server=True,
    ),
)


@dataclasses.dataclass(frozen=True)
class Target:
    """A figure to reach. `figure(medians)` takes {(workload, server): {member: median}}."""

    workload: str
    title: str
    unit: str
    figure: Callable
    at_least: Callable  # of the same medians
    aim: float | None
    is_bound_above: bool = False  # the figure has to stay below


def times_java(workload, member="per_server_cpu_s"):
    return lambda m: m[workload, SLUICE][member] / m[workload, JAVA][member]


def share_of_echo(workload):
    member = "per_server_cpu_s"
    return lambda m: 100 * m[workload, SLUICE][member] / m[workload, ECHO][member]


def of_sluice(workload, member, scale=1.0):
    return lambda m: m[workload, SLUICE][member] * scale


def constant(value):
    return lambda m: value


def group_commit_rate(m):
    """Sends per second if each write and sync of 64 KiB carried one send of every connection."""
    seconds = m["synced", DISK]["write_and_fdatasync_us"] / 1e6
    return 64 / (FDATASYNC_SHARE * seconds)


CPU = "messages per server-CPU-second"
TIMES = "times Java"

TARGETS = (
    Target("send", f"sync send, {CPU}", TIMES, times_java("send"), constant(5), 7),
    Target("send", f"sync send, {CPU}", "% of echo", share_of_echo("send"), constant(60), None),
    Target("pipelined", f"pipelined send, {CPU}", TIMES, times_java("pipelined"), constant(12), 25),
    Target(
        "batch_1k", f"batches of 32 x 1 KiB, {CPU}", TIMES,
        times_java("batch_1k"), constant(5), 10,
    ),
    Target(
        "batch_128", f"batches of 32 x 128 B, {CPU}", TIMES,
        times_java("batch_128"), constant(6), 12,
    ),
    Target("pull", f"pull, {CPU}", TIMES, times_java("pull"), constant(6), 10),
    Target(
        "deliver", "append to a waiting pull, p50", "ms",
        of_sluice("deliver", "p50_ms"), constant(0.2), 0.08, True,
    ),
    Target(
        "deliver", "append to a waiting pull, p99", "ms",
        of_sluice("deliver", "p99_ms"), constant(0.6), 0.2, True,
    ),
    Target(
        "synced", "sync send as shipped, messages/s", TIMES,
        times_java("synced", "messages_per_s"), constant(1), 4,
    ),
    Target(
        "synced", "sync send, synced", "messages/s",
        of_sluice("synced", "messages_per_s"), group_commit_rate, 70_000,
    ),
    Target(
        "synced", "sync send, synced, p99", "ms",
        of_sluice("synced", "p99_ms"), constant(4), None, True,
    ),
    Target(
        "idle", "user memory of an idle connection", "KiB",
        of_sluice("idle", "bytes_per_connection", 1 / 1024), constant(7), 2, True,
    ),
    Target("start", "start to ready", "ms", of_sluice("start", "ready_ms"), constant(50), 10, True),
    Target(
        "start", "idle RssAnon", "MB",
        of_sluice("start", "idle_rss_anon_kib", 1024 / 1e6), constant(30), 15, True,
    ),
)
