# SPDX-License-Identifier: Apache-2.0
"""Coverage as a table per block of the RTL, as JSON, and as HTML pages of the annotated source."""
import html
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from coverage_tools import source
from coverage_tools.holes import Hole
from coverage_tools.points import KINDS, Point, executed_lines

STYLE = """body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right}
td:first-child,th:first-child{text-align:left}pre{font:13px monospace}.ran{background:#e3f4e3}.hole{background:#f9d6d5}
.part{background:#fdf1cc}.note{color:#777}a{color:#1a5fb4}"""


@dataclass
class Share:
    covered: int = 0
    all: int = 0

    def add(self, covered: bool) -> None:
        self.covered += covered
        self.all += 1

    def percent(self) -> float | None:
        return 100 * self.covered / self.all if self.all else None

    def text(self) -> str:
        return f"{self.percent():.1f} % of {self.all}" if self.all else "none"


Row = dict[str, Share]


def summary(counts: dict[Point, int], key) -> dict[str, Row]:
    """Line, branch and toggle coverage by `key(file)`, and in total."""
    rows: dict[str, Row] = {}

    def add(file: str, kind: str, covered: bool) -> None:
        for name in (key(file), "total"):
            rows.setdefault(name, {kind: Share() for kind in KINDS})[kind].add(covered)

    for (file, _), ran in executed_lines(counts).items():
        add(file, "line", ran)
    for point, count in counts.items():
        if point.kind != "line":
            add(point.file, point.kind, count > 0)
    return dict(sorted(rows.items(), key=lambda item: (item[0] == "total", item[0])))


def block_of(file: str) -> str:
    return file.split("/")[1]


def table(rows: dict[str, Row]) -> str:
    lines = [f"{'block':<14}" + "".join(f"{kind:>20}" for kind in KINDS)]
    lines += [f"{name:<14}" + "".join(f"{row[kind].text():>20}" for kind in KINDS) for name, row in rows.items()]
    return "\n".join(lines)


def as_json(rows: dict[str, Row]) -> dict:
    return {
        name: {kind: {"covered": share.covered, "points": share.all} for kind, share in row.items()}
        for name, row in rows.items()
    }


def write_json(
    path: Path, rows: dict[str, Row], holes: Iterable[Hole], open_holes: Iterable[Hole], functional: dict
) -> None:
    opened = set(open_holes)
    data = {
        "blocks": as_json(rows),
        "functional": functional,
        "holes": [vars(hole) | {"accepted": hole not in opened} for hole in holes],
    }
    path.write_text(json.dumps(data, indent=1) + "\n")


def _page(title: str, body: str) -> str:
    return (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{title}</title><style>{STYLE}</style>"
        f"<h1>{title}</h1>{body}</html>\n"
    )


def _html_table(rows: dict[str, Row], link) -> str:
    head = "".join(f"<th>{kind}</th>" for kind in KINDS)
    body = "".join(
        f"<tr><td>{link(name)}</td>" + "".join(f"<td>{row[kind].text()}</td>" for kind in KINDS) + "</tr>"
        for name, row in rows.items()
    )
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def write_html(directory: Path, root: Path, counts: dict[Point, int], holes: Iterable[Hole]) -> None:
    """index.html, and a page per file: lines that ran, those that did not, and beside a line what it lacks."""
    directory.mkdir(parents=True, exist_ok=True)
    by_file = summary(counts, lambda file: file)
    ran = executed_lines(counts)
    lacking: dict[tuple[str, int], list[str]] = {}
    for hole in holes:
        name = (
            f"{hole.what}{f'[{hole.detail}]' if hole.detail else ''} never toggles"
            if hole.kind == "toggle"
            else f"never: {hole.detail or 'this block'}"
        )
        lacking.setdefault((hole.file, hole.line), []).append(name)
    for file in (name for name in by_file if name != "total"):
        rows = []
        for number, text in enumerate(source.lines(root / file), 1):
            notes = lacking.get((file, number), [])
            executed = ran.get((file, number))
            style = "hole" if executed is False else "part" if notes else "ran" if executed else ""
            note = f'  <span class=note>{html.escape("; ".join(notes))}</span>' if notes else ""
            rows.append(f'<span id=L{number} class="{style}">{number:4} {html.escape(text)}</span>{note}')
        (directory / _file_page(file)).write_text(
            _page(file, "<p><a href=index.html>all files</a></p><pre>" + "\n".join(rows) + "</pre>")
        )
    body = _html_table(summary(counts, block_of), html.escape)
    body += "<h2>Files</h2>" + _html_table(
        by_file, lambda name: name if name == "total" else f'<a href="{_file_page(name)}">{name}</a>'
    )
    (directory / "index.html").write_text(_page("Coverage of the RTL", body))


def _file_page(file: str) -> str:
    return file.replace("/", ".") + ".html"
