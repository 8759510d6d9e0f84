# SPDX-License-Identifier: Apache-2.0
"""Runs a command with a waveform and opens it in GTKWave."""
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from common import PERIOD, ROOT, WAVES, Refused, build_folder, program, wave_values

USUAL_LAST = 2000
DOORBELL = "TOP.tpu_core.doorbell"


def relative(path):
    return os.path.relpath(path, os.getcwd())


def find_test(build, name):
    """Command, working folder and environment of a CTest test."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True)
    tests = {test["name"]: test for test in json.loads(done.stdout)["tests"]} if done.returncode == 0 else {}
    if name not in tests or "command" not in tests[name]:
        near = difflib.get_close_matches(name, tests, 5, 0.4)
        raise Refused(
            f"there is no test {name} in {build}{'; near: ' + ', '.join(near) if near else ''}; ctest -N lists them"
        )
    properties = {p["name"]: p["value"] for p in tests[name].get("properties", [])}
    environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
    return tests[name]["command"], properties.get("WORKING_DIRECTORY", str(build)), environment


def window(options):
    """Names and values of the recording options, for the program and for the tests."""
    chosen = {"FROM": options.first, "TO": options.to, "LAYER": options.layer, "SCOPE": options.scope}
    chosen = {name: str(value) for name, value in chosen.items() if value is not None}
    if not {"FROM", "TO", "LAYER"} & set(chosen):
        chosen["ON_ERROR"] = str(options.last if options.last is not None else USUAL_LAST)
    return chosen


def run(options, build, fst):
    """Runs with the waveform; returns the exit code."""
    chosen = window(options)
    if options.command:
        words = [f"--trace-{name.lower().replace('_', '-')}={value}" for name, value in chosen.items()]
        return subprocess.run([program(build, "systole"), *options.command, "--trace", str(fst), *words]).returncode
    command, folder, environment = find_test(build, options.test)
    environment = {name: value for name, value in environment.items() if not name.startswith("SYSTOLE_TRACE")}
    traced = {"SYSTOLE_TRACE": str(fst), **{f"SYSTOLE_TRACE_{name}": value for name, value in chosen.items()}}
    code = subprocess.run(command, cwd=folder, env={**os.environ, **environment, **traced}).returncode
    return code if code >= 0 else 128 - code  # ended by a signal, as a shell says it


def view_at(view, fst, cycle):
    """A copy of the view next to the waveform, with the marker at the cycle. It refers to its translate files by
    absolute paths."""
    copy = fst.with_suffix(".gtkw")
    start = max(0, cycle - 40) * PERIOD
    text = view.read_text().replace("[timestart] 0\n", f"[timestart] {start}\n").replace(" /waves/", f" {WAVES}/")
    text = re.sub(r"^\[savefile\].*$", f'[savefile] "{copy}"', text, flags=re.M)
    copy.write_text(re.sub(r"^(\*\S+) -1", rf"\1 {cycle * PERIOD}", text, count=1, flags=re.M))
    return copy


def show(fst, view, cycle, open_it):
    command = ["gtkwave", relative(fst), relative(view_at(view, fst, cycle))]
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if open_it and display and shutil.which("gtkwave"):
        subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return
    print(f"open them with:\n  {shlex.join(command)}")
    if not shutil.which("gtkwave"):
        print("GTKWave is not installed (apt-get install gtkwave); wave_values FILE SIGNAL... prints changes as JSON")


def view_of(options):
    """The requested view, or that of the test of a block, or that of the core."""
    name = options.view or options.test or (options.open.stem if options.open else "")
    view = WAVES / "views" / f"{name}.gtkw"
    if view.exists():
        return view
    if options.view:
        names = ", ".join(sorted(view.stem for view in view.parent.glob("*.gtkw")))
        raise Refused(f"no view {options.view}; available: {names}")
    return WAVES / "views/system.gtkw"


def cycles_of(build, fst):
    """First and last cycle, and the first in which a core's doorbell rings: none in the waveform of a block."""
    known = wave_values(build, fst)
    first, last = known["first_time"] // PERIOD, known["last_time"] // PERIOD
    if DOORBELL not in known["signals"]:
        return first, last, None
    # Before the reset has arrived, it may have any value: it rings when it rises.
    changes = wave_values(build, fst, DOORBELL)[DOORBELL]
    rises = [time for (_, before), (time, value) in zip(changes, changes[1:]) if (before, value) == ("0", "1")]
    return first, last, rises[0] // PERIOD if rises else None


def open_recorded(build, options, fst, failed=False, asked=False):
    """Opens a waveform where there is most to see: at the failure, at the first doorbell if all is there from the reset
    on, at the first of the cycles that were asked for, or at the end. A waveform that is there, at --from."""
    first, last, doorbell = cycles_of(build, fst)
    print(f"{relative(fst)} has cycles {first} to {last}")
    if options.open and options.first is not None:
        if not first <= options.first <= last:
            raise Refused(f"--from {options.first}: {relative(fst)} has cycles {first} to {last}")
        cycle = options.first
    elif failed:
        cycle = last
    elif doorbell is not None and first == 0:
        cycle = doorbell
    else:
        cycle = first if asked else last
    show(fst, view_of(options), cycle, not options.no_open)


def main(options):
    build = build_folder(options.build)
    view_of(options)
    if options.open:
        if not options.open.exists():
            raise Refused(
                f"there is no waveform {options.open}; tests of blocks that failed leave theirs in {build}/waves"
            )
        open_recorded(build, options, options.open.resolve())
        return 0
    if not options.test and not options.command:
        raise Refused("which systole command? scripts/waves -- matmul --config tiny")
    fst = options.out.resolve() / f"{options.test or options.command[0]}.fst"
    fst.parent.mkdir(parents=True, exist_ok=True)
    fst.unlink(missing_ok=True)
    code = run(options, build, fst)
    asked = "ON_ERROR" not in window(options)
    print(f"{'passed' if code == 0 else f'failed, exit code {code}'}", file=sys.stderr)
    if fst.exists():
        open_recorded(build, options, fst, failed=code != 0 and not asked, asked=asked)
        return code
    if asked:
        print("error: no cycle was recorded: nothing ran in this window", file=sys.stderr)
        return code or 2
    if code != 0:
        print(
            "no waves: what failed was not on the RTL (the functional model has none), or outside of its simulation",
            file=sys.stderr,
        )
    else:
        print("no failure, so no waves; --from and --to record a part of a good run")
    return code
