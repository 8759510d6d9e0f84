# SPDX-License-Identifier: Apache-2.0
"""Draws signals over clock cycles as SVG: a line for a bit, boxes with text for a vector, a column per cycle."""
from xml.sax.saxutils import escape

LABEL = 190  # width of the names
ROW = 26
HIGH, LOW = 5, 21  # of a line, from the top of its row
SLANT = 3
STYLE = """
  text { font: 11px 'DejaVu Sans', 'Helvetica', sans-serif; fill: #24292f }
  .title { font-size: 13px; font-weight: bold }
  .group { font-style: italic; fill: #57606a }
  .number { font-size: 9px; fill: #57606a; text-anchor: middle }
  .value { font-size: 10px; text-anchor: middle }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .wave { stroke: #0550ae; stroke-width: 1.5; fill: none }
  .box { stroke: #0550ae; stroke-width: 1.2; fill: #ddf4ff }
  .mark { fill: #fff1c2 }
"""


def bit_path(values, left, top, cell):
    """A line that is high where the value is 1; gaps where there is none."""
    path, previous = "", None
    for i, value in enumerate(values):
        x = left + i * cell
        if value is None:
            previous = None
            continue
        y = top + (HIGH if value else LOW)
        if previous is None:
            path += f"M{x} {y}"
        elif previous != y:
            path += f"H{x - SLANT}L{x + SLANT} {y}"
        path += f"H{x + cell - (SLANT if i + 1 < len(values) and values[i + 1] not in (None, value) else 0)}"
        previous = y
    return f'<path class="wave" d="{path}"/>' if path else ""


def boxes(values, texts, left, top, cell):
    """One box for each stretch of the same value."""
    parts, start = [], 0
    middle = top + (HIGH + LOW) / 2
    for end in range(1, len(values) + 1):
        if end < len(values) and values[end] == values[start]:
            continue
        if values[start] is not None:
            a, b = left + start * cell, left + end * cell
            parts.append(
                f'<path class="box" d="M{a} {middle:g}L{a + SLANT} {top + HIGH}H{b - SLANT}L{b} {middle:g}'
                f'L{b - SLANT} {top + LOW}H{a + SLANT}Z"/>'
            )
            room = int((b - a) / 6)
            text = texts[start] if len(texts[start]) <= room else texts[start][: max(1, room - 1)] + "…"
            parts.append(f'<text class="value" x="{(a + b) / 2:g}" y="{top + 17}">{escape(text)}</text>')
        else:
            a, b = left + start * cell, left + end * cell
            parts.append(f'<path class="grid" d="M{a} {middle:g}H{b}"/>')
        start = end
    return "".join(parts)


def draw(title, rows, first, marks, cell):
    """SVG text. Rows: {"title"} for a heading, or {"label", "vector", "values", "texts"} with one value per cycle;
    `first` is the number of the first cycle; columns whose numbers are in `marks` are shaded."""
    count = len(next(row["values"] for row in rows if "values" in row))
    width, height = LABEL + count * cell + 10, 44 + ROW * len(rows) + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        "<!-- Drawn from a run of the RTL by scripts/waves. Do not edit. -->",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text class="title" x="8" y="18">{escape(title)}</text>',
    ]
    for number in marks:
        out.append(
            f'<rect class="mark" x="{LABEL + (number - first) * cell}" y="40" width="{cell}" height="{height - 46}"/>'
        )
    for i in range(count + 1):
        x = LABEL + i * cell
        out.append(f'<path class="grid" d="M{x} 40V{height - 6}"/>')
        if i < count:
            out.append(f'<text class="number" x="{x + cell / 2:g}" y="36">{first + i}</text>')
    for index, row in enumerate(rows):
        top = 44 + index * ROW
        if "values" not in row:
            out.append(f'<text class="group" x="8" y="{top + 17}">{escape(row["title"])}</text>')
            continue
        out.append(f'<text x="{LABEL - 8}" y="{top + 17}" text-anchor="end">{escape(row["label"])}</text>')
        shape = (
            boxes(row["values"], row["texts"], LABEL, top, cell)
            if row["vector"]
            else bit_path(row["values"], LABEL, top, cell)
        )
        out.append(shape)
    return "\n".join(part for part in out if part) + "\n</svg>\n"
