// SPDX-License-Identifier: Apache-2.0
// Elements, numbers, tooltips, and charts that are drawn again when their width changes. Everything shown is a text
// node: a name cannot become markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const run = data.run;

function make(space, name, attributes, children) {
  const node = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}
const html = (name, attributes, ...children) => make(null, name, attributes, children);
const svg = (name, attributes, ...children) => make("http://www.w3.org/2000/svg", name, attributes, children);

const count = (value) => Math.round(value).toLocaleString("en-US");
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";
const signed = (value) => (value > 0 ? "+" : value < 0 ? "\u2212" : "") + count(Math.abs(value));
const plain = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(2));
function short(value) {
  const steps = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
  const step = steps.find(([size]) => value >= size);
  return step ? parseFloat((value / step[0]).toPrecision(3)) + " " + step[1] : String(Math.round(value));
}
const size = (value) => short(value) + (value < 1e3 ? " B" : "B");
const bytes = (layer) => (layer.read === null || layer.written === null ? null : layer.read + layer.written);

const tip = document.getElementById("tip");
function showTip(mark, x, y) {
  tip.textContent = mark.dataset.tip;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(x + 14, document.documentElement.clientWidth - box.width - 8));
  const above = y - box.height - 12;
  tip.style.left = left + "px";
  tip.style.top = (above >= 8 ? above : y + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
let byKeys = false;  // a tooltip that keys have called stays although the page moves under a resting pointer

/** Marks of a drawing (class "mark", data-tip) by pointer, and by arrow keys once the drawing has the focus. */
function explain(drawing) {
  let active = -1;
  const marks = () => drawing.querySelectorAll(".mark");
  const leave = () => {
    drawing.querySelectorAll(".mark.active").forEach((mark) => mark.classList.remove("active"));
    active = -1;
    byKeys = false;
    hideTip();
  };
  drawing.addEventListener("pointermove", (event) => {
    if (byKeys && event.movementX === 0 && event.movementY === 0) return;
    byKeys = false;
    const mark = event.target.closest(".mark");
    if (mark) showTip(mark, event.clientX, event.clientY); else hideTip();
  });
  drawing.addEventListener("pointerleave", () => { if (!byKeys) hideTip(); });
  drawing.addEventListener("blur", leave);
  drawing.addEventListener("keydown", (event) => {
    const all = marks();
    const to = {ArrowRight: active + 1, ArrowDown: active + 1, ArrowLeft: active - 1, ArrowUp: active - 1, Home: 0,
      End: all.length - 1}[event.key];
    if (event.key === "Escape") { leave(); return; }
    if (to === undefined || all.length === 0) return;
    event.preventDefault();
    leave();
    byKeys = true;
    active = Math.max(0, Math.min(to, all.length - 1));
    all[active].classList.add("active");
    all[active].scrollIntoView({block: "nearest", inline: "nearest"});
    const box = all[active].getBoundingClientRect();
    showTip(all[active], box.left + box.width / 2, box.top);
  });
}

/** A place whose drawing `draw(width)` returns, again whenever the width is another. */
function chart(draw, attributes) {
  const place = html("div", {class: "chart", ...attributes});
  let width = 0;
  const update = () => {
    const now = Math.floor(place.clientWidth);
    if (now === 0) return;
    width = now;
    const drawing = draw(width);
    drawing.setAttribute("tabindex", "0");
    drawing.setAttribute("role", "img");
    explain(drawing);
    place.replaceChildren(drawing);
  };
  new ResizeObserver(() => { if (Math.floor(place.clientWidth) !== width) update(); }).observe(place);
  place.redraw = update;
  return place;
}

/** Label that fits into `room` pixels, measured as the page shows it; else nothing. */
const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, weight = 400) {
  ruler.font = `${weight} 12.5px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}
function clipped(text, room, weight) {
  if (textWidth(text, weight) <= room) return text;
  let end = text.length;
  while (end > 1 && textWidth(text.slice(0, end) + "\u2026", weight) > room) --end;
  return text.slice(0, end) + "\u2026";
}

/** About `wanted` round steps from 0 to `most`. */
function steps(most, wanted) {
  const raw = most / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].find((s) => s * power >= raw) * power);
  const list = [];
  for (let at = 0; at <= most; at += step) list.push(at);
  return list;
}

function section(id, title, lead, ...children) {
  return html("section", {id, "aria-labelledby": id + "-title"}, html("h2", {id: id + "-title"}, title),
    lead ? html("p", {class: "soft"}, lead) : null, ...children);
}
