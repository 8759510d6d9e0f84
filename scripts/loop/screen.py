# SPDX-License-Identifier: Apache-2.0
"""A round as text: one line per test, one line per changed workload."""
import os
import sys
import time

from baseline import RECORD, change
from graph import SYSTEM
from rounds import HEADLINES

COLOURS = {"good": "32", "bad": "31;1", "dim": "2"}


class Screen:
    def __init__(self, stream=sys.stdout):
        self.stream = stream
        self.terminal = stream.isatty()
        self.colour = self.terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._status = ""

    def paint(self, what, text):
        return f"\033[{COLOURS[what]}m{text}\033[0m" if self.colour else text

    def status(self, text):
        """The current activity, on a line that the next one overwrites; only on a terminal."""
        if self.terminal and text != self._status:
            width = os.get_terminal_size(self.stream.fileno()).columns
            self.stream.write("\r\033[K" + text[: width - 1])
            self.stream.flush()
            self._status = text

    def clear(self):
        if self.terminal:
            self.stream.write("\033[H\033[2J\033[3J")
            self._status = ""

    def draw(self, text):
        self.status("")
        self.stream.write(text)
        self.stream.flush()

    def round(self, result, finished=True):
        names = ", ".join(result.files[:4]) + (f" and {len(result.files) - 4} more" if len(result.files) > 4 else "")
        lines = [f"{time.strftime('%H:%M:%S')}  {names}, against {result.against}"]
        for block in result.blocks if finished else [b for b in result.blocks if b.build_seconds or b.run_seconds]:
            lines += self._part(block.name, block)
        if result.system:
            lines += self._part(SYSTEM, result.system)
            lines += self._workloads(result.system)
        if finished:
            lines += self._verdict(result)
        return "\n".join(lines) + "\n"

    def _part(self, name, part):
        good = part.result == "pass"
        line = (
            f"  {name:22} {self.paint('good' if good else 'bad', f'{part.result:6}')}  build {part.build_seconds:.1f} s"
        )
        line += f", run {part.run_seconds:.1f} s" if part.run_seconds else ""
        return (
            [line]
            if good
            else [f"{line}  {self.paint('dim', part.log)}", *(f"      {text[:150]}" for text in part.lines)]
        )

    def _workloads(self, system):
        lines, unchanged = [], 0
        for w in system.workloads:
            if w.result == "same" and w.name not in HEADLINES:
                unchanged += 1
                continue
            cycles = {
                "same": f"{w.cycles:,} cycles, as recorded",
                "new": f"{w.cycles:,} cycles, not recorded",
                "different": "differs from the golden model",
            }.get(w.result)
            cycles = cycles or f"{w.recorded:,} -> {w.cycles:,} cycles ({change(w.recorded, w.cycles)})"
            use = f"{100 * w.utilization:.1f} %"
            if w.result in ("slower", "faster"):
                use = f"{100 * w.recorded_utilization:.1f} -> {use}"
            mark = {
                "slower": self.paint("bad", "slower"),
                "different": self.paint("bad", "WRONG"),
                "faster": self.paint("good", "faster"),
            }
            lines.append(
                f"    {w.name + ' on ' + system.config:34} {cycles:36} {use:18} {mark.get(w.result, '')}".rstrip()
            )
        if unchanged:
            lines.append(f"    {unchanged} other workloads: cycles as recorded")
        return lines

    def _verdict(self, result):
        bad = result.bad()
        if not result.blocks and not result.system:
            return ["  no block test, no unit test and not the system is made from it"]
        faster = result.system and any(w.result in ("faster", "new") for w in result.system.workloads)
        lines = (
            [self.paint("bad", f"FAILED: {', '.join(bad)}")]
            if bad
            else [self.paint("good", "all passed") + f", {result.user_seconds:.1f} s of user time"]
        )
        return lines + ([f"to record the new cycles: {RECORD}"] if faster and not bad else [])
