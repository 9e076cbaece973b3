"""Server processes: started with their output in files, waited for with a deadline, stopped by pid."""

import ctypes
import json
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
READY_SECONDS_MAX = 120
STOP_SECONDS_MAX = 30
POLL_SECONDS = 0.01
TAIL_BYTES = 2000


class Failure(Exception):
    """Something that makes every figure of this run worthless; the text says what."""


def wait_until(condition, what, seconds=READY_SECONDS_MAX):
    """Returns the first true value of `condition()`; a Failure that names `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"waited {seconds} s in vain for {what}")
        time.sleep(POLL_SECONDS)


def _die_with_parent():
    # A benchmark that is killed must not leave its servers running.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class ServerProcess:
    """One server. Its output goes to `<directory>/<name>.out` and `.err`."""

    def __init__(self, name, command, directory, env=None):
        self.name = name
        self._output_path = directory / f"{name}.out"
        self._error_path = directory / f"{name}.err"
        with open(self._output_path, "wb") as output, open(self._error_path, "wb") as error:
            self._child = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=error,
                cwd=directory,
                env=env,
                preexec_fn=_die_with_parent,
            )

    @property
    def pid(self):
        return self._child.pid

    def wait_for_line(self, is_wanted, what):
        """The first whole line of its standard output for which `is_wanted(line)` is true."""
        return wait_until(lambda: self._find_line(is_wanted), f"{what} of {self.name}")

    def wait_for_listeners(self):
        """{listener name: "host:port"} of the line `ready {"listeners": ...}`."""
        line = self.wait_for_line(lambda text: text.startswith("ready "), "the ready line")
        return json.loads(line[len("ready ") :])["listeners"]

    def _find_line(self, is_wanted):
        self.expect_running()
        lines = self._output_path.read_text("utf-8", "replace").splitlines(keepends=True)
        return next((line for line in lines if line.endswith("\n") and is_wanted(line)), None)

    def expect_running(self):
        if self._child.poll() is not None:
            raise Failure(f"{self.name} ended with {self._child.returncode}:\n{self.tail()}")

    def stop(self):
        """SIGTERM, then SIGKILL; returns the exit code."""
        self._child.terminate()
        try:
            return self._child.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()

    def tail(self):
        """The end of both outputs, for the report of a failure."""
        texts = [path.read_bytes()[-TAIL_BYTES:] for path in (self._output_path, self._error_path)]
        return "\n".join(text.decode("utf-8", "replace") for text in texts)
