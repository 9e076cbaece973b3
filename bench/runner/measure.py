"""Runs the workloads: the servers in turns, several runs each, and takes the medians."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

from .plan import BOUNDED_STORE, DISK, ECHO, JAVA, SLUICE
from .process import Failure
from .servers import LOOPBACK, free_broker_port

CALM_SAMPLE_SECONDS = 0.3
RUN_SECONDS_MAX = 300
PROGRESS_MEMBERS = (
    "messages_per_s",
    "per_server_cpu_s",
    "p50_ms",
    "p99_ms",
    "idle_share",
    "ready_ms",
    "bytes_per_connection",
    "write_and_fdatasync_us",
)


class Bench:
    """The servers of one benchmark; none outlives the `with` block."""

    def __init__(self, options, servers, directory, results):
        self._options = options
        self._servers = servers  # by name; absent: not measured
        self._directory = directory
        self._started = set()
        self._warm = set()
        self._results = results  # {workload: {server: [report of a run]}}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in (JAVA, ECHO):
            if name in self._servers:
                self._servers[name].stop()

    def run(self, workload):
        servers = [name for name in workload.servers if name in self._servers]
        if workload.name == "start":
            return self._run_starts(workload, servers)
        with contextlib.ExitStack() as sluice_stack:
            if SLUICE in servers and not workload.fresh_server:
                self._start_sluice(workload, sluice_stack)
            for number in range(self._options.runs):
                self._run_round(workload, servers, number)

    def _run_round(self, workload, servers, number):
        if workload.disk_probe:
            report = self._load(["disk", str(self._directory)])
            self._note(workload, DISK, number, report)
        for name in servers:
            if name == SLUICE and workload.fresh_server:
                with contextlib.ExitStack() as stack:
                    self._start_sluice(workload, stack)
                    self._run_once(workload, name, number)
            else:
                self._start_once(name)
                self._run_once(workload, name, number)

    def _run_once(self, workload, name, number):
        server = self._servers[name]
        command = [*workload.command, *server.load_options(), "--pid", str(server.pid)]
        if name != ECHO:
            command += ["--topic", f"bench_{workload.name}"]
        if workload.timed:
            command += ["--warm-up", str(self._warm_up_seconds(workload, name))]
            command += ["--seconds", str(self._options.seconds)]
        if workload.name == "idle":
            command += ["--request", self._options.idle_request]
        if workload.command[0] in ("send", "pull") and self._options.connections:
            command += ["--connections", str(self._options.connections)]
        idle_before = settle_machine()
        report = self._load(command)
        report["idle_share_before"] = idle_before
        self._note(workload, name, number, report)

    def _warm_up_seconds(self, workload, name):
        """The first run of the Java broker under a workload is also its compiler's."""
        is_first = (workload.name, name) not in self._warm
        self._warm.add((workload.name, name))
        if name == JAVA and is_first:
            return self._options.java_warm_up
        return self._options.warm_up

    def _run_starts(self, workload, servers):
        for number in range(self._options.runs):
            for name in servers:
                idle_before = settle_machine()
                report = self._load(self._start_command(name), self._start_environment(name))
                report["idle_share_before"] = idle_before
                if name == SLUICE and report["exit_code"] != 0:
                    raise Failure(f"SIGTERM ended Sluice with {report['exit_code']}, not 0")
                self._note(workload, name, number, report)

    def _start_command(self, name):
        server = self._servers[name]
        if name == SLUICE:
            return ["start", "--", *server.command({})]
        server.start_nameserver()
        port = free_broker_port()
        command = server.broker_command("java-start", port)
        return ["start", "--probe", f"{LOOPBACK}:{port}", "--", *command]

    def _start_environment(self, name):
        if name == SLUICE:
            return None
        return self._servers[name].environment("java-start")

    def _start_sluice(self, workload, stack):
        sluice = self._servers[SLUICE]
        settings = sluice.durability(workload.durability) if workload.durability else {}
        if workload.bounded_store:
            settings = {**settings, **BOUNDED_STORE}
        sluice.start(settings)
        stack.callback(sluice.stop)

    def _start_once(self, name):
        if name == SLUICE or name in self._started:
            return
        server = self._servers[name]
        server.start()
        self._started.add(name)

    def _load(self, command, environment=None):
        """One run of `sluice_bench`; its report."""
        done = subprocess.run(
            [str(self._options.bench), "--json", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._directory,
            env=environment,
            timeout=RUN_SECONDS_MAX,
        )
        if done.returncode != 0:
            text = done.stderr.decode("utf-8", "replace")
            raise Failure(f"sluice_bench {' '.join(command)[:400]}\n{text}")
        return json.loads(done.stdout.decode().splitlines()[-1])

    def _note(self, workload, name, number, report):
        self._results.setdefault(workload.name, {}).setdefault(name, []).append(report)
        shown = {key: report[key] for key in PROGRESS_MEMBERS if key in report}
        text = "  ".join(f"{key} {value:,.4g}" for key, value in shown.items())
        print(f"{workload.name:10} {name:7} {number + 1}  {text}", file=sys.stderr, flush=True)


def settle_machine():
    """Lets the disk finish what earlier runs left, and returns the idle share of a moment after: what
    is missing there to 1 was taken by others during the run too."""
    os.sync()
    begin = read_machine_time()
    time.sleep(CALM_SAMPLE_SECONDS)
    end = read_machine_time()
    return (end[1] - begin[1]) / max(end[0] - begin[0], 1)


def read_machine_time():
    """(all ticks, idle ticks) of /proc/stat; waiting for a disk counts as idle."""
    with open("/proc/stat") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def medians(results):
    """{(workload, server): {member: median over the runs}} of every number in the reports."""
    table = {}
    for workload, servers in results.items():
        for server, reports in servers.items():
            numbers = [key for key, value in reports[0].items() if isinstance(value, (int, float))]
            table[workload, server] = {
                key: statistics.median(report[key] for report in reports) for key in numbers
            }
    return table
