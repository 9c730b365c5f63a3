// The playground: a test and a model as they are typed, what is wrong with them, what can happen under which model, and why.
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  theme.start();

  async function ask(what, question) {
    const answer = await fetch(`/api/${what}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
    const data = await answer.json();
    if (!answer.ok) throw new Error(data.error || answer.statusText);
    return data;
  }

  /// A place to type in, with line numbers, marks, and what is said about the text.
  function editor(name, small, changed) {
    const numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
    const marks = h("pre", { class: "marks", "aria-hidden": "true" });
    const says = h("ul", { class: "says", "aria-live": "polite" });
    const area = h("textarea", { "aria-label": name, spellcheck: "false", autocomplete: "off", autocapitalize: "off", wrap: "off",
      oninput: () => { show([]); changed(); }, onscroll: () => { marks.scrollTop = numbers.scrollTop = area.scrollTop; marks.scrollLeft = area.scrollLeft; } });
    const offset = (line, column) => {
      const lines = area.value.split("\n");
      return lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + [...(lines[line - 1] || "")].slice(0, column - 1).join("").length;
    };
    // `said`: diagnostics, each with a place or without.
    function show(said) {
      const lines = area.value.split("\n").length;
      const worst = new Map();
      for (const message of said) if (message.place && worst.get(message.place.line) !== "error") worst.set(message.place.line, message.severity);
      numbers.replaceChildren(...Array.from({ length: lines }, (_, i) => h("span", { class: worst.get(i + 1) || "" }, String(i + 1))));
      const spans = said.filter((message) => message.place).map((message) => {
        const start = offset(message.place.line, message.place.column);
        return [start, Math.max(start + 1, offset(message.place.to_line, message.place.to_column)), message.severity];
      }).sort((a, b) => a[0] - b[0]);
      const parts = [];
      let at = 0;
      for (const [start, end, severity] of spans) {
        if (start < at) continue;
        parts.push(area.value.slice(at, start), h("mark", { class: severity }, area.value.slice(start, end)));
        at = end;
      }
      marks.replaceChildren(...parts, `${area.value.slice(at)}\n`);
      marks.scrollTop = area.scrollTop;
      says.replaceChildren(...said.slice(0, 12).map((message) => h("li", {},
        message.place ? h("button", { title: "Go there", onclick: () => { const to = offset(message.place.line, message.place.column); area.focus(); area.setSelectionRange(to, to); } }, `${message.place.line}:${message.place.column}`) : null,
        h("b", { class: message.severity === "error" ? "bad" : "warn" }, `${message.severity}: `), message.message,
        message.place && message.place.text ? h("span", { class: "soft" }, ` (${message.place.text})`) : null,
        message.notes.map((note) => h("div", { class: "soft" }, note)))));
    }
    const light = (lit) => [...numbers.children].forEach((number, i) => number.classList.toggle("lit", lit.includes(i + 1)));
    return { area, show, light, root: h("div", {}, h("div", { class: small ? "editor small" : "editor" }, numbers, h("div", { class: "over" }, marks, area)), says) };
  }

  let timer = 0;
  let asked = 0;
  const check = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const own = ++asked;
      try {
        const said = await ask("check", { test: test.area.value, model: uses.checked ? model.area.value : null });
        if (own !== asked) return;
        test.show(said.test);
        model.show(said.model);
        status.textContent = "";
      } catch (error) { status.textContent = String(error.message); }
    }, 250);
  };
  const test = editor("The test", false, check);
  const model = editor("Your model", true, check);

  const boxes = index.models.map(({ name, about }) => h("input", { type: "checkbox", value: name, title: about }));
  const uses = h("input", { type: "checkbox", id: "own", onchange: () => { own.hidden = !uses.checked; model.show([]); check(); } });
  const status = h("span", { class: "bad", "aria-live": "polite" });
  const draws = h("input", { type: "text", placeholder: "e.g. dob, bob", "aria-label": "Relations of the model to draw, too" });
  const start = h("select", { "aria-label": "Start from a model of the library", onchange: async () => {
    if (start.value) {
      try { model.area.value = (await ask("model", { models: [start.value] })).text; model.show([]); check(); } catch (error) { status.textContent = String(error.message); }
    }
    start.value = "";
  } }, h("option", { value: "" }, "Start from …"), index.models.map(({ name }) => h("option", { value: name }, name)));
  const own = h("div", { hidden: true }, h("div", { class: "line" }, h("h3", {}, "Your model ", h("code", {}, "mine")), start), model.root);
  const results = h("section", { class: "read", tabindex: "-1", "aria-label": "Results" });
  const go = h("button", { class: "primary", title: "Ctrl+Enter", onclick: () => run() }, "Run");
  const examples = h("select", { "aria-label": "Examples", onchange: () => {
    const chosen = index.examples[Number(examples.value)];
    if (examples.value !== "" && chosen) { test.area.value = chosen.text; test.show([]); suit(); check(); run(); }
    examples.value = "";
  } }, h("option", { value: "" }, "Examples …"), index.examples.map(({ name }, i) => h("option", { value: i }, name)));

  const app = document.getElementById("app");
  const main = h("main", { class: "play" }, h("section", { class: "write", "aria-label": "Test and models" },
    h("div", { class: "line" }, h("h3", {}, "Test"), examples), test.root,
    h("div", { class: "line" }, h("h3", {}, "Models"), h("label", {}, uses, "one of my own")),
    h("div", { class: "models" }, boxes.map((box) => h("label", { title: box.title }, box, box.value))), own,
    h("div", { class: "line" }, h("label", {}, "Also draw"), draws)), results);
  app.append(h("header", { class: "top" }, h("h1", {}, "litmus playground"), h("span", { class: "soft summary wide" }, "Which outcomes can a concurrent program have, and why not others?"),
    status, go, h("button", { title: "A link that holds test and model", onclick: () => share() }, "Share"), theme.button()), main);

  /// Ticks models that suit the test's architecture, unless the reader has chosen some.
  function suit() {
    const word = (test.area.value.match(/^\s*(\w+)/) || ["", ""])[1].toUpperCase();
    const kernel = /READ_ONCE|WRITE_ONCE|smp_|spin_lock|rcu_/.test(test.area.value);
    const own = { AARCH64: "aarch64", X86: "x86tso", X86_64: "x86tso", PPC: "ppc", RISCV: "riscv", ARM: "armv7", MIPS: "mips", C: kernel ? "lkmm" : "rc11" }[word];
    const wanted = ["sc", own];
    for (const box of boxes) box.checked = wanted.includes(box.value);
    if (!kernel || word !== "C") return;
    for (const box of boxes) box.checked = box.value === "lkmm";
  }

  const chosen = () => [...boxes.filter((box) => box.checked).map((box) => box.value), ...(uses.checked ? ["mine"] : [])];
  const question = () => ({ test: test.area.value, model: uses.checked ? model.area.value : null, draw: draws.value.split(",").map((name) => name.trim()).filter(Boolean) });

  let running = 0;
  async function run() {
    const models = chosen();
    if (!models.length) { results.replaceChildren(h("p", { class: "nothing" }, "Tick a model to run under.")); return; }
    const number = ++running;
    go.disabled = true;
    status.textContent = "";
    results.setAttribute("aria-busy", "true");
    try {
      const data = await ask("run", { ...question(), models });
      if (number !== running) return;
      for (const result of data.results) if (result.model === "mine.cat") result.model = "mine";
      results.replaceChildren(testView(data, null, () => {}, test.light), asking(models));
    } catch (error) {
      if (number === running) results.replaceChildren(h("p", { class: "note bad" }, String(error.message)));
    } finally {
      if (number === running) { go.disabled = false; results.removeAttribute("aria-busy"); }
    }
  }

  /// A question about an outcome of one's own.
  function asking(models) {
    const outcome = h("input", { type: "text", placeholder: "an outcome, e.g. 1:X0=1 /\\ 1:X2=0; none: that of the test", "aria-label": "Outcome" });
    const under = h("select", { "aria-label": "Model" }, models.map((name) => h("option", { value: name }, name)));
    const told = h("div", {});
    const explain = async (fix) => {
      told.replaceChildren(h("p", { class: "soft" }, "…"));
      try {
        const answer = await ask("explain", { ...question(), draw: [], models: [under.value], outcome: outcome.value, fix });
        told.replaceChildren(
          ...answer.diagnostics.map((message) => h("p", { class: message.severity === "error" ? "note bad" : "note warn" }, message.message)),
          fix ? h("div", {}, answer.fix ? h("pre", { class: "mono note", style: { "white-space": "pre-wrap" } }, answer.fix) : h("p", { class: "note" }, "There is nothing to repair here."),
            answer.patched ? h("button", { onclick: () => { test.area.value = answer.patched; test.show([]); check(); run(); } }, "Take the first") : "") : "",
          answer.why && !fix ? explanation(answer.why, { light: test.light }) : "");
      } catch (error) { told.replaceChildren(h("p", { class: "note bad" }, String(error.message))); }
    };
    return h("section", { class: "show" }, h("h3", { style: { margin: 0 } }, "Why, or why not?"),
      h("div", { class: "line" }, outcome, under, h("button", { onclick: () => explain(false) }, "Explain"), h("button", { title: "Fences and stronger accesses that forbid it", onclick: () => explain(true) }, "What would forbid it?")), told);
  }

  // A link that holds everything: after the #, which never leaves the browser.
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  async function pack(value) {
    const bytes = await through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }
  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  }
  async function share() {
    const value = { test: test.area.value, models: chosen() };
    if (uses.checked) value.model = model.area.value;
    if (draws.value) value.draw = draws.value;
    history.replaceState(null, "", `#play=${await pack(value)}`);
    status.textContent = "";
    try { await navigator.clipboard.writeText(location.href); status.textContent = "Link copied"; } catch { status.textContent = "The address holds it all"; }
    status.className = "good";
    setTimeout(() => { status.textContent = ""; status.className = "bad"; }, 3000);
  }
  async function restore() {
    const packed = new URLSearchParams(location.hash.slice(1)).get("play");
    if (!packed) return false;
    try {
      const value = await unpack(packed);
      test.area.value = String(value.test || "");
      uses.checked = typeof value.model === "string";
      if (uses.checked) model.area.value = value.model;
      own.hidden = !uses.checked;
      draws.value = String(value.draw || "");
      for (const box of boxes) box.checked = (value.models || []).includes(box.value);
      return true;
    } catch { status.textContent = "The link is damaged"; return false; }
  }
  async function begin() {
    if (!model.area.value) model.area.value = index.model;
    if (!(await restore()) && !test.area.value) { test.area.value = index.examples[0].text; suit(); }
    test.show([]);
    model.show([]);
    check();
    run();
  }

  addEventListener("hashchange", begin);
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
    if (event.key === "t") theme.toggle();
    else viewKeys(event, results);
  });
  begin();
})();
