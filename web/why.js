// SPDX-License-Identifier: MIT
// The opening, rules, what tells rejected from accepted, and fragility: a part of report.js, which has the tools.

// ---- Figures of rules

/// As the program prints them, but that neither all nor none is shown of what is not.
function percent(share) {
  const text = (100 * share).toFixed(1);
  if (text === "100.0" && share < 1) return "> 99.9 %";
  return text === "0.0" && share > 0 ? "< 0.1 %" : `${text} %`;
}
const between = ([low, high]) => `${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}`;
const shareOf = (part, whole) => (whole > 0 ? percent(part / whole) : "–");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/// The three figures of a rule or a list, which are never told apart from each other.
const kFigures = [
  ["on_average", "works on average", "at a random place"],
  ["somewhere", "works somewhere", "at the best place"],
  ["everywhere", "works everywhere", "at every place"]];

/// A bar with its 95 % interval.
function meterOf(share, interval, kind = "") {
  return h("div", {class: `share ${kind}`, "aria-hidden": "true"}, h("i", {style: `width:${(100 * share).toFixed(2)}%`}),
    interval ? h("b", {style: `left:${(100 * interval[0]).toFixed(2)}%;width:${(100 * (interval[1] - interval[0])).toFixed(2)}%`}) : null);
}

const figureLine = (figures, [key, name, how], note) => h("div", {class: "figure-line", "data-figure": key},
  h("span", {class: "name"}, name, h("small", {}, how)), meterOf(figures[key], figures.intervals[key]),
  h("span", {class: "value"}, percent(figures[key]), h("small", {}, note)));

const callsText = (figures) => `${figures.calls.toFixed(1)} model calls`;

// ---- The opening

/// What the page is about, as a question.
function question() {
  if (!data.predicted_in_words || !data.desired_class) return `Why does the model reject these ${words.graphs}, and what makes it accept them?`;
  return `Why does the model say ${data.predicted_in_words}, and what makes it say ${data.desired_class}?`;
}

const heldOut = (set) => (set.held_out ? set.held_out.figures : set.figures);

function ruleTiles() {
  return data.rules.filter((set) => set.rules.length > 0).map((set) => {
    const figures = heldOut(set);
    const who = data.predicted_in_words ? `${words.graphs} predicted ${data.predicted_in_words} turn ${data.desired_class}` : `rejected ${words.graphs} are accepted`;
    return {href: "#rules", id: set.plausible ? "tile-plausible" : "tile-rules", big: percent(figures.on_average),
      text: `of ${who} when ${set.rules.length === 1 ? "one short rule" : `the first fitting of ${set.rules.length} short rules`} rewrites one random place` +
        (set.plausible ? " and the result looks like the data" : "") + (set.held_out ? " (held out)" : "")};
  });
}

function fragilityTile() {
  if (!data.fragility) return [];
  const side = data.fragility.sides[0];
  return [{href: "#fragility", id: "tile-fragility", big: shareOf(side.one_step, side.graphs),
    text: `of the rejected ${words.graphs}: one single step is enough, if it is the right one`}];
}

function coverageTile() {
  if (!main) return [];
  const other = main.distance_meaning === "other";
  const these = main.k === 1 ? `this ${words.graph}` : `one of these ${main.k} ${words.graphs}`;
  const near = `${other ? "near to" : "within a few edits of"} ${these} ${targetWords()}` +
    (other ? ` (by the distance ${distanceName(main.distance)})` : "");
  const proof = certified ? " — proven." : other ? "." : `, as ${distanceName(main.distance)} estimates.`;
  return [{href: "#counterfactuals", id: "coverage", big: atLeast(main.metrics.coverage),
    text: `of ${count(main.inputs)} ${words.graphs} ${inputWords()} are ${near}${proof}`}];
}

function openingSentence(sentence) {
  const figures = sentence.figures.map((f) => `${f.about}: ${percent(f.share)} (${between(f.interval)}) of ${count(f.of)}`);
  return h("li", {"data-kind": sentence.kind}, sentence.text, figures.length ? h("small", {}, figures.join(" · ")) : null);
}

