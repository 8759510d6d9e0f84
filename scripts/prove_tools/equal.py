# SPDX-License-Identifier: Apache-2.0
"""A module beside the same module of a revision: registers and outputs of the same names have the same values, from any
state on (Yosys: equiv_make, equiv_simple, equiv_induct)."""
import re
import subprocess
from catalogue import ROOT, CatalogueError
from proofs import fresh
from model import relative
from solver import Meter

SEQUENCE = 4  # cycles that equiv_simple and equiv_induct look back


def old_rtl(revision, folder):
    """The folder rtl/ of the revision, extracted below `folder`."""
    archive = subprocess.run(["git", "-C", ROOT, "archive", revision, "rtl"], capture_output=True)
    if archive.returncode != 0:
        raise CatalogueError(f"{revision}: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder / "rtl"


def read(rtl, module, parameters, name):
    """Commands that read a module with all below it as a design of its own."""
    found = sorted(rtl.glob(f"*/{module}.sv"))
    if not found:
        raise CatalogueError(f"{relative(rtl)} has no module {module}")
    folders = [f"-y {relative(path)}" for path in sorted(rtl.iterdir()) if path.is_dir()]
    words = ["read_slang --threads 1 -DSYNTHESIS", f"-I {relative(rtl)}/common", *folders, f"--top {module}"]
    words += [f"-G {parameter}" for parameter in parameters]
    return [
        " ".join([*words, str(relative(found[0]))]),
        f"prep -flatten -top {module}",
        "memory_map",
        "opt_clean",
        f"rename {module} {name}",
        f"design -stash {name}",
    ]


def both(old, new, module, parameters):
    return [
        *read(old, module, parameters, "before"),
        *read(new, module, parameters, "after"),
        "design -copy-from before before",
        "design -copy-from after after",
    ]


def outputs(old, new, module, parameters):
    """Commands that list the outputs of both, and what reads the list: those of one alone, as in `before/engine_o`."""
    listing = "tee -q -o {log} select -list before/o:* after/o:*"

    def alone(text):
        found = re.findall(r"^(before|after)/(\S+)$", text, re.M)
        names = [name for _, name in found]
        return [f"{design}/o:{name}" for design, name in found if names.count(name) == 1]

    return [*both(old, new, module, parameters), listing], alone


def script(old, new, module, parameters, without=()):
    """Commands that compare; `without` outputs, which only one of both has."""
    return [
        *both(old, new, module, parameters),
        *(f"delete -port {port}" for port in without),
        "equiv_make before after both",
        "hierarchy -top both",
        "opt -full",
        f"equiv_simple -undef -seq {SEQUENCE}",
        f"equiv_induct -undef -seq {SEQUENCE}",
        "tee -a {log} equiv_status",
    ]


def main(revision, module, parameters):
    for parameter in parameters:
        if not re.fullmatch(r"\w+=\d+", parameter):
            raise CatalogueError(f"{parameter} is not NAME=VALUE")
    folder, meter = fresh("equal", module), Meter()
    log = folder / "status.log"

    def run(commands):
        meter.yosys([command.replace("{log}", str(relative(log))) for command in commands], module)
        return log.read_text()

    old, new = old_rtl(revision, folder), ROOT / "rtl"
    commands, alone = outputs(old, new, module, parameters)
    without = alone(run(commands))
    for port in without:
        print(f"  not compared, because one of both does not have it: {port.replace('/o:', ' ')}")
    log.unlink()
    status = run(script(old, new, module, parameters, without))
    unproven = re.findall(r"Unproven \$equiv \S+: (\S+)", status)
    counts = re.search(r"Found a total of (\d+) \$equiv cells", status) or re.search(
        r"Found (\d+) \$equiv cells", status
    )
    if counts is None:
        print(f"{module}: nothing to compare:\n{status}")
        return 1
    for name in unproven:
        print(f"  not shown equal: {name}")
    verdict = "is not shown to be" if unproven else "is"
    print(f"{module} {verdict} what it was in {revision}: {counts.group(1)} bits, {meter.seconds:.1f} s")
    return 1 if unproven else 0
