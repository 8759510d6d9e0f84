// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: cycles, utilization and causes of each layer, matched by name.
const tone = (change) => (change < 0 ? "good" : change > 0 ? "bad" : null);
const use = (side) => (side && side.utilization !== null ? percent(side.utilization) : "\u2013");

function changesText(pair, most) {
  return pair.changes.slice(0, most).map(([engine, cause, cycles]) =>
    `${data.engines[engine]} ${data.causes[cause]} ${signed(cycles)}`).join(", ");
}

function pairRow(pair) {
  const {before, after} = pair;
  const change = before && after ? after.cycles - before.cycles : null;
  const word = !before ? "added" : !after ? "removed" : change === 0 ? "same" : null;
  return html("tr", {"data-change": word || change}, html("td", {title: pair.name}, pair.label),
    html("td", {}, before ? count(before.cycles) : "\u2013"), html("td", {}, after ? count(after.cycles) : "\u2013"),
    html("td", {class: tone(change)}, word || signed(change)),
    html("td", {class: tone(change)}, change === null ? "" :
      (change > 0 ? "+" : change < 0 ? "\u2212" : "") + percent(Math.abs(change) / before.cycles, 2)),
    html("td", {}, use(before)), html("td", {}, use(after)), html("td", {class: "left"}, changesText(pair, 2)));
}

function pairDetails(pair) {
  const sides = [["before", pair.before], ["after", pair.after]];
  const rows = data.engines.flatMap((engine, at) => sides.map(([label, side]) =>
    ({key: engine, group: engine, label, cycles: side.cycles, causes: side.causes[at]})));
  const most = Math.max(pair.before.cycles, pair.after.cycles);
  return html("details", {},
    html("summary", {}, html("b", {title: pair.name}, pair.label),
      html("span", {class: "soft"}, changesText(pair, 4) || "no cause changed")),
    chart((width) => causeBars(width, rows, most,
      `Causes of ${pair.name} before and after. Arrow keys go through the segments.`)));
}

function comparisonSection() {
  const comparison = data.comparison;
  if (!comparison) return null;
  const other = comparison.config !== run.config || comparison.dim !== run.dim;
  const titles =
    ["layer", "cycles before", "after", "change", "in %", "utilization before", "after", "largest changes"];
  const both = comparison.layers.filter((pair) => pair.before && pair.after);
  const all = comparison.total && {...comparison.total, label: comparison.complete ? "all" : "all in both"};
  return section("comparison", "Compared with " + comparison.file,
    other ? `Other configurations: ${comparison.config}, ${comparison.dim} \u00d7 ${comparison.dim} before; ` +
      `${run.config}, ${run.dim} \u00d7 ${run.dim} now.` : null,
    html("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of changes"},
      html("table", {id: "comparison-table"},
        html("thead", {}, html("tr", {}, titles.map((title) =>
          html("th", {scope: "col", class: title === "largest changes" ? "plain left" : "plain"}, title)))),
        html("tbody", {}, comparison.layers.map(pairRow)),
        all && comparison.layers.length > 1 ? html("tfoot", {}, pairRow(all)) : null)),
    both.length ? [html("h3", {class: "spaced"}, "Causes before and after"),
      causeLegend(both.flatMap((pair) => [pair.before, pair.after])
        .flatMap((side) => side.causes.map((causes) => ({causes})))),
      both.map(pairDetails)] : null);
}
