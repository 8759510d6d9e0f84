# SPDX-License-Identifier: Apache-2.0
"""The rules about rooms, names, columns and links: each is seen to fail on what it is there for and to accept its legal
neighbour."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/house"))
import picture
import rooms
import text_rules
from rooms import Room


class Arrows(unittest.TestCase):
    HOUSE = [
        Room("ground", "", [], "ground", ["base", "generated/*"]),
        Room("wall", "", ["ground"], "wall"),
        Room("roof", "", ["ground", "wall"], "wall/roof"),
    ]
    FILES = {
        "include/systole/base.hpp": "",
        "include/systole/generated/size.hpp": "",
        "ground/stone.hpp": '#include "systole/base.hpp"\n',
        "wall/brick.hpp": '#include <vector>\n#include "stone.hpp"\n',
        "wall/roof/tile.cpp": '#include "brick.hpp"\n#include "systole/generated/size.hpp"\n',
    }

    def complaints(self, house=None, **files):
        return list(rooms.complaints(house or self.HOUSE, self.FILES | files))

    def test_a_good_house(self):
        self.assertEqual(self.complaints(), [])
        self.assertEqual(
            set(rooms.arrows(self.HOUSE, self.FILES)), {("wall", "ground"), ("roof", "ground"), ("roof", "wall")}
        )

    def test_an_arrow_that_is_not_allowed(self):
        files = {"ground/stone.cpp": '#include "brick.hpp"\n'}
        self.assertIn(
            'ground/stone.cpp: includes "brick.hpp" of wall, which ground must not know', self.complaints(**files)[0]
        )

    def test_a_table_that_allows_a_cycle(self):
        house = [Room("ground", "", ["wall"], "ground", ["base", "generated/*"])] + self.HOUSE[1:]
        self.assertIn("ground may include from wall, which is not a room above it", self.complaints(house)[0])

    def test_an_arrow_that_nothing_needs(self):
        files = {"wall/brick.hpp": ""}
        self.assertEqual(self.complaints(**files), ["rooms.toml: wall may include from ground but does not"])

    def test_a_header_without_a_room(self):
        files = {"include/systole/stray.hpp": ""}
        self.assertIn("include/systole/stray.hpp: belongs to no room", self.complaints(**files)[0])

    def test_a_header_of_two_rooms(self):
        house = self.HOUSE + [Room("cellar", "", [], "", ["base"])]
        self.assertIn("include/systole/base.hpp: belongs to no room, or to several", "".join(self.complaints(house)))

    def test_the_picture_shows_every_room_and_the_arrows_that_do_not_follow(self):
        arrows = list(rooms.arrows(self.HOUSE, self.FILES))
        self.assertEqual(picture.reduced(arrows), [("roof", "wall"), ("wall", "ground")])
        drawn = picture.svg(self.HOUSE, arrows)
        for room in self.HOUSE:
            self.assertIn(f">{room.name}</text>", drawn)
        self.assertIn("<title>roof includes from wall</title>", drawn)
        self.assertNotIn("<title>roof includes from ground</title>", drawn)


class Text(unittest.TestCase):
    def columns(self, text, path="a.cpp"):
        return list(text_rules.long_lines(path, text))

    def test_long_lines(self):
        words = "word " * 24
        self.assertEqual(self.columns(words[:120]), [])
        self.assertEqual(self.columns("\n" + words + "x"), ["a.cpp:2: 121 columns, more than 120"])
        self.assertEqual(len(self.columns("#!/bin/sh\n" + words + "x", "script")), 1)
        self.assertEqual(self.columns(words + "x", "data.txt"), [])
        self.assertEqual(self.columns("// Generated from isa/spec\n" + words + "x"), [])

    def test_long_lines_of_markdown(self):
        long = "word " * 30
        self.assertEqual(len(self.columns(long, "a.md")), 1)
        self.assertEqual(self.columns(f"| {long} |", "a.md"), [])
        self.assertEqual(self.columns(f"```\n{long}\n```", "a.md"), [])
        self.assertEqual(len(self.columns(f"```\n```\n{long}", "a.md")), 1)
        self.assertEqual(self.columns(f"[text]({'x' * 130})", "a.md"), [])

    def test_repeated_names(self):
        self.assertEqual(
            list(text_rules.repeated_names(["a/CMakeLists.txt", "b/CMakeLists.txt", "a/x.cpp", "b/x.hpp"])), []
        )
        self.assertIn(
            "b/x.cpp: there is a/x.cpp of the same name", list(text_rules.repeated_names(["a/x.cpp", "b/x.cpp"]))[0]
        )

    def test_broken_links(self):
        def links(text):
            return list(text_rules.broken_links("a/b.md", text, {"a/c.md", "d.md"}.__contains__))

        self.assertEqual(links("[x](c.md) [y](../d.md#part) [z](https://example.org) [w](#here) `[v](e.md)`"), [])
        self.assertEqual(links("\n[x](e.md)"), ["a/b.md:2: the link to e.md leads nowhere"])

    def test_named_files(self):
        def named(text):
            return list(text_rules.named_files("a.md", text, ["x/y/z.cpp"]))

        self.assertEqual(named("`y/z.cpp`, `z.cpp`, `y/*.cpp`, `other words.cpp`"), [])
        self.assertEqual(named("`w.cpp`"), ["a.md:1: there is no file w.cpp"])
        self.assertEqual(len(named("`x*/z.cpp`")), 1)


if __name__ == "__main__":
    unittest.main()
