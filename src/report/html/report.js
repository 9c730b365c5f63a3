// The table of tests, and the test that is open.
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const { models, tests } = index;
  const HEIGHT = 34;
  theme.start();

  const wanted = { text: "", arch: "", answer: "", which: "all" };
  let visible = tests.map((_, i) => i);
  let selected = 0;
  let open = null;
  const loaded = new Map();

  const problem = (cell) => cell.met === false || (cell.status !== "answered" && !cell.other_arch) || uncertain(cell.qualifier) && cell.status === "answered";
  const fits = (test) => {
    const text = wanted.text.toLowerCase();
    if (text && !test.name.toLowerCase().includes(text) && !test.file.toLowerCase().includes(text)) return false;
    if (wanted.arch && test.arch !== wanted.arch) return false;
    if (wanted.answer && !test.cells.some((cell) => [cell.observation, cell.verdict, cell.flags.length ? "flag" : ""].includes(wanted.answer))) return false;
    if (wanted.which === "differences") return test.differs;
    if (wanted.which === "problems") return test.cells.some(problem);
    return true;
  };

  const count = h("span", { class: "soft", "aria-live": "polite" });
  const search = h("input", { type: "search", placeholder: "Filter by name (/)", "aria-label": "Filter by name", oninput: () => { wanted.text = search.value; filter(); } });
  const options = (name, label, list) => h("select", { "aria-label": label, onchange: (event) => { wanted[name] = event.target.value; filter(); } },
    list.map(([value, label]) => h("option", { value }, label)));
  const archs = [...new Set(tests.map((test) => test.arch).filter(Boolean))].sort();
  const different = tests.filter((test) => test.differs).length;
  const problems = tests.filter((test) => test.cells.some(problem)).length;
  const which = options("which", "Which tests", [["all", `All ${tests.length}`], ["differences", `Models differ (${different})`], ["problems", `Needs a look (${problems})`]]);
  const header = h("header", { class: "top" },
    h("h1", {}, "litmus"), h("span", { class: "soft summary wide", title: index.summary }, index.summary), search,
    archs.length > 1 ? options("arch", "Architecture", [["", "All architectures"], ...archs.map((arch) => [arch, arch])]) : null,
    options("answer", "Answer", [["", "Any answer"], ["Never", "Never"], ["Sometimes", "Sometimes"], ["Always", "Always"], ["Ok", "Ok"], ["No", "No"], ["flag", "Flagged"]]),
    which, count, theme.button(),
    h("button", { "aria-label": "Keys", title: "Keys (?)", onclick: () => help.showModal() }, "?"));

  const help = h("dialog", {}, h("h2", {}, "Keys"), h("dl", {},
    [["/", "filter by name"], ["↓ ↑ or j k", "next and previous test"], ["Enter", "open the test"], ["Esc", "back to the table"],
      ["w", "why? of the first model"], ["← →", "step through executions or reasons"], ["1 … 9", "switch a relation on or off"], ["t", "light or dark"]]
      .map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
  h("button", { onclick: () => help.close() }, "Close"));

  const names = h("div", { class: "row names", role: "row" }, h("span", {}, ""), h("span", { role: "columnheader" }, "Test"),
    models.map((model) => h("span", { role: "columnheader", title: model }, model)));
  const all = h("div", { class: "all" });
  const rows = h("div", { class: "rows", role: "grid", tabindex: "0", "aria-label": "Tests by models", "aria-rowcount": tests.length, onscroll: () => draw() }, names, all);
  const list = h("div", { class: "list", style: { "--models": models.length } }, rows);
  const detail = h("section", { class: "detail", tabindex: "-1", hidden: true });
  const main = h("main", {}, list, detail);
  document.getElementById("app").append(header, main, help);

  function row(position) {
    const number = visible[position];
    const test = tests[number];
    return h("div", { class: test.differs ? "row differs" : "row", role: "row", "aria-rowindex": position + 1, "aria-selected": position === selected,
      id: `row-${position}`, "data-test": number, style: { top: `${position * HEIGHT}px` }, title: test.file, onclick: () => { selected = position; show(number); } },
    h("span", { title: "The models differ" }, test.differs ? "≠" : ""), h("span", { role: "gridcell" }, test.name),
    test.cells.map((cell) => {
      const [word, tone] = verdict(cell);
      if (cell.other_arch) return h("span", { role: "gridcell", class: "soft", title: "The model is for another architecture" }, "–");
      return h("span", { role: "gridcell", class: tone }, cell.met === false ? "✗ " : "", word, uncertain(cell.qualifier) && cell.status === "answered" ? "?" : "", cell.flags.length ? " ⚑" : "",
        h("span", { class: "few" }, cell.states ? ` ${cell.states}` : ""));
    }));
  }

  // Only what is in sight is there: thousands of tests stay quick.
  function draw(everything) {
    const first = everything ? 0 : Math.max(0, Math.floor(rows.scrollTop / HEIGHT) - 8);
    const last = everything ? visible.length : Math.min(visible.length, Math.ceil((rows.scrollTop + rows.clientHeight) / HEIGHT) + 8);
    all.style.height = `${visible.length * HEIGHT}px`;
    const made = [];
    for (let position = first; position < last; position += 1) made.push(row(position));
    if (!visible.length) made.push(h("p", { class: "nothing" }, "No test is like that."));
    all.replaceChildren(...made);
    rows.setAttribute("aria-activedescendant", `row-${selected}`);
  }

  function filter() {
    const kept = visible[selected];
    visible = tests.map((_, i) => i).filter((i) => fits(tests[i]));
    selected = Math.max(0, visible.indexOf(kept));
    count.textContent = visible.length === tests.length ? "" : `${visible.length} of ${tests.length}`;
    draw();
  }

  function reveal() {
    const top = selected * HEIGHT;
    const room = rows.clientHeight - names.offsetHeight;
    if (top < rows.scrollTop) rows.scrollTop = top;
    else if (top + HEIGHT > rows.scrollTop + room) rows.scrollTop = top + HEIGHT - room;
    draw();
  }

  function data(number) {
    if (!loaded.has(number)) loaded.set(number, JSON.parse(document.getElementById(`test-${number}`).textContent));
    return loaded.get(number);
  }

  function show(number, chosen) {
    open = number;
    const test = tests[number];
    const choose = (what) => remember({ t: number, m: what.model, w: what.what, o: what.outcome });
    remember({ t: number });
    detail.replaceChildren(h("div", { class: "title" }, h("button", { class: "back", onclick: close }, tests.length > 1 ? "‹ Tests" : "‹ Table"), h("h2", {}, test.name),
      h("span", { class: "soft" }, [test.arch, test.file].filter(Boolean).join(", "))), testView(data(number), chosen, choose));
    detail.hidden = false;
    main.classList.add("open");
    detail.scrollTop = 0;
    draw();
    if (chosen && chosen.what) detail.querySelector(".show").scrollIntoView({ block: "nearest" });
    detail.focus({ preventScroll: true });
  }

  function close() {
    open = null;
    main.classList.remove("open");
    detail.hidden = true;
    remember({});
    draw();
    reveal();
    rows.focus();
  }

  // The address says what is open: a link to it opens it again.
  let own = "";
  function remember(what) {
    const parts = Object.entries(what).filter(([, value]) => value !== undefined && value !== "").map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    own = parts.length ? `#${parts.join("&")}` : "";
    if (location.hash !== own) history.replaceState(null, "", own || location.pathname + location.search);
  }
  function recall() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const number = Number(asked.get("t"));
    if (!asked.has("t") || !tests[number]) return false;
    const model = Number(asked.get("m"));
    const what = asked.get("w");
    selected = Math.max(0, visible.indexOf(number));
    const chosen = what && tests[number].cells[model] ? { model, what, outcome: asked.get("o") || "" } : null;
    show(number, chosen);
    return true;
  }

  addEventListener("hashchange", () => { if (location.hash !== own) { if (!recall()) close(); } });
  addEventListener("resize", () => draw());
  addEventListener("beforeprint", () => draw(true));
  addEventListener("afterprint", () => draw());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) {
      // A browser would empty the field, and tell nobody.
      if (event.key === "Escape") { event.preventDefault(); rows.focus(); }
      return;
    }
    if (event.key === "Escape" && open !== null) close();
    else if (event.key === "/") { search.focus(); event.preventDefault(); }
    else if (event.key === "?") help.showModal();
    else if (event.key === "t") theme.toggle();
    else if (open !== null && viewKeys(event, detail)) return;
    else if ((event.key === "j" || event.key === "k" || (open === null && ["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"].includes(event.key))) && visible.length) {
      const page = Math.max(1, Math.floor(rows.clientHeight / HEIGHT) - 1);
      const by = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -visible.length, End: visible.length }[event.key];
      selected = Math.min(visible.length - 1, Math.max(0, selected + by));
      reveal();
      if (open !== null) show(visible[selected]);
      event.preventDefault();
    } else if (event.key === "Enter" && open === null && visible.length && !["BUTTON"].includes(event.target.tagName)) show(visible[selected]);
  });

  filter();
  if (!recall()) {
    if (index.opens === "why" && tests.length) show(0, { model: 0, what: "why", outcome: "" });
    else if (tests.length === 1) show(0);
    else rows.focus();
  }
})();
