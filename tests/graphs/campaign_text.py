# SPDX-License-Identifier: Apache-2.0
"""Texts about graphs and campaigns."""


def graph_text(graph):
    """The steps of a graph, one a line."""
    lines = [f"operator set {graph.opset}" + (f", precision {graph.precision}" if graph.precision else "")]
    for step in graph.steps:
        for node in step.nodes:
            results = ", ".join(f"{n} {graph.tensors[n].dtype}{list(graph.tensors[n].shape)}" for n in node.outputs)
            operands = ", ".join(_operand(graph, name) for name in node.inputs)
            attributes = "".join(f" {key}={value}" for key, value in node.attributes.items())
            lines.append(f"  {results} = {node.kind}({operands}){attributes}")
    return "\n".join(lines)


def _operand(graph, name):
    if name in graph.constants and graph.constants[name].size <= 8:
        return str(graph.constants[name].tolist())
    if name not in graph.tensors:
        return "none"
    tensor = graph.tensors[name]
    return f"{name} {tensor.dtype}{list(tensor.shape)}" if name[0] in "xc" else name


def outcome_text(outcome):
    lines = [f"refused: {outcome.refused}"] if outcome.refused else []
    lines.append("a layer ran on the device" if outcome.counted else "no layer ran on the device")
    lines += [f"accepted: {name}, {count} times" for name, count in sorted(outcome.classes.items())]
    lines += [f"{finding.kind}\n  {finding.text}" for finding in outcome.findings]
    return "\n".join(lines)


def command(options, number):
    """The command that repeats a graph alone."""
    rtl = " --rtl" if options.rtl else ""
    return f"tests/graphs/fuzz.py --config {options.config}{rtl} --seed {options.seed} --graph {number} --reduce DIR"


def _table(title, counts, limit=None):
    if not counts:
        return []
    rows = counts.most_common(limit)
    return [title, *(f"  {count:8,}  {name}" for name, count in rows)]


def totals_text(totals, seconds):
    refused = 100 * totals.refusals / max(1, totals.graphs)
    lines = [
        f"{totals.graphs:,} graphs in {seconds:.0f} s, {1000 * seconds / max(1, totals.graphs):.1f} ms each",
        f"{totals.counted:,} with a layer on the device, {totals.refusals:,} refused ({refused:.1f} %)",
        f"{len(totals.findings)} findings",
        *_table("refused:", totals.refused, 20),
        *_table("graphs with operator:", totals.operators),
        *_table("graphs with transformation:", totals.transformations),
        *_table("differences from a judge that are in the list:", totals.classes),
    ]
    return "\n".join(lines)


MAX_REFUSED = 0.15
# It joins sums, products and squares with means, softmax and reciprocal roots whose arithmetic is Arithmetic::kBlocks.
# Only the reader of language models makes those (llama2_block_graph.cpp): for ONNX and TensorFlow Lite files,
# block_float_network.cpp gives that arithmetic to products alone. tests/cosim/networks/test_transformations.cpp has it.
NOT_OF_FILES = {"fused_rows"}


def complaints(totals, fired, wanted=0):
    """The faults of a campaign as such: too few graphs that a device ran, too many refusals, a transformation that
    hardly fired."""
    found = []
    if totals.counted < wanted:
        found.append(f"a layer of {totals.counted} graphs ran on the device, at least {wanted} are wanted")
    if totals.refusals > MAX_REFUSED * totals.graphs:
        found.append(f"{totals.refusals} of {totals.graphs} graphs were refused; at most {MAX_REFUSED:.0%} may be")
    for name, count in sorted(totals.transformations.items()):
        if count < fired and name not in NOT_OF_FILES:
            found.append(f"transformation {name} fired in {count} graphs, at least {fired} are wanted")
    return found
