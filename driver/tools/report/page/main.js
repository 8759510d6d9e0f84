// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom.
function tile(name, value, note, tone) {
  return html("div", {class: "tile"}, html("dt", {}, name),
    html("dd", {class: tone}, value, note ? html("small", {}, note) : null));
}

function delta(now, before) {
  const change = now - before;
  return change === 0 ? `as in ${data.comparison.file}` :
    `${signed(change)} (${change > 0 ? "+" : "\u2212"}${percent(Math.abs(change) / before, 2)}) ` +
    `against ${data.comparison.file}`;
}

function header() {
  const all = run.total, moved = bytes(all);
  return html("header", {}, html("div", {class: "eyebrow"}, "Systole report"), html("h1", {}, run.name),
    html("p", {class: "where"},
      `${run.config} configuration, ${run.dim} \u00d7 ${run.dim} array, bus of ${run.dim} bytes, from ${run.file}`),
    html("dl", {class: "tiles"},
      tile("cycles", count(all.cycles), data.comparison && data.comparison.complete ?
        delta(all.cycles, data.comparison.total.before.cycles) :
        all.estimated !== null ? `${count(all.estimated)} estimated by the compiler` : null),
      tile("utilization", all.utilization === null ? "\u2013" : percent(all.utilization),
        `of ${count(run.dim * run.dim)} MAC per cycle`),
      all.each === null ? null : tile("MACs per cycle", plain(all.each),
        `${percent(all.multipliers)} of all ${count(run.multipliers)} multipliers`),
      tile("multiply-accumulates", short(all.macs), count(all.macs)),
      moved === null ? null : tile("bytes moved", size(moved), `${size(all.read)} read, ${size(all.written)} written`),
      tile("result", run.result.text, run.result.note, verdictTone(run.result.exact))));
}

function lossList(layer) {
  return [html("p", {}, layer.headline),
    layer.losses.length ? html("ul", {}, layer.losses.map((loss) => html("li", {}, loss.sentence,
      html("i", {style: `width:${(100 * loss.share).toFixed(1)}%;background:var(--cause-${loss.cause})`})))) : null,
    layer.because ? html("p", {class: "because"}, layer.because) : null];
}

/** What a layer lost, told on demand. */
function lossDetails(layer) {
  const share = run.total.lost ? layer.lost / run.total.lost : 0;
  return html("details", {},
    html("summary", {title: layer.name},
      html("span", {class: "meter", "aria-hidden": "true"}, html("i", {style: `width:${(100 * share).toFixed(1)}%`})),
      html("h3", {}, layer.label),
      html("span", {class: "soft"}, `${count(layer.lost)} cycles, ${percent(share)} of what was lost`)),
    html("div", {class: "loss"}, lossList(layer)));
}

function lossesSection() {
  if (run.layers.length === 1) {
    return section("losses", "What was lost", null, html("div", {class: "loss"}, lossList(run.layers[0])));
  }
  const most = 8, order = [...run.layers].sort((a, b) => b.lost - a.lost);
  const more = order.slice(most);
  return section("losses", "What was lost", null, html("div", {class: "loss"}, lossList(run.total)),
    html("p", {class: "because"},
      "By layer, the largest loss first: cycles less those that its multiply-accumulates would take a full array."),
    html("div", {class: "loss-list"}, order.slice(0, most).map(lossDetails),
      more.length ? html("details", {},
        html("summary", {},
          `${count(more.length)} more, ${count(more.reduce((sum, layer) => sum + layer.lost, 0))} cycles`),
        more.map(lossDetails)) : null));
}

const sections = [comparisonSection(), layersSection(), hostSection(), lossesSection(), causesSection(),
  rooflineSection(), memorySection()].filter(Boolean);
const links = html("nav", {"aria-label": "Parts of the report"}, sections.map((part) =>
  html("a", {href: "#" + part.id},
    part.id === "comparison" ? "Comparison" : part.querySelector("h2").textContent)));
const top_ = header();
top_.append(links);
document.getElementById("report").append(top_, ...sections);
