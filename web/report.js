// SPDX-License-Identifier: MIT
// Shows the data of a report ("fewedits.report/3", docs/formats.md). Text from files becomes text nodes
// only, never markup.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
/// The first explanation; a page may be about rules alone.
const main = data.explanations[0];
const isProven = (e) => e.distance_meaning === "proven edits";
const certified = Boolean(main) && isProven(main);
const molecules = data.kind === "molecule";
const words = molecules
  ? {graph: "molecule", graphs: "molecules", nodes: "atoms", edges: "bonds"}
  : {graph: "graph", graphs: "graphs", nodes: "nodes", edges: "edges"};

// ---- Small tools

const byId = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
/// Adds what there is: null and undefined stand for nothing.
const add = (element, ...children) => fill(element, {}, children);
const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const count = (n) => Number(n).toLocaleString("en-US");
// Figures: the rules of src/fewedits/explanation/figures.cpp, word for word, and compared with them by
// the browser test. What is proven is never rounded up, what is not excluded never down.
const figures = {
  atLeast: (share) => `${(Math.floor(share * 1e4 + 1e-7) / 1e2).toFixed(2)} %`,
  atMost: (share) => `${(Math.ceil(share * 1e4 - 1e-7) / 1e2).toFixed(2)} %`,
  atMostOf: (share, proven) => (share <= proven ? figures.atLeast(proven) : figures.atMost(share)),
  coverage: (proven, possible) => figures.atLeast(proven) +
    (possible <= proven ? " proven; these graphs cover no others" : ` proven (at most ${figures.atMost(possible)})`),
  cost: (x) => (x === null || x === undefined ? "not known" : (Math.floor(x * 1e4 + 0.5) / 1e4).toFixed(4)),
  bound: (x) => (x < 1 && x !== null ? `at most ${figures.cost(x)}` : "unknown yet"),
  probability: (x) => (Math.floor(x * 1e4 + 1e-7) / 1e4).toFixed(4),
  theta: (x) => String(Number(x.toPrecision(6))),
};
const {atLeast, atMost, cost} = figures;
/// Of an explanation that was ended early, nobody may have looked for the cheapest edits.
const costsAreBounds = (e) => e.costs_are_bounds || (!e.complete && e.metrics.coverage_upper !== undefined);
const costOf = (e, x) => (costsAreBounds(e) ? figures.bound(x) : cost(x));
const thetaText = figures.theta;
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;
const fileName = (path) => path.split("/").pop() || path;
const distanceName = (name) => ({certified: "certified", greed: "GREED"})[name] || name;

function duration(seconds) {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function download(name, type, text) {
  const link = h("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/// The picture as it is on light paper, for use outside this page.
function svgText(svg) {
  const copy = svg.cloneNode(true);
  const from = [svg, ...svg.querySelectorAll("*")];
  const to = [copy, ...copy.querySelectorAll("*")];
  const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
    "stroke-opacity", "fill-opacity", "font", "text-anchor", "dominant-baseline", "paint-order"];
  showTheme("light");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of kept) to[i].style.setProperty(name, style.getPropertyValue(name));
  });
  showTheme();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  for (const cursor of copy.querySelectorAll(".cursor")) cursor.remove();
  return new XMLSerializer().serializeToString(copy);
}

/// The same with the key under the chart.
function chartText(svg, series) {
  const key = s("g", {}, ...series.map((line, i) => s("g", {transform: `translate(${plot.left} ${plot.height + 14 + 18 * i})`},
    ...keySign(i, 0), s("text", {x: 42, y: 4}, line.name))));
  const box = svg.getAttribute("viewBox");
  svg.append(key);
  svg.setAttribute("viewBox", `0 0 ${plot.width} ${plot.height + 18 * series.length + 8}`);
  const text = svgText(svg);
  svg.setAttribute("viewBox", box);
  key.remove();
  return text;
}

// A text that a spreadsheet would take for a formula gets an apostrophe, which makes it a text there: the rule of
// src/fewedits/formats/csv_cell.cpp, and compared with it by the browser test.
const csvCell = (value) => {
  let text = value === null || value === undefined ? "" : String(value);
  const isNumber = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  if (!isNumber && /^[=+\-@＝＋－＠\t\r\n]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csvText = (rows) => rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";

// ---- Theme

const themes = ["auto", "light", "dark"];
const darkPaper = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";
try { theme = localStorage.getItem("fewedits-theme") || "auto"; } catch { /* a file may have no storage */ }
if (!themes.includes(theme)) theme = "auto";

function showTheme(forced) {
  const shown = forced || (theme === "auto" ? (darkPaper.matches ? "dark" : "light") : theme);
  document.documentElement.dataset.theme = shown;
  byId("theme").textContent = {auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark"}[theme];
  byId("theme").setAttribute("aria-label", `Theme: ${theme}; change`);
}
byId("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  try { localStorage.setItem("fewedits-theme", theme); } catch { /* as above */ }
  showTheme();
});
darkPaper.addEventListener("change", () => showTheme());
addEventListener("beforeprint", () => showTheme("light"));
addEventListener("afterprint", () => showTheme());

function colourLabels() {
  const rules = (shade) => data.labels.map((label, i) => `--l${i}:${label[shade]}`).join(";");
  document.head.append(h("style", {},
    `:root{${rules("light")}}:root[data-theme="dark"]{${rules("dark")}}`));
}

// ---- Graphs as pictures

const opKinds = ["relabelled", "relabelled", "removed", "removed", "added", "added"];
const glyphs = {relabelled: "◎", removed: "×", added: "+"};
const [kRelabelNode, kRelabelEdge, kDeleteEdge, kDeleteNode, kInsertNode, kInsertEdge] =
  [0, 1, 2, 3, 4, 5];
const edgeKey = (u, v) => (u < v ? `${u}-${v}` : `${v}-${u}`);

/// What the steps of a script, which has a map and ops, do to the nodes and edges on either side.
function marksOf(pair, input, target) {
  const left = {nodes: new Map(), edges: new Map()};
  const right = {nodes: new Map(), edges: new Map()};
  pair.ops.forEach(([kind, u, v], step) => {
    const mark = {type: opKinds[kind], step};
    const image = (node) => pair.map[node];
    if (kind === kRelabelNode) {
      mark.text = `${data.labels[input.labels[u]].short}→${data.labels[target.labels[image(u)]].short}`;
      left.nodes.set(u, mark);
      right.nodes.set(image(u), mark);
    } else if (kind === kDeleteNode) left.nodes.set(u, mark);
    else if (kind === kInsertNode) right.nodes.set(image(u), mark);
    else if (kind === kDeleteEdge) left.edges.set(edgeKey(u, v), mark);
    else if (kind === kInsertEdge) right.edges.set(edgeKey(image(u), image(v)), mark);
    else if (kind === kRelabelEdge) {
      left.edges.set(edgeKey(u, v), mark);
      right.edges.set(edgeKey(image(u), image(v)), mark);
    }
  });
  return {left, right};
}

/// `least`: tiny graphs are not blown up to fill the frame.
function boxOf(lists, least = 110) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const xy of lists) {
    for (let i = 0; i < xy.length; i += 2) {
      x0 = Math.min(x0, xy[i]); x1 = Math.max(x1, xy[i]);
      y0 = Math.min(y0, xy[i + 1]); y1 = Math.max(y1, xy[i + 1]);
    }
  }
  const margin = 26;
  const grow = (low, high) => Math.max(0, least - (high - low)) / 2 + margin;
  const [gx, gy] = [grow(x0, x1), grow(y0, y1)];
  return [x0 - gx, y0 - gy, x1 - x0 + 2 * gx, y1 - y0 + 2 * gy];
}

