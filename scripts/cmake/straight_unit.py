#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""straight_unit.py <folder>/V<model>: writes V<model>__fast.cpp, as Units.cmake does, with an eval() that runs straight
through.

Verilator's eval() repeats each of its steps until no trigger is left: in a cycle of two edges it looks at all clocks
four times, and calls some forty groups of statements, each behind a test of its clocks. A model whose blocks are
clocked by the rising edges of clk_i, and of clocks that are gated from it, needs one pass: while clk_i is low the
statements that follow inputs, and when it rises those of the clocks that rose. Statements that clk_i starts need no
test, and short groups become parts of the function that starts them. What only gated clocks need of the inputs is not
worked out in cycles in which they rest, unless waveforms may show it. Inputs may change while clk_i is low alone, and
eval() must be called then, before clk_i rises.

A model that is not of this kind, or that another version of Verilator wrote in other words, keeps Verilator's eval();
a line on standard error says why."""
import re
import sys
from pathlib import Path

# Characters of a function that becomes a part of its caller. With those of a million the compiler takes minutes.
SHORT = 300000


class Unknown(Exception):
    """The model is not as expected; the text says where."""


class Model:
    """The text of the files that run in each cycle, and what of it eval() consists of."""

    def __init__(self, path):
        self.name = path.name
        self.root = f"{self.name}___024root"
        lists = (path.parent / f"{self.name}_classes.mk").read_text()
        classes = re.search(r"VM_CLASSES_FAST \+=([^#]*)", lists)[1].replace("\\", " ").split()
        self.plain = "".join(f'#include "{name}.cpp"\n' for name in classes)
        self.text = "".join((path.parent / f"{name}.cpp").read_text() for name in classes)
        self.slow = "".join(file.read_text() for file in path.parent.glob(f"{self.name}_*__Slow.cpp"))

    def function(self, name, prefix="eval"):
        """The whole definition of eval<name>(), and its body."""
        whole = rf"^(?:VL_INLINE_OPT )?void {self.root}___{prefix}{name}\({self.root}\* vlSelf\) \{{\n(.*?)^\}}\n"
        found = re.findall(f"({whole})", self.text, re.M | re.S)
        if len(found) != 1:
            raise Unknown(f"{len(found)} definitions of {prefix}{name}()")
        return found[0]

    def replace(self, old, new):
        if self.text.count(old) != 1:
            raise Unknown(f"{old.strip()!r} is there {self.text.count(old)} times")
        self.text = self.text.replace(old, new)

    def clocks(self):
        """Clock and the variable with its last value, for each trigger, by its number in the text; clk_i is first."""
        body = self.function("_triggers__act")[1]
        edge = r"__VactTriggered\.at\((\d+)U\) = \(\(IData\)\(vlSelf->(\w+)\)\s+& \(~ \(IData\)\(vlSelf->(\w+)\)\)\);"
        found = re.findall(edge, body)
        if [int(number) for number, _, _ in found] != list(range(body.count("__VactTriggered.at("))):
            raise Unknown("a trigger that is no rising edge")
        clocks = {number: (clock, last) for number, clock, last in found}
        main = [number for number, (clock, _) in clocks.items() if clock == "clk_i"]
        if not main:
            raise Unknown("no trigger of clk_i")
        if len(re.findall(r"vlSelf->|vlSymsp->", self.function("_act")[1])) != 1:
            raise Unknown("statements between triggers")
        return {main[0]: clocks.pop(main[0]), **clocks}

    def inputs(self):
        """The statements that follow inputs, which Verilator runs once for each call of eval()."""
        if self.function("_triggers__ico")[1].count("__VicoTriggered.at(") != 1:
            raise Unknown("more than one trigger of inputs")
        found = re.fullmatch(
            r".*// Body\n    if \(vlSelf->__VicoTriggered\.at\(0U\)\) \{\n(.*?)    \}\n",
            self.function("_ico")[1],
            re.S,
        )
        if not found or "Triggered" in found[1]:
            raise Unknown("statements of inputs under another condition")
        return found[1]

    def shorten_calls(self):
        """Makes short functions a part of their caller, which is in this unit and compiled for the same processor; and
        tells those that a rising edge starts that the clock is high."""

        def mark(found):
            whole, called = found[0], found[1]
            if "___nba_" in called:
                whole = whole.replace("(IData)(vlSelf->clk_i)", "1U")
            if len(whole) > SHORT or not called.startswith(self.root) or f"{called}(" in self.slow:
                return whole
            return whole.replace("VL_INLINE_OPT", "VL_ATTR_ALWINLINE", 1)

        self.text = re.sub(r"^VL_INLINE_OPT void (\w+)\(.*?^\}\n", mark, self.text, flags=re.M | re.S)

    def settle(self, clocks, inputs):
        """Each of these clocks is clk_i and a latch that is open while clk_i is low: returns its latch for each. So it
        rises with clk_i or not at all, and the statements of rising edges that would make it again are removed."""
        if not clocks:
            return {}
        names = "|".join(clocks)
        latched = r"^    if \(\(1U & \(~ \(IData\)\(vlSelf->clk_i\)\)\)\) \{\n.*?^    \}\n"
        gated = rf"vlSelf->({names})\s+= \(\(IData\)\(vlSelf->clk_i\)\s+& \(IData\)\(vlSelf->(\w+)\)\);\n"
        found = dict(re.findall(gated, self.text))
        latches = {clock: found[clock] for clock in clocks if clock in found}
        high = re.sub(gated, "", re.sub(latched, "", self.text, flags=re.M | re.S))
        names = "|".join([names, *latches.values()])
        changed = re.findall(rf"(?:->|\.)({names})\s+=[^=]", high)
        if changed or len(latches) != len(clocks):
            raise Unknown(f"gated clocks that are not clk_i and a latch that is open while it is low: {changed}")
        self.text = re.sub(
            r"^VL_INLINE_OPT void \w+___nba_.*?^\}\n",
            lambda function: re.sub(gated, "\n", function[0]),
            self.text,
            flags=re.M | re.S,
        )
        # eval() runs the statements of inputs while clk_i is low alone, so they must not read a clock.
        for body in [inputs, *(self.function(name, "")[1] for name in self.called(inputs))]:
            others = re.sub(gated, "", re.sub(latched, "", body, flags=re.M | re.S))
            if re.search(rf"vlSelf->(clk_i|{names})\b", others):
                raise Unknown("statements of inputs that read a clock")
        return latches

    def called(self, text):
        """Names of the functions of inputs that it calls."""
        return re.findall(rf"{self.root}___(ico_\w+)\(vlSelf\);", text)

    def rest(self, inputs, rising, latches):
        """Puts the statements of inputs whose results only the groups of gated clocks read behind a test of these
        clocks. `rising` is the function that calls the groups. A result that a program reads by name must not be one
        of inputs alone; ports are safe, since the class of the model names them."""
        group = r"^    if \((?!rose\))([^{]*?)\) \{\n(.*?)^    \}\n"
        calls = [(test, re.findall(r"(\w+)\(vlSelf\);", body)) for test, body in re.findall(group, rising, re.M | re.S)]
        always = {name for test, names in calls for name in names if "true" in test}
        others, readers = self.text, []
        for test, name in [(test, name) for test, names in calls for name in names if name not in always]:
            whole = self.function(name.removeprefix(f"{self.root}___"), "")[0]
            others = others.replace(whole, "")
            starts = [int(bits) for bits in re.findall(r"rose & (\d+)U", test)]
            if not starts:
                raise Unknown(f"a group behind {test!r}")
            readers.append((whole, starts))
        for name in self.called(inputs):
            whole, body = self.function(name, "")
            others = others.replace(whole, "")
            made = {}
            for text, target in re.findall(r"^(    vlSelf->(\w+)\S*\s*=.*?;\n)", body, re.M | re.S):
                made[target] = [*made.get(target, []), text]
            text = whole
            for target, statements in made.items():
                kept = text
                for statement in statements:
                    kept = kept.replace(statement, "", 1)
                if target in others or target in kept:
                    continue
                bits = {bit for reader, starts in readers if target in reader for bit in starts}
                rose = "".join(f"vlSelf->{latch} || " for bit, latch in enumerate(latches.values()) if 1 << bit in bits)
                test = f"    if ({rose}VL_UNLIKELY(vlSymsp->_vm_contextp__->calcUnusedSigs())) {{\n"
                text = kept[: -len("}\n")] + test + "".join(statements) + "    }\n}\n"
            if text != whole:
                self.replace(whole, text)

    def straighten(self):
        clocks, inputs = self.clocks(), self.inputs()
        whole, _ = self.function("")
        if whole.count("while (") != 3:
            raise Unknown("other loops")
        main, *gated = clocks
        latches = self.settle([clocks[number][0] for number in gated], inputs)
        self.replace(whole, "")
        rising, _ = self.function("_nba")
        straight = self.rise(rising, main, gated)
        if latches:
            self.rest(inputs, straight, latches)
        self.shorten_calls()
        self.replace(rising, straight)
        # No message waits for the end of eval(): those of a model with one thread are written at once.
        self.replace("    Verilated::mtaskId(0);\n", "")
        self.replace("    Verilated::endOfThreadMTask(vlSymsp->__Vm_evalMsgQp);\n", "")
        self.replace("    Verilated::endOfEval(vlSymsp->__Vm_evalMsgQp);\n", "")
        self.text += self.eval(inputs, clocks[main][1], [(clocks[n][0], latches[clocks[n][0]]) for n in gated])

    def rise(self, text, main, gated):
        """Verilator's function with the gated clocks that rose as an argument, a bit each, and the marks for waveforms
        that every rising edge sets together at its end."""
        text = text.replace(
            f"void {self.root}___eval_nba({self.root}* vlSelf)",
            f"VL_INLINE_OPT void {self.root}___rise({self.root}* vlSelf, const unsigned rose)",
            1,
        )
        text = text.replace(f"vlSelf->__VnbaTriggered.at({main}U)", "true")
        for bit, number in enumerate(gated):
            text = text.replace(f"vlSelf->__VnbaTriggered.at({number}U)", f"(0 != (rose & {1 << bit}U))")
        always = []

        def unmark(found):
            marks = re.findall(r"        vlSelf->__Vm_traceActivity\[\w+\] = 1U;\n", found[0])
            always.extend(marks)
            return found[0] if not marks else found[0].replace(marks[0], "")

        text = re.sub(r"^    if \(\(*true\b.*?^    \}\n", unmark, text, flags=re.M | re.S)
        if gated:
            # In most cycles no gated clock rises: groups that stand together cost one test then.
            group = r"^    if \((?![^{]*\btrue\b)[^{]*\{\n(?:(?!    \}\n).*\n)*    \}\n"
            text = re.sub(f"(?:{group}){{2,}}", lambda run: f"    if (rose) {{\n{run[0]}    }}\n", text, flags=re.M)
        return text[: -len("}\n")] + "".join(always) + "}\n"

    def eval(self, inputs, last, gated):
        """`gated` has a clock and its latch each; `last` is the variable with the last value of clk_i."""
        rose = " | ".join(f"static_cast<unsigned>(vlSelf->{latch}) << {bit}" for bit, (_, latch) in enumerate(gated))
        high = "".join(f"        vlSelf->{clock} = vlSelf->{latch};\n" for clock, latch in gated)
        marks = "".join(re.findall(r" *vlSelf->__Vm_traceActivity\[\w+\] = 1U;\n", inputs))
        return f"""
VL_INLINE_OPT void {self.root}___eval({self.root}* vlSelf) {{
    if (vlSelf->clk_i) {{
        if (vlSelf->{last}) return;
        vlSelf->{last} = 1U;
        vlSelf->clk_i = 1U;
{high}{marks}        {self.root}___rise(vlSelf, {rose or 0});
    }} else {{
        vlSelf->clk_i = 0U;
{inputs}        vlSelf->{last} = 0U;
    }}
}}
"""


def main():
    path = Path(sys.argv[1])
    model = Model(path)
    try:
        model.straighten()
        unit = model.text
    except Unknown as reason:
        print(f"{model.name}: eval() is left as Verilator wrote it: {reason}", file=sys.stderr)
        unit = model.plain
    Path(f"{path}__fast.cpp").write_text(unit)


if __name__ == "__main__":
    main()