function showSummary() {
  const name = data.subject.dataset.name;
  document.title = main ? `${name}: ${atLeast(main.metrics.coverage)} covered by ${main.k} — fewedits report` : `${name}: rules — fewedits report`;
  const tiles = [...ruleTiles(), ...fragilityTile(), ...coverageTile()];
  const opening = data.glance ? data.glance.opening : [];
  add(byId("summary"),
    h("p", {class: "eyebrow"}, `${name} · ${data.inputs_in_words || `${count(data.graphs)} ${words.graphs}`} · model ${fileName(data.subject.model)}`),
    h("h1", {id: "question"}, question()),
    opening.length ? h("ol", {class: "opening", id: "opening"}, ...opening.map(openingSentence)) : null,
    h("div", {class: `tiles${tiles.length === 1 ? " single" : ""}`}, ...tiles.map((tile) => h("a", {class: "tile", href: tile.href},
      h("span", {class: "big", id: tile.id}, tile.big), h("span", {class: "text"}, tile.text)))),
    data.accepted === undefined ? h("p", {class: "note plain", id: "no-model"}, "The model was not asked when this page was made: it was not at hand, or " +
      "there was no time. What needs it is left out: how many graphs it accepts, shares among them, how rules are to be read, and the sentences that rest on those.") : null);
}

// ---- Rules

/// Two graphs side by side with what the steps change marked.
function rewritePictures(rewrite, {className, titles, labels, least, lettered}) {
  const {before, after, xy, target_xy: there} = rewrite;
  const marks = marksOf(rewrite, before, after);
  const box = boxOf([xy, there], least);
  const wide = box[2] > 2.3 * box[3];
  const one = (graph, at, side, i) => h("figure", {"data-side": side},
    titles ? h("figcaption", {}, titles[i]) : null,
    h("div", {class: "art"}, drawGraph(graph, at, {box, lettered, marks: marks[side], label: `${labels[i]}: ${sizeOf(graph)}`})));
  return h("div", {class: `${className}${wide ? " wide" : ""}`, style: `--shape:${(box[2] / box[3]).toFixed(3)}`},
    one(before, xy, "left", 0), h("span", {class: "arrow", "aria-hidden": "true"}, "→"),
    one(withCarriedOrders(rewrite, before, after), there, "right", 1));
}

function exampleText(example) {
  const at = example.places === 1 ? "at its only place" : `at ${count(example.works)} of ${count(example.places)} places`;
  return `works ${example.works === 0 ? `at none of ${plural(example.places, "place", "places")}` : at} of this ${words.graph}`;
}

/// Real inputs before and after, to page through.
function examplesOf(rule) {
  if (rule.examples.length === 0) return h("p", {class: "note"}, "No input that it applies to is drawn.");
  const stage = h("div", {class: "example-stage"});
  const place = h("span", {role: "status"});
  let at = 0;
  const button = (label, sign, by) => h("button", {type: "button", "aria-label": label, onclick: () => show(at + by)}, sign);
  const [back, forth] = [button("Previous example", "←", -1), button("Next example", "→", 1)];
  const show = (i) => {
    at = Math.max(0, Math.min(rule.examples.length - 1, i));
    const example = rule.examples[at];
    [back.disabled, forth.disabled] = [at === 0, at + 1 === rule.examples.length];
    const worked = h("b", {class: example.worked ? "added" : "removed"}, example.worked ? "✓ now " : "× still not ", data.desired_class || "accepted");
    place.replaceChildren(`Example ${at + 1} of ${rule.examples.length} · graph ${example.graph}${sourceText(example)} · ${exampleText(example)}`);
    stage.replaceChildren(rewritePictures(example, {className: "pictures example", labels: ["Before", "After"],
      titles: [h("b", {}, data.predicted_in_words ? `before: ${data.predicted_in_words}` : "before: rejected"), worked]}));
    stage.dataset.example = at;
    stage.dataset.worked = example.worked;
  };
  show(0);
  return h("div", {class: "examples"}, stage, h("div", {class: "pager"}, back, place, forth));
}

/// How often a piece is in rejected and in accepted graphs.
function frequency(name, counts, inputs) {
  const row = (who, n, all, kind) => h("div", {class: "figure-line small"}, h("span", {class: "name"}, who), meterOf(all > 0 ? n / all : 0, null, kind),
    h("span", {class: "value"}, all > 0 ? percent(n / all) : count(n)));
  return h("div", {class: "frequency"}, h("span", {class: "what"}, name),
    row("rejected", counts.rejected, inputs, "no"),
    data.accepted === undefined ? h("p", {class: "note"}, `accepted: ${count(counts.accepted)} graphs`) : row("accepted", counts.accepted, data.accepted, "yes"));
}

function useText(use) {
  return `${count(use.accepted)} of ${count(use.places)} places (${shareOf(use.accepted, use.places)})`;
}

