// SPDX-License-Identifier: Apache-2.0
// Stacked bars: the cycles of an engine by cause. Related causes share a colour, and one of them is hatched.
const hatched = [null, null, "/", null, "|", null, null, null, "\\", null, null];
const hatchPaths = {
  "/": "M-1,7 L7,-1 M-1,1 L1,-1 M5,7 L7,5",
  "\\": "M-1,-1 L7,7 M-1,5 L1,7 M5,-1 L7,1",
  "|": "M3,-1 L3,7",
};
let patternSets = 0;

/** Fill of each cause, with the patterns that it needs. */
function causeFills() {
  const set = ++patternSets;
  const patterns = [];
  const fills = data.causes.map((name, cause) => {
    if (!hatched[cause]) return `var(--cause-${cause})`;
    const id = `hatch-${set}-${cause}`;
    patterns.push(svg("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse"},
      svg("rect", {width: 6, height: 6, style: `fill:var(--cause-${cause})`}),
      svg("path", {d: hatchPaths[hatched[cause]], style: "stroke:var(--hatch);stroke-width:1.6;fill:none"})));
    return `url(#${id})`;
  });
  return {fills, patterns: svg("defs", {}, patterns)};
}

function causeLegend(rows) {
  const {fills, patterns} = causeFills();
  const items = data.causes.map((name, cause) => {
    const present = rows.some((row) => row.causes[cause] > 0);
    return html("li", {class: present ? null : "absent"},
      svg("svg", {width: 14, height: 14, "aria-hidden": "true"},
        cause === 2 || cause === 4 || cause === 8 ? patterns.cloneNode(true) : null,
        svg("rect", {width: 14, height: 14, rx: 3, style: `fill:${fills[cause]}`})), name);
  });
  return html("ul", {class: "legend", "aria-label": "Causes"}, items);
}

/**
 * Rows {key, group, label, cycles, causes} as bars; a new group, of another key, begins with its name. `scale` is the
 * cycles of a whole width, or 0 when each bar fills it.
 */
function causeBars(width, rows, scale, summary) {
  const {fills, patterns} = causeFills();
  const narrow = width < 560;
  const widest = Math.max(...rows.map((row) => textWidth(row.group, 600)));
  const groupRoom = narrow ? 0 : Math.min(170, Math.ceil(widest) + 16);
  const labelRoom = Math.ceil(Math.max(...rows.map((row) => textWidth(row.label)))) + 10;
  const left = groupRoom + labelRoom;
  const room = width - left - 2;
  const bar = 18, step = 22;
  const parts = [];
  let y = 0;
  const alike = (row) => rows.every((other) => other.key !== row.key || other.cycles === row.cycles);
  rows.forEach((row, index) => {
    const first = index === 0 || rows[index - 1].key !== row.key;
    if (first) {
      if (index > 0) {
        parts.push(svg("line", {class: "grid", x1: 0, x2: width, y1: y + 5.5, y2: y + 5.5}));
        y += 14;
      }
      const name = clipped(row.group, narrow ? width - 100 : groupRoom - 12, 600);
      parts.push(svg("text", {class: "strong", x: 0, y: y + 13}, name,
        name === row.group ? null : svg("title", {}, row.group)));
      if (narrow) {
        if (alike(row)) {
          parts.push(svg("text", {class: "soft", x: width, y: y + 13, "text-anchor": "end"}, count(row.cycles)));
        }
        y += step;
      } else if (alike(row)) {
        parts.push(svg("text", {class: "soft", x: 0, y: y + 30}, count(row.cycles)));
      }
    }
    parts.push(svg("text", {class: "soft", x: groupRoom, y: y + 13}, row.label));
    const length = scale ? room * row.cycles / scale : room;
    let at = left;
    row.causes.forEach((cycles, cause) => {
      if (cycles === 0) return;
      const wide = length * cycles / row.cycles;
      const gap = wide > 3 ? 1 : 0;
      const share = cycles / row.cycles;
      parts.push(svg("rect", {class: "mark segment", x: at.toFixed(2), y,
        width: Math.max(wide - gap, .4).toFixed(2), height: bar, style: `fill:${fills[cause]}`,
        "data-engine": row.label, "data-cause": cause, "data-cycles": cycles,
        "data-tip": `${row.group}, ${row.label}: ${data.causes[cause]}\n` +
          `${percent(share)}, ${count(cycles)} of ${count(row.cycles)} cycles`}));
      const texts = [`${data.causes[cause]} ${percent(share, 0)}`, data.causes[cause], percent(share, 0)];
      const text = texts.find((t) => textWidth(t) + 12 <= wide);
      if (text) {
        parts.push(svg("text", {x: (at + 6).toFixed(1), y: y + 13, "pointer-events": "none", "aria-hidden": "true",
          style: `fill:var(--on-${cause})` +
            (hatched[cause] ? `;paint-order:stroke;stroke:var(--cause-${cause});stroke-width:4px` : "")}, text));
      }
      at += wide;
    });
    y += step;
  });
  if (scale) {
    y += 4;
    for (const tick of steps(scale, narrow ? 3 : 6)) {
      const x = left + room * tick / scale;
      parts.unshift(svg("line", {class: "grid", x1: x, x2: x, y1: 0, y2: y}));
      parts.push(svg("text", {class: "soft", x, y: y + 14,
        "text-anchor": tick === 0 ? "start" : x > width - 24 ? "end" : "middle"}, short(tick)));
    }
    y += 18;
  }
  return svg("svg", {height: y, "aria-label": summary}, patterns, parts);
}

function engineRows(group, layer) {
  return data.engines.map((label, engine) =>
    ({key: layer, group, label, cycles: layer.cycles, causes: layer.causes[engine]}));
}

function causesSection() {
  const rows = run.layers.flatMap((layer) => engineRows(layer.label, layer));
  const most = Math.max(...run.layers.map((layer) => layer.cycles));
  let absolute = false;
  const bars = chart((width) => causeBars(width, rows, absolute ? most : 0,
    "Cycles by cause for each layer and engine. Arrow keys go through the segments."), {id: "causes-chart"});
  const choice = (value, text) => {
    const input = html("input", {type: "radio", name: "scale", checked: value === absolute});
    input.addEventListener("change", () => { absolute = value; bars.redraw(); });
    return html("label", {}, input, text);
  };
  return section("causes", "Where the cycles went",
    "Exactly one cause holds per engine and cycle, so every bar adds up to the cycles of its layer.",
    run.layers.length > 1 ? html("div", {class: "controls"},
      html("fieldset", {"aria-label": "Length of the bars"},
        choice(false, "share of the layer"), choice(true, "cycles"))) : null,
    causeLegend(rows), bars);
}
