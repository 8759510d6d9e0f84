# SPDX-License-Identifier: Apache-2.0
"""The rooms of the source (rooms.toml), their includes, and violations."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = "include/systole/"


@dataclass
class Room:
    name: str
    purpose: str
    includes: list
    folder: str = ""
    headers: list = field(default_factory=list)


def read(path=Path(__file__).resolve().parent / "rooms.toml"):
    rooms = tomllib.loads(path.read_text())["room"]
    return [
        Room(room["name"], room["for"], room["includes"], room.get("folder", ""), room.get("headers", []))
        for room in rooms
    ]


def sources(root=ROOT, rooms=None):
    """Path, relative to the root, and text of each C++ file of the rooms and of each public header."""
    folders = ["include/systole"] + [room.folder for room in rooms or read() if room.folder]
    found = {path for folder in folders for pattern in ("*.hpp", "*.cpp") for path in (root / folder).rglob(pattern)}
    return {str(path.relative_to(root)): path.read_text() for path in sorted(found)}


def owner_of(rooms, path):
    """The room of a file: by its folder, or, for a public header, by its name."""
    if path.startswith(PUBLIC):
        name = path.removeprefix(PUBLIC).removesuffix(".hpp")
        owners = [room for room in rooms if name in room.headers] or [
            room for room in rooms if f"{Path(name).parent}/*" in room.headers
        ]
    else:
        owners = sorted(
            (room for room in rooms if room.folder and path.startswith(room.folder + "/")),
            key=lambda room: -len(room.folder),
        )[:1]
    return owners[0] if len(owners) == 1 else None


def arrows(rooms, files):
    """The includes between rooms: {(from, to): [(file, header), ...]}."""
    private = {Path(path).name: path for path in files if path.endswith(".hpp") and not path.startswith(PUBLIC)}
    found = {}
    for path, text in files.items():
        here = owner_of(rooms, path)
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            target = "include/" + name if name.startswith("systole/") else private.get(name)
            there = owner_of(rooms, target) if target else None
            if here and there and here != there:
                found.setdefault((here.name, there.name), []).append((path, name))
    return found


def complaints(rooms, files):
    order = {room.name: place for place, room in enumerate(rooms)}
    for room in rooms:
        for name in room.includes:
            if order.get(name, len(rooms)) >= order[room.name]:
                yield f"rooms.toml: {room.name} may include from {name}, which is not a room above it"
    for path in files:
        if owner_of(rooms, path) is None:
            yield f"{path}: belongs to no room, or to several; name it in scripts/house/rooms.toml"
    seen = arrows(rooms, files)
    by_name = {room.name: room for room in rooms}
    for (here, there), places in seen.items():
        if there not in by_name[here].includes:
            for path, name in places:
                yield f'{path}: includes "{name}" of {there}, which {here} must not know (scripts/house/rooms.toml)'
    for room in rooms:
        for name in room.includes:
            if (room.name, name) not in seen and name in order:
                yield f"rooms.toml: {room.name} may include from {name} but does not"