const bondOrder = (graph, edge) => (graph.orders ? graph.orders[edge] || 1 : ownBondOrder(graph, edge));
const ownBondOrder = (graph, edge) =>
  (graph.bonds && data.bonds.length ? data.bonds[graph.bonds[edge]] || 1 : 1);

const hasBondOrders = (graph) => Boolean(graph.bonds && data.bonds.length);

/// The counterfactual with the orders of those bonds that stay, if it has none of its own.
function withCarriedOrders(pair, input, target) {
  if (!hasBondOrders(input) || hasBondOrders(target)) return target;
  const orders = new Map();
  for (let e = 0; e < input.bonds.length; ++e) {
    const [u, v] = [pair.map[input.edges[2 * e]], pair.map[input.edges[2 * e + 1]]];
    if (u >= 0 && v >= 0) orders.set(edgeKey(u, v), ownBondOrder(input, e));
  }
  const carried = [];
  for (let e = 0; e < target.edges.length; e += 2) carried.push(orders.get(edgeKey(target.edges[e], target.edges[e + 1])) || 1);
  return {...target, orders: carried};
}

/// By edge: the middle of the smallest ring of at most eight nodes that it lies on; for aromatic edges of one of
/// aromatic edges alone, if there is any. src/fewedits/report/ring_middles.cpp does the same.
function ringMiddles(graph, xy, orders) {
  const near = graph.labels.map(() => []);
  orders.forEach((order, e) => {
    const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
    near[u].push([v, order === 4]);
    near[v].push([u, order === 4]);
  });
  const middle = (from, to, aromaticOnly) => {
    const came = new Map([[from, from]]);
    let reached = [from];
    for (let size = 2; size <= 8 && reached.length && !came.has(to); ++size) {
      const next = [];
      for (const v of reached) {
        for (const [w, aromatic] of near[v]) {
          if (came.has(w) || (v === from && w === to) || (aromaticOnly && !aromatic)) continue;
          came.set(w, v);
          next.push(w);
        }
      }
      reached = next;
    }
    if (!came.has(to)) return null;
    const way = [to];
    while (way.at(-1) !== from) way.push(came.get(way.at(-1)));
    const mean = (i) => way.reduce((sum, v) => sum + xy[2 * v + i], 0) / way.length;
    return [mean(0), mean(1)];
  };
  return orders.map((order, e) => {
    if (order !== 2 && order !== 4) return null;
    const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
    return (order === 4 && middle(u, v, true)) || middle(u, v, false);
  });
}

/// Parallel lines between two points; of an aromatic bond one is broken. In a ring the second one lies inside.
function bondLines(x1, y1, x2, y2, order, ring) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [nx, ny] = [-(y2 - y1) / length, (x2 - x1) / length];
  const line = (d, broken, shorter = 0) => {
    const [dx, dy] = [shorter * (x2 - x1), shorter * (y2 - y1)];
    return s("line", {class: `bond${molecules ? "" : " generic"}${broken ? " aromatic" : ""}`,
      x1: x1 + d * nx + dx, y1: y1 + d * ny + dy, x2: x2 + d * nx - dx, y2: y2 + d * ny - dy});
  };
  if (ring) {
    const side = nx * (ring[0] - x1) + ny * (ring[1] - y1) > 0 ? 4.6 : -4.6;
    return [line(0), line(side, order === 4, .14)];
  }
  const at = {1: [0], 2: [-2.6, 2.6], 3: [-4, 0, 4], 4: [-2.6, 2.6]}[order] || [0];
  return at.map((d, i) => line(d, order === 4 && i === 1));
}

