#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/simcost notices what it should, and says which block it is; nothing is measured here."""
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/loop"))
import callgrind
import simcost
from simcost import Cost

TOOLS = {"compiler": "g++ 12", "options": "-O3"}
RECORDED = Cost(1000, 5_000_000, {"array": 3_000_000, "vector": 2_000_000}, TOOLS)


def program():
    """scripts/simcost as a module."""
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    loader = SourceFileLoader("program", str(ROOT / "scripts/simcost"))
    module = module_from_spec(spec_from_loader("program", loader))
    loader.exec_module(module)
    return module


class Check(unittest.TestCase):
    """The exit code of --check against a record that is not what is measured."""

    def check(self, recorded, measured=RECORDED):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "simcost.json"
            file.write_text(simcost.text_of(recorded))
            with mock.patch.object(simcost, "measure", return_value=measured):
                with mock.patch.object(sys, "argv", ["simcost", "--check", "--file", str(file)]):
                    return program().main()

    def test_the_recorded_figure_passes(self):
        self.assertEqual(self.check(RECORDED), 0)

    def test_three_percent_are_allowed(self):
        self.assertEqual(self.check(replace(RECORDED, instructions=4_860_000)), 0)

    def test_a_lower_recorded_figure_fails(self):
        self.assertEqual(self.check(replace(RECORDED, instructions=4_800_000)), 1)

    def test_an_improvement_that_is_not_recorded_fails(self):
        self.assertEqual(self.check(replace(RECORDED, instructions=5_300_000)), 1)

    def test_other_tools_are_no_failure(self):
        self.assertEqual(self.check(replace(RECORDED, instructions=1, made_with={**TOOLS, "options": "-O1"})), 77)

    def test_valgrind_missing_is_no_failure(self):
        with mock.patch.object(simcost, "output", side_effect=simcost.Failure("cannot run valgrind: No such file")):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "bin").mkdir()
                (Path(folder) / "bin/systole").touch()
                with self.assertRaisesRegex(simcost.Skipped, "scripts/setup simcost"):
                    simcost.measure(Path(folder))


class Words(unittest.TestCase):
    def test_what_grew_is_named(self):
        grown = replace(RECORDED, instructions=5_400_000, blocks={"array": 3_500_000, "vector": 1_900_000})
        text = simcost.complaint(RECORDED, grown)
        self.assertIn("a cycle costs 5,400 instructions, recorded are 5,000 (+8.0 %)", text)
        self.assertIn("array: 3,000 -> 3,500", text)
        self.assertNotIn("vector:", text)

    def test_recorded_file_has_the_form_that_is_written(self):
        cost = simcost.read(simcost.FILE)
        self.assertEqual(simcost.text_of(cost), simcost.FILE.read_text())
        self.assertEqual(sum(cost.blocks.values()), cost.instructions)


class Blocks(unittest.TestCase):
    def block(self, function, statement=""):
        return simcost.block_of(callgrind.Place(function, statement))

    def test_a_statement_belongs_to_the_instance_that_it_names_first(self):
        root = "Vtpu_core_default___024root___nba_sequent__TOP__0(Vtpu_core_default___024root*)"
        for name, block in {
            "u_mxu__DOT__u_stream__DOT__acc_q": "mxu",
            "u_mxu__DOT__gen_depthwise__DOT__u_depthwise__DOT__u_raster__DOT__row_q": "depthwise",
            "u_vpu__DOT__u_slots__DOT__value_q": "vector",
            "u_scratchpad__DOT__gen_bank__BRA__3__KET____DOT__wr_en": "scratchpad",
            "u_csr__DOT____Vcellinp__u_counters__run_i": "csr",
            "u_weights__DOT__mem": "memories",
            "cause": "top",
        }.items():
            statement = f"vlSelf->tpu_core__DOT__{name} = vlSelf->tpu_core__DOT__u_load__DOT__busy;"
            self.assertEqual(self.block(root, statement), block, name)
        self.assertEqual(self.block(root, "}"), "evaluation")

    def test_a_module_of_its_own_is_known_by_its_functions(self):
        for name in "u_array__1", "u_array__u_deskew__0":
            function = (
                f"Vtpu_core_default_tpu___nba_sequent__TOP__tpu_core__DOT__u_mxu__DOT__{name}(Vtpu_core_default*)"
            )
            self.assertEqual(self.block(function, "vlSelf->__PVT__valid_q = 0;"), "array")
            self.assertEqual(self.block(function, "vlSelf->a = vlSymsp->TOP.tpu_core__DOT__u_mxu__DOT__b;"), "array")

    def test_the_simulator_around_the_core(self):
        self.assertEqual(self.block("void systole::check::Axi4Checker<16>::observe<Vtpu_core>(...)"), "checkers")
        self.assertEqual(self.block("void systole::sim::AxiMemory<16>::drive<Vtpu_core>(...)"), "device memory")
        self.assertEqual(
            self.block("systole::sim::VerilatedCore<Vtpu_core, 16>::loop<false, false>(int)"), "clock loop"
        )
        self.assertEqual(self.block("memcpy"), "other")


if __name__ == "__main__":
    unittest.main()
