"""RocketMQ's own command line, mqadmin, unmodified."""

from .process import Failure

SECONDS_MAX = 120
JVM_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
# It exits with 0 whatever happened, and prints the exception.
FAILURE_MARK = "SubCommandException"
# The logging library of 5.x reports on itself.
LOGGING_MARK = " |-"


class MqAdmin:
    """Runs commands of one version of the tools against name servers, several separated by `;`."""

    def __init__(self, processes, classpath, nameserver):
        self._processes = processes
        self._classpath = classpath
        self._nameserver = nameserver
        self._home = processes.directory / "mqadmin-home"
        # 4.9 does not start without it; what it would log goes nowhere.
        (self._home / "conf").mkdir(parents=True, exist_ok=True)
        (self._home / "conf" / "logback_tools.xml").write_text("<configuration/>\n")

    def run(self, command, *words):
        """Returns the lines it printed; a Failure if it says that it failed."""
        process = self._run(command, words)
        if _has_failed(process):
            raise Failure(f"mqadmin {command} failed")
        return process.lines

    def run_refused(self, command, *words):
        """A Failure unless it says that it failed; returns the line with the server's code."""
        process = self._run(command, words)
        if not _has_failed(process):
            raise Failure(f"mqadmin {command} was not refused: {process.lines}")
        lines = [*process.lines, *process.error_lines]
        return next((line for line in lines if "CODE: " in line), "")

    def table(self, command, *words):
        """The rows of a printed table, each a list of words, without its heads."""
        rows = [line.split() for line in self.run(command, *words) if LOGGING_MARK not in line]
        return [row for row in rows if row and not row[0].startswith("#")]

    def _run(self, command, words):
        home = [f"-Duser.home={self._home}", f"-Drocketmq.home.dir={self._home}"]
        home += [f"-Drocketmq.client.logRoot={self._home}/logs"]
        java = ["java", *JVM_OPTIONS, *home, "-cp", self._classpath]
        java += ["org.apache.rocketmq.tools.command.MQAdminStartup"]
        java += [command, "-n", self._nameserver, *words]
        return self._processes.run(f"mqadmin-{command}", java, SECONDS_MAX)


def _has_failed(process):
    return any(FAILURE_MARK in line for line in [*process.lines, *process.error_lines])
