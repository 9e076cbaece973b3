"""Child processes: output recorded, waited for with deadlines, stopped by pid."""

import collections
import ctypes
import signal
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
STOP_SECONDS_MAX = 30
TAIL_LINES = 40


class Failure(Exception):
    """What a scenario expected and did not see; the text says both."""


def wait_until(condition, seconds, what):
    """Returns the first true value of `condition()`; a Failure naming `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"waited {seconds} s in vain for {what}")
        time.sleep(0.05)


def _die_with_parent():
    # A test that ctest kills must not leave its servers running.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Process:
    """One child. Its standard output is kept line by line, its standard error in `<name>.err`."""

    def __init__(self, name, command, directory, env=None):
        self.name = name
        self.lines = []
        self.command = [str(word) for word in command]
        self._changed = threading.Condition()
        self._is_ended = False
        self._error_path = directory / f"{name}.err"
        with open(self._error_path, "wb") as error_file:
            self._child = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=error_file,
                cwd=directory,
                env=env,
                preexec_fn=_die_with_parent,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._child.stdout:
            with self._changed:
                self.lines.append(line.decode("utf-8", "replace").rstrip("\n"))
                self._changed.notify_all()
        with self._changed:
            self._is_ended = True
            self._changed.notify_all()

    def wait_for(self, condition, seconds, what):
        """Waits until `condition(lines)` is true and returns its value."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while True:
                value = condition(self.lines)
                if value:
                    return value
                if self._is_ended:
                    raise Failure(f"{self.name} ended before {what}")
                if not self._changed.wait(deadline - time.monotonic()):
                    raise Failure(f"waited {seconds} s for {what} from {self.name}")

    def write_line(self, line):
        self._child.stdin.write(line.encode() + b"\n")
        self._child.stdin.flush()

    def end_input(self):
        """Closes standard input and waits for the end; returns the exit code."""
        self._child.stdin.close()
        return self._wait()

    def wait(self, seconds):
        """Waits for a program that ends by itself; returns the exit code."""
        return self._wait(seconds)

    def terminate(self):
        """SIGTERM; returns the exit code."""
        self._child.send_signal(signal.SIGTERM)
        return self._wait()

    def kill(self):
        """kill -9, and gone when this returns. Nothing to do for one that has ended."""
        self._child.kill()
        self._wait()

    @property
    def is_running(self):
        return self._child.poll() is None

    def _wait(self, seconds=STOP_SECONDS_MAX):
        try:
            code = self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} did not end within {seconds} s") from None
        self._reader.join(STOP_SECONDS_MAX)
        return code

    @property
    def error_lines(self):
        """What it has written to standard error."""
        return self._error_path.read_text("utf-8", "replace").splitlines()

    def tail(self):
        """The last lines of both outputs, for the report of a failure."""
        report = [f"--- {self.name}: {' '.join(self.command)[:300]}"]
        report += [line[:300] for line in self.lines[-TAIL_LINES:]]
        report += [f"! {line[:300]}" for line in collections.deque(self.error_lines, TAIL_LINES)]
        return "\n".join(report)


class ProcessGroup:
    """The processes of one scenario; none outlives the `with` block."""

    def __init__(self, directory):
        self.directory = directory
        self.processes = []

    def start(self, name, command, env=None):
        number = len(self.processes)
        process = Process(f"{number:02}-{name}", command, self.directory, env)
        self.processes.append(process)
        return process

    def run(self, name, command, seconds, env=None):
        """Runs a program to its end; a Failure unless it exits with 0."""
        process = self.start(name, command, env)
        code = process.wait(seconds)
        if code != 0:
            raise Failure(f"{process.name} ended with exit code {code}")
        return process

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.is_running:
                process.kill()