function ruleNotes(rule, set) {
  const inverse = rule.inverse_on_accepted;
  const lines = [
    `${plural(rule.edits, "edit", "edits")}. There is a place for it in ${count(rule.applies)} of ${count(set.inputs)} inputs (${percent(rule.alone.support)}); ` +
      `it is the first that applies in ${percent(rule.used)}.`,
    rule.on_accepted.places === 0 ? `No accepted ${words.graph} has a place for it.`
      : `Accepted ${words.graphs} stay accepted at ${useText(rule.on_accepted)}.`,
    !inverse ? "The way back is no rule of its own." : inverse.places === 0 ? `The way back applies to no accepted ${words.graph}.`
      : `The way back makes accepted ${words.graphs} rejected at ${count(inverse.places - inverse.accepted)} of ${count(inverse.places)} places ` +
        `(${shareOf(inverse.places - inverse.accepted, inverse.places)}).`,
    rule.pairs === 0 ? `No two ${words.graphs} of the data differ by just this.`
      : `${plural(rule.pairs, "pair", "pairs")} of ${words.graphs} of the data ${rule.pairs === 1 ? "differs" : "differ"} by just this` +
        (rule.pairs_other_class === undefined ? "." : `; ${rule.pairs_other_class === 0 ? "none" : count(rule.pairs_other_class)} of them ${rule.pairs_other_class === 1 ? "has" : "have"} different true classes.`)];
  return h("ul", {class: "rule-notes"}, ...lines.map((line) => h("li", {}, line)));
}

const labelPieces = (list, what) => list.map((one) => [`${what} ${data.labels[one.label].name}`, one]);

function ruleCard(rule, i, set) {
  const pieces = [["the piece it changes", rule.left], ...(rule.right ? [["the piece it makes", rule.right]] : []),
    ...labelPieces(rule.lost, molecules ? "any atom" : "any node"), ...labelPieces(rule.won, molecules ? "any atom" : "any node")];
  const seen = new Set();
  const once = pieces.filter(([name]) => !seen.has(name) && seen.add(name));
  return h("article", {class: "rule panel", "data-rule": i},
    h("header", {}, h("h3", {}, capital(rule.words)),
      h("p", {class: "note"}, `rule ${i + 1} of ${set.rules.length} · `, h("code", {}, rule.text)),
      rule.reading ? h("p", {class: `reading ${rule.reading.kind}`}, capital(rule.reading.words)) : null),
    h("div", {class: "rule-body"},
      h("div", {class: "rule-left"},
        rewritePictures(rule.picture, {className: "pattern", least: 40, lettered: true, labels: ["What the rule changes", "What it makes"]}),
        h("div", {class: "figure-lines"}, ...kFigures.map((figure) => figureLine(rule.alone, figure, figure[0] === "somewhere" ? callsText(rule.alone) : null))),
        h("p", {class: "note"}, "of all inputs, by this rule alone, on those it was chosen on")),
      examplesOf(rule)),
    h("div", {class: "rule-more"}, ruleNotes(rule, set), h("div", {class: "frequencies"}, ...once.map(([name, counts]) => frequency(name, counts, set.inputs)))));
}

/// The figures of a list, held out where they are; beside them what chance does.
function listFigures(set) {
  const columns = [];
  if (set.held_out) columns.push([`held out (${set.held_out.parts} parts)`, set.held_out.figures, "held-out"]);
  columns.push(["on the inputs they were chosen on", set.figures, "chosen"]);
  if (set.baselines && set.baselines.random_rules) columns.push(["random rules of like support", set.baselines.random_rules, "random"]);
  const cell = ([, figures, kind], [key]) => h("td", {"data-column": kind}, h("b", {}, percent(figures[key])),
    kind === "held-out" ? h("small", {}, ` (${between(figures.intervals[key])})`) : null, meterOf(figures[key], kind === "held-out" ? figures.intervals[key] : null, kind),
    key === "somewhere" ? h("small", {}, callsText(figures)) : null);
  const edits = set.baselines ? h("p", {class: "note"}, `As many random edits as the list took model calls: accepted for ${percent(set.baselines.random_edits)} of the inputs.`) : null;
  return h("div", {class: "panel list-figures"},
    h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "all rules together, % of the inputs"), ...columns.map(([name]) => h("th", {scope: "col"}, name)))),
      h("tbody", {}, ...kFigures.map((figure) => h("tr", {"data-row": figure[0]}, h("th", {scope: "row"}, figure[1], h("small", {}, figure[2])),
        ...columns.map((column) => cell(column, figure)))))), edits);
}

