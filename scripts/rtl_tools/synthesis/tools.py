# SPDX-License-Identifier: Apache-2.0
"""Runs external tools quietly at low priority; errors contain their output."""
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PACKAGES = {"yosys": "yosys", "nextpnr-ice40": "nextpnr-ice40", "icepack": "fpga-icestorm", "sta": "opensta"}


class ToolError(Exception):
    """A tool is missing or failed."""


class Missing(ToolError):
    """The environment that reads the RTL is missing."""


def require(name):
    if not shutil.which(name):
        raise ToolError(
            f"{name} is not installed: run `scripts/setup synth`, which installs the Debian package {PACKAGES[name]}"
        )


def run(words, purpose, environment=None):
    """Standard output and error of a command; raises an error with `purpose` and the output if it fails."""
    require(words[0])
    words = ["nice", "-n", "10", *map(str, words)]
    result = subprocess.run(words, capture_output=True, text=True, env=environment and os.environ | environment)
    text = result.stdout + result.stderr
    if result.returncode:
        tail = "\n".join(text.strip().split("\n")[-12:])
        raise ToolError(f"{purpose} ({words[0]}, exit code {result.returncode}):\n{tail}")
    return text


def yosys(script, purpose, inputs=None):
    """Runs a Yosys script in which {out} is the output file and {NAME} each file of `inputs`; returns the output."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (inputs or {}).items():
            Path(folder, name).write_text(text)
            script = script.replace("{" + name + "}", f"{folder}/{name}")
        out = Path(folder, "out")
        run(["yosys", "-q", "-p", script.replace("{out}", str(out))], purpose)
        return out.read_text()


@functools.cache
def yosys_version():
    return run(["yosys", "-V"], "no version").split(" (")[0].strip()
