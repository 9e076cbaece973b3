"""Brings the Java clients and servers from Maven into a directory, and compiles the programs.

Work is done once: a stamp holds the hash of what it was made from, and a second run asks nobody.
"""

import hashlib
import pathlib
import shutil
import subprocess

from .process import Failure

VERSIONS = ("4.9.8", "5.5.0")
# Maven has no servers of 4.9.8.
SERVER_VERSIONS = {"4.9.8": "4.9.7", "5.5.0": "5.5.0"}
JAVA_DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "java"
MAVEN_SECONDS_MAX = 600
INSTALL_HINT = "run scripts/install-deps --tests"


class Artifacts:
    """Paths inside the cache directory."""

    def __init__(self, cache):
        self._cache = pathlib.Path(cache).resolve()

    def client_classpath(self, version):
        directory = self._cache / f"client-{version}"
        return f"{directory / 'classes'}:{directory / 'lib'}/*"

    def server_classpath(self, version):
        version = SERVER_VERSIONS[version]
        return f"{self._cache / f'server-{version}' / 'lib'}/*"

    def tools_classpath(self, version):
        return f"{self._cache / f'tools-{version}' / 'lib'}/*"

    def prepare_tools(self, version):
        """mqadmin."""
        self._resolve(self._cache / f"tools-{version}", "tools", version)

    def prepare_client(self, version):
        directory = self._cache / f"client-{version}"
        self._resolve(directory, "client", version)
        self._compile(directory)

    def prepare_server(self, version):
        """The servers beside a client of `version`."""
        version = SERVER_VERSIONS[version]
        self._resolve(self._cache / f"server-{version}", "server", version)

    def _resolve(self, directory, profile, version):
        pom = JAVA_DIRECTORY / "pom.xml"
        stamp = Stamp(directory / "lib.stamp", [pom], version)
        if stamp.is_fresh():
            return
        shutil.rmtree(directory / "lib", ignore_errors=True)
        command = ["mvn", "--batch-mode", "--quiet", "-Dstyle.color=never", "--file", str(pom)]
        command += ["dependency:copy-dependencies", "--activate-profiles", profile]
        command += [f"-Drocketmq.version={version}", "-DincludeScope=runtime"]
        command += [f"-DoutputDirectory={directory / 'lib'}"]
        _run(command, f"Maven could not resolve rocketmq {profile} {version}")
        stamp.write()

    def _compile(self, directory):
        sources = sorted((JAVA_DIRECTORY / "src").rglob("*.java"))
        lib_stamp = directory / "lib.stamp"
        stamp = Stamp(directory / "classes.stamp", [*sources, lib_stamp], "classes")
        if stamp.is_fresh():
            return
        classes = directory / "classes"
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        command = ["javac", "-nowarn", "-encoding", "UTF-8", "-d", str(classes)]
        command += ["-cp", f"{directory / 'lib'}/*", *map(str, sources)]
        _run(command, "the Java programs do not compile")
        stamp.write()


class Stamp:
    """A file that holds the hash of the inputs that a result was made from."""

    def __init__(self, path, inputs, text):
        self._path = path
        digest = hashlib.sha256(text.encode())
        for item in inputs:
            digest.update(item.read_bytes())
        self._hash = digest.hexdigest()

    def is_fresh(self):
        return self._path.exists() and self._path.read_text() == self._hash

    def write(self):
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self._hash)


def _run(command, message):
    if shutil.which(command[0]) is None:
        raise Failure(f"{command[0]} is not installed: {INSTALL_HINT}")
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=MAVEN_SECONDS_MAX
    )
    if done.returncode != 0:
        raise Failure(f"{message}:\n{done.stdout.decode('utf-8', 'replace')}")
