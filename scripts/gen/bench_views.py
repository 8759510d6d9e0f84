# SPDX-License-Identifier: Apache-2.0
"""The view of each test of a block in tests/rtl, by the test's name: the ports of its top module and of what is in it,
in the widths of its variants. Blocks, tops and variants are those of the tests' CMakeLists.txt."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl_tools"))
import block_views
import modules
from design import ROOT

BENCHES = ROOT / "tests/rtl"
# Tops of the parts that have models of their own for their assertions, by the test that has them.
PARTS = {
    "rtl_depthwise": ("tpu_depthwise_lanes", "tpu_depthwise_weights"),
    "rtl_processor": ("tpu_strip_issue", "tpu_strip_registers", "tpu_strip_results", "tpu_multiplier"),
    "rtl_vpu": (
        "tpu_vpu_gather",
        "tpu_vpu_slots",
        "tpu_vpu_finish",
        "tpu_vpu_output",
        "tpu_vpu_control",
        "tpu_vpu_table",
    ),
}
KEYWORDS = "SOURCES|VARIANTS|TEST|LIBS|ARGS"


@dataclass
class Bench:
    test: str
    top: str
    variants: list  # of the parameters' values


def parameters(words):
    """-GDim=4 and the like; other options of Verilator are not parameters."""
    return {name: int(value) for name, value in re.findall(r"-G(\w+)=(\d+)", words)}


def read(path):
    """The benches of a CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", path.read_text())
    variables = dict(re.findall(r"\bset\((\w+) ([^)]*)\)", text))
    for call in re.findall(r"systole_rtl_test\(((?:[^()]|\([^)]*\))*)\)", text):
        block, top = re.match(r"\s*BLOCK (\w+) TOP (\w+)", call).groups()
        words = re.search(rf"VARIANTS(.*?)(?:\b(?:{KEYWORDS})\b|$)", call, re.S)[1]
        words = re.sub(r"\$\{(\w+)\}", lambda m: variables.get(m[1], ""), words)
        yield Bench(f"rtl_{block}", top, [parameters(variant) for variant in words.split()])


def benches():
    return [bench for path in sorted(BENCHES.glob("*/CMakeLists.txt")) for bench in read(path)]


def module_of(design, top):
    """A module of the RTL, or a top beside the test."""
    if top not in design.modules:
        design.modules[top] = modules.read_module(next(BENCHES.glob(f"*/{top}.sv")))
    return design.modules[top]


def show(view, spec, design, top, variants):
    view.root = f"TOP.{top}."
    module = module_of(design, top)
    block_views.show_ports(view, spec, design, module, variants, "", closed=False)
    block_views.show_parts(view, spec, design, module, variants, "")


def bench_view(view, spec, design, bench):
    show(view, spec, design, bench.top, bench.variants)
    for part in PARTS.get(bench.test, ()):
        view.group(part, closed=True)
        show(view, spec, design, part, [{"Dim": 4}])
        view.end(part)
    return view.text()


def views(new_view, spec):
    """File name in waves/views to text. `new_view` makes an empty view of a name."""
    design = block_views.Design()
    return {
        f"{bench.test}.gtkw": bench_view(new_view(f"{bench.test}.gtkw"), spec, design, bench) for bench in benches()
    }
