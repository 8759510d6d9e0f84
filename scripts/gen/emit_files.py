# SPDX-License-Identifier: Apache-2.0
"""Files for the tools of other flows: the files of the RTL in reading order, the same for FuseSoC with the
configurations as targets, and the constraints of the clock and the ports."""
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
sys.path += [str(SCRIPTS), str(SCRIPTS / "rtl_tools")]
import design
import project

MADE = "Written by scripts/gen/generate; do not edit."
INCLUDED = sorted(path.relative_to(design.RTL).as_posix() for path in design.RTL.glob("*/*.svh"))


def names():
    return [path.relative_to(design.RTL).as_posix() for path in design.sources()]


def file_list():
    lines = [
        f"// {MADE} Names are relative to this file: verilator -F, slang -F, vcs -F.",
        f"+incdir+{design.INCLUDE.relative_to(design.RTL)}",
        *names(),
    ]
    return "\n".join(lines) + "\n"


def fusesoc():
    configurations = design.configurations()
    parameters = {**configurations["default"], "ClockGating": 0}
    lines = [
        "CAPI=2:",
        f"# {MADE}",
        f"name: systole:tpu:core:{project.version()}",
        "description: Systole, an open tensor processing unit. The target of each configuration is named after it.",
        "filesets:",
        "  rtl:",
        "    files:",
        *(f"      - {name}: {{is_include_file: true}}" for name in INCLUDED),
        *(f"      - {name}" for name in names()),
        "    file_type: systemVerilogSource",
        "  waivers:",
        "    files: [lint/waivers.vlt]",
        "    file_type: vlt",
        "  constraints:",
        "    files: [top/tpu_core.sdc]",
        "    file_type: SDC",
        "parameters:",
    ]
    for name, value in parameters.items():
        lines.append(f"  {name}: {{datatype: int, paramtype: vlogparam, default: {value}}}")
    lines += [
        "targets:",
        "  default: &core",
        "    filesets: [rtl, constraints]",
        "    toplevel: tpu_core",
        f"    parameters: [{', '.join(parameters)}]",
        "  lint:",
        "    <<: *core",
        "    filesets: [rtl, waivers]",
        "    flow: lint",
        "    flow_options: {tool: verilator, verilator_options: [-Wall, --assert, --no-timing]}",
    ]
    for name, values in configurations.items():
        if name == "default":  # the target above
            continue
        sizes = ", ".join(f"{parameter}={value}" for parameter, value in (values | {"ClockGating": 0}).items())
        lines += [f"  {name}:", "    <<: *core", f"    parameters: [{sizes}]"]
    return "\n".join(lines) + "\n"


def constraints():
    return f"""\
# {MADE}
# Constraints of tpu_core for synthesis and static timing analysis. Before it is read, clock_ns may be set, the period;
# a port may take the fraction port_share of it outside the core. There is one clock; the gates of tpu_clock_gate pass
# it on. The reset is synchronous and is timed as any input. No path is false and none takes several cycles.
if {{![info exists clock_ns]}} {{ set clock_ns 10.0 }}
if {{![info exists port_share]}} {{ set port_share 0.4 }}
create_clock -name clk -period $clock_ns [get_ports clk_i]
set outside [expr {{$port_share * $clock_ns}}]
set_input_delay $outside -clock clk [get_ports {{rst_ni test_en_i s_axil_*_i m_axi_*_i}}]
set_output_delay $outside -clock clk [get_ports {{irq_o s_axil_*_o m_axi_*_o}}]
"""
