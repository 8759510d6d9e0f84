#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of `systole report` in a headless Chromium, made from runs on the RTL.

  test_pages.py PROGRAM CONFIGURATION [TEST...]
  SYSTOLE_SCREENSHOTS=DIR    also keeps pictures of the pages there"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import Browser

PROGRAM, CONFIGURATION = (sys.argv.pop(1), sys.argv.pop(1)) if len(sys.argv) > 2 else ("systole", "default")
SCREENSHOTS = os.environ.get("SYSTOLE_SCREENSHOTS")
VIEWS = {
    "desktop": {"width": 1200, "height": 900},
    "phone": {"width": 390, "height": 844, "phone": True},
    "narrow": {"width": 320, "height": 568, "phone": True},
}
HOSTILE = '</script><script>window.broken = 1; alert(1)</script><img src=x onerror="window.broken = 2">'
LAYERS = ["conv1", "pool1", "conv2", "pool2", "dense1", "dense2"]

OVERFLOW = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
return wide <= 0 ? [] : [...document.querySelectorAll("main *")]
  .filter((e) => !e.parentElement.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1)
  .map((e) => e.tagName + "." + (e.getAttribute("class") || "") + " " + Math.round(e.getBoundingClientRect().right))
  .slice(0, 9).concat("wide " + wide);
