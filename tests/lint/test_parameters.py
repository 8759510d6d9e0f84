# SPDX-License-Identifier: Apache-2.0
"""A parameter that a module does not allow ends the elaboration, in the simulator and in synthesis: every rule that
TPU_ASSERT_INIT states is seen to do so. A parameter that follows from others cannot be set."""
import importlib.machinery
import importlib.util
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/rtl_tools"))
import design

loader = importlib.machinery.SourceFileLoader("lint", str(ROOT / "scripts/lint"))
lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint", loader))
loader.exec_module(lint)

# Module, rule: values that break it.
WRONG = {
    ("tpu_core", "DimIsSupported"): {"Dim": 64},
    ("tpu_core", "PartsAreBits"): {"Depthwise": 2},
    ("tpu_core", "BlocksHaveAProcessor"): {"VectorProcessor": 0},
    ("tpu_array", "DimIsLegal"): {"Dim": 12},
    ("tpu_array", "RowsIsLegal"): {"Dim": 4, "Rows": 1},
    ("tpu_array", "OperandBitsIsLegal"): {"OperandBits": 33},
    ("tpu_array_row", "FormIsLegal"): {"OperandBits": 16},
    ("tpu_array_row", "WordsAreNotRecoded"): {"OperandBits": 32, "Recoded": 1},
    ("tpu_mxu_feeder", "WeightRowsPowerOfTwo"): {"WeightRows": 96},
    ("tpu_loop_nest", "LevelsInRange"): {"Levels": 17},
    ("tpu_fifo", "DepthIsPowerOfTwo"): {"Depth": 6},
    ("tpu_fetch", "DimIsLegal"): {"Dim": 2},
    ("tpu_fetch", "ChunkIsLegal"): {"Entries": 8},
    ("tpu_vpu_params", "DimInRange"): {"Dim": 12},
    ("tpu_mxu_setup", "WeightRowsPowerOfTwo"): {"WeightRows": 96},
    ("tpu_mxu_setup", "AccRowsPowerOfTwo"): {"AccRows": 96},
    ("tpu_fifo_ram", "DepthIsPowerOfTwo"): {"Depth": 6},
    ("tpu_depthwise", "DimIsSupported"): {"Dim": 64},
    ("tpu_depthwise_weights", "WeightRowsPowerOfTwo"): {"WeightRows": 96},
    ("tpu_depthwise_lanes", "ColumnsPowerOfTwo"): {"Columns": 96},
    ("tpu_depthwise_lanes", "RecodedIsLegal"): {"Recoded": 2},
    ("tpu_depthwise_lanes", "SumFits"): {"SumBits": 19},
    ("tpu_multiplier", "RecodedIsLegal"): {"Recoded": 2},
    ("tpu_load", "DimIsKnown"): {"Dim": 64},
    ("tpu_load_turn", "DimIsKnown"): {"Dim": 64},
    ("tpu_line_buffer", "BeatsIsPowerOfTwo"): {"Beats": 96},
    ("tpu_store", "DimIsKnown"): {"Dim": 64},
    ("tpu_load_emit", "WeightRowsIsPowerOfTwo"): {"WeightRows": 96},
    ("tpu_accumulator", "AccRowsIsLegal"): {"AccRows": 96},
    ("tpu_scratchpad", "RowsFitBanks"): {"Rows": 40},
    ("tpu_scratchpad", "ExponentsBeginAtZero"): {"Dim": 4, "Rows": 200},
    ("tpu_kernel_memory", "DimInRange"): {"Dim": 12},
    ("tpu_processor", "DimInRange"): {"Dim": 12},
}
# Between constants: no parameter breaks them.
CONSTANT = {
    ("tpu_depthwise", "LinesHoldEveryCommand"),
    ("tpu_strip_issue", "StripHasEightRows"),
    ("tpu_cause_counters", "EnginesAreThose"),
}


def rules():
    found = {}
    for path in design.RTL.glob("*/*.sv"):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            rule = re.search(r"`TPU_ASSERT_INIT\((\w+)", line)
            if rule:
                found[path.stem, rule[1]] = f"{path.name}:{number}"
    return found


class Parameters(unittest.TestCase):
    def test_every_rule_is_broken_here(self):
        self.assertEqual(set(WRONG) | CONSTANT, set(rules()))

    def test_simulation_refuses(self):
        for (module, rule), values in WRONG.items():
            with self.subTest(module=module, rule=rule):
                output = lint.verilator(module, values)
                self.assertIn("is not legal", output)
                self.assertIn(rules()[module, rule], output)

    def test_synthesis_refuses(self):
        everything = design.sources
        packages = [path for path in everything() if path.stem.endswith("_pkg")]
        try:
            for (module, rule), values in WRONG.items():
                with self.subTest(module=module, rule=rule):
                    design.sources = lambda: packages + [design.module_file(module)]
                    output = lint.yosys(module, values)
                    self.assertIn("is not legal", output)
                    self.assertIn(rules()[module, rule], output)
        finally:
            design.sources = everything

    def test_derived_parameters_cannot_be_set(self):
        for module, name in (
            ("tpu_core", "Width"),
            ("tpu_ram", "AddrWidth"),
            ("tpu_fifo", "PtrWidth"),
            ("tpu_axi_guard", "Width"),
        ):
            with self.subTest(module=module):
                self.assertNotEqual(lint.verilator(module, {name: 7}), "")

    def test_ports_depend_on_parameters_alone(self):
        """No parameter has a default that another one decides, but for those that the module says may be chosen
        freely."""
        free = {("tpu_array", "Rows"), ("tpu_array_check", "Rows"), ("tpu_ram", "LaneWidth")}
        modules = (
            "mxu",
            "mxu_stream",
            "mxu_walk",
            "vpu",
            "processor",
            "store",
            "strip_hazard",
            "strip_issue",
            "strip_results",
        )
        for module in modules:
            free.add((f"tpu_{module}", "BlockRows"))
        found = set()
        for path in design.RTL.glob("*/*.sv"):
            names = re.findall(r"^  parameter int (\w+)", path.read_text(), re.M)
            for name, default in re.findall(r"^  parameter int (\w+) = (.+?),?$", path.read_text(), re.M):
                if any(re.search(rf"(?<!:)\b{other}\b", default) for other in names):
                    found.add((path.stem, name))
        self.assertEqual(found, free)


if __name__ == "__main__":
    unittest.main()
