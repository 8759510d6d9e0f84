# SPDX-License-Identifier: Apache-2.0
"""The files for other flows describe the core: Verilator elaborates the file list alone, FuseSoC its core file, and
every port has a constraint. Each is seen to fail on a copy of rtl with a fault. Exit code 77 without the environment of
`scripts/setup yosys`."""
import fnmatch
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/rtl_tools"))
import design
import reader

SKIPPED = 77
FUSESOC = reader.ENVIRONMENT / "bin/fusesoc"
# The commands of a constraint file, as Tcl procedures that print what they get.
TCL = """
proc get_ports {names} { return $names }
proc create_clock {args} { puts "clock [lindex $args end]" }
proc set_input_delay {delay clock name ports} { puts "input $ports" }
proc set_output_delay {delay clock name ports} { puts "output $ports" }
source tpu_core.sdc
"""


class Copy(unittest.TestCase):
    """A copy of rtl to plant faults in."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.rtl = self.folder / "rtl"
        shutil.copytree(design.RTL, self.rtl)

    def without(self, name, line):
        path = self.rtl / name
        text = path.read_text()
        self.assertEqual(text.count(line), 1, f"{name}: {line}")
        path.write_text(text.replace(line, ""))

    def run_in_folder(self, *words):
        return subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True)


class FileList(Copy):
    def elaborate(self):
        return self.run_in_folder(
            *("verilator", "--lint-only", "-Wall", "--assert", "--no-timing", "--top-module", "tpu_core"),
            *(self.rtl / "lint/waivers.vlt", "-F", self.rtl / "systole.f"),
        )

    def test_holds_the_core(self):
        done = self.elaborate()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_without_a_file(self):
        self.without("systole.f", "array/tpu_array.sv\n")
        self.assertNotEqual(self.elaborate().returncode, 0)


class FuseSoC(Copy):
    def lint(self, *parameters):
        words = ["--cores-root", self.rtl, "run", "--target=lint", "systole:tpu:core", *parameters]
        return self.run_in_folder(FUSESOC, *words)

    def test_runs_verilator(self):
        done = self.lint("--Dim", 4)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        commands = next(self.folder.glob("build/*/lint/*.vc")).read_text()
        self.assertIn("-GDim=4\n", commands)
        self.assertIn("waivers.vlt", commands)

    def test_without_a_file(self):
        self.without("systole.core", "      - array/tpu_array.sv\n")
        self.assertNotEqual(self.lint().returncode, 0)


class Constraints(Copy):
    def ports(self):
        """Directions of the ports of the core by name, and what the constraints say of each."""
        (self.folder / "read.tcl").write_text(TCL)
        shutil.copy(self.rtl / "top/tpu_core.sdc", self.folder)
        done = self.run_in_folder("tclsh", "read.tcl")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line.split() for line in done.stdout.splitlines()]
        files = [self.rtl / path.relative_to(design.RTL) for path in design.sources()]
        found = reader.instances([("tpu_core", {})], files)[0]["tpu_core"]["ports"]
        return {
            port["name"]: (
                "output" if port["output"] else "clock" if port["name"] == "clk_i" else "input",
                [kind for kind, *patterns in said if any(fnmatch.fnmatch(port["name"], p) for p in patterns)],
            )
            for port in found
        }

    def test_every_port_has_one_of_its_direction(self):
        ports = self.ports()
        self.assertGreater(len(ports), 40)
        self.assertEqual({name for name, (kind, said) in ports.items() if said != [kind]}, set())

    def test_a_port_without(self):
        path = self.rtl / "top/tpu_core.sv"
        path.write_text(
            path.read_text().replace("  output logic             irq_o,", "  output logic             irq_o, extra_o,")
        )
        self.assertEqual(self.ports()["extra_o"], ("output", []))


if __name__ == "__main__":
    if not (FUSESOC.exists() and shutil.which("tclsh")):
        print("skipped: FuseSoC or tclsh is not installed; scripts/setup yosys installs FuseSoC")
        sys.exit(SKIPPED)
    unittest.main()