function badge(type, x, y) {
  const r = 3.2;
  if (type === "removed") return s("path", {class: "badge", d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`});
  return s("path", {class: "badge", d: `M${x - r - .6} ${y}h${2 * r + 1.2}M${x} ${y - r - .6}v${2 * r + 1.2}`});
}

function markGroup(mark, what) {
  if (!mark) return s("g", {"data-part": what});
  return s("g", {class: `mark ${mark.type}`, "data-part": what, "data-step": mark.step});
}

function drawEdge(graph, xy, e, mark, order, ring) {
  const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
  const [x1, y1, x2, y2] = [xy[2 * u], xy[2 * u + 1], xy[2 * v], xy[2 * v + 1]];
  const group = markGroup(mark, `edge ${edgeKey(u, v)}`);
  if (mark) group.append(s("line", {class: "halo", x1, y1, x2, y2}));
  group.append(...bondLines(x1, y1, x2, y2, order, ring));
  if (mark && mark.type === "added" && molecules && !hasBondOrders(graph)) group.classList.add("thick");
  return group;
}

/// As it is drawn. Where bonds have no orders, an added edge is a double line; an added bond would pass for a double bond
/// and is a thick one.
function drawnOrder(graph, e, mark) {
  if (mark && mark.type === "added" && !hasBondOrders(graph)) return molecules ? 1 : 2;
  return bondOrder(graph, e);
}

/// Over everything else, so that atoms do not hide them.
function edgeBadge(graph, xy, e, mark) {
  const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
  const group = s("g", {class: `mark ${mark.type}`, "data-step": mark.step});
  group.append(badge(mark.type, (xy[2 * u] + xy[2 * v]) / 2, (xy[2 * u + 1] + xy[2 * v + 1]) / 2));
  return group;
}

// As src/fewedits/report/label_style.cpp has it.
const superscript = (charge) => (charge === 0 ? "" : (Math.abs(charge) > 1 ? String(Math.abs(charge)).replace(/./g,
  (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]) : "") + (charge > 0 ? "⁺" : "⁻"));

/// What a node shows: its label and, in molecules whose labels tell no charges, what its bonds tell.
function nodeText(graph, v) {
  const charge = (graph.charges || []).find(([node]) => node === v);
  return data.labels[graph.labels[v]].short + superscript(charge ? charge[1] : 0);
}

/// How far the other nodes, and the middles of all edges, are from a place beside a node.
function roomAt(graph, xy, v, x, y) {
  let room = Infinity;
  for (let w = 0; w < graph.labels.length; ++w) {
    if (w !== v) room = Math.min(room, Math.hypot(x - xy[2 * w], y - xy[2 * w + 1]));
  }
  for (let e = 0; e < graph.edges.length; e += 2) {
    const [a, b] = [2 * graph.edges[e], 2 * graph.edges[e + 1]];
    room = Math.min(room, Math.hypot(x - (xy[a] + xy[b]) / 2, y - (xy[a + 1] + xy[b + 1]) / 2));
  }
  return room;
}

/// `lettered`: carbon, too, has its letter.
function drawNode(graph, xy, v, degree, mark, lettered) {
  const [cx, cy] = [xy[2 * v], xy[2 * v + 1]];
  const label = data.labels[graph.labels[v]];
  const text = nodeText(graph, v);
  const group = markGroup(mark, `node ${v}`);
  group.append(s("title", {}, text ? `${label.name} (${v})` : `node ${v}`));
  const bare = molecules && text === "C" && degree > 0 && !mark && !lettered;
  const radius = molecules ? (text.length > 1 ? 10 : 8) : text ? 9.5 : 7;
  const colour = `fill:var(--l${graph.labels[v]})`;
  if (mark) group.append(s("circle", {class: "halo", cx, cy, r: radius + 6}));
  if (bare) {
    group.append(s("circle", {cx, cy, r: 7, fill: "transparent"}));
  } else if (molecules) {
    group.append(s("circle", {class: "paper", cx, cy, r: radius, "fill-opacity": mark ? .7 : 1}),
      s("text", {x: cx, y: cy, style: colour}, text));
  } else {
    group.append(s("circle", {class: "disc", cx, cy, r: radius, style: colour}),
      s("text", {x: cx, y: cy}, text));
  }
  if (!mark) return group;
  group.append(s("circle", {class: "ring", cx, cy, r: radius + 3.5}));
  if (mark.type === "added") group.append(s("circle", {class: "ring", cx, cy, r: radius + 6.5}));
  if (mark.type === "relabelled") {
    // Where it hides least: above, or below.
    const [above, below] = [cy - radius - 10, cy + radius + 10];
    const isFree = roomAt(graph, xy, v, cx, above) >= Math.min(18, roomAt(graph, xy, v, cx, below));
    group.append(s("text", {class: "tag", x: cx, y: isFree ? above : below}, mark.text));
  } else if (mark.type !== "found") group.append(badge(mark.type, cx + radius + 4, cy - radius - 4));
  return group;
}

function drawGraph(graph, xy, options = {}) {
  const marks = options.marks || {nodes: new Map(), edges: new Map()};
  const n = graph.labels.length;
  const m = graph.edges.length / 2;
  const degree = new Array(n).fill(0);
  for (const v of graph.edges) ++degree[v];
  const svg = s("svg", {class: "graph", role: "img", "aria-label": options.label,
    viewBox: (options.box || boxOf([xy])).join(" "), "data-nodes": n, "data-edges": m});
  const badges = [];
  const markOf = (e) => marks.edges.get(edgeKey(graph.edges[2 * e], graph.edges[2 * e + 1]));
  const orders = Array.from({length: m}, (_, e) => drawnOrder(graph, e, markOf(e)));
  const rings = molecules ? ringMiddles(graph, xy, orders) : [];
  for (let e = 0; e < m; ++e) {
    const mark = markOf(e);
    svg.append(drawEdge(graph, xy, e, mark, orders[e], rings[e]));
    if (mark && ["removed", "added"].includes(mark.type)) badges.push(edgeBadge(graph, xy, e, mark));
  }
  // Marked ones last: their halos lie over their neighbours, not under.
  const order = [...Array(n).keys()].sort((a, b) => marks.nodes.has(a) - marks.nodes.has(b));
  for (const v of order) svg.append(drawNode(graph, xy, v, degree[v], marks.nodes.get(v), options.lettered));
  svg.append(...badges);
  return svg;
}

const sizeOf = (graph) =>
  `${plural(graph.labels.length, words.nodes.slice(0, -1), words.nodes)}, ` +
  plural(graph.edges.length / 2, words.edges.slice(0, -1), words.edges);

// ---- Summary

function plainWords() {
  const theta = thetaText(main.theta);
  if (main.distance_meaning === "other") {
    return "An input counts as covered if one of the counterfactuals is within the distance " +
      `“${distanceName(main.distance)}” of ${theta}. That distance does not count edits, so nothing about their ` +
      "number is claimed. The edits shown below were found for the pictures: no more are needed, fewer may do.";
  }
  const ofEdges = data.counterfactuals.some((c) => c.bonds) ? "adding, removing or changing" : "adding or removing";
  const edits = `adding, removing or relabelling ${words.nodes}, ${ofEdges} ${words.edges}`;
  const within = `An input counts as covered if the edits (${edits}) that turn it into one of the ` +
    `counterfactuals number at most ${Number((100 * main.theta).toFixed(4))} % of the size (${words.nodes} + ` +
    `${words.edges}) of both together. `;
  if (certified) {
    return within + "Every covered input on this page comes with such a list of edits, and " +
      "fewedits-verify replays them all: the figure is proven, not estimated.";
  }
  return within + `Here that number is the estimate of the distance “${distanceName(main.distance)}”, ` +
    "so the figure is a claim. The edits shown below were found for the pictures: no more are " +
    "needed, fewer may do.";
}

function intervalText() {
  const m = main.metrics;
  const parts = [];
  if (m.coverage_upper > m.coverage) {
    parts.push(`Proven: at least ${atLeast(m.coverage)}; not excluded: at most ${atMost(m.coverage_upper)}. ` +
      "For the inputs in between, the search found neither few enough edits nor a bound that rules them out.");
  } else if (m.coverage_upper < 1) {
    parts.push("They cover no more than that: the search's lower bounds rule out every input that is not covered.");
  }
  if (main.greed_coverage !== undefined) {
    parts.push(`GREED, the paper's neural estimate, claims ${atLeast(main.greed_coverage)} for the same counterfactuals.`);
  }
  if (data.found_coverage !== undefined) {
    parts.push(`The edits found for the pictures prove ${atLeast(data.found_coverage)}.`);
  }
  if (main.searched) parts.push(`The search stood on ${count(main.searched)} of the inputs; every one of them was measured afterwards.`);
  if (!main.complete) parts.push("The search was ended early: this is the best it had found.");
  return parts.join(" ");
}

function facts() {
  const m = main.metrics;
  const rows = [
    ["Dataset", main.dataset.name, data.inputs_in_words || `${count(data.graphs)} ${words.graphs}, ${count(main.inputs)} to explain`],
    ["Model", fileName(main.model), data.desired_class ? `desired class: ${data.desired_class}` : ""],
    ["Distance", distanceName(main.distance), `covered within θ = ${thetaText(main.theta)}`],
    ["Coverage", atLeast(m.coverage), `${count(main.covered)} of ${count(main.inputs)}` +
      (m.coverage_upper === undefined ? "" : m.coverage_upper > m.coverage ? `; at most ${atMost(m.coverage_upper)}` : "; these graphs cover no others")],
    ["Median cost", costOf(main, m.cost_median), "distance to the nearest one, over all inputs"],
    ["Counterfactuals", `k = ${main.k}`, `method ${main.method}`],
    ["Seed", main.seed, main.neighbours > 0 ? `${count(main.neighbours)} neighbours the walk chose among` : ""],
  ];
  if (main.seconds !== undefined) rows.push(["Time", duration(main.seconds), main.software]);
  else rows.push(["Software", main.software]);
  return factList(rows);
}

const factList = (rows) => h("dl", {class: "facts"}, ...rows.map(([name, value, more]) =>
  h("div", {"data-fact": name}, h("dt", {}, name), h("dd", {}, value, more ? h("small", {}, more) : null))));

// In classes where they are known: "predicted mutagen".
const inputWords = () => (data.predicted_in_words ? `predicted ${data.predicted_in_words}` : "not predicted as desired");
const targetWords = () => `predicted ${data.desired_class || "as desired"}`;

const commandBox = (title, command) => h("div", {class: "command"}, h("div", {class: "label"}, title), h("code", {}, ...commandWords(command)));

/// Lines break between options, not inside them.
function commandWords(command) {
  return command.split(/ (?=--?[a-z])/).flatMap((word) => [h("span", {}, word), " "]);
}

// ---- Counterfactuals

function legend() {
  const used = new Set();
  for (const graph of [...data.counterfactuals, ...data.inputs]) for (const l of graph.labels) used.add(l);
  const shown = [...used].filter((l) => data.labels[l].short).sort((a, b) => a - b).slice(0, 40);
  byId("legend").append(...shown.map((l) => h("span", {},
    h("span", {class: "dot", style: `background:var(--l${l})`}, data.labels[l].short),
    molecules || data.labels[l].short === data.labels[l].name ? "" : data.labels[l].name)));
  if (molecules) {
    const implied = data.labels.some((label) => label.name === "H") ? "" : " Hydrogens are not drawn.";
    byId("legend").append(h("span", {}, `Corners without a letter are carbon.${implied}` + (data.counterfactuals.some(hasBondOrders)
      ? "" : " Counterfactuals have no bond orders: here their bonds are drawn single.")));
  }
}

function card(c, i) {
  return h("button", {class: "card", type: "button", "aria-pressed": "false", "data-card": i,
    onclick: () => { choose(i); byId("recourse").scrollIntoView(); }},
    h("span", {class: "row"}, h("span", {class: "rank"}, `#${i + 1}`),
      h("span", {class: "p"}, `probability ${figures.probability(c.probability)}`)),
    h("span", {class: "art"}, drawGraph(c, c.xy, {label: `Counterfactual ${i + 1}: ${sizeOf(c)}`})),
    h("span", {class: "covers"}, count(c.covers), " ", h("small", {}, c.covers === 1 ? "input covered" : "inputs covered")),
    h("span", {class: "meter", "aria-hidden": "true"},
      h("i", {style: `width:${100 * c.only / main.inputs}%`}),
      h("i", {style: `width:${100 * (c.covers - c.only) / main.inputs}%`})),
    h("span", {class: "note"}, `${count(c.only)} by it alone`, h("br"), sizeOf(c)));
}

function showCards() {
  if (!main) { byId("counterfactuals").hidden = true; return; }
  const interval = intervalText();
  byId("interval").textContent = interval;
  byId("interval").hidden = !interval;
  byId("meaning").textContent = plainWords();
  byId("cards-lead").textContent = `${plural(main.k, `${words.graph}`, words.graphs)} ${targetWords()}, in the ` +
    "order in which they were picked. The bar is the share of all inputs: solid for those that no other one covers.";
  legend();
  byId("cards").append(...data.counterfactuals.map(card));
}

// ---- Recourse browser

const kAll = "all";
const kUncovered = "uncovered";
const kRowHeight = 46;
const browser = {chosen: kAll, query: "", items: [], at: 0};
let views = null;

function makeViews() {
  data.pairs.forEach((list, c) => { for (const pair of list) pair.counterfactual = c; });
  const nearest = new Map();
  for (const list of data.pairs) for (const pair of list) if (pair.nearest) nearest.set(pair.input, pair);
  const all = data.recourse.map((r, input) => ({input, pair: nearest.get(input) || null}));
  const byDistance = (a, b) => (data.recourse[a.input][1] ?? Infinity) - (data.recourse[b.input][1] ?? Infinity) || a.input - b.input;
  all.sort(byDistance);
  views = {
    [kAll]: all,
    [kUncovered]: all.filter((item) => !data.recourse[item.input][2]),
  };
  data.pairs.forEach((list, c) => {
    views[c] = list.filter((pair) => pair.covered).map((pair) => ({input: pair.input, pair}));
  });
}

/// The number in the user's own file, where the reader left some graphs out before.
const sourceText = (input) => (input.source === input.graph ? "" : ` (${input.source} in the file)`);

/// 0: the number itself; 1: a number that begins so, a label, an edit; null: no match.
function rank(item, query) {
  const input = data.inputs[item.input];
  const plain = query.replace(/^#\s*/, "");
  const numbers = [input.graph, input.source].map(String);
  if (numbers.includes(plain)) return 0;
  if (query.startsWith("#")) return null;
  if (numbers.some((number) => number.startsWith(plain))) return 1;
  const lower = query.toLowerCase();
  if (input.labels.some((l) => data.labels[l].name.toLowerCase() === lower)) return 1;
  const edited = lower.length > 2 && item.pair !== null &&
    item.pair.ops.some((op) => data.phrases[op[3]].toLowerCase().replaceAll("–", "-").includes(lower.replaceAll("–", "-")));
  return edited ? 1 : null;
}

/// What matches, exact numbers first.
function found(view, query) {
  const ranked = view.map((item) => [rank(item, query), item]);
  return [0, 1].flatMap((wanted) => ranked.filter(([r]) => r === wanted).map(([, item]) => item));
}

function itemText(item) {
  const [c, distance, covered, edits, lower, open] = data.recourse[item.input];
  if (item.pair && item.pair.covered) {
    const d = item.pair.distance === null ? "" : ` · distance ${cost(item.pair.distance)}`;
    return (browser.chosen === kAll ? `#${item.pair.counterfactual + 1} · ` : "") +
      plural(item.pair.ops.length, "edit", "edits") + d;
  }
  if (c === null) return "not covered · beyond reach";
  if (covered) return `#${c + 1} · distance ${cost(distance)} · no picture`;
  const bound = lower === undefined ? "" : ` · ${lower}–${edits} edits`;
  return `nearest #${c + 1} · ${cost(distance)}${bound}${open ? " · open" : ""}`;
}

function showList() {
  const list = byId("list");
  byId("spacer").style.height = `${browser.items.length * kRowHeight}px`;
  for (const old of list.querySelectorAll(".item")) old.remove();
  const first = Math.max(0, Math.floor(list.scrollTop / kRowHeight) - 4);
  const last = Math.min(browser.items.length, first + Math.ceil(list.clientHeight / kRowHeight) + 8);
  for (let i = first; i < last; ++i) {
    const item = browser.items[i];
    list.append(h("div", {class: "item", role: "option", id: `item-${i}`, style: `top:${i * kRowHeight}px`,
      "aria-selected": i === browser.at ? "true" : "false", "aria-setsize": browser.items.length, "aria-posinset": i + 1,
      onclick: () => go(i)},
      h("span", {}, `Graph ${data.inputs[item.input].graph}${sourceText(data.inputs[item.input])}`), h("small", {}, itemText(item))));
  }
  list.setAttribute("aria-activedescendant", browser.items.length ? `item-${browser.at}` : "");
}

function go(i) {
  browser.at = Math.max(0, Math.min(browser.items.length - 1, i));
  const list = byId("list");
  const top = browser.at * kRowHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  if (top + kRowHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + kRowHeight - list.clientHeight;
  showList();
  showPair();
}

function listItems() {
  const query = browser.query.trim();
  const view = views[browser.chosen];
  browser.items = query ? found(view, query) : view;
  const left = data.pairs_left_out > 0 && typeof browser.chosen === "number"
    ? ` (of ${count(data.counterfactuals[browser.chosen].covers)} covered; the others, farther away or nearer to another one, are left out of the page)` : "";
  byId("count").textContent = query
    ? `${count(browser.items.length)} of ${plural(view.length, "input", "inputs")}`
    : plural(view.length, "input", "inputs") + ", nearest first" + (view.length < (data.counterfactuals[browser.chosen] || {covers: 0}).covers ? left : "");
  byId("list").scrollTop = 0;
  go(0);
}

function choose(which) {
  browser.chosen = which;
  for (const chip of byId("chips").children) chip.setAttribute("aria-pressed", chip.dataset.view === String(which) ? "true" : "false");
  for (const c of byId("cards").children) c.setAttribute("aria-pressed", c.dataset.card === String(which) ? "true" : "false");
  listItems();
}

/// Lights one step, in the text and in both pictures; without one, the step that has the focus, if any.
function highlight(step = byId("pair").querySelector(".step:focus")?.dataset.step) {
  const pair = byId("pair");
  pair.classList.toggle("focus", step !== undefined);
  for (const part of pair.querySelectorAll("[data-step]")) part.classList.toggle("lit", part.dataset.step === step);
}

function stepLine(pair, [kind, u, v, phrase], step) {
  const type = opKinds[kind];
  const where = kind === kRelabelNode || kind === kDeleteNode || kind === kInsertNode ? `${u}` : `${u}–${v}`;
  const enter = () => highlight(String(step));
  const leave = () => highlight();
  return h("li", {}, h("button", {class: "step", type: "button", "data-step": step,
    onmouseenter: enter, onmouseleave: leave, onfocus: enter, onblur: leave},
    h("span", {class: `glyph ${type}`, "aria-hidden": "true"}, glyphs[type]),
    h("span", {}, data.phrases[phrase]), h("small", {}, where)));
}

const markKey = () => h("div", {class: "key"}, ...["removed", "added", "relabelled"].map((type) =>
  h("span", {}, h("span", {class: `glyph ${type}`, "aria-hidden": "true"}, glyphs[type]), type)));

function pairNote(item) {
  const [c, distance, covered, edits, lower, open] = data.recourse[item.input];
  const pair = item.pair;
  const told = plural(pair.ops.length, "edit", "edits");
  if (!certified) {
    return `${told}, found for this picture: an upper bound` +
      (pair.distance === null ? "" : `; ${distanceName(main.distance)} says ${cost(pair.distance)}`);
  }
  const proven = `${told}, distance ${cost(pair.distance)}, proven`;
  if (pair.covered) return proven;
  return `${proven}; the search's lower bound is ${lower}: ` +
    (open ? `not excluded that it is within θ = ${thetaText(main.theta)}` : `beyond θ = ${thetaText(main.theta)}`);
}

function withoutPicture(item) {
  const [c, distance, covered] = data.recourse[item.input];
  const graph = `Graph ${data.inputs[item.input].graph}`;
  if (c === null) return `${graph} is not covered; no picture of it is in this page.`;
  return `${graph} is ${covered ? "covered" : "not covered; the nearest is"} ${covered ? "by " : ""}#${c + 1}, ` +
    `distance ${cost(distance)}. Its picture was left out to keep the page small; fewedits draw draws it.`;
}

const narrow = matchMedia("(max-width: 560px)");
narrow.addEventListener("change", () => { if (main) showPair(); });
/// By a quarter.
const turned = (xy) => xy.map((_, i) => (i % 2 ? xy[i - 1] : -xy[i + 1]));

function showPair() {
  const item = browser.items[browser.at];
  byId("place").textContent = item ? `${count(browser.at + 1)} of ${count(browser.items.length)}` : "none";
  byId("previous").disabled = !item || browser.at === 0;
  byId("next").disabled = !item || browser.at + 1 >= browser.items.length;
  const stage = byId("pair");
  stage.replaceChildren();
  stage.classList.remove("focus");
  if (!item) { stage.append(h("p", {class: "note"}, "No input matches.")); return; }
  if (!item.pair) { stage.append(h("p", {class: "note"}, withoutPicture(item))); return; }
  const pair = item.pair;
  const input = data.inputs[pair.input];
  const target = data.counterfactuals[pair.counterfactual];
  const marks = marksOf(pair, input, target);
  let [from, to] = [pair.xy, pair.target_xy];
  let box = boxOf([from, to]);
  // What is much wider than high is seen best with all the width for itself; on a phone upright, beside each other.
  const wide = box[2] > 1.9 * box[3];
  const upright = wide && narrow.matches;
  if (upright) {
    [from, to] = [turned(from), turned(to)];
    box = boxOf([from, to]);
  }
  const figure = (title, note, graph, xy, side) => h("figure", {"data-side": side},
    h("figcaption", {}, h("b", {}, title), h("span", {}, note)),
    h("div", {class: "art"}, drawGraph(graph, xy, {box, marks: marks[side], label: `${title}: ${sizeOf(graph)}`})));
  add(stage,
    h("div", {class: `pictures${upright ? " upright" : wide ? " wide" : ""}`, style: `--shape:${(box[2] / box[3]).toFixed(3)}`},
      figure(`Input: graph ${input.graph}${sourceText(input)}`, `${inputWords()} · ${sizeOf(input)}`, input, from, "left"),
      figure(`Counterfactual #${pair.counterfactual + 1}`, `${targetWords()} with probability ${figures.probability(target.probability)}`, withCarriedOrders(pair, input, target), to, "right")),
    hasBondOrders(input) && !hasBondOrders(target) ? h("p", {class: "note orders"}, "Bond orders are those of the input; the counterfactual has none of its own.") : null,
    h("div", {class: "told"}, h("h3", {id: "told"}, pairNote(item)), markKey()),
    pair.ops.length ? h("ol", {class: "steps", "aria-labelledby": "told"}, ...pair.ops.map((op, i) => stepLine(pair, op, i)))
      : h("p", {class: "note"}, "Nothing to change."));
  for (const part of stage.querySelectorAll("svg [data-step]")) {
    part.addEventListener("mouseenter", () => highlight(part.dataset.step));
    part.addEventListener("mouseleave", () => highlight());
  }
}

function onListKey(event) {
  const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity};
  if (!(event.key in moves) || browser.items.length === 0) return;
  event.preventDefault();
  const to = browser.at + moves[event.key];
  go(to === Infinity ? browser.items.length - 1 : to === -Infinity ? 0 : to);
}

function showBrowser() {
  if (!main) { byId("recourse").hidden = true; return; }
  makeViews();
  const chip = (view, text, n) => h("button", {class: "chip", type: "button", "data-view": String(view), "aria-pressed": "false",
    onclick: () => choose(view)}, text, h("small", {}, count(n)));
  byId("chips").append(chip(kAll, "All", views[kAll].length),
    ...data.counterfactuals.map((c, i) => chip(i, `#${i + 1}`, c.covers)),
    chip(kUncovered, "Not covered", views[kUncovered].length));
  byId("recourse-lead").append("Pick a counterfactual and page through the inputs it covers. The input is " +
    "drawn as it is alone; what stays of it is in the same place in the counterfactual, where that can be drawn. ", h("span", {class: "by-pointer"}, "Point at"), h("span", {class: "by-touch"}, "Tap"),
    " a step to see where it happens.",
    data.inputs_shown ? ` There are too many inputs for one page: a sample of ${count(data.inputs_shown)} of ${count(data.explanations[0].inputs)} is shown here and counted under what changes; all other figures are of all inputs.` : "",
    data.inputs.some(sourceText) ? " Graphs are counted from 0, without those that were left out on reading; in brackets, with them." : "");
  byId("search").placeholder = molecules ? "graph id, element or edit" : "graph id, label or edit";
  byId("search").addEventListener("input", () => { browser.query = byId("search").value; listItems(); });
  byId("list").addEventListener("scroll", showList, {passive: true});
  byId("list").addEventListener("keydown", onListKey);
  byId("previous").addEventListener("click", () => go(browser.at - 1));
  byId("next").addEventListener("click", () => go(browser.at + 1));
  addEventListener("resize", showList);
  choose(data.counterfactuals.length && views[0].length ? 0 : kAll);
}

// ---- What changed overall

/// Ten rows, the rest on request. A row: type for colour and glyph, glyph, cells, size of its bar.
function changeTable({title, note, heads, rows, name}) {
  if (rows.length === 0) return null;
  const most = Math.max(...rows.map((row) => row.size));
  const line = ({type, glyph, text, cells, size}) => h("tr", {},
    h("td", {title: text}, h("span", {class: `glyph ${type}`, "aria-hidden": "true"}, glyph), " ", text),
    ...cells.map((cell) => h("td", {class: "n"}, cell)),
    h("td", {class: `barcell ${type}`}, h("div", {class: "hbar", style: `width:${100 * size / most}%`})));
  const body = h("tbody", {}, ...rows.slice(0, 10).map(line));
  const rest = rows.slice(10);
  const more = rest.length === 0 ? null : h("button", {class: "quiet more", type: "button", onclick: (event) => {
    body.append(...rest.map(line));
    event.target.remove();
  }}, `${rest.length} more`);
  return h("div", {class: "panel", "data-changes": name}, h("h3", {}, title), h("p", {class: "note"}, note),
    h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, i) => h("th", {class: i ? "n" : null}, head)), h("td", {"aria-hidden": "true"}))), body), more);
}

