# SPDX-License-Identifier: Apache-2.0
"""The view of each test of a block in tests/rtl, by the test's name: the ports of its top module and of what is in it,
in the widths of its variants. Blocks, tops and variants are those of the tests' CMakeLists.txt."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl_tools"))
import block_views
import design

BENCHES = design.ROOT / "tests/rtl"
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


def show(view, spec, top, blocks):
    view.root = f"TOP.{top}."
    block_views.show_ports(view, spec, blocks[top], "", closed=False)
    block_views.show_parts(view, spec, blocks[top], "")


def bench_view(view, spec, bench, trees):
    show(view, spec, bench.top, next(trees))
    for part in PARTS.get(bench.test, ()):
        view.group(part, closed=True)
        show(view, spec, part, next(trees))
        view.end(part)
    return view.files()


def views(new_view, spec):
    """File name in waves/views to text. `new_view` makes an empty view of a name."""
    found = benches()
    designs = []
    for bench in found:
        designs.append([(bench.top, variant) for variant in bench.variants])
        designs += [[(part, {"Dim": 4})] for part in PARTS.get(bench.test, ())]
    tops = [path for bench in found for path in BENCHES.glob(f"*/{bench.top}.sv")]
    trees = iter(block_views.read(designs, [*design.sources(), *tops]))
    return {
        name: text for bench in found for name, text in bench_view(new_view(bench.test), spec, bench, trees).items()
    }
