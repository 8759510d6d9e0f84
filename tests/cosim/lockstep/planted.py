#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs in a copy of the RTL and demands that lockstep finds each at the right instruction.

All bugs of planted.toml go into one copy of the core, which is built once: the environment variable SYSTOLE_PLANT
chooses the one that is active. The build tree must use Ninja and hold lockstep_probe and systole.

  planted.py BUILD_DIR [NAME...]      all of them, or some by name
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "mutation"))
import mutate  # noqa: E402

LIBRARY = "tpu_core_tiny"
# Where the RTL asks which bug is active, and the answer.
ASK = 'import "DPI-C" function int systole_plant();\nint plant = systole_plant();\n'
ANSWER = '#include <cstdlib>\nextern "C" int systole_plant() { return std::atoi(std::getenv("SYSTOLE_PLANT")); }\n'


def planted_sources(bugs, arguments, work):
    """The Verilator arguments with copies in place of the files that hold bugs."""
    copies = {}
    for number, bug in enumerate(bugs, start=1):
        path = next((a for a in arguments if a.endswith("/" + bug["file"])), None)
        if path is None:
            raise mutate.Failure(f"{bug['file']} is not a source of {LIBRARY}")
        text = copies.get(path) or pathlib.Path(path).read_text()
        if text.count(bug["old"]) != 1:
            raise mutate.Failure(f"{bug['file']} holds {text.count(bug['old'])} times: {bug['old']}")
        copies[path] = text.replace(bug["old"], bug["new"].replace("PLANT", f"(tpu_pkg::plant == {number})"))
    package = next(a for a in arguments if a.endswith("/tpu_pkg.sv"))
    text = copies.get(package) or pathlib.Path(package).read_text()
    copies[package] = text.replace("endpackage", ASK + "endpackage")
    for path, text in copies.items():
        (work / pathlib.Path(path).name).write_text(text)
    return [str(work / pathlib.Path(a).name) if a in copies else a for a in arguments]


def compile_instance(tree, model, output):
    """Compiles the clock loop around the core anew: the copy's variables lie elsewhere in it."""
    name = LIBRARY.removeprefix("tpu_")
    for line in mutate.run(["ninja", "-C", str(tree), "-t", "commands", "systole_cores"]).splitlines():
        if f"/{name}.cpp.o -c " not in line:
            continue
        words = shlex.split(line)
        words[words.index("-o") + 1] = str(output)
        words[words.index("-MF") + 1] = str(output) + ".d"
        words = [str(model) if word.endswith(f"/verilated/{LIBRARY}") else word for word in words]
        mutate.run(words, cwd=tree)
        return str(output)
    raise mutate.Failure(f"no command that compiles {name}.cpp")


def build(tree, bugs, programs, work):
    """Builds the core with all bugs and links the programs with it; their paths."""
    model = work / "model"
    model.mkdir()
    arguments = mutate.verilator_command(tree, LIBRARY)
    arguments[arguments.index("--Mdir") + 1] = str(model)
    mutate.run(["verilator", *planted_sources(bugs, arguments, work), "-Wno-fatal"])
    archive = mutate.compile_model(model, f"V{LIBRARY}")
    answer = work / "answer.cpp"
    answer.write_text(ANSWER)
    instance = compile_instance(tree, model, work / "instance.o")
    paths = {}
    for program in programs:
        link = mutate.link_command(tree, program)
        paths[program] = str(work / program)
        link[link.index("-o") + 1] = paths[program]
        link = [str(archive) if word.endswith(f"/{archive.name}") else word for word in link]
        link.insert(link.index("-o"), instance)  # ahead of the library that holds the one it stands for
        mutate.run([*link, str(answer)], cwd=tree)
    return paths