const signed = (n) => `${n < 0 ? "−" : "+"}${count(Math.abs(n))}`;

const countedRows = (rows, say = (text) => text) => rows.map(([text, kind, times, inputs]) => ({
  type: opKinds[kind], glyph: glyphs[opKinds[kind]], text: say(text, kind), cells: [`${count(times)}×`, count(inputs)], size: times}));

function showChanges() {
  const changes = data.changes;
  if (!main || changes.edits.length === 0) { byId("changes").hidden = true; return; }
  const most = changes.balance.slice(0, 3).map(([text, net]) => `${signed(net)} ${text}${/ (bond|edge)$/.test(text) ? "s" : ""}`).join(", ");
  byId("changes-lead").textContent = `Over the ${plural(changes.recourses, "covered input", "covered inputs")}, each on the way to its ` +
    `nearest counterfactual${most ? `, on balance ${most}` : ""}.`;
  const balance = changes.balance.map(([text, net, fewer, more]) => ({
    type: net < 0 ? "removed" : "added", glyph: net < 0 ? "−" : "+", text, cells: [signed(net), count(fewer), count(more)], size: Math.abs(net)}));
  byId("changes-tables").append(...[
    changeTable({title: "On balance", note: `What the counterfactuals have fewer or more of. It depends on the ${words.graphs} alone.`,
      heads: ["inputs that lose or gain", "net", "lose", "gain"], rows: balance, name: "balance"}),
    changeTable({title: "Edit by edit", note: "One edit is the unit of the distance.",
      heads: ["change", "times", "inputs"], rows: countedRows(changes.edits), name: "edits"}),
    changeTable({title: "Part by part", note: `Connected ${words.nodes} that go or come together.`,
      heads: ["change", "times", "inputs"], rows: countedRows(changes.parts, (text, kind) => `${kind === kDeleteNode ? "remove" : "add"} ${text}`), name: "parts"}),
  ].filter(Boolean));
}

