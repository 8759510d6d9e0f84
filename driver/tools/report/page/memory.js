// SPDX-License-Identifier: Apache-2.0
// Memory plan: which rows of each memory held what, over the cycles of a run.
function planDrawing(width, {name, plan}) {
  const narrow = width < 560;
  const left = narrow ? 54 : 132, right = 12, room = width - left - right;
  const heights = [200, 110, 60, 90];
  const x = (cycle) => left + room * cycle / plan.cycles;
  const parts = [];
  let top = narrow ? 20 : 6;
  const bottoms = [];
  data.memories.forEach((name, memory) => {
    const rows = plan.rows[memory], height = heights[memory];
    const y = (row) => top + height * row / rows;
    parts.push(svg("rect", {x: left, y: top, width: room, height, style: "fill:var(--track)"}));
    if (narrow) {
      parts.push(svg("text", {class: "strong", x: left, y: top - 6}, name));
    } else {
      parts.push(svg("text", {class: "strong", x: 0, y: top + 12}, name),
        svg("text", {class: "soft", x: 0, y: top + 29}, `${count(rows)} rows`));
    }
    parts.push(svg("text", {class: "soft", x: left - 6, y: top + 10, "text-anchor": "end"}, "0"),
      svg("text", {class: "soft", x: left - 6, y: top + height, "text-anchor": "end"}, count(rows)));
    for (const [m, operand, row, end, from, until, instruction, writers] of plan.rectangles) {
      if (m !== memory) continue;
      const wide = x(until) - x(from), high = y(end) - y(row);
      parts.push(svg("rect", {class: "mark rectangle", x: x(from).toFixed(2), y: y(row).toFixed(2),
        width: Math.max(.6, wide - (wide > 4 ? .6 : 0)).toFixed(2),
        height: Math.max(.6, high - (high > 4 ? .6 : 0)).toFixed(2), style: `fill:var(--operand-${operand})`,
        "data-tip": `${data.operands[operand]} in ${name} rows ${count(row)} to ${count(end - 1)}\n` +
          `cycles ${count(from)} to ${count(until - 1)}\n` +
          (writers > 1 ? `${count(writers)} writers, the first is instruction ${instruction}` :
            `written by instruction ${instruction}`)}));
    }
    top += height;
    bottoms.push(top);
    top += narrow ? 34 : 18;
  });
  const bottom = bottoms[bottoms.length - 1];
  for (const tick of steps(plan.cycles, narrow ? 3 : 7)) {
    parts.push(svg("line", {class: "axis", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 5}),
      svg("text", {class: "soft", x: x(tick), y: bottom + 19, "text-anchor": "middle"}, short(tick)));
  }
  parts.push(svg("text", {class: "soft", x: left + room, y: bottom + 36, "text-anchor": "end"}, "cycles"));
  return svg("svg",
    {height: bottom + 40, "aria-label": `Memory plan of ${name}. Arrow keys go through the rectangles.`}, parts);
}

function memorySection() {
  const plans = run.plans;
  const lead = "Rows are occupied from the cycle in which an engine takes the instruction that writes them " +
    "until the last one that reads them has retired.";
  if (plans.length === 0) {
    return section("memory", "Memory plan",
      "The run has none. The program systole records it with --memory-plan beside --json.");
  }
  let shown = plans.reduce((a, b) => (b.plan.cycles > a.plan.cycles ? b : a));
  const drawing = chart((width) => planDrawing(width, shown), {id: "memory-chart"});
  const note = html("p", {class: "because", "aria-live": "polite"});
  const tell = () => {
    note.textContent = shown.plan.merged > 0 ?
      `Rectangles whose ends differ by up to ${count(shown.plan.merged)} cycles are drawn as one.` : "";
  };
  tell();
  const select = html("select", {}, plans.map((plan, at) =>
    html("option", {value: at, selected: plan === shown}, plan.name)));
  select.addEventListener("change", () => { shown = plans[Number(select.value)]; drawing.redraw(); tell(); });
  return section("memory", "Memory plan", lead,
    plans.length > 1 ? html("div", {class: "controls"}, html("label", {}, "run of ", select)) : null,
    html("ul", {class: "legend", "aria-label": "Operands"}, data.operands.map((name, operand) => html("li", {},
      svg("svg", {width: 14, height: 14, "aria-hidden": "true"},
        svg("rect", {width: 14, height: 14, rx: 3, style: `fill:var(--operand-${operand})`})), name))),
    drawing, note);
}
