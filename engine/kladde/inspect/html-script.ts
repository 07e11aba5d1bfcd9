/**
 * The program of an inspection as a page: the map of pages, its filter, and the list of what it shows.
 *
 *  (1) It asks nothing of anybody: the data is in the element `pages` of the same page.
 *  (2) The map is one slider over the pages shown: arrow keys move, and its value text says what a page is. The list
 *      below it says the same in a table.
 *  (3) Only the part of the map that is in view is drawn, so its size does not matter.
 *
 * Kept as text: it runs in the reader's browser, not here.
 */

export const htmlScript = `
"use strict";
const data = JSON.parse(document.getElementById("pages").textContent);
const map = document.getElementById("map");
const spacer = document.getElementById("spacer");
const canvas = map.querySelector("canvas");
const detail = document.getElementById("detail");
const colouring = document.getElementById("colouring");
const body = document.querySelector("#list tbody");
const more = document.getElementById("more");
const shownCount = document.getElementById("shown");
const boxes = [...document.querySelectorAll("input[data-use]")];
const damagedOnly = document.getElementById("damaged-only");
const count = data.use.length;
const cell = 14, gap = 2, step = cell + gap;
let shown = [], columns = 1, chosen = 0, hovered = -1, listed = 0;

const useOf = (page) => data.uses[data.use.charCodeAt(page) - 48];
const holdsOf = (page) => data.holds[data.hold.charCodeAt(page) - 48];
const ageOf = (page) => (data.epoch[page] < 0 ? -1 : data.now - data.epoch[page]);
const liveShare = (page) =>
  data.content[page] > 0 ? Math.min(1, data.live[page] / data.content[page]) : 0;
const oldest = Math.max(1, data.epoch.reduce((most, epoch) => (epoch < 0 ? most : Math.max(most, data.now - epoch)), 0));

function describe(page) {
  const parts = ["page " + page + ": " + useOf(page)];
  const fault = data.faults[page];
  if (fault !== undefined) parts.push("damaged, " + fault);
  const holds = holdsOf(page);
  if (useOf(page) === "free" || useOf(page) === "quarantined" || useOf(page) === "unknown")
    parts.push("holds " + (holds === "other" ? "bytes without a valid frame" : holds));
  if (data.epoch[page] >= 0) parts.push("epoch " + data.epoch[page]);
  if (ageOf(page) >= 0) parts.push("written " + (ageOf(page) === 1 ? "1 flush" : ageOf(page) + " flushes") + " ago");
  if (data.content[page] >= 0) parts.push(data.content[page] + " bytes of content");
  if (data.live[page] > 0)
    parts.push(data.live[page] + " live (" + Math.round(100 * liveShare(page)) + " %)");
  if (data.users[page] === 1) parts.push("of allocation " + data.first[page]);
  if (data.users[page] > 1)
    parts.push("of " + data.users[page] + " allocations, " + data.first[page] + " to " + data.last[page]);
  return parts.join("; ");
}

function filter() {
  const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.use));
  shown = [];
  for (let page = 0; page < count; page++)
    if (wanted.has(useOf(page)) && (!damagedOnly.checked || data.faults[page] !== undefined)) shown.push(page);
  shownCount.textContent = shown.length + " of " + count + (count === 1 ? " page" : " pages");
  chosen = Math.max(0, Math.min(chosen, shown.length - 1));
  listed = 0;
  body.textContent = "";
  list();
  layOut();
  choose(chosen, false);
}

function list() {
  const end = Math.min(shown.length, listed + 100);
  for (; listed < end; listed++) {
    const page = shown[listed];
    const row = body.insertRow();
    const known = (value) => (value < 0 ? "-" : value);
    const cells = [page, useOf(page), holdsOf(page), known(data.epoch[page]), known(ageOf(page)),
      known(data.content[page]), data.live[page], data.users[page], data.faults[page] ?? ""];
    for (const [i, value] of cells.entries()) {
      const box = row.insertCell();
      box.textContent = value;
      if (typeof value === "number") box.className = "n";
    }
  }
  more.hidden = listed === shown.length;
}

function layOut() {
  columns = Math.max(1, Math.floor((map.clientWidth - gap) / step));
  const height = Math.ceil(shown.length / columns) * step + gap;
  const view = Math.min(height, 384);
  spacer.style.height = Math.max(0, height - view) + "px";
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = view + "px";
  canvas.width = Math.round(map.clientWidth * scale);
  canvas.height = Math.round(view * scale);
  draw();
}

/** Colours as the theme in force has them. */
function colours() {
  const found = {};
  for (const swatch of document.querySelectorAll(".swatch"))
    found[swatch.dataset.colour] = getComputedStyle(swatch).color;
  found.ink = getComputedStyle(document.body).color;
  return found;
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  const pen = canvas.getContext("2d");
  const colour = colours();
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const first = Math.floor(map.scrollTop / step);
  const last = first + Math.ceil(canvas.height / scale / step) + 1;
  for (let i = first * columns; i < Math.min(shown.length, last * columns); i++) {
    const x = gap + (i % columns) * step;
    const y = gap + Math.floor(i / columns) * step - map.scrollTop;
    drawCell(pen, shown[i], x, y, colour);
    if (i !== chosen && i !== hovered) continue;
    pen.strokeStyle = colour.ink;
    pen.lineWidth = 2;
    pen.strokeRect(x - 1, y - 1, cell + 2, cell + 2);
  }
}

function drawCell(pen, page, x, y, colour) {
  const isDamaged = data.faults[page] !== undefined;
  const own = isDamaged ? colour.damaged : colour[useOf(page)];
  const part = partOf(page);
  pen.fillStyle = own;
  pen.globalAlpha = 0.25;
  pen.fillRect(x, y, cell, cell);
  pen.globalAlpha = 1;
  const filled = Math.round(part * cell);
  pen.fillRect(x, y + cell - filled, cell, filled);
  if (!isDamaged) return;
  pen.strokeStyle = colour.ink;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x + 3, y + 3);
  pen.lineTo(x + cell - 3, y + cell - 3);
  pen.moveTo(x + cell - 3, y + 3);
  pen.lineTo(x + 3, y + cell - 3);
  pen.stroke();
}

/** How full a cell is drawn. */
function partOf(page) {
  if (colouring.value === "age") return ageOf(page) < 0 ? 0 : 1 - ageOf(page) / (oldest + 1);
  if (colouring.value === "content") return data.content[page] < 0 ? 0 : Math.min(1, data.content[page] / 4081);
  return useOf(page) === "journal" ? 1 : liveShare(page);
}

function choose(i, scroll) {
  chosen = i;
  const page = shown[i];
  const text = page === undefined ? "no page is shown" : describe(page);
  detail.textContent = text;
  map.setAttribute("aria-valuemin", "0");
  map.setAttribute("aria-valuemax", String(Math.max(0, count - 1)));
  map.setAttribute("aria-valuenow", String(page ?? 0));
  map.setAttribute("aria-valuetext", text);
  if (scroll) {
    const y = Math.floor(i / columns) * step;
    if (y < map.scrollTop) map.scrollTop = y;
    else if (y + step > map.scrollTop + map.clientHeight) map.scrollTop = y + step + gap - map.clientHeight;
  }
  draw();
}

function cellAt(event) {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left - gap / 2) / step);
  const row = Math.floor((event.clientY - box.top - gap / 2 + map.scrollTop) / step);
  const i = row * columns + column;
  return column >= 0 && column < columns && row >= 0 && i < shown.length ? i : -1;
}

canvas.addEventListener("pointermove", (event) => {
  hovered = cellAt(event);
  detail.textContent = describe(shown[hovered] ?? shown[chosen] ?? 0);
  draw();
});
canvas.addEventListener("pointerleave", () => {
  hovered = -1;
  choose(chosen, false);
});
canvas.addEventListener("click", (event) => {
  const i = cellAt(event);
  if (i >= 0) choose(i, false);
});
map.addEventListener("scroll", draw);
map.addEventListener("keydown", (event) => {
  const rows = Math.max(1, Math.floor(map.clientHeight / step));
  const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns,
    PageUp: -columns * rows, PageDown: columns * rows, Home: -count, End: count };
  const move = moves[event.key];
  if (move === undefined || shown.length === 0) return;
  event.preventDefault();
  choose(Math.max(0, Math.min(shown.length - 1, chosen + move)), true);
});
for (const box of [...boxes, damagedOnly]) box.addEventListener("change", filter);
colouring.addEventListener("change", draw);
more.addEventListener("click", list);
new ResizeObserver(layOut).observe(map);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
filter();
`;