// ---- Curves

const kDashes = ["", "7 4", "2 3", "9 3 2 3", "4 2 1 2"];
const kColours = 5;

function marker(kind, x, y, colour) {
  const r = 3.6;
  const style = `fill:${colour}`;
  if (kind % 4 === 1) return s("rect", {x: x - r, y: y - r, width: 2 * r, height: 2 * r, style});
  if (kind % 4 === 2) return s("path", {d: `M${x} ${y - r - 1}l${r + 1} ${2 * r}h${-2 * r - 2}z`, style});
  if (kind % 4 === 3) return s("path", {d: `M${x} ${y - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z`, style});
  return s("circle", {cx: x, cy: y, r, style});
}

/// How a line is drawn, for the key.
const keySign = (i, y) => [
  s("line", {x1: 0, x2: 34, y1: y, y2: y, class: "series", style: `stroke:var(--s${i % kColours})`, "stroke-dasharray": kDashes[i % kDashes.length]}),
  marker(i, 17, y, `var(--s${i % kColours})`)];

/// Round steps that give about five lines.
function ticks(low, high) {
  const raw = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((f) => f >= raw * 0.999);
  const out = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + step * 1e-6; x += step) out.push(Number(x.toPrecision(12)));
  return out;
}

const axisNumber = (x) => (Math.abs(x) >= 1000 ? count(x) : String(Number(x.toPrecision(6))));

