// SPDX-License-Identifier: Apache-2.0
// The page from top to bottom.
function tile(name, value, note, tone) {
  return html("div", {class: "tile"}, html("dt", {}, name), html("dd", {class: tone}, value, note ? html("small", {}, note) : null));
}

function delta(now, before) {
  const change = now - before;
  return change === 0 ? `as in ${data.comparison.file}` : `${signed(change)} (${change > 0 ? "+" : "\u2212"}${percent(Math.abs(change) / before, 2)}) against ${data.comparison.file}`;
}

function header() {
  const all = run.total, moved = bytes(all);
  const wrong = run.layers.filter((layer) => !layer.exact).length;
  return html("header", {}, html("div", {class: "eyebrow"}, "Systole report"), html("h1", {}, run.name),
    html("p", {class: "where"}, `${run.config} configuration, ${run.dim} \u00d7 ${run.dim} array, bus of ${run.dim} bytes, from ${run.file}`),
    html("dl", {class: "tiles"},
      tile("cycles", count(all.cycles), data.comparison && data.comparison.complete ? delta(all.cycles, data.comparison.total.before.cycles) :
        all.estimated !== null ? `${count(all.estimated)} estimated by the compiler` : null),
      tile("utilization", all.utilization === null ? "\u2013" : percent(all.utilization), `of ${count(run.dim * run.dim)} MAC per cycle`),
      tile("multiply-accumulates", short(all.macs), count(all.macs)),
      moved === null ? null : tile("bytes moved", short(moved) + "B", `${short(all.read)}B read, ${short(all.written)}B written`),
      tile("result", wrong ? `${wrong} DIFFERENT` : "bit-exact", wrong ? `of ${run.layers.length}, from the golden model` : "with the golden model", wrong ? "bad" : "good")));
}

function lossesSection() {
  return section("losses", "What was lost", null, html("div", {class: "loss-list"}, run.layers.map((layer) => html("div", {class: "loss"},
    html("h3", {}, layer.name), html("p", {}, layer.headline),
    layer.losses.length ? html("ul", {}, layer.losses.map((loss) => html("li", {}, loss.sentence, html("i", {style: `width:${(100 * loss.share).toFixed(1)}%;background:var(--cause-${loss.cause})`})))) : null,
    layer.because ? html("p", {class: "because"}, layer.because) : null))));
}

const sections = [comparisonSection(), layersSection(), lossesSection(), causesSection(), rooflineSection(), memorySection()].filter(Boolean);
const links = html("nav", {"aria-label": "Parts of the report"}, sections.map((part) => html("a", {href: "#" + part.id}, part.id === "comparison" ?
  "Comparison" : part.querySelector("h2").textContent)));
const top_ = header();
top_.append(links);
document.getElementById("report").append(top_, ...sections);