const kRulesFirst = 3;

function showRuleSet(at) {
  const set = data.rules[at];
  for (const chip of byId("rules-chips").children) chip.setAttribute("aria-pressed", chip.dataset.set === String(at) ? "true" : "false");
  const list = byId("rules-list");
  list.replaceChildren();
  list.dataset.set = at;
  if (set.rules.length === 0) { list.append(h("p", {class: "panel"}, "No short rule: none that was tried adds anything.")); return; }
  // The most used first: that is who is helped by what.
  const order = set.rules.map((_, i) => i).sort((a, b) => set.rules[b].used - set.rules[a].used || a - b);
  const cards = order.map((i) => ruleCard(set.rules[i], i, set));
  cards.slice(kRulesFirst).forEach((card) => card.classList.add("later"));
  const rest = cards.length - kRulesFirst;
  const more = rest <= 0 ? null : h("button", {class: "quiet more", type: "button", onclick: (event) => {
    for (const card of cards) card.classList.remove("later");
    event.target.remove();
  }}, `Show ${rest === 1 ? "the other rule" : `the other ${rest} rules`}`);
  add(list, ...cards.slice(0, 1), listFigures(set), ...cards.slice(1), more,
    set.complete ? null : h("p", {class: "warning"}, "This search for rules was ended early: what is missing was not measured."));
}

function setName(set) {
  const name = set.plausible ? "Plausible results only" : "Any result";
  return data.rules.filter((other) => other.plausible === set.plausible).length > 1 ? `${name} (${fileName(set.file)})` : name;
}

function showRules() {
  if (data.rules.length === 0) { byId("rules").hidden = true; return; }
  add(byId("rules-lead"), "This piece becomes that piece, and nothing else changes. " +
    `Of an ordered list, the first rule that has a place in a ${words.graph} is used; shown first is what is used most.` +
    (data.rules.some((set) => set.plausible) ? " Plausible: every neighbourhood of radius 2 of the result occurs in the data." : ""));
  if (main) {
    byId("rules-list").after(h("p", {class: "note plain", id: "rules-and-graphs"}, `A rule leaves the rest of the ${words.graph} alone. The counterfactual ` +
      `${words.graphs} below do not: they are whole ${words.graphs}, and anything of an input may change on the way to one. Their figures do not compare.`),
      ...data.rule_notes.map((note) => h("p", {class: "warning"}, note)));
  }
  if (data.rules.length > 1) {
    byId("rules-chips").append(...data.rules.map((set, i) => h("button", {class: "chip", type: "button", "data-set": i, "aria-pressed": "false",
      onclick: () => showRuleSet(i)}, setName(set), h("small", {}, percent(heldOut(set).on_average)))));
  } else byId("rules-chips").hidden = true;
  showRuleSet(0);
}

// ---- What tells rejected from accepted

function patternExample(pattern, drawn) {
  if (!drawn || !pattern.example) return h("p", {class: "note"}, "No place of it to draw.");
  const nodes = new Set(pattern.example.nodes);
  const marks = {nodes: new Map(), edges: new Map()};
  for (const v of nodes) marks.nodes.set(v, {type: "found", step: 0});
  for (let e = 0; e < drawn.edges.length; e += 2) {
    const [u, v] = [drawn.edges[e], drawn.edges[e + 1]];
    if (nodes.has(u) && nodes.has(v)) marks.edges.set(edgeKey(u, v), {type: "found", step: 0});
  }
  return h("figure", {}, h("figcaption", {}, h("b", {}, pattern.name), ` in graph ${drawn.graph}${sourceText(drawn)}`),
    h("div", {class: "art"}, drawGraph(drawn, drawn.xy, {marks, label: `${pattern.name}, marked in graph ${drawn.graph}`})));
}

/// From -1 to 1, with its interval.
function differenceBar(pattern) {
  const at = (x) => `${(50 + 50 * x).toFixed(2)}%`;
  const [low, high] = pattern.interval;
  const [from, to] = [Math.min(0, pattern.difference), Math.max(0, pattern.difference)];
  return h("div", {class: `difference ${pattern.difference > 0 ? "no" : "yes"}`, "aria-hidden": "true"}, h("i", {style: `left:${at(from)};width:${(50 * (to - from)).toFixed(2)}%`}),
    h("b", {style: `left:${at(Math.max(-1, low))};width:${(50 * (Math.min(1, high) - Math.max(-1, low))).toFixed(2)}%`}));
}

