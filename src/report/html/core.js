"use strict";
// What every page can do: make elements, draw a picture, tell an explanation, show a test under models.
// Text from tests and models only ever becomes text of elements, never markup.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  dress(element, attributes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function s(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(element, attributes);
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}

function dress(element, attributes) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) element.style.setProperty(key, v);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
}

const several = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
// Numbers of executions that are too large for one are strings of digits.
const sum = (a, b) => { const all = BigInt(a || 0) + BigInt(b || 0); return all === 1n ? 1 : all; };
const spot = (place) => `${place.file}:${place.line}`;

// Light and dark: as the reader's system has it, until they choose.
const theme = {
  start() {
    let chosen = null;
    try { chosen = localStorage.getItem("litmus-theme"); } catch { /* a file of its own has no memory */ }
    const system = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => { document.documentElement.dataset.theme = chosen || (system.matches ? "dark" : "light"); };
    system.addEventListener("change", apply);
    theme.toggle = () => {
      chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("litmus-theme", chosen); } catch { /* likewise */ }
      apply();
    };
    apply();
  },
  button: () => h("button", { title: "Light or dark (t)", "aria-label": "Light or dark", onclick: () => theme.toggle() }, "◐"),
};

// Relations that the reader switched off, and on; kept from one picture to the next.
const switched = new Map();

