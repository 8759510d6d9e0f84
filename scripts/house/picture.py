# SPDX-License-Identifier: Apache-2.0
"""The rooms and their dependencies as a drawing (SVG), derived from the includes of the files. A room is one row above
the highest that it includes from. Arrows that follow from others are omitted."""
from html import escape

WIDTH, HEIGHT, GAP, ROW = 148, 44, 16, 92
GROUPS = {
    "sim/": "#dce9f9",
    "compile": "#e3f3dc",
    "lowering/": "#e3f3dc",
    "runtime/": "#fdf0d0",
    "tools/": "#f3e3f5",
    "models/": "#f3e3f5",
    "driver/": "#fdf0d0",
}


def reach(arrows):
    """The rooms that each room includes from, directly or indirectly."""
    below = {}
    for here, there in arrows:
        below.setdefault(here, set()).add(there)

    def all_below(name):
        return set().union(*({there} | all_below(there) for there in below.get(name, ())))

    return {name: all_below(name) for name in below}


def reduced(arrows):
    """The transitive reduction: arrows that do not follow from others."""
    below = reach(arrows)
    return sorted(
        (here, there)
        for here, there in arrows
        if not any(there in below.get(other, ()) for start, other in arrows if start == here and other != there)
    )


def levels(rooms, arrows):
    """The row of each room, counted from the bottom."""
    level = {}
    for room in rooms:
        level[room.name] = 1 + max((level[there] for here, there in arrows if here == room.name), default=-1)
    return level


def routes(level, arrows):
    """Each arrow as the nodes it passes, one per row: rooms at its ends, (from, to, row) between them."""
    return [
        [here] + [(here, there, at) for at in range(level[here] - 1, level[there], -1)] + [there]
        for here, there in arrows
    ]


def rows(rooms, level, paths):
    """All nodes in rows, lowest first, each near its neighbours above and below."""
    grid = [[room.name for room in rooms if level[room.name] == at] for at in range(max(level.values()) + 1)]
    near = {}
    for path in paths:
        for place in path[1:-1]:
            grid[place[2]].append(place)
        for one, other in zip(path, path[1:]):
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    for turn in range(24):
        for row in grid if turn % 2 else reversed(grid):
            x = {place: left + width / 2 for r in grid for place, left, width in laid_out(r)}
            row.sort(
                key=lambda place: (
                    round(sum(x[n] for n in near.get(place, [place])) / len(near.get(place, [place])), 6),
                    str(place),
                )
            )
    return grid


def laid_out(row):
    """The left edge, relative to the middle of the drawing, and the width of each node of a row."""
    widths = [WIDTH if isinstance(place, str) else 0 for place in row]
    left = -(sum(widths) + GAP * (len(row) - 1)) / 2
    for place, width in zip(row, widths):
        yield place, left, width
        left += width + GAP


def curve(points):
    """A curve through the points from top to bottom, vertical at each."""
    (x, y), text = points[0], f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for u, v in points[1:]:
        bend = (v - y) / 2
        text += f"C{x:.0f} {y + bend:.0f} {u:.0f} {v - bend:.0f} {u:.0f} {v:.0f}"
        x, y = u, v
    return text


def svg(rooms, arrows):
    arrows = reduced(arrows)
    level = levels(rooms, arrows)
    paths = routes(level, arrows)
    grid = rows(rooms, level, paths)
    across = max(-2 * min(left for _, left, _ in laid_out(row)) for row in grid) + 2 * GAP
    down = len(grid) * ROW + GAP
    corner = {
        place: (across / 2 + left, down - (at + 1) * ROW + GAP)
        for at, row in enumerate(grid)
        for place, left, _ in laid_out(row)
    }
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:.0f} {down:.0f}" '
        'font-family="sans-serif" font-size="13">',
        "<title>Rooms of the source and what they include from</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{across:.0f}" height="{down:.0f}" fill="white"/>',
    ]
    for path in paths:
        points = []
        for place in path:
            x, y = corner[place]
            if place == path[0]:
                points.append((x + WIDTH / 2, y + HEIGHT))
            elif place == path[-1]:
                points.append((x + WIDTH / 2, y))
            else:
                points += [(x, y), (x, y + HEIGHT)]
        out.append(
            f'<path d="{curve(points)}" fill="none" stroke="#777" marker-end="url(#tip)">'
            f"<title>{escape(path[0])} includes from {escape(path[-1])}</title></path>"
        )
    for room in rooms:
        x, y = corner[room.name]
        fill = next((colour for start, colour in GROUPS.items() if room.name.startswith(start)), "#eeeeee")
        out.append(
            f"<g><title>{escape(room.purpose)}</title>"
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
            f'fill="{fill}" stroke="#555"/>'
            f'<text x="{x + WIDTH / 2:.0f}" y="{y + HEIGHT / 2 + 5:.0f}" text-anchor="middle">'
            f"{escape(room.name)}</text></g>"
        )
    return "\n".join(out + ["</svg>", ""])
