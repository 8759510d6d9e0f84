#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The colours of the report: causes and operands can be told from each other by normal and by colour-blind eyes, in
light and in dark, and text on them can be read. Colour blindness is simulated with the matrices of Machado, Oliveira
and Fernandes (2009), severity 1; distances are Euclidean in OKLab."""
import itertools
import math
import re
import unittest
from pathlib import Path

STYLE = Path(__file__).resolve().parents[4] / "driver/tools/report/page/style.css"
DISTANCE = 0.10
TEXT_CONTRAST = 4.5
PAIRS = ((1, 2), (3, 4), (7, 8))  # causes that share a colour: one of each is hatched
EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(code):
    """sRGB, #rgb or #rrggbb, as linear light."""
    digits = code[1:] if len(code) == 7 else "".join(2 * c for c in code[1:])
    values = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def seen(light, eye):
    return [min(1, max(0, sum(a * b for a, b in zip(row, light)))) for row in EYES[eye]]


def oklab(light):
    r, g, b = light
    l, m, s = (
        math.cbrt(x)
        for x in (
            0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
            0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
            0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b,
        )
    )
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def contrast(a, b):
    light = [0.05 + sum(w * x for w, x in zip((0.2126, 0.7152, 0.0722), linear(code))) for code in (a, b)]
    return max(light) / min(light)


def closest(colours):
    """Smallest distance over all eyes and pairs, and where it is."""
    return min(
        (math.dist(oklab(seen(linear(a), eye)), oklab(seen(linear(b), eye))), eye, a, b)
        for eye in EYES
        for a, b in itertools.combinations(colours, 2)
    )


def themes():
    """Custom properties of the light and of the dark page."""
    text = STYLE.read_text()
    light, dark = (
        dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6});", block))
        for block in re.findall(r":root \{(.*?)\}", text, re.S)
    )
    return {"light": light, "dark": dark}


class Colours(unittest.TestCase):
    def test_causes_are_told_apart(self):
        for theme, colours in themes().items():
            causes = [colours[f"cause-{i}"] for i in range(11)]
            for plain, hatched in PAIRS:
                self.assertEqual(causes[plain], causes[hatched], theme)
            self.assertEqual(len(set(causes)), 11 - len(PAIRS))
            distance, *where = closest(sorted(set(causes)))
            self.assertGreaterEqual(distance, DISTANCE, (theme, where))

    def test_operands_are_told_apart(self):
        for theme, colours in themes().items():
            distance, *where = closest([colours[f"operand-{i}"] for i in range(5)] + [colours["track"]])
            self.assertGreaterEqual(distance, DISTANCE, (theme, where))

    def test_text_can_be_read(self):
        for theme, colours in themes().items():
            for i in range(11):
                self.assertGreaterEqual(contrast(colours[f"on-{i}"], colours[f"cause-{i}"]), TEXT_CONTRAST, (theme, i))
            for name in ("ink", "soft", "link", "good", "bad"):
                for ground in ("card", "page"):
                    self.assertGreaterEqual(
                        contrast(colours[name], colours[ground]), TEXT_CONTRAST, (theme, name, ground)
                    )

    def test_the_measure_finds_colours_that_look_alike(self):
        red_and_green = closest(["#b33000", "#6a6a00"])
        self.assertLess(red_and_green[0], DISTANCE)
        self.assertIn(red_and_green[1], ("protanopia", "deuteranopia"))
        self.assertLess(contrast("#777777", "#ffffff"), TEXT_CONTRAST)


if __name__ == "__main__":
    unittest.main()
