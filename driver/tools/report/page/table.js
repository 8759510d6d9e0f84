// SPDX-License-Identifier: Apache-2.0
// Table of layers; a click on a header sorts by it, another one reverses the order.
const bound = (b) => (b.limits ? `${b.part}, ${percent(b.share, 0)} busy` : `waits; ${b.part} ${percent(b.share, 0)}`);
const columns = [
  {title: "layer", key: (l) => l.name, text: true, show: (l) => l.label},
  {title: "MACs", key: (l) => l.macs, show: (l) => count(l.macs)},
  {title: "cycles", key: (l) => l.cycles, show: (l) => count(l.cycles)},
  {title: "utilization", key: (l) => l.utilization, show: (l) => (l.utilization === null ? "\u2013" :
    [html("span", {class: "meter", "aria-hidden": "true"},
      html("i", {style: `width:${Math.min(100, 100 * l.utilization)}%`})),
    html("span", {class: "figure"}, percent(l.utilization))])},
  {title: "MACs/cycle", key: (l) => l.each, show: (l) => (l.each === null ? "\u2013" : l.each.toFixed(1))},
  {title: "of multipliers", key: (l) => l.multipliers,
    show: (l) => (l.multipliers === null ? "\u2013" : percent(l.multipliers))},
  {title: "read", key: (l) => l.read, show: (l) => (l.read === null ? "\u2013" : size(l.read))},
  {title: "written", key: (l) => l.written, show: (l) => (l.written === null ? "\u2013" : size(l.written))},
  {title: "bound", key: (l) => bound(l.bound), text: true, show: (l) => bound(l.bound)},
];
if (run.layers.some((layer) => layer.window !== null)) {
  columns.push({title: "window", key: (l) => l.window && l.window[0],
    show: (l) => (l.window ? l.window.map(count).join("\u2013") : "")});
}
const verdictTone = (exact) => (exact === null ? null : exact ? "good" : "bad");
const verdictWord = (exact) => (exact === null ? "not compared" : exact ? "\u2713 bit-exact" : "\u2717 DIFFERENT");
if (run.layers.some((layer) => layer.exact !== null)) {
  columns.push({title: "result", key: (l) => verdictWord(l.exact), text: true,
    show: (l) => html("span", {class: verdictTone(l.exact)}, verdictWord(l.exact))});
}
const cells = (layer) => columns.map((column) =>
  html("td", {class: column.text ? "left" : null, title: column.title === "layer" ? layer.name : null},
    column.show(layer)));

function layersSection() {
  const body = html("tbody");
  let order = null;
  const fill = () => {
    const rows = [...run.layers];
    if (order) {
      const {column, rising} = order;
      const sign = rising ? 1 : -1;
      rows.sort((a, b) => {
        const [x, y] = [column.key(a), column.key(b)];
        if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
        return sign * (column.text ? x.localeCompare(y, "en", {numeric: true}) : x - y);
      });
    }
    body.replaceChildren(...rows.map((layer) => html("tr", {}, cells(layer))));
  };
  const heads = columns.map((column) => {
    const button = html("button", {type: "button"}, column.title);
    const head = html("th", {scope: "col", class: column.text ? "left" : null, "aria-sort": "none"}, button);
    button.addEventListener("click", () => {
      order = {column, rising: order && order.column === column ? !order.rising : Boolean(column.text)};
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", order.rising ? "ascending" : "descending");
      fill();
    });
    return head;
  });
  fill();
  const total = run.layers.length > 1 ?
    html("tfoot", {}, html("tr", {}, cells({...run.total, name: "all", label: "all"}))) : null;
  return section("layers", "Layers", null,
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of layers"},
      html("table", {id: "layers-table"}, html("thead", {}, html("tr", {}, heads)), body, total)));
}

function hostSection() {
  if (run.host.length === 0) return null;
  return section("host", "On the host", null,
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Operators on the host"},
      html("table", {}, html("thead", {}, html("tr", {}, ["operator", "why it ran on the host"].map((title) =>
        html("th", {scope: "col", class: "left"}, title)))),
      html("tbody", {}, run.host.map((op) => html("tr", {},
        html("td", {class: "left"}, op.name), html("td", {class: "left"}, op.reason)))))));
}
