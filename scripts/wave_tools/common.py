# SPDX-License-Identifier: Apache-2.0
"""Paths, and values of a waveform."""
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WAVES = ROOT / "waves"
PERIOD = 1000  # ps of the time axis per clock cycle


class Refused(Exception):
    """An invalid request; the text says what is wrong and what is valid."""


def build_folder(asked):
    """The requested build folder, or the first that exists."""
    choices = [asked.resolve()] if asked else [ROOT / "build/release", ROOT / "build/edit"]
    for folder in choices:
        if (folder / "CTestTestfile.cmake").exists():
            return folder
    raise Refused(f"no build in {' or '.join(map(str, choices))}; run scripts/build, or name one with --build")


def program(build, name):
    path = build / "bin" / name
    if not path.exists():
        raise Refused(f"{path} is not built; run scripts/build {build.name} {name}")
    return str(path)


def wave_values(build, fst, *signals):
    """The output of the program wave_values for a waveform."""
    done = subprocess.run([program(build, "wave_values"), str(fst), *signals], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(done.stderr.strip().removeprefix("error: "))
    return json.loads(done.stdout)
