"""The Java broker's jars, resolved by Maven when the benchmark runs; a second run asks nobody."""

import pathlib
import shutil
import subprocess

from .process import Failure

VERSION = "5.5.0"
ARTIFACTS = ("rocketmq-namesrv", "rocketmq-broker")
MAVEN_SECONDS_MAX = 900

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice.bench</groupId>
  <artifactId>java-broker</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
DEPENDENCY = """    <dependency>
      <groupId>org.apache.rocketmq</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
    </dependency>"""


def resolve_classpath(cache):
    """The class path of name server and broker; `cache` keeps it from one run to the next."""
    directory = pathlib.Path(cache) / f"rocketmq-{VERSION}"
    classpath_file = directory / "classpath"
    if not _is_whole(classpath_file):
        _resolve(directory, classpath_file)
    return classpath_file.read_text()


def _is_whole(classpath_file):
    if not classpath_file.exists():
        return False
    return all(pathlib.Path(jar).exists() for jar in classpath_file.read_text().split(":"))


def _resolve(directory, classpath_file):
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise Failure(f"{program} is not installed; --no-java measures without the Java broker")
    directory.mkdir(parents=True, exist_ok=True)
    dependencies = "\n".join(
        DEPENDENCY.format(artifact=artifact, version=VERSION) for artifact in ARTIFACTS
    )
    pom = directory / "pom.xml"
    pom.write_text(POM.format(dependencies=dependencies))
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(pom)]
    command += ["dependency:build-classpath", f"-Dmdep.outputFile={classpath_file}"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=MAVEN_SECONDS_MAX
    )
    if done.returncode != 0:
        text = done.stdout.decode("utf-8", "replace")
        raise Failure(f"Maven could not resolve the Java broker {VERSION}:\n{text}")