const signedPercent = (x) => `${x < 0 ? "−" : "+"}${(100 * Math.abs(x)).toFixed(1)}`;
const kPatternsFirst = 10;

function showGlance() {
  const glance = data.glance;
  if (!glance || glance.patterns.length === 0) { byId("glance").hidden = true; return; }
  byId("glance-lead").textContent = `How many of the ${count(glance.graphs.rejected)} rejected and the ${count(glance.graphs.accepted)} accepted ${words.graphs} have a ` +
    `piece${glance.graphs.counterfactuals ? `, and of the ${count(glance.graphs.counterfactuals)} counterfactuals` : ""}. What tells most comes first; the intervals ` +
    `(95 %) hold for all ${count(glance.tried)} pieces that were looked at, together. What goes with a class need not be why: the rules above were tried on the model.`;
  const stage = h("div", {class: "panel glance-stage"});
  const withCf = glance.graphs.counterfactuals > 0;
  const cell = (share, kind) => h("td", {class: "sharecell"}, h("span", {}, share === null ? "–" : percent(share)), share === null ? null : meterOf(share, null, kind));
  const rows = [];
  const choosePattern = (i) => {
    rows.forEach((row, j) => row.setAttribute("aria-selected", i === j ? "true" : "false"));
    stage.replaceChildren(patternExample(glance.patterns[i], glance.drawn[i]));
  };
  glance.patterns.forEach((pattern, i) => rows.push(h("tr", {"data-pattern": i, tabindex: 0, class: `${pattern.tells ? "" : "chance"}${i < kPatternsFirst ? "" : " later"}`,
    onclick: () => choosePattern(i), onfocus: () => choosePattern(i)},
    h("th", {scope: "row"}, pattern.name, pattern.text && pattern.text !== pattern.name ? h("code", {}, pattern.text) : null),
    cell(pattern.rejected, "no"), cell(pattern.accepted, "yes"), withCf ? cell(pattern.counterfactuals, "cf") : null,
    h("td", {class: "sharecell wide"}, h("span", {}, signedPercent(pattern.difference), h("small", {}, ` (${signedPercent(pattern.interval[0])} to ${signedPercent(pattern.interval[1])})`)),
      differenceBar(pattern)))));
  const more = rows.length <= kPatternsFirst ? null : h("button", {class: "quiet more", type: "button", onclick: (event) => {
    for (const row of rows) row.classList.remove("later");
    event.target.remove();
  }}, `${rows.length - kPatternsFirst} more`);
  byId("glance-body").append(h("div", {class: "glance-grid"}, h("div", {class: "panel"}, h("table", {class: "patterns"},
    h("thead", {}, h("tr", {}, h("th", {}, "piece"), h("th", {scope: "col"}, "rejected"), h("th", {scope: "col"}, "accepted"),
      withCf ? h("th", {scope: "col"}, "counterfactuals") : null, h("th", {scope: "col"}, "difference, points"))),
    h("tbody", {}, ...rows)), ...(more ? [more] : [])), stage),
    ...glance.notes.map((note) => h("p", {class: "note"}, note)));
  choosePattern(0);
}

// ---- Who is not covered

const kUncoveredOnce = 8;

