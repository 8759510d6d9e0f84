# SPDX-License-Identifier: Apache-2.0
"""Synthesis takes tpu_ram for block RAM as it is, byte write enables included: nothing but a few gates stands beside
it."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/rtl_tools"))
import reader

SKIPPED = 77
RAM = ROOT / "rtl/common/tpu_ram.sv"
BLOCK_RAM = {"xilinx": "RAMB36E1", "ecp5": "DP16KD"}


def cells(text, target, parameters):
    """Cells of the memory by type after the mapping of memories for a target."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tpu_ram.sv")
        path.write_text(text)
        Path(folder, "tpu_ram.il").write_text(reader.rtlil("tpu_ram", parameters, [path]))
        script = (
            f"read_rtlil {folder}/tpu_ram.il; synth_{target} -top tpu_ram -run begin:map_ffs; "
            f"tee -q -o {folder}/stat stat"
        )
        subprocess.run(["yosys", "-q", "-p", script], check=True, stdout=sys.stderr)
        return {
            name: int(count) for name, count in re.findall(r"^ +(\S+) +(\d+)$", Path(folder, "stat").read_text(), re.M)
        }


def flip_flops(found):
    return sum(count for name, count in found.items() if "DFF" in name)


class Ram(unittest.TestCase):
    def check(self, target, parameters, blocks):
        found = cells(RAM.read_text(), target, parameters)
        self.assertEqual(found.get(BLOCK_RAM[target]), blocks, found)
        self.assertEqual(flip_flops(found), 0, found)

    def test_bytes(self):
        for target, blocks in (("xilinx", 2), ("ecp5", 4)):
            with self.subTest(target):
                self.check(target, {"Width": 64, "Depth": 1024, "LaneWidth": 8}, blocks)

    def test_whole_words(self):
        for target, blocks in (("xilinx", 1), ("ecp5", 2)):
            with self.subTest(target):
                self.check(target, {"Width": 32, "Depth": 1024, "LaneWidth": 32}, blocks)

    def test_old_data_would_cost_flip_flops(self):
        text = re.sub(r"\(\*.*?\*\)", "", RAM.read_text())
        found = cells(text, "ecp5", {"Width": 64, "Depth": 1024, "LaneWidth": 8})
        self.assertGreater(flip_flops(found), 64, found)

    def test_a_read_without_a_register_is_no_block_ram(self):
        text = (
            RAM.read_text()
            .replace("if (rd_en_i) rd_data_o <= mem[rd_addr_i];", "")
            .replace("  always_ff", "  assign rd_data_o = mem[rd_addr_i];\n  always_ff")
        )
        with self.assertRaises(subprocess.CalledProcessError):  # It asks for a block RAM, and there is none.
            cells(text, "ecp5", {"Width": 64, "Depth": 1024, "LaneWidth": 8})


if __name__ == "__main__":
    try:
        reader.require()
    except reader.Missing as reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
