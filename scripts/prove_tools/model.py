# SPDX-License-Identifier: Apache-2.0
"""A module with its properties as a file that the solver reads (SMT-LIB, written by Yosys)."""
import re
from catalogue import FORMAL, ROOT
from solver import ToolError

RTL = ROOT / "rtl"
FREE_RAM = FORMAL / "free_ram.svh"


def relative(path):
    return path.relative_to(ROOT)


def rtl_file(name):
    found = sorted(RTL.glob(f"*/{name}"))
    if not found:
        raise ToolError(f"there is no file {name} under rtl/")
    return found[0]


def replaced(bug, folder):
    """A copy of the bug's file that contains it."""
    source = rtl_file(bug.file)
    text = source.read_text()
    if text.count(bug.old) != 1:
        raise ToolError(f"{relative(source)} holds {text.count(bug.old)} times, not once: {bug.old}")
    copy = folder / bug.file
    copy.write_text(text.replace(bug.old, bug.new))
    return copy


def simulated(module, folder, changed):
    """A copy of the module as a simulator reads it, under the name MODULE_simulated. `changed`: see files. Attributes
    of memories are left out: this body is not to become one."""
    source = changed.get(f"{module}.sv", rtl_file(f"{module}.sv"))
    copy = folder / f"{module}_simulated.sv"
    text = re.sub(rf"^module {module}\b", f"module {module}_simulated", source.read_text(), flags=re.M)
    text = re.sub(r"\(\* .*ram_?style.*\*\)", "", text)
    copy.write_text("`undef SYNTHESIS\n" + text)
    return copy


def files(subject, folder, bug):
    """What is read: the properties, what has a planted bug, copies. All else is found by its name in rtl/."""
    changed = {bug.file: replaced(bug, folder)} if bug else {}
    result = [] if subject.method == "rests" else [subject.harness]
    result += [simulated(module, folder, changed) for module in subject.simulated]
    if subject.free_memories:
        result.append(FREE_RAM)
    result += [copy for name, copy in changed.items() if name.endswith(".sv")]
    if subject.method == "rests" and f"{subject.module}.sv" not in changed:
        result.append(rtl_file(f"{subject.module}.sv"))
    return result


def script(subject, size, folder, bug=None):
    folders = [relative(path) for path in sorted(RTL.iterdir()) if path.is_dir()]
    folders += [relative(path) for path in sorted(subject.path.parents[1].iterdir()) if path.is_dir()]
    read = ["read_slang --threads 1 -DSYNTHESIS -DFORMAL"]
    read += [f"-I {relative(folder)} -I rtl/common -I {relative(FORMAL)}"]
    read += [f"-y {path}" for path in folders]
    read += [f"--top {subject.top}"]
    read += [f"-G {name}={value}" for name, value in size.parameters.items()]
    read += [str(relative(path)) for path in files(subject, folder, bug)]
    commands = [
        " ".join(read),
        f"prep -flatten -top {subject.top}",
        "memory_map",
        "async2sync",
        "dffunmap",
        "chformal -lower",
        "setundef -undriven -anyseq",
        "setundef -anyseq",
    ]
    if bug:
        commands.append(f"delete t:$assert n:{bug.property} n:*.{bug.property} %u %d")
    return commands + [f"write_smt2 -wires {relative(folder / 'model.smt2')}"]


class Model:
    """The file, and the names of what it contains."""

    def __init__(self, subject, size, folder, meter, bug=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "model.smt2"
        meter.yosys(script(subject, size, folder, bug), f"{subject.name} {size.name}".strip())
        text = self.path.read_text()
        self.asserts = re.findall(r"^; yosys-smt2-assert \d+ (\S+)", text, re.M)
        self.covers = re.findall(r"^; yosys-smt2-cover \d+ (\S+)", text, re.M)
        self.registers = re.findall(r"^; yosys-smt2-register (\S+) \d+", text, re.M)


def plain(name):
    """The label of an assertion, without the instances and blocks around it."""
    return name.rsplit(".", 1)[-1]