function showUncovered() {
  const items = main ? views[kUncovered] : [];
  if (items.length === 0) { byId("uncovered").hidden = true; return; }
  const known = items.filter((item) => data.recourse[item.input][0] !== null);
  byId("uncovered-lead").textContent = `${plural(items.length, "input is", "inputs are")} not within θ = ${thetaText(main.theta)} of any of the counterfactuals` +
    (items.length === main.inputs ? "" : ` (${atMost(items.length / main.inputs)} of all)`) + ". " +
    (known.length ? "The nearest first, each with how far its nearest counterfactual is." : "How far they are is not known.");
  let page = 0;
  const pages = Math.ceil(items.length / kUncoveredOnce);
  const place = h("span", {role: "status"});
  const button = (label, sign, by) => h("button", {type: "button", "aria-label": label, onclick: () => show(page + by)}, sign);
  const [back, forth] = [button("Nearer inputs", "←", -1), button("Farther inputs", "→", 1)];
  const card = (item, i) => {
    const input = data.inputs[item.input];
    const [c, distance, , edits, lower, open] = data.recourse[item.input];
    return h("button", {class: "card far", type: "button", "data-input": input.graph, onclick: () => { choose(kUncovered); go(i); byId("recourse").scrollIntoView(); }},
      h("span", {class: "row"}, h("span", {class: "rank"}, `Graph ${input.graph}`), h("span", {class: "p"}, sizeOf(input).split(",")[0])),
      h("span", {class: "art"}, item.pair ? drawGraph(input, item.pair.xy, {label: `Graph ${input.graph}: ${sizeOf(input)}`}) : h("span", {class: "note"}, "not drawn here")),
      h("span", {class: "covers"}, c === null ? "far from all" : cost(distance), h("small", {}, c === null ? "" : ` from #${c + 1}, nearest`)),
      edits === undefined ? null : h("span", {class: "note"}, `${count(edits)} edits found, ${count(lower)} needed at least${open ? "; it may be nearer" : ""}`));
  };
  const show = (to) => {
    page = Math.max(0, Math.min(pages - 1, to));
    [back.disabled, forth.disabled] = [page === 0, page + 1 === pages];
    const first = page * kUncoveredOnce;
    const some = items.slice(first, first + kUncoveredOnce);
    place.textContent = `${count(first + 1)} to ${count(first + some.length)} of ${count(items.length)}`;
    byId("uncovered-cards").replaceChildren(...some.map((item, i) => card(item, first + i)));
  };
  if (pages > 1) byId("uncovered-pager").append(back, place, forth);
  else byId("uncovered-pager").hidden = true;
  show(0);
}

// ---- Fragility

function showFragility() {
  const fragility = data.fragility;
  if (!fragility) { byId("fragility").hidden = true; return; }
  byId("fragility-lead").textContent = `For every ${words.graph}, every single step of the edit map was shown to the model (within θ = ${thetaText(fragility.theta)}` +
    `${fragility.plausible ? ", plausible results only" : ""}): is one enough to change its verdict? Where none is, the best pairs of steps were tried. ` +
    "The more is enough, the less a verdict means.";
  const part = (kind, n, all) => h("i", {class: kind, style: `width:${all > 0 ? (100 * n / all).toFixed(2) : 0}%`});
  const row = (side) => h("div", {class: "fragile", "data-side": side.name},
    h("h3", {}, `${capital(side.name)} ${words.graphs} (${count(side.graphs)})`),
    h("div", {class: "stack", "aria-hidden": "true"}, part("one", side.one_step, side.graphs), part("two", side.two_steps, side.graphs), part("unknown", side.not_known, side.graphs)),
    h("p", {}, h("b", {"data-figure": "one"}, shareOf(side.one_step, side.graphs)), ` (${between(side.interval)}) one step is enough · `,
      h("b", {"data-figure": "two"}, shareOf(side.two_steps, side.graphs)), " two are, not one · ",
      h("b", {"data-figure": "unknown"}, shareOf(side.not_known, side.graphs)), " not known",
      h("small", {}, ` · of a ${words.graph}'s steps, ${percent(side.enough)} are enough, on average`)));
  byId("fragility-body").append(...fragility.sides.map(row),
    h("div", {class: "key"}, h("span", {}, h("i", {class: "swatch one"}), "one step"), h("span", {}, h("i", {class: "swatch two"}), "two steps"), h("span", {}, h("i", {class: "swatch unknown"}), "not known")));
}

// ---- How it was made

function ruleFacts(set) {
  return factList([["Rules", plural(set.rules.length, "rule", "rules"), setName(set)],
    ["Chosen for", {average: "works on average", somewhere: "works somewhere", everywhere: "works everywhere"}[set.objective], set.held_out ? `held out: ${set.held_out.parts} parts` : "nothing held out"],
    ["Within", `θ = ${thetaText(set.theta)}`, set.bonds ? "bonds used" : "bonds left out"],
    ["Rules' seed", set.seed, set.software]]);
}

function showMade() {
  const files = [...data.explanations.map((e) => e.file), ...data.rules.map((set) => set.file), ...(data.fragility ? [data.fragility.file] : [])].filter(Boolean);
  add(byId("made-body"), main ? facts() : null, main ? commandBox("To get this explanation again", main.command) : null,
    ...data.rules.flatMap((set) => [ruleFacts(set), set.command ? commandBox(`To get these rules again: ${setName(set).toLowerCase()}`, set.command) : null]),
    files.length ? h("p", {class: "note", id: "files"}, `Made from ${files.map(fileName).join(", ")}.`) : null);
}