/// A picture with its relations to switch and a line on what the pointer is at. `context`: definitions of the model, and who lights lines of the test.
function picture(data, context) {
  const explains = data.edges.some((edge) => edge.bold);
  const names = [...new Set(data.edges.map((edge) => edge.name))];
  const info = h("div", { class: "info", "aria-live": "polite" });
  const hint = () => {
    info.replaceChildren(h("p", {}, data.state), data.remark ? h("p", { class: "bad" }, data.remark) : null || "",
      h("p", { class: "soft" }, "Point at an edge or an event, or go there with Tab, to see its lines."));
  };
  hint();
  const light = (nodes) => context.light && context.light(nodes.map((node) => node.line).filter(Boolean));
  const leave = () => { hint(); light([]); };
  const heading = (column, name) => data.hardware && column === data.threads.length - 1 ? "Hardware" : `${name}${column}`;
  const event = (node) => h("p", {}, h("b", {}, node.id), `: ${node.does} `,
    node.thread === null ? h("span", { class: "soft" }, "initially")
      : h("span", { class: "soft" }, `${heading(node.thread, "P")}${node.line ? `, line ${node.line}` : ""}: `, h("code", {}, node.code)));
  const defined = (edge) => edge.place || (context.definitions || {})[edge.name];

  const [width, height] = data.size;
  const svg = s("svg", { class: explains ? "picture explains" : "picture", viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": `an execution: ${data.state}`, style: { width: `min(100%, ${width}px)`, "min-width": `${Math.round(width * 0.66)}px` } });
  data.threads.forEach(([x, y, w, height], thread) => {
    // The heading stands away from the middle, where arrows from the initial writes come from.
    const left = thread * 2 < data.threads.length;
    svg.append(s("rect", { class: "frame", x, y, width: w, height, rx: 8 }),
      s("text", { class: "thread", x: left ? x + 10 : x + w - 10, y: y + 15, style: { "text-anchor": left ? "start" : "end" } }, heading(thread, "Thread ")));
  });
  const edges = data.edges.map((edge) => {
    const [from, to] = [data.nodes[edge.from], data.nodes[edge.to]];
    const show = () => {
      const place = defined(edge);
      info.replaceChildren(
        h("p", {}, h("b", { class: "mono" }, edge.name), `: ${words(edge.name, from, to)}`),
        event(from), event(to),
        place ? h("p", { class: "soft" }, `${spot(place)}: `, h("code", {}, place.text)) : "");
      light([from, to]);
    };
    const element = s("g", { class: edge.bold ? "edge bold" : "edge", tabindex: "0", role: "img", "data-relation": edge.name,
      "aria-label": `${edge.name} from ${from.id} to ${to.id}`, style: { "--c": color(data.colors[edge.name]) },
      onmouseenter: show, onfocus: show, onclick: show, onmouseleave: leave, onblur: leave },
    s("path", { class: "near", d: edge.path }), s("path", { class: "line", d: edge.path }), edge.plain ? null : head(edge.path),
    s("text", { x: edge.label[0], y: edge.label[1] }, edge.name));
    return element;
  });
  // What is explained lies on top.
  svg.append(...edges.filter((_, i) => !data.edges[i].bold), ...edges.filter((_, i) => data.edges[i].bold));
  for (const node of data.nodes) {
    const [x, y, w, height] = node.at;
    const show = () => { info.replaceChildren(event(node)); light([node]); };
    svg.append(s("g", { class: "node", tabindex: "0", role: "img", "aria-label": `${node.id}: ${node.does}`,
      onmouseenter: show, onfocus: show, onclick: show, onmouseleave: leave, onblur: leave },
    s("rect", { class: "box", x, y, width: w, height, rx: 4 }),
    s("text", { x: x + w / 2, y: y + height / 2 + (node.code ? -3 : 4) }, `${node.id}: ${node.does}`),
    node.code ? s("text", { class: "code", x: x + w / 2, y: y + height / 2 + 12 }, node.code) : null));
  }
  const apply = () => {
    for (const element of edges) {
      const off = switched.get(element.dataset.relation) === false;
      element.style.display = off ? "none" : "";
    }
  };
  const chips = names.map((name, index) => h("button", {
    "aria-pressed": switched.get(name) !== false, "data-relation": name, style: { "--c": color(data.colors[name]) },
    title: index < 9 ? `Show or hide (${index + 1})` : "Show or hide",
    onclick: (click) => {
      const on = switched.get(name) === false;
      switched.set(name, on);
      click.currentTarget.setAttribute("aria-pressed", on);
      apply();
    } }, name));
  apply();
  return h("div", {}, h("div", { class: "chips", role: "group", "aria-label": "Relations" }, chips), h("div", { class: "canvas" }, svg), info);
}

const color = (given) => (given === "black" ? "#555" : given);

/// The head of the arrow at the end of a path.
function head(path) {
  const numbers = path.match(/-?[\d.]+/g).map(Number);
  const [x, y] = numbers.slice(-2);
  const [fx, fy] = numbers.slice(-4, -2);
  const angle = Math.atan2(y - fy, x - fx);
  const point = (along, aside) => `${(x - along * Math.cos(angle) + aside * Math.sin(angle)).toFixed(1)},${(y - along * Math.sin(angle) - aside * Math.cos(angle)).toFixed(1)}`;
  return s("polygon", { points: `${x},${y} ${point(9, 4)} ${point(9, -4)}` });
}

/// An edge in words.
function words(name, from, to) {
  const [a, b] = [from.id, to.id];
  switch (name.replace(/[ei]$/, (end) => (["rfe", "rfi", "coe", "coi", "fre", "fri"].includes(name) ? "" : end))) {
    case "po": return `${a} comes before ${b} in program order`;
    case "rf": return `${b} reads the value that ${a} wrote`;
    case "co": return `${b} overwrites the value that ${a} wrote`;
    case "fr": return `${a} reads a value that ${b} overwrites`;
    case "addr": return `the address of ${b} depends on what ${a} reads`;
    case "data": return `the value that ${b} writes depends on what ${a} reads`;
    case "ctrl": return `whether ${b} runs depends on what ${a} reads`;
    case "rmw": return `${a} and ${b} are the read and the write of one atomic update`;
    default: return `${a} and ${b} are a pair of ${name}`;
  }
}

/// One of several things, and buttons to go through them.
function stepper(list, what, make, at) {
  const holder = h("div", {});
  const place = h("span", { "aria-live": "polite" });
  let index = Math.min(at || 0, list.length - 1);
  const go = (by) => {
    index = (index + by + list.length) % list.length;
    place.textContent = `${what} ${index + 1} of ${list.length}`;
    holder.replaceChildren(make(list[index], index));
  };
  go(0);
  const controls = list.length > 1
    ? h("span", { class: "stepper" }, h("button", { "data-step": "-1", "aria-label": "previous", onclick: () => go(-1) }, "‹"), place,
      h("button", { "data-step": "1", "aria-label": "next", onclick: () => go(1) }, "›")) : null;
  return [controls, holder];
}

/// An event of an explanation.
function eventLine(id, events) {
  const event = (events || []).find((event) => event.id === id);
  if (!event) return h("li", { class: "event" }, id);
  return h("li", { class: "event" }, h("b", {}, id), `: ${event.action} `, h("span", { class: "place" },
    event.place ? [`P${event.thread}, line ${event.place.line}: `, h("code", {}, event.place.text)] : "initially"));
}

/// Why one way is refused.
function wayText(way) {
  const name = way.check.name || "a check without a name";
  const forbids = { cycle: "forbids cycles, and here is one", pair: "forbids such a pair", event: "forbids such an event", missing: "wants something that is not there" };
  const items = [];
  let last = null;
  for (const link of way.links) {
    if (last !== link.from) items.push(eventLine(link.from, way.events));
    const names = link.names.map((named) => named.name).join(" › ");
    items.push(h("li", { class: "link" }, names ? h("b", { class: "mono" }, `${names}: `) : null, link.words.join("; "),
      link.model ? h("div", { class: "place" }, `${spot(link.model)}: `, h("code", {}, link.model.text)) : null));
    items.push(eventLine(link.to, way.events));
    last = link.to;
  }
  return h("div", {},
    reads(way.reads),
    way.given.length ? h("p", { class: "note" }, `where ${way.given.map((edge) => `${edge.from} is before ${edge.to} in ${edge.relation}`).join(", ")}`) : null,
    h("p", { class: "note" }, h("b", { class: "mono" }, name), ` ${forbids[way.shape]}`,
      way.check.place ? h("span", { class: "soft" }, ` (${spot(way.check.place)}: `, h("code", {}, way.check.place.text), ")") : null, "."),
    items.length ? h("ul", { class: "cycle" }, items) : null);
}

function reads(edges) {
  return edges.length ? h("p", { class: "note soft" }, edges.map((edge) => `${edge.to} reads from ${edge.from}`).join(", ")) : null;
}

/// The reasons of something refused, one after the other, each with its picture.
function ways(list, pictures, context) {
  const [controls, holder] = stepper(list, "Reason", (way, index) => h("div", { class: "reason" }, wayText(way), pictures[index] ? picture(pictures[index], context) : null));
  return h("div", {}, controls, holder);
}

/// An explanation.
function explanation(why, context) {
  const parts = [];
  const told = (sentence) => parts.push(h("p", { class: "note" }, h("b", {}, why.outcome), ` ${sentence}`));
  if (why.answer === "forbidden") {
    const n = why.candidates;
    told(`cannot happen under ${why.model}.`);
    parts.push(h("p", { class: "note" }, n === 1 ? "There is one way to bring it about, and it is refused."
      : why.incomplete ? `The first ${n} ways to bring it about are refused, for ${several(why.ways.length, "reason")}.`
      : `There are ${n} ways to bring it about; each is refused, for ${several(why.ways.length, "reason")}.`,
    why.incomplete ? " There are more ways than were looked at." : ""));
    if (why.ways.length) parts.push(ways(why.ways, why.pictures, context));
  } else if (why.answer === "allowed") {
    told(`can happen under ${why.model}, for example so:`);
    parts.push(reads(why.witness.reads));
    for (const near of why.near) {
      parts.push(h("p", { class: "note" }, h("b", { class: "mono" }, near.check.name || "a check without a name"),
        near.check.place ? h("span", { class: "soft" }, ` (${spot(near.check.place)})`) : null,
        near.lacking ? ` would forbid it if ${near.lacking} led from ${near.missing[0].join(" to ")}.`
          : ` would forbid it if it ordered ${near.missing.map(([a, b]) => `${a} before ${b}`).join(" and ")}.`));
    }
    if (why.pictures[0]) parts.push(picture(why.pictures[0], context));
  } else {
    told("cannot happen, whatever the model.");
    parts.push(...why.missing.map((line) => h("p", { class: "note" }, line)));
  }
  const own = why.answer === "forbidden" ? why.ways.length : why.answer === "allowed" ? 1 : 0;
  why.flags.forEach((flag, index) => {
    const name = flag.check.name || "a check without a name";
    parts.push(h("h3", {}, "Flag ", h("code", {}, name)),
      flag.check.place ? h("p", { class: "note soft" }, `${spot(flag.check.place)}: `, h("code", {}, flag.check.place.text)) : null,
      h("ul", { class: "cycle" }, flag.accesses.map((id) => eventLine(id, flag.witness.events))), reads(flag.witness.reads),
      why.pictures[own + index] ? picture(why.pictures[own + index], context) : null);
  });
  return h("div", {}, parts);
}

/// What was remarked, with places.
function diagnostics(list) {
  return list.map((message) => h("div", { class: "note" },
    h("b", { class: message.severity === "error" ? "bad" : "warn" }, `${message.severity}: `), message.message,
    message.places.map((place) => h("div", { class: "soft" }, `${place.file}:${place.line}:${place.column}`, place.text ? ` ${place.text}` : "")),
    message.notes.map((note) => h("div", { class: "soft" }, note))));
}

/// A result in a word, and what colour it has.
function verdict(result) {
  if (result.status === "unsupported") return ["not supported", "warn"];
  if (result.status === "limited") return ["too long", "warn"];
  if (result.status !== "answered") return [result.other_arch ? "other architecture" : "error", result.other_arch ? "soft" : "bad"];
  const violated = result.verdict === "Undef" || (result.verdict === "No" && result.kind !== "Allowed");
  const tones = { Never: "never", Sometimes: "some", Always: "always" };
  return [result.observation || result.verdict || "", violated ? "bad" : tones[result.observation] || "good"];
}

const uncertain = (kind) => !["complete", "decided", "checked"].includes(kind);

/// A test under models: its text, its outcomes, and what is behind them. `chosen`: what to show first; `choose` is told what the reader looks at;
/// `elsewhere` lights lines of the text where that is shown already.
function testView(test, chosen, choose, elsewhere) {
  const lines = (test.text === null ? ["(the test could not be read)"] : test.text.replace(/\n$/, "").split("\n"))
    .map((line, index) => h("div", { "data-n": index + 1 }, line || " "));
  const light = elsewhere || ((numbers) => {
    lines.forEach((line, index) => line.classList.toggle("lit", numbers.includes(index + 1)));
  });
  const show = h("section", { class: "show", tabindex: "-1", hidden: true, "aria-label": "Executions and reasons" });
  const buttons = [];
  const open = (model, what, outcome, at) => {
    const result = test.results[model];
    const context = { definitions: result.definitions, light };
    const key = `${model}/${what}/${outcome}`;
    for (const [button, own] of buttons) button.setAttribute("aria-current", own === key);
    let title, body;
    if (what === "why") {
      title = `Why? ${result.model}`;
      body = result.why ? explanation(result.why, context) : absent(result);
    } else if (what === "no") {
      const refused = result.refused.find((refused) => refused.line === outcome);
      title = `${outcome} cannot happen: ${result.model}`;
      if (refused && refused.as_condition && result.why) body = explanation(result.why, context);
      else if (refused && refused.ways.length) body = ways(refused.ways, refused.pictures, context);
      else body = refused ? absent(result) : h("p", { class: "note" }, "No choice of what the reads read from brings it about under this model's reading of the test.");
    } else {
      const state = result.states.find((state) => state.line === outcome);
      title = `${outcome} ${result.model}`;
      if (state && state.executions.length) {
        const [controls, holder] = stepper(state.executions, "Execution", (seen) => h("div", {},
          seen.flags.length ? h("p", { class: "note warn" }, `raises ${seen.flags.join(", ")}`) : null, picture(seen.picture, context)), at);
        const more = state.witnesses > state.executions.length
          ? h("span", { class: "soft" }, ` ${state.executions.length} of ${state.witnesses} are drawn`) : null;
        body = h("div", {}, controls, more, holder);
      } else body = absent(result);
    }
    show.replaceChildren(h("div", { class: "title" }, h("h3", { style: { margin: 0 } }, title)), body);
    show.hidden = false;
    light([]);
    choose({ model, what, outcome });
  };
  const button = (label, model, what, outcome, attributes) => {
    const element = h("button", { ...attributes, onclick: () => { open(model, what, outcome); show.scrollIntoView({ block: "nearest" }); } }, label);
    buttons.push([element, `${model}/${what}/${outcome}`]);
    return element;
  };
  const several_models = test.results.length > 1;
  const verdicts = test.results.map((result, model) => {
    const [word, tone] = verdict(result);
    return h("div", { class: "verdict" },
      h("p", {}, h("b", {}, result.model || "default model"), " ", h("span", { class: tone }, word),
        result.status === "answered" && result.verdict ? h("span", { class: "soft" }, ` (${result.verdict})`) : null, " ",
        result.why ? button("Why?", model, "why", "", { title: "Why the outcome of the condition can, or cannot, happen" }) : null),
      result.status === "answered" ? h("p", { class: "soft" }, `${several(sum(result.positive, result.negative), "execution")}, ${result.positive} with the condition, ${result.seconds.toFixed(3)} s`) : null,
      result.flags.length ? h("p", { class: "warn" }, `flags: ${result.flags.join(", ")}`) : null,
      result.expectation && !result.expectation.met ? h("p", { class: "bad" }, `not as expected: ${result.expectation.reason || ""}`) : null,
      result.qualifier.text && result.status === "answered" ? h("p", { class: uncertain(result.qualifier.kind) ? "warn note" : "note soft" }, result.qualifier.text) : null,
      diagnostics(result.diagnostics));
  });

  const condition = test.results.map((result) => result.condition).find(Boolean);
  const rows = outcomes(test.results);
  const cell = (row, result, model) => {
    const state = row.states[model];
    if (state) {
      const n = state.witnesses;
      return button(n ? `${n} ×` : "can", model, "yes", row.line, { title: `can happen under ${result.model}: ${several(n, "execution")}` });
    }
    if (result.status !== "answered") return "";
    if (row.refused[model]) return button("never", model, "no", row.line, { class: "no", title: `cannot happen under ${result.model}: why?` });
    const known = result.qualifier.complete || result.qualifier.kind === "bounded";
    return h("span", { class: "soft" }, known && !result.more_states ? "never" : "?");
  };
  const table = rows.length ? h("div", { class: "scroll" }, h("table", { class: "outcomes" },
    h("thead", {}, h("tr", {}, h("th", {}, "Outcome"), test.results.map((result) => h("th", {}, several_models ? result.model || "default" : "Executions")))),
    h("tbody", {}, rows.map((row) => h("tr", { class: row.satisfies ? "holds" : "" },
      h("td", {}, row.satisfies ? h("span", { title: "The condition holds here" }, "✱ ") : null, row.line || "(nothing is observed)"),
      test.results.map((result, model) => h("td", {}, cell(row, result, model)))))))) : null;
  const more = Math.max(...test.results.map((result) => result.more_states));
  const view = h("div", { class: "view" }, h("div", { class: elsewhere ? "" : "columns" }, h("div", {},
    h("div", { class: "verdicts" }, verdicts),
    condition ? h("p", { class: "note" }, h("code", {}, condition), rows.some((row) => row.satisfies) ? h("span", { class: "soft" }, " (holds where ✱)") : null) : null,
    table,
    more ? h("p", { class: "note soft" }, `and ${several(more, "more outcome")}`) : null),
  elsewhere ? null : h("pre", { class: "text", tabindex: "0", "aria-label": "The test" }, lines)), show);
  if (chosen) open(chosen.model, chosen.what, chosen.outcome, chosen.at);
  return view;
}

/// Why there is nothing to see.
function absent(result) {
  const text = result.trimmed ? "The page would be too large with the executions of all tests. A page of this test alone has them: litmus run TEST --format html."
    : result.cut ? "Looking for executions took too long for this page. A page of this test alone has more time: litmus run TEST --format html."
      : "Not looked into for this page. litmus explain TEST --outcome … does.";
  return h("p", { class: "note soft" }, text);
}

/// The outcomes of all results, those that can happen somewhere first.
function outcomes(results) {
  const rows = new Map();
  const row = (outcome) => {
    if (!rows.has(outcome.line)) rows.set(outcome.line, { line: outcome.line, satisfies: outcome.satisfies, states: [], refused: [] });
    return rows.get(outcome.line);
  };
  results.forEach((result, model) => result.states.forEach((state) => { row(state).states[model] = state; }));
  results.forEach((result, model) => result.refused.forEach((refused) => { row(refused).refused[model] = refused; }));
  return [...rows.values()];
}

/// Keys that work wherever a test is shown: stepping, switching relations.
function viewKeys(event, root) {
  const press = (selector) => {
    const button = root.querySelector(selector);
    if (button) { button.click(); event.preventDefault(); }
    return Boolean(button);
  };
  if (event.key === "ArrowLeft" || event.key === "[") return press('.show [data-step="-1"]');
  if (event.key === "ArrowRight" || event.key === "]") return press('.show [data-step="1"]');
  if (/^[1-9]$/.test(event.key)) return press(`.show .chips button:nth-of-type(${event.key})`);
  if (event.key === "w") return press(".verdict button");
  return false;
}
