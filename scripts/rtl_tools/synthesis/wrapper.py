# SPDX-License-Identifier: Apache-2.0
"""A block between shift registers, since it has far more ports than a small FPGA has pins. Its inputs come from one
long shift register that starts at a pin. Its outputs are combined, four into a flip-flop, until one pin is left. So
every port is driven and observed, nothing is optimized away, and no path goes from a pin into the block."""
import re

FOLD = 4
CLOCK = r"\w*clk\w*_i"


def ports(black_box):
    """Direction, name and width of each port, from the text of a module."""
    return [
        (direction, name, int(width or 1))
        for width, direction, name in re.findall(
            r"^  wire (?:width (\d+) )?(input|output) \d+ \\(\w+)$", black_box, re.M
        )
    ]


def folds(width):
    """Number of flip-flops of each stage that combines `width` outputs."""
    while width > 1:
        width = -(-width // FOLD)
        yield width


def cost(port_list):
    """Flip-flops of the wrapper: the inputs of the block and the combining stages."""
    inputs = sum(
        width for direction, name, width in port_list if direction == "input" and not re.fullmatch(CLOCK, name)
    )
    return inputs + sum(folds(sum(width for direction, _, width in port_list if direction == "output")))


def verilog(top, values, port_list):
    """The source of a module `wrapper` around the block."""
    connections, inputs, outputs = [], 0, 0
    for direction, name, width in port_list:
        if direction == "input" and re.fullmatch(CLOCK, name):
            connections.append(f".{name}(clk_i)")
        elif direction == "input":
            connections.append(f".{name}(in_q[{inputs} +: {width}])")
            inputs += width
        else:
            connections.append(f".{name}(out[{outputs} +: {width}])")
            outputs += width
    lines = [
        "module wrapper (input logic clk_i, input logic serial_i, output logic serial_o);",
        f"  logic [{inputs - 1}:0] in_q;",
        f"  logic [{outputs - 1}:0] out;",
        f"  always_ff @(posedge clk_i) in_q <= {{in_q[{inputs - 2}:0], serial_i}};",
        f"  {top} #("
        + ", ".join(f".{name}({value})" for name, value in values.items())
        + ") u_block ("
        + ", ".join(connections)
        + ");",
    ]
    source, width = "out", outputs
    for stage, result in enumerate(folds(outputs)):
        name = f"fold{stage}_q"
        lines += [f"  logic [{result - 1}:0] {name};", "  always_ff @(posedge clk_i) begin"]
        lines += [
            f"    {name}[{index}] <= ^{source}[{min(width, index * FOLD + FOLD) - 1}:{index * FOLD}];"
            for index in range(result)
        ]
        lines.append("  end")
        source, width = name, result
    return "\n".join([*lines, f"  assign serial_o = {source}[0];", "endmodule", ""])
