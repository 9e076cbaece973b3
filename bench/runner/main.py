"""The command line of bench/run."""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile

from . import java_artifacts
from .measure import Bench, medians
from .plan import ECHO, JAVA, SLUICE, WORKLOADS
from .process import Failure
from .servers import Echo, Java, Sluice
from .tables import evaluate_targets, format_tables

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "release"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="Measures Sluice, the Apache RocketMQ Java broker and an echo server in turns."
    )
    names = [workload.name for workload in WORKLOADS]
    parser.add_argument("--sluice", type=pathlib.Path, default=BUILD / "sluice", help="binary")
    parser.add_argument("--bench", type=pathlib.Path, default=BUILD / "bench" / "sluice_bench")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME",
                        help=f"repeatable; one of {', '.join(names)}")
    parser.add_argument("--runs", type=int, default=5, help="of each server and workload")
    parser.add_argument("--seconds", type=float, default=3, help="measured in each run")
    parser.add_argument("--warm-up", type=float, default=1, help="seconds before each run")
    parser.add_argument("--java-warm-up", type=float, default=25,
                        help="seconds before the Java broker's first run of a workload")
    parser.add_argument("--connections", type=int, help="of the send and pull workloads")
    parser.add_argument("--idle-request", choices=("send", "heartbeat", "route"), default="send",
                        help="what an idle connection has asked before")
    parser.add_argument("--no-java", action="store_true", help="without the Java broker")
    parser.add_argument("--no-sluice", action="store_true", help="without Sluice")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="configuration of Sluice; repeatable")
    parser.add_argument("--directory", type=pathlib.Path, default=tempfile.gettempdir(),
                        help="for the stores of all servers: the disk that is measured")
    parser.add_argument("--cache", type=pathlib.Path, default=CACHE / "sluice-bench",
                        help="for the Java broker's class path")
    parser.add_argument("--keep", action="store_true", help="keep stores and server output")
    parser.add_argument("--json", action="store_true", help="print JSON with every run")
    return parser.parse_args()


def make_servers(options, directory):
    servers = {ECHO: Echo(options.bench, directory)}
    if not options.no_sluice:
        settings = dict(item.split("=", 1) for item in options.set)
        servers[SLUICE] = Sluice(options.sluice, directory, settings)
    if not options.no_java:
        servers[JAVA] = Java(java_artifacts.resolve_classpath(options.cache), directory)
    return servers


def run_workloads(options, directory, results):
    """Fills `results`. A workload that fails is reported and left out; returns how many did."""
    chosen = [w for w in WORKLOADS if not options.only or w.name in options.only]
    failures = 0
    with Bench(options, make_servers(options, directory), directory, results) as bench:
        for workload in chosen:
            try:
                bench.run(workload)
            except Failure as failure:
                print(f"bench/run: {workload.name}: {failure}", file=sys.stderr)
                results.pop(workload.name, None)
                failures += 1
    return failures


def print_results(results, is_json):
    if not is_json:
        print(format_tables(results))
        return
    middle = {f"{workload}/{server}": row for (workload, server), row in medians(results).items()}
    report = {"medians": middle, "targets": evaluate_targets(results), "runs": results}
    print(json.dumps(report, indent=2))


def main():
    options = parse_arguments()
    for path in [options.bench] + ([] if options.no_sluice else [options.sluice]):
        if not path.exists():
            print(f"bench/run: no {path}: build it first", file=sys.stderr)
            return 2
    options.bench, options.sluice = options.bench.resolve(), options.sluice.resolve()
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-bench-", dir=options.directory))
    results = {}
    try:
        failures = run_workloads(options, directory, results)
    except Failure as failure:
        print(f"bench/run: {failure}", file=sys.stderr)
        return 1
    finally:
        if not options.keep:
            shutil.rmtree(directory, ignore_errors=True)
    print_results(results, options.json)
    return 1 if failures else 0
