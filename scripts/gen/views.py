# SPDX-License-Identifier: Apache-2.0
"""Views for GTKWave, and beside them for Surfer: which signals of the core to show, in which form. Names of causes and
errors come from the translate files in waves/enums; instructions go through waves/disassemble.

A view fits every configuration: a signal whose width depends on the configuration is named once per width, and GTKWave
shows the one that it finds."""
import bench_views
import block_views
import surfer
from block_views import CORE

# Flags of a trace in GTKWave's save files.
HEX, DECIMAL, BINARY, FILTER, PROCESS = 0x22, 0x24, 0x28, 0x2000, 0x4000
COMMENT, GROUP, CLOSED, END = 0x200, 0x800000, 0x400000, 0x1000000
# About 100 cycles in a window; no primary and no named marker.
ZOOM = " ".join(["*-15.000000", *["-1"] * 27])


class View:
    def __init__(self, name, root=CORE):
        self.name = name
        self.root = root
        self.surfer = surfer.Commands()
        # GTKWave finds a translate file beside this file from the two absolute names, wherever the tree really is.
        self.lines = [
            "[*] Generated from isa/spec and rtl by scripts/gen/generate. Do not edit.",
            ZOOM,
            f'[savefile] "/waves/views/{name}.gtkw"',
            "[timestart] 0",
            "[signals_width] 260",
            "[sst_expanded] 0",
        ]

    def group(self, name, closed=False):
        self.lines += [f"@{GROUP | COMMENT | (CLOSED if closed else 0):x}", f"-{name}"]
        self.surfer.group(name)

    def end(self, name):
        self.lines += [f"@{END | COMMENT:x}", f"-{name}"]
        self.surfer.end()

    def signal(self, name, width=1, form=None, enum=None, vector=False):
        """A signal unchanged; one bit is a vector too if its declaration has a range."""
        path = self.root + name + (f"[{width - 1}:0]" if width > 1 or vector else "")
        self._trace(path, form or (HEX if width > 1 else BINARY), enum)
        self.surfer.signal(self.root + name, surfer.form_of(enum) if enum else "Unsigned" if form == DECIMAL else None)

    def instruction(self, name):
        """An instruction, disassembled."""
        self.lines += [f"@{HEX | PROCESS:x}", "^>1 /waves/disassemble", f"{self.root}{name}[511:0]"]
        self.surfer.signal(self.root + name)

    def bits(self, alias, name, width, low, count, form=HEX, enum=None):
        """Bits low+count-1 to low of a signal, under their own name. Bits count from the left in a save file."""
        path = f"{self.root}{name}[{width - 1}:0]"
        if count > 1:
            parts = " ".join(f"({width - 1 - bit}){path}" for bit in range(low + count - 1, low - 1, -1))
            self._trace(f"#{{{alias}[{count - 1}:0]}} {parts}", form, enum)
        else:
            self._trace(f"+{{{alias}}} ({width - 1 - low}){path}", BINARY, enum)
        self.surfer.signal(self.root + name)

    def _trace(self, line, form, enum):
        self.lines.append(f"@{form | (FILTER if enum else 0):x}")
        if enum:
            self.lines.append(f"^1 /waves/enums/{enum}.txt")
        self.lines.append(line)

    def files(self):
        """File name in waves/views to text."""
        return {f"{self.name}.gtkw": "\n".join(self.lines) + "\n", f"{self.name}.sucl": self.surfer.text()}


def channel(view, name, valid, ready, payload):
    """A group for one AXI channel; payload is (signal, width)."""
    view.group(name, closed=True)
    view.signal(valid)
    view.signal(ready)
    for signal, width in payload:
        view.signal(signal, width)
    view.end(name)


def engine(view, spec, e, causes):
    name, number = e["name"], e["value"]
    low = name.lower()
    view.group(name)
    view.signal(f"u_{low}.cmd_valid_i")
    view.signal(f"u_{low}.cmd_ready_o")
    view.bits(f"{name}_opcode", f"u_{low}.cmd_instr_i", 8 * spec.isa["instruction_bytes"], 0, 8, enum="opcode")
    view.instruction(f"u_{low}.cmd_instr_i")
    view.signal(f"cause[{number}]", causes, enum="cause")
    view.bits(f"{name}_busy", "engine_busy", 4, number, 1)
    view.bits(f"{name}_waits", "engine_waiting", 4, number, 1)
    view.bits(f"{name}_waits_for", "waiting_semaphores", 32, 8 * number, 5, DECIMAL)
    view.bits(f"{name}_retires", "retire_valid", 4, number, 1)
    view.signal(f"retire_index[{number}]", 32, DECIMAL)
    view.end(name)


def system(spec):
    causes = next(len(e["values"]) for e in spec.enums if e["name"] == "Cause")
    view = View("system")
    for name in ("clk_i", "rst_ni", "irq_o", "busy", "halt"):
        view.signal(name)
    view.group("ring")
    view.signal("doorbell")
    for name in ("tail", "head", "commands", "program_end.tag"):
        view.signal(name, 32, DECIMAL)
    view.end("ring")
    for e in spec.engines[:4]:
        engine(view, spec, e, causes)
    view.group("error", closed=True)
    view.signal("error.valid")
    view.signal("error.code", 8, enum="errorcode")
    view.signal("error.engine", 3, enum="engine")
    view.signal("error.index", 32, DECIMAL)
    view.signal("error.address", 32)
    view.end("error")
    view.group("semaphores", closed=True)
    for number in range(spec.isa["semaphores"]):
        view.signal(f"semaphores[{number}]", spec.isa["semaphore_bits"], DECIMAL)
    view.end("semaphores")
    channel(
        view,
        "AXI read address",
        "m_axi_arvalid_o",
        "m_axi_arready_i",
        [("m_axi_arid_o", 1), ("m_axi_araddr_o", 32), ("m_axi_arlen_o", 8)],
    )
    channel(
        view,
        "AXI read data",
        "m_axi_rvalid_i",
        "m_axi_rready_o",
        [("m_axi_rid_i", 1), ("m_axi_rresp_i", 2), ("m_axi_rlast_i", 1)],
    )
    channel(
        view, "AXI write address", "m_axi_awvalid_o", "m_axi_awready_i", [("m_axi_awaddr_o", 32), ("m_axi_awlen_o", 8)]
    )
    channel(view, "AXI write data", "m_axi_wvalid_o", "m_axi_wready_i", [("m_axi_wlast_o", 1)])
    channel(view, "AXI write response", "m_axi_bvalid_i", "m_axi_bready_o", [("m_axi_bresp_i", 2)])
    view.group("registers", closed=True)
    for name, width in (
        ("awvalid_i", 1),
        ("awready_o", 1),
        ("awaddr_i", 12),
        ("wvalid_i", 1),
        ("wready_o", 1),
        ("wdata_i", 32),
        ("bvalid_o", 1),
        ("arvalid_i", 1),
        ("arready_o", 1),
        ("araddr_i", 12),
        ("rvalid_o", 1),
        ("rdata_o", 32),
    ):
        view.signal(f"s_axil_{name}", width)
    view.end("registers")
    return view.files()


def views(spec):
    """File name in waves/views to text."""
    core = block_views.core()
    files = system(spec)
    for name, path in block_views.BLOCKS.items():
        files |= block_views.view(View(name), spec, core, path)
    return files | bench_views.views(View, spec)