const plot = {width: 560, height: 330, left: 62, right: 16, top: 14, bottom: 46};
plot.base = plot.height - plot.bottom;

const linear = (low, high, from, to) => (x) => (high === low ? (from + to) / 2 : from + ((x - low) / (high - low)) * (to - from));

/// Grid, base line and the names of the axes.
function chartFrame({label, xLabel, yLabel, yTicks, py, yText}) {
  const {width, height, left, right, top, base} = plot;
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label});
  for (const y of yTicks) {
    svg.append(s("line", {class: "grid", x1: left, x2: width - right, y1: py(y), y2: py(y)}),
      s("text", {x: left - 8, y: py(y) + 4, "text-anchor": "end"}, yText(y)));
  }
  svg.append(s("line", {class: "axis", x1: left, x2: width - right, y1: base, y2: base}),
    s("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle"}, xLabel),
    s("text", {transform: `translate(14 ${(top + base) / 2}) rotate(-90)`, "text-anchor": "middle"}, yLabel));
  return svg;
}

const tickText = (x, text) => s("text", {x, y: plot.base + 18, "text-anchor": "middle"}, text);

function drawSeries(svg, line, i, px, py) {
  const colour = `var(--s${i % kColours})`;
  const points = line.points.map(([x, y]) => [px(x), py(y)]);
  svg.append(s("polyline", {class: "series", style: `stroke:${colour}`, "stroke-dasharray": kDashes[i % kDashes.length],
    points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}));
  const every = Math.ceil(points.length / 14);
  points.forEach(([x, y], j) => { if (j % every === 0 || j === points.length - 1) svg.append(marker(i, x, y, colour)); });
}

