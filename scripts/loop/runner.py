# SPDX-License-Identifier: Apache-2.0
"""Commands that can be cancelled: because a file was saved again, or on Ctrl-C."""
import os
import signal
import subprocess
import time
from dataclasses import dataclass

POLL = 0.1  # seconds


class Superseded(Exception):
    """A newer save has made the running round obsolete."""


@dataclass
class Finished:
    code: int
    seconds: float
    user: float  # CPU seconds of the command and all it started
    output: str


class Runner:
    """`superseded()` is polled while a command runs; `show(text)` receives its last line."""

    def __init__(self, superseded=lambda: False, show=lambda text: None):
        self._superseded = superseded
        self._show = show

    def run(self, words, log, label, environment=None):
        """Runs a command with its output in the file `log`; both streams."""
        log.parent.mkdir(parents=True, exist_ok=True)
        start, before = time.monotonic(), os.times()
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(word) for word in words],
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
            try:
                while process.poll() is None:
                    if self._superseded():
                        raise Superseded
                    self._show(f"{label} {time.monotonic() - start:.0f} s  {last_line(log)}")
                    time.sleep(POLL)
            finally:
                stop(process)
        self._show("")
        after = os.times()
        user = after.children_user - before.children_user
        return Finished(process.returncode, time.monotonic() - start, user, log.read_text(errors="replace"))


def stop(process):
    """Ends the command and its children if they still run."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def last_line(path, most=400):
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - most))
        lines = file.read().decode(errors="replace").replace("\r", "\n").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