"""
# Texts of a drawing that lie on each other or beyond its edge.
COLLISIONS = """
const found = [];
for (const drawing of document.querySelectorAll(".chart > svg")) {
  const edge = drawing.getBoundingClientRect();
  const texts = [...drawing.querySelectorAll("text")].map((t) => [t, t.getBoundingClientRect()]);
  texts.forEach(([t, a], i) => {
    if (a.left < edge.left - 2 || a.right > edge.right + 2) found.push("beyond the edge: " + t.textContent);
    texts.slice(i + 1).forEach(([u, b]) => {
      if (!t.getAttribute("transform") && !u.getAttribute("transform") &&
          a.left + 1 < b.right && b.left + 1 < a.right && a.top + 4 < b.bottom && b.top + 4 < a.bottom)
        found.push(t.textContent + " on " + u.textContent);
    });
  });
}
return found;
"""


def systole(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"systole {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        device = ("--config", CONFIGURATION, "--memory-plan")
        shape = ("--height", 12, "--width", 12, "--cin", 16, "--cout", 16, "--pad", 1)
        systole("digits", "--count", 1, *device, "--json", cls.at / "digits.json")
        systole("conv", *shape, *device, "--json", cls.at / "conv.json")
        systole("conv", *shape, *device, "--latency", 20, "--json", cls.at / "quick.json")
        old = json.loads((cls.at / "digits.json").read_text())
        old["layers"] = old["layers"][1:] + [{**old["layers"][0], "name": "conv0"}]
        (cls.at / "old.json").write_text(json.dumps(old))
        hostile = json.loads((cls.at / "digits.json").read_text())
        hostile["name"] = hostile["layers"][0]["name"] = HOSTILE
        (cls.at / "hostile.json").write_text(json.dumps(hostile))
        (cls.at / "network.json").write_text(json.dumps(cls.network(json.loads((cls.at / "digits.json").read_text()))))
        for page, *arguments in (
            ("digits", "digits.json"),
            ("network", "network.json"),
            ("conv", "conv.json", "--against", "quick.json"),
            ("compared", "digits.json", "--against", "old.json"),
            ("hostile", "hostile.json"),
        ):
            files = [cls.at / a if a.endswith(".json") else a for a in arguments]
            systole("report", *files, "-o", cls.at / f"{page}.html")
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @staticmethod
    def network(digits):
        """As `systole run` writes it, of 30 layers: names from a converter, no verdicts, bytes of LOAD and STORE, a
        plan of its program."""
        layers = []
        for i in range(30):
            layer = {
                **digits["layers"][i % 6],
                "name": f"functional_1/block_{i // 6}/{LAYERS[i % 6]}/" + "BiasAdd/ReadVariableOp/" * 8 + "resource;x",
            }
            for gone in ("bit_exact", "memory_plan", "commands", "semaphore_waits"):
                layer.pop(gone)
            layer["read_bytes"], layer["write_bytes"] = (
                layer.pop("read_beats") * digits["dim"],
                layer.pop("write_beats") * digits["dim"],
            )
            layers.append(layer)
        return {
            "name": "model",
            "file": "kws_ref_model.tflite",
            "config": digits["config"],
            "dim": digits["dim"],
            "bit_exact": True,
            "compared": {"values": 12, "against": "the host's, of the first sample"},
            "layers": layers,
            "programs": [{"name": "program 1", "memory_plan": digits["layers"][0]["memory_plan"]}],
        }

    def open(self, page, view="desktop", dark=False):
        self.browser.view(**VIEWS[view], dark=dark)
        self.browser.open(self.at / f"{page}.html")
        self.browser.settle()

    def texts(self, selector):
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
        )

    def number(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)

    def test_every_page_in_every_view(self):
        for page in ("digits", "network", "conv", "compared", "hostile"):
            for view in VIEWS:
                for dark in (False, True):
                    with self.subTest(page=page, view=view, dark=dark):
                        self.open(page, view, dark)
                        self.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
                        self.browser.settle()
                        if SCREENSHOTS:
                            self.browser.screenshot(
                                Path(SCREENSHOTS) / f"{page}-{view}-{'dark' if dark else 'light'}.png"
                            )
                        self.assertEqual(self.browser.messages(), [])
                        self.assertEqual(self.browser.run(OVERFLOW), [])
                        self.assertEqual(self.browser.run(COLLISIONS), [])
                        self.assertNotRegex(
                            self.browser.run("return document.body.innerText"), r"\[object|undefined|NaN|null"
                        )
                        self.assertEqual(self.browser.run("return performance.getEntriesByType('resource').length"), 0)
                        ground = self.browser.run("return getComputedStyle(document.body).backgroundColor")
                        self.assertEqual(max(map(int, ground[4:-1].split(","))) < 64, dark, ground)

    def test_charts_hold_every_layer(self):
        run = json.loads((self.at / "digits.json").read_text())
        self.open("digits")
        self.assertEqual(self.texts("#layers-table tbody td:first-child"), LAYERS)
        self.assertEqual(self.texts("#causes-chart text.strong"), LAYERS)
        sums = self.browser.run(
            """
            const sums = {};
            for (const segment of document.querySelectorAll("#causes-chart .segment")) {
              const key = segment.dataset.tip.split(":")[0];
              sums[key] = (sums[key] || 0) + Number(segment.dataset.cycles);
            }
            return sums;"""
        )
        self.assertEqual(
            sums,
            {f"{layer['name']}, {engine}": layer["cycles"] for layer in run["layers"] for engine in layer["causes"]},
        )
        points = self.browser.run(
            "return [...document.querySelectorAll('#roofline-chart .point')].map((p) => p.dataset.layer)"
        )
        self.assertEqual(points, [layer["name"] for layer in run["layers"] if layer["macs"] > 0])
        self.assertEqual(len(self.texts("#losses h3")), len(LAYERS))
        self.assertEqual(len(self.texts("section#causes .legend li")), 11)
        for at, layer in enumerate(run["layers"]):
            self.browser.run(
                "const s = document.querySelector('#memory select'); "
                "s.value = arguments[0]; s.dispatchEvent(new Event('change'))",
                str(at),
            )
            self.assertEqual(self.number("#memory-chart .rectangle"), len(layer["memory_plan"]["occupied"]))
            self.assertGreater(self.number("#memory-chart .rectangle"), 0)

    def test_a_network_is_readable(self):
        self.open("network")
        self.assertEqual(self.texts("h1"), ["kws_ref_model.tflite"])
        names = self.texts("#layers-table tbody td:first-child")
        self.assertEqual(len(names), 30)
        self.assertTrue(all(len(name) <= 40 for name in names), names)
        full = self.browser.run("return document.querySelector('#layers-table tbody td:first-child').title")
        self.assertIn("functional_1/block_0/conv1/", full)
        self.assertNotIn("result", self.texts("#layers-table th"))
        self.assertNotIn("\u2013", self.texts("#layers-table tbody td:nth-child(7)"))  # bytes read
        self.assertIn("bit-exact12 values against the host's, of the first sample", "".join(self.texts(".tile dd")))
        # All losses together, then the largest ones closed, the rest behind one line.
        self.assertIn("of its slots", self.texts("#losses .loss p")[0])
        self.assertEqual(self.number("#losses details[open]"), 0)
        self.assertEqual(self.number("#losses .loss-list > details"), 9)
        self.assertIn("22 more", self.texts("#losses .loss-list > details:last-child > summary")[0])
        shown = self.browser.run(
            "return [...document.querySelectorAll('#losses .loss-list > details')]"
            ".filter((d) => d.checkVisibility()).length"
        )
        self.assertEqual(shown, 9)
        lost = [
            int(text.split(" cycles")[0].replace(",", "")) for text in self.texts("#losses .loss-list summary .soft")
        ]
        self.assertEqual(lost, sorted(lost, reverse=True))
        self.browser.click("#losses .loss-list summary")
        self.assertEqual(self.number("#losses details[open]"), 1)
        self.assertGreater(self.number("#memory-chart .rectangle"), 0)

    def test_headers_sort(self):
        cycles = {
            layer["name"]: layer["cycles"] for layer in json.loads((self.at / "digits.json").read_text())["layers"]
        }
        falling = sorted(cycles, key=cycles.get, reverse=True)
        self.open("digits")
        names = lambda: self.texts("#layers-table tbody td:first-child")
        self.browser.click("#layers-table th:nth-child(3) button")
        self.assertEqual(names(), falling)
        self.browser.press("Enter")  # the button has the focus
        self.assertEqual(names(), falling[::-1])
        self.assertEqual(
            self.browser.run(
                "return [...document.querySelectorAll('#layers-table th')].map((h) => h.getAttribute('aria-sort'))"
            ),
            ["none", "none", "ascending", *["none"] * 7],
        )
        self.browser.click("#layers-table th:first-child button")
        self.assertEqual(names(), sorted(LAYERS))
        self.assertEqual(self.texts("#layers-table tfoot td:first-child"), ["all"])

    def test_bars_in_cycles(self):
        self.open("digits")
        widths = (
            "return [...document.querySelectorAll('#causes-chart .segment')]"
            ".reduce((sum, s) => sum + Number(s.getAttribute('width')), 0)"
        )
        share = self.browser.run(widths)
        self.browser.click("#causes label:nth-child(2) input")
        self.assertLess(self.browser.run(widths), share)

    def test_tooltips_by_pointer_and_by_keys(self):
        self.open("digits")
        tip = "const tip = document.getElementById('tip'); return tip.hidden ? '' : tip.textContent"
        self.browser.hover("#roofline-chart .point")
        self.assertIn("conv1\n", self.browser.run(tip))
        for chart in ("#causes-chart", "#roofline-chart", "#memory-chart"):
            self.browser.run(f"document.querySelector('{chart} svg').focus()")
            self.browser.press("ArrowRight")
            first = self.browser.run(tip)
            self.browser.press("ArrowRight")
            self.assertNotEqual(first, "")
            self.assertNotEqual(self.browser.run(tip), first)
            self.assertEqual(self.number(f"{chart} .mark.active"), 1)
            self.browser.press("Escape")
            self.assertEqual(self.browser.run(tip), "")

    def test_tab_reaches_every_control(self):
        self.open("digits")
        reached = set()
        for _ in range(60):
            self.browser.press("Tab")
            reached.add(
                self.browser.run(
                    "const e = document.activeElement; return e.closest('.chart') ? e.closest('.chart').id : e.tagName"
                )
            )
        self.assertLessEqual(
            {"A", "BUTTON", "INPUT", "SELECT", "causes-chart", "roofline-chart", "memory-chart"}, reached
        )

    def test_comparison_pairs_by_name(self):
        self.open("compared")
        rows = self.browser.run(
            "return [...document.querySelectorAll('#comparison-table tbody tr')]"
            ".map((r) => [r.cells[0].textContent, r.dataset.change])"
        )
        self.assertEqual(rows, [["conv1", "added"]] + [[name, "same"] for name in LAYERS[1:]] + [["conv0", "removed"]])
        self.assertEqual(self.texts("#comparison-table tfoot td:first-child"), ["all in both"])
        self.open("conv")
        new, old = (json.loads((self.at / f"{name}.json").read_text())["cycles"] for name in ("conv", "quick"))
        self.assertGreater(new, old)
        self.assertEqual(self.texts("#comparison-table tbody td:nth-child(4)"), [f"+{new - old:,}"])
        self.browser.click("#comparison summary")
        self.browser.settle()
        self.assertGreater(self.number("#comparison .segment"), 8)

    def test_hostile_names_are_text(self):
        self.open("hostile")
        self.assertIsNone(self.browser.run("return window.broken"))
        self.assertEqual(self.number("main img, main script"), 0)
        self.assertEqual(self.texts("h1"), [HOSTILE])
        name = "#layers-table tbody tr:first-child td:first-child"
        self.assertEqual(self.texts(name), [HOSTILE.split(";")[0]])
        self.assertEqual(self.browser.run("return document.querySelector(arguments[0]).title", name), HOSTILE)

    def test_the_checks_find_what_is_wrong(self):
        page = (self.at / "digits.html").read_text()
        (self.at / "wrong.html").write_text(
            page.replace(
                "</main>",
                """<div style="width:3000px">wide</div>
          <div class="chart"><svg><text y="20">one</text><text y="22">two</text></svg></div></main>
          <script>console.error("planted"); fetch("https://example.invalid/");</script>""",
            )
        )
        self.browser.view(**VIEWS["phone"])
        self.browser.open(self.at / "wrong.html")
        self.assertNotEqual(self.browser.run(OVERFLOW), [])
        self.assertIn("one on two", self.browser.run(COLLISIONS))
        messages = "\n".join(self.browser.messages())
        self.assertIn("planted", messages)
        self.assertIn("Content Security Policy", messages)


if __name__ == "__main__":
    unittest.main()
