// SPDX-License-Identifier: Apache-2.0
// Roofline, both axes logarithmic: how much work a byte does, and how much work a cycle did of what the roof allows.
function rooflineDrawing(width, layers) {
  const dim = run.dim, peak = dim * dim;
  const left = 52, right = 14, top = 26, height = Math.max(300, Math.min(420, width * .5)), bottom = height - 44;
  const points = layers.map((layer) => layer.roofline);
  const low = Math.min(dim, ...points.map((p) => p.intensity)) / 2;
  const high = Math.max(dim, ...points.map((p) => p.intensity)) * 2.5;
  const floor = Math.min(peak / 4, ...points.map((p) => p.achieved)) / 2, ceiling = peak * 1.25;
  const scale = (value, from, to, a, b) => a + (b - a) * Math.log(value / from) / Math.log(to / from);
  const x = (value) => scale(value, low, high, left, width - right);
  const y = (value) => scale(value, floor, ceiling, bottom, top);
  const parts = [], taken = [];
  const ticks = (from, to) => {
    const every = Math.max(1, Math.round(Math.log2(to / from) / 9));
    const list = [];
    for (let power = Math.ceil(Math.log2(from)); 2 ** power <= to; ++power) {
      if (power % every === 0) list.push(2 ** power);
    }
    return list;
  };
  for (const tick of ticks(low, high)) {
    parts.push(svg("line", {class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom}),
      svg("text", {class: "soft", x: x(tick), y: bottom + 17, "text-anchor": "middle"}, plainPower(tick)));
  }
  for (const tick of ticks(floor, ceiling)) {
    parts.push(svg("line", {class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick)}),
      svg("text", {class: "soft", x: left - 8, y: y(tick) + 4, "text-anchor": "end"}, plainPower(tick)));
  }
  const foot = Math.max(low, floor / dim);
  parts.push(svg("path", {d: `M${x(foot)},${y(foot * dim)} L${x(dim)},${y(peak)} L${x(high)},${y(peak)}`,
    style: "stroke:var(--ink);stroke-width:2;fill:none;stroke-linejoin:round"}));
  const slope = Math.atan2(y(peak) - y(foot * dim), x(dim) - x(foot)) * 180 / Math.PI;
  const ramp = `${dim} bytes per cycle`;
  const middle = Math.sqrt(foot * dim);
  if (Math.hypot(x(dim) - x(foot), y(peak) - y(foot * dim)) > textWidth(ramp) + 30) {
    parts.push(svg("text", {class: "soft", "text-anchor": "middle",
      transform: `translate(${x(middle)},${y(middle * dim)}) rotate(${slope}) translate(0,-8)`}, ramp));
  }
  parts.push(
    svg("text", {class: "soft", x: width - right, y: y(peak) - 8, "text-anchor": "end"},
      `array, ${count(peak)} MAC per cycle`),
    svg("text", {class: "soft", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle"},
      (width < 480 ? "MAC" : "multiply-accumulates") + " per byte of the busier direction"),
    svg("text", {class: "soft", x: 0, y: 11}, "multiply-accumulates per cycle"));
  const title = textWidth(`array, ${count(peak)} MAC per cycle`);
  taken.push({x: width - right - title, y: y(peak) - 20, w: title, h: 14});
  const roofAt = (px) =>
    (px < x(dim) ? y(peak) + (x(dim) - px) * (y(foot * dim) - y(peak)) / (x(dim) - x(foot)) : y(peak));
  const onRoof = (a, b, w, h) =>
    Math.max(roofAt(a), roofAt(a + w)) > b - 2 && Math.min(roofAt(a), roofAt(a + w)) < b + h + 2;
  layers.forEach((layer) => {
    const p = layer.roofline, px = x(p.intensity), py = y(p.achieved);
    taken.push({x: px - 7, y: py - 7, w: 14, h: 14});
    parts.push(svg("line",
      {x1: px, x2: px, y1: y(p.attainable), y2: py, style: "stroke:var(--soft);stroke-dasharray:2 3"}));
  });
  layers.forEach((layer) => {
    const p = layer.roofline, px = x(p.intensity), py = y(p.achieved);
    parts.push(svg("circle", {class: "mark point", cx: px, cy: py, r: 6,
      style: "fill:var(--cause-0);stroke:var(--card);stroke-width:2", "data-layer": layer.name,
      "data-tip": `${layer.name}\n${plain(p.intensity)} MAC per byte\n` +
        `${plain(p.achieved)} of ${plain(p.attainable)} attainable MAC per cycle ` +
        `(${percent(p.achieved / p.attainable)})\nroof: ${p.roof}`}));
    const text = clipped(layer.label, 150), w = textWidth(text), h = 14;
    const places = [[px + 10, py - 7], [px + 8, py + 6], [px - 10 - w, py - 7], [px - w / 2, py + 9],
      [px - w / 2, py - 24], [px + 8, py - 22], [px - 8 - w, py + 6], [px - 8 - w, py - 22]];
    const place = places.find(([a, b]) => a >= left && a + w <= width - right + 8 && b + h <= bottom && b >= 14 &&
      !onRoof(a, b, w, h) && taken.every((t) => a + w < t.x || a > t.x + t.w || b + h < t.y || b > t.y + t.h));
    if (place) {
      taken.push({x: place[0], y: place[1], w, h});
      parts.push(svg("text", {x: place[0].toFixed(1), y: (place[1] + 11).toFixed(1), "pointer-events": "none"}, text));
    }
  });
  return svg("svg",
    {height, "aria-label": "Roofline with a point per layer. Arrow keys go through the points."}, parts);
}
const plainPower = (value) => (value >= 1 ? String(value) : "1/" + 1 / value);

function rooflineSection() {
  const with_ = run.layers.filter((layer) => layer.roofline), without = run.layers.filter((layer) => !layer.roofline);
  const why = (layer) => (layer.macs === 0 ? "no multiply-accumulates" : "memory traffic is not in the file");
  const left_out = without.length ? html("p", {class: "because"},
    "Not on it: " + without.map((layer) => `${layer.label} (${why(layer)})`).join(", ") + ".") : null;
  return section("roofline", "Roofline",
    `The array does at most ${count(run.dim * run.dim)} multiply-accumulates per cycle, and the bus moves at most ` +
    `${run.dim} bytes per cycle in each direction at the same time; instruction fetch is part of what is read. ` +
    "A dashed line is what is missing to the roof.",
    with_.length ? chart((width) => rooflineDrawing(width, with_), {id: "roofline-chart"}) : null, left_out);
}