/// Tells the values under the pointer, or step by step with the arrow keys.
function addReading(svg, stops, px, tell) {
  const cursor = s("line", {class: "cursor", y1: plot.top, y2: plot.base, visibility: "hidden"});
  const read = h("p", {class: "read", role: "status"}, "\u00a0");
  let at = -1;
  const show = (i) => {
    at = Math.max(0, Math.min(stops.length - 1, i));
    fill(cursor, {x1: px(stops[at]), x2: px(stops[at]), visibility: "visible"}, []);
    read.textContent = tell(stops[at]);
  };
  const hide = () => { cursor.setAttribute("visibility", "hidden"); read.textContent = "\u00a0"; at = -1; };
  svg.append(cursor);
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * plot.width;
    show(stops.reduce((best, stop, i) => (Math.abs(px(stop) - x) < Math.abs(px(stops[best]) - x) ? i : best), 0));
  });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    show(event.key === "ArrowRight" ? at + 1 : at - 1);
  });
  return read;
}

function lineChart({id, title, xLabel, yLabel, series, yText, fromZero = true, named = false}) {
  series = series.filter((line) => line.points.length > 0);
  if (series.length === 0) return null;
  const xs = series.flatMap((line) => line.points.map((p) => p[0]));
  const ys = series.flatMap((line) => line.points.map((p) => p[1]));
  const stops = [...new Set(xs)].sort((a, b) => a - b);
  const [xLow, xHigh, yBottom, yTop] = [stops[0], stops[stops.length - 1], Math.min(...ys), Math.max(...ys)];
  const span = yTop - yBottom || 0.5 * yTop; // a constant has room on both sides
  const yLow = fromZero ? 0 : Math.max(0, yBottom - 0.15 * span);
  const yHigh = yTop + (fromZero ? 0.06 * yTop : 0.06 * (yTop - yLow) + 0.1 * (yTop === yBottom ? span : 0)) || 1;
  const px = linear(xLow, xHigh, plot.left, plot.width - plot.right);
  const py = linear(yLow, yHigh, plot.base, plot.top);
  const svg = chartFrame({label: `${title}. ${yLabel} against ${xLabel}. Arrow keys read the values.`, xLabel, yLabel, yTicks: ticks(yLow, yHigh), py, yText});
  const whole = xHigh - xLow <= 12 && stops.every(Number.isInteger);
  for (const x of whole ? stops : ticks(xLow, xHigh)) {
    svg.append(s("line", {class: "axis", x1: px(x), x2: px(x), y1: plot.base, y2: plot.base + 4}), tickText(px(x), axisNumber(x)));
  }
  series.forEach((line, i) => drawSeries(svg, line, i, px, py));
  const valueAt = (line, x) => (line.points.find((p) => p[0] === x) || [])[1];
  const read = addReading(svg, stops, px, (x) => `${xLabel} ${axisNumber(x)}: ` + series.filter((line) => valueAt(line, x) !== undefined)
    .map((line) => (series.length > 1 || named ? `${line.name} ` : "") + yText(valueAt(line, x), true)).join(" · "));
  const csv = () => csvText([[xLabel, ...series.map((line) => line.name)],
    ...stops.map((x) => [x, ...series.map((line) => valueAt(line, x))])]);
  return chartPanel({id, title, svg, csv, series, read, named});
}

function chartPanel({id, title, svg, csv, series, read, named}) {
  const key = series.length < (named ? 1 : 2) ? null : h("div", {class: "key"}, ...series.map((line, i) => h("span", {},
    s("svg", {width: 34, height: 12, "aria-hidden": "true", style: "width:34px;height:12px"}, ...keySign(i, 6)), line.name)));
  return h("div", {class: "panel chart", "data-chart": id},
    h("div", {class: "head"}, h("h3", {}, title), h("div", {class: "tools"},
      h("button", {class: "quiet", type: "button", "aria-label": `${title} as CSV`, onclick: () => download(`${id}.csv`, "text/csv", csv())}, "CSV"),
      h("button", {class: "quiet", type: "button", "aria-label": `${title} as SVG`, onclick: () => download(`${id}.svg`, "image/svg+xml", chartText(svg, key ? series : []))}, "SVG"))),
    svg, key, read);
}