def probe(program, case, number):
    done = subprocess.run(
        [program, case],
        env={**os.environ, "SYSTOLE_PLANT": str(number)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        raise mutate.Failure(f"{case} with bug {number}: {done.stdout}")
    return json.loads(done.stdout)


def complaint(bug, found):
    """What is wrong with how the bug was found, or nothing."""
    if not found["diverged"]:
        return f"not found; the golden model says: {found['golden'] or 'all is well'}"
    first = next((i for i, line in enumerate(found["listing"]) if re.search(bug["first"], line)), None)
    if first is None:
        return f"no instruction matches {bug['first']}"
    if found["command"] != first or found["instruction"] != found["listing"][first]:
        return f"found at command {found['command']} instead of {first}: {found['text']}"
    if not found["place"].startswith(bug["place"]):
        return f"found at {found['place']}"
    return ""


def command_line_complaint(program, bugs, work):
    """What is wrong with how `systole` tells of a bug, or nothing: the report, and the waves that it offers."""
    number = next(i for i, bug in enumerate(bugs, start=1) if bug["name"] == "rounding_of_a_drain")
    environment = {**os.environ, "SYSTOLE_PLANT": str(number)}

    def run(words):
        return subprocess.run(
            words, env=environment, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300
        )

    done = run(
        [program, "matmul", "--m", "7", "--n=5", "--k", "5", "--config", "tiny", "--lockstep", "--json", "out.json"]
    )
    text = done.stderr
    if done.returncode != 1:
        return f"exit status {done.returncode}: {text}"
    report = re.compile(
        r"layer +matmul.*\n +instruction +command (\d+): DRAIN .*\n +engine +VPU\n +cycle +(\d+), the engine took it "
        r"in (\d+)\n +place +scratchpad row \d+, lane \d\n +expected .*\n +actual .*",
        re.M,
    )
    found = report.search(text)
    if not found:
        return f"no report in: {text}"
    json_found = json.loads((work / "out.json").read_text())["error"]["divergence"]
    if str(json_found["command"]) != found[1] or json_found["engine"] != "VPU":
        return f"the JSON says {json_found}"
    waves = re.search(r"the moment in waves:\n +(.*--trace-from (\d+) --trace-to (\d+).*) ; gtkwave", text)
    if not waves or not int(waves[2]) < int(found[3]) < int(found[2]) < int(waves[3]):
        return f"no command for waves in: {text}"
    again = run(shlex.split(waves[1]))
    if again.returncode != 1 or not (work / "waves/out/divergence.fst").stat().st_size:
        return f"{waves[1]}: exit status {again.returncode}: {again.stderr}"
    return ""


def main(arguments):
    tree = pathlib.Path(arguments[0]).resolve()
    bugs = tomllib.loads((HERE / "planted.toml").read_text())["planted"]
    names = arguments[1:] or [bug["name"] for bug in bugs]
    if unknown := set(names) - {bug["name"] for bug in bugs}:
        raise mutate.Failure(f"no such bug: {' '.join(sorted(unknown))}")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="systole-planted-") as scratch:
        programs = build(tree, bugs, ["lockstep_probe", "systole"], pathlib.Path(scratch))
        program = programs["lockstep_probe"]
        for case in dict.fromkeys(bug["case"] for bug in bugs if bug["name"] in names):
            found = probe(program, case, 0)
            if found["diverged"] or found["golden"]:
                raise mutate.Failure(f"{case} without a bug: {found}")
        for number, bug in enumerate(bugs, start=1):
            if bug["name"] not in names:
                continue
            found = probe(program, bug["case"], number)
            wrong_how = complaint(bug, found)
            print(
                f"{bug['name']}: "
                + (
                    f"WRONG, {wrong_how}"
                    if wrong_how
                    else f"command {found['command']}, {found['engine']}, {found['place']}"
                ),
                flush=True,
            )
            wrong += bool(wrong_how)
        if not arguments[1:]:
            wrong_how = command_line_complaint(programs["systole"], bugs, pathlib.Path(scratch))
            print(
                "systole matmul --lockstep: "
                f"{'WRONG, ' + wrong_how if wrong_how else 'tells of it and offers its waves'}"
            )
            wrong += bool(wrong_how)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except mutate.Failure as failure:
        sys.exit(f"planted: {failure}")
