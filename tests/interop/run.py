#!/usr/bin/env python3
"""Runs the interoperability scenarios: official Java clients, unmodified, against a server.

    run.py prepare --client 4.9.8 --cache DIR [--with-servers]
    run.py run SCENARIO --client 4.9.8 --cache DIR --binary build/release/sluice
    run.py run SCENARIO --client 4.9.8 --cache DIR --server java

ctest calls it; README.md beside this file says how to call it by hand.
"""

import argparse
import pathlib
import shutil
import sys
import time

from harness import scenarios
from harness.java_artifacts import VERSIONS, Artifacts
from harness.java_client import JavaClient
from harness.java_server import JavaServer
from harness.mixed import Mixed
from harness.mqadmin_tool import MqAdmin
from harness.process import Failure, ProcessGroup
from harness.sluice import Sluice

# The reference; beside Sluice's servers stand those of the client's version.
REFERENCE_VERSION = "5.5.0"
MIXED_TOPOLOGIES = ("java-broker", "java-nameserver", "both-brokers", "two-nameservers")


def main():
    arguments = parse_arguments()
    artifacts = Artifacts(arguments.cache)
    try:
        artifacts.prepare_client(arguments.client)
        artifacts.prepare_tools(arguments.client)
        if arguments.command == "run":
            run(arguments, artifacts)
        elif arguments.with_servers:
            artifacts.prepare_server(arguments.client)
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        return 1
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    prepare = commands.add_parser("prepare", help="resolve a client from Maven and compile")
    prepare.add_argument("--with-servers", action="store_true", help="and servers and tools of its version")
    single = commands.add_parser("run", help="run one scenario")
    single.add_argument("scenario", choices=[scenario.__name__ for scenario in scenarios.ALL])
    single.add_argument("--server", choices=("sluice", "java"), default="sluice")
    topologies = ("standalone", "processes", *MIXED_TOPOLOGIES)
    single.add_argument("--topology", choices=topologies, default="standalone")
    single.add_argument("--binary", type=pathlib.Path, help="the sluice program")
    for command in (prepare, single):
        command.add_argument("--client", choices=VERSIONS, required=True)
        command.add_argument("--cache", type=pathlib.Path, required=True)
    return parser.parse_args()


def run(arguments, artifacts):
    directory = fresh_directory(arguments)
    started = time.monotonic()
    with ProcessGroup(directory) as processes:
        try:
            server = make_server(arguments, artifacts, processes)
            server.start()
            classpath = artifacts.client_classpath(arguments.client)
            client = JavaClient(processes, classpath, server.nameserver)
            tools = artifacts.tools_classpath(arguments.client)
            client.admin = MqAdmin(processes, tools, server.nameserver)
            scenario = next(one for one in scenarios.ALL if one.__name__ == arguments.scenario)
            scenario(server, client, directory)
            server.stop()
        except Failure:
            for process in processes.processes:
                print(process.tail(), file=sys.stderr)
            print(f"the files of this run are in {directory}", file=sys.stderr)
            raise
    shutil.rmtree(directory)
    print(f"passed in {time.monotonic() - started:.1f} s")


def fresh_directory(arguments):
    name = f"{arguments.server}-{arguments.topology}-{arguments.client}-{arguments.scenario}"
    directory = arguments.cache.resolve() / "runs" / name
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    return directory


def make_server(arguments, artifacts, processes):
    if arguments.server == "java":
        artifacts.prepare_server(REFERENCE_VERSION)
        return JavaServer(processes, artifacts.server_classpath(REFERENCE_VERSION))
    if arguments.binary is None or not arguments.binary.exists():
        raise Failure(f"no sluice program at {arguments.binary}: run scripts/build first")
    if arguments.topology in MIXED_TOPOLOGIES:
        artifacts.prepare_server(arguments.client)
        classpaths = {
            "server": artifacts.server_classpath(arguments.client),
            "tools": artifacts.tools_classpath(arguments.client),
        }
        return Mixed(processes, arguments.binary.resolve(), classpaths, arguments.topology)
    return Sluice(processes, arguments.binary.resolve(), arguments.topology)


if __name__ == "__main__":
    sys.exit(main())