function visitsChart() {
  const rows = data.counterfactuals.map((c, i) => [i + 1, c.visits]);
  const most = Math.max(0, ...rows.map((row) => row[1]));
  if (most === 0) return null;
  const slot = (plot.width - plot.left - plot.right) / rows.length;
  const py = linear(0, 1.08 * most, plot.base, plot.top);
  const svg = chartFrame({label: "Visits of the walk by counterfactual", xLabel: "counterfactual", yLabel: "visits of the walk", yTicks: ticks(0, most), py, yText: axisNumber});
  for (const [i, visits] of rows) {
    const x = plot.left + (i - 1) * slot;
    svg.append(s("rect", {x: x + slot * .2, width: slot * .6, y: py(visits), height: plot.base - py(visits), rx: 2, style: "fill:var(--s0)"},
      s("title", {}, `#${i}: ${count(visits)} visits`)), tickText(x + slot / 2, `#${i}`));
  }
  const read = h("p", {class: "note"}, "0 visits: found by the refinement after the walk.");
  return chartPanel({id: "visits", title: "Visits", svg, csv: () => csvText([["counterfactual", "visits"], ...rows]), series: [], read});
}

/// What tells the explanations apart; their files where nothing else does.
function names() {
  const all = data.explanations;
  const oneDataset = all.every((e) => e.dataset.name === all[0].dataset.name);
  const said = all.map((e) => `${oneDataset ? "" : `${e.dataset.name}, `}${distanceName(e.distance)}, ${e.method}, seed ${e.seed}`);
  return said.map((name, i) => (said.filter((other) => other === name).length > 1 ? `${name} (${fileName(all[i].file) || i + 1})` : name));
}

function showCurves() {
  if (!main) { byId("curves").hidden = true; return; }
  const label = names();
  const share = (x, exact) => (exact ? atLeast(x) : `${Number((100 * x).toFixed(4))} %`);
  const perK = (column, name = (e, i) => label[i], known = (e, x) => x !== null) => data.explanations.map((e, i) => ({name: name(e, i),
    points: e.metrics.by_k.filter((row) => known(e, row[column])).map((row) => [row[0], row[column]])}));
  // Where a cost is only a bound, the line says so; a bound that says nothing is no point of it.
  const bounded = data.explanations.some(costsAreBounds);
  const costs = perK(2, (e, i) => (costsAreBounds(e) ? `at most, ${label[i]}` : label[i]), (e, x) => x !== null && !(costsAreBounds(e) && x >= 1));
  const perTheta = data.explanations.map((e, i) => ({name: label[i], points: e.metrics.by_theta}));
  const several = data.explanations.length > 1;
  const traced = several
    ? data.explanations.map((e, i) => ({name: `${label[i]}, k = ${e.k}`, points: e.trace.map((p) => [p[0], p[2 + e.trace_k.length]])}))
    : main.trace_k.map((k, i) => ({name: `k = ${k}`, points: main.trace.map((p) => [p[0], p[3 + i]])}));
  const refined = data.explanations.map((e, i) => ({name: label[i], points: e.refinement.length > 1 ? e.refinement.map(([work, coverage]) => [work / 1e6, coverage]) : []}));
  const charts = [
    lineChart({id: "coverage-k", title: "Coverage by number of counterfactuals", xLabel: "k", yLabel: "coverage", series: perK(1), yText: share}),
    lineChart({id: "cost-k", title: "Median cost by number of counterfactuals", xLabel: "k", yLabel: "median distance to the nearest", series: costs,
      yText: (x, exact) => (exact ? cost(x) : axisNumber(Number(x.toFixed(4)))), fromZero: false, named: bounded}),
    lineChart({id: "coverage-theta", title: "Coverage by θ", xLabel: "θ", yLabel: "coverage", series: perTheta, yText: share}),
    lineChart({id: "convergence", title: "Convergence of the walk, best k candidates", xLabel: "steps", yLabel: "coverage", series: traced, yText: share, named: true}),
    lineChart({id: "refinement", title: "Convergence of the refinement", xLabel: "millions of units of work", yLabel: "coverage known to the search", series: refined, yText: share, fromZero: false}),
    visitsChart()].filter(Boolean);
  byId("charts").append(...charts);
  byId("curves").hidden = charts.length === 0;
}

// ---- Compare

function showComparison() {
  if (data.explanations.length < 2) { byId("compare").hidden = true; return; }
  const all = data.explanations;
  const rows = [
    ["file", (e) => fileName(e.file)], ["dataset", (e) => e.dataset.name], ["distance", (e) => distanceName(e.distance)],
    ["method", (e) => e.method], ["seed", (e) => String(e.seed)], ["θ", (e) => thetaText(e.theta)], ["k", (e) => String(e.k)],
    ["inputs", (e) => count(e.inputs)],
    ["coverage", (e) => atLeast(e.metrics.coverage) + (isProven(e) ? " proven" : " claimed")],
    ["at most", (e) => (e.metrics.coverage_upper === undefined ? "—" : figures.atMostOf(e.metrics.coverage_upper, e.metrics.coverage))],
    ["median cost", (e) => costOf(e, e.metrics.cost_median)], ["mean cost", (e) => costOf(e, e.metrics.cost_mean)],
    ["neighbours the walk chose among", (e) => count(e.neighbours)],
    ["time", (e) => (e.seconds === undefined ? "—" : duration(e.seconds))]];
  byId("compare-table").append(...data.comparison_notes.map((note) => h("p", {class: "warning"}, note)), h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}), ...names().map((name) => h("th", {scope: "col"}, name)))),
    h("tbody", {}, ...rows.map(([name, value]) => h("tr", {"data-row": name}, h("th", {scope: "row"}, name), ...all.map((e) => h("td", {}, value(e))))))));
}

/*WHY*/
// ---- The page

function showNavigation() {
  const links = new Map();
  for (const [id, text] of [["summary", "Why"], ["rules", "Rules"], ["glance", "At a glance"], ["counterfactuals", "Counterfactuals"],
    ["recourse", "Recourse"], ["uncovered", "Not covered"], ["changes", "What changed"], ["fragility", "Fragility"], ["curves", "Curves"],
    ["compare", "Compare"], ["made", "Made how"]]) {
    if (byId(id).hidden) continue;
    links.set(id, h("a", {href: `#${id}`}, text));
    byId("nav").append(h("li", {}, links.get(id)));
  }
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const [id, link] of links) {
        if (id === entry.target.id) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }
  }, {rootMargin: "-20% 0px -70% 0px"});
  for (const id of links.keys()) seen.observe(byId(id));
}

showTheme();
colourLabels();
showSummary();
showRules();
showGlance();
showCards();
showBrowser();
showUncovered();
showFragility();
showChanges();
showCurves();
showComparison();
showMade();
showNavigation();
byId("footer").append(`Written by ${data.subject.software || "fewedits"}. Everything on this page is in this file; it loads nothing.`);
document.documentElement.dataset.ready = "true";
})();
