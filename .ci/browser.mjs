// What `.ci/browser` runs: the page of `--format html` and the playground of `litmus serve`, as a reader uses them.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

const [litmus, executablePath, folder] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(`${folder}/node_modules/`)("playwright-core");
const file = (name) => `${folder}/${name}`;
const make = (name, ...args) => {
  try { execFileSync(litmus, [...args, "--format", "html", "-o", file(name)], { stdio: "ignore" }); } catch (error) {
    // Some of the tests are for other architectures, or wrong on purpose: the page says so.
    if (![1, 2, 3].includes(error.status)) throw error;
  }
  return `file://${file(name)}`;
};

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const troubles = [];
/// A page that must not complain, nor ask anyone but `allowed`.
async function open(address, { width = 1280, height = 800, dark = false, allowed = address.split("#")[0] } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", permissions: [] });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) troubles.push(`${address}: ${message.text()}`); });
  page.on("pageerror", (error) => troubles.push(`${address}: ${error.message}`));
  page.on("request", (request) => { if (!request.url().startsWith(allowed)) troubles.push(`${address} asks ${request.url()}`); });
  await page.goto(address);
  return page;
}
const count = (page, selector) => page.locator(selector).count();
const text = (page, selector) => page.locator(selector).first().innerText();
/// Nothing sticks out to the right, and every picture is worth a look.
async function look(page, name) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${name}: ${over} pixels too wide`);
  await page.screenshot({ path: file(`${name}.png`) });
}

const steps = {
  async "a table to filter and to walk through"() {
    const page = await open(make("report.html", "run", "litmus", "-m", "sc", "-m", "aarch64", "-m", "x86tso"));
    await look(page, "report-1280");
    assert.ok(await count(page, ".all .row") < 60, "only rows in sight are there");
    await page.keyboard.press("/");
    await page.keyboard.type("mp-");
    const rows = await count(page, ".all .row");
    assert.ok(rows > 3 && rows < 20);
    await page.getByLabel("Which tests").selectOption("differences");
    assert.ok(await count(page, ".all .row") < rows);
    assert.equal(await count(page, ".all .row:not(.differs)"), 0);
    await page.getByLabel("Filter by name").fill("no such test");
    assert.match(await text(page, ".rows"), /No test is like that/);
    await page.getByLabel("Filter by name").fill("iriw-aarch64");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    assert.equal(await text(page, ".detail h2"), "iriw-aarch64");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".detail").isVisible(), false);
    // What is printed is the whole table.
    await page.getByLabel("Filter by name").fill("");
    await page.getByLabel("Which tests").selectOption("all");
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await count(page, ".all .row"), await page.evaluate(() => JSON.parse(document.getElementById("index").textContent).tests.length));
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  },

  async "an outcome, its executions, its relations"() {
    const page = await open(`${make("few.html", "run", ...["mp", "mp-fenced", "iriw", "sb"].map((name) => `litmus/${name}-aarch64.litmus`), "-m", "sc", "-m", "aarch64")}#t=2`);
    assert.equal(await text(page, ".detail h2"), "iriw-aarch64");
    await page.locator("table.outcomes button:not(.no)").last().click();
    const drawn = () => page.locator("svg.picture .edge").evaluateAll((all) => all.filter((edge) => edge.style.display !== "none").length);
    const all = await drawn();
    assert.ok(all > 5);
    await page.keyboard.press("1");
    assert.ok(await drawn() < all, "a key switches a relation off");
    await page.keyboard.press("1");
    assert.equal(await drawn(), all);
    await page.locator('.chips button[data-relation="rf"]').click();
    assert.equal(await page.locator('svg .edge[data-relation="rf"]').first().isVisible(), false);
    await page.locator('.chips button[data-relation="rf"]').click();
    await page.locator('svg .edge[data-relation="rf"] text').first().hover();
    assert.match(await text(page, ".info"), /reads the value that .* wrote/);
    assert.match(await text(page, ".info"), /line \d+/);
    assert.ok(await count(page, ".text .lit") >= 1, "the lines of the test are lit");
  },

  async "why an outcome cannot happen"() {
    const address = `file://${file("few.html")}`;
    const page = await open(`${address}#t=1`);
    await page.locator("table.outcomes button.no").last().click();
    assert.match(await text(page, ".show"), /external forbids cycles, and here is one/);
    assert.ok(await count(page, "svg .edge.bold") >= 4, "the cycle is highlighted");
    await page.locator("svg .edge.bold text").first().hover();
    assert.match(await text(page, ".info"), /\.cat:\d+/, "the line of the model");
    await look(page, "why-1280");
    // The address opens the same again.
    const again = await open(page.url(), { allowed: address });
    assert.match(await text(again, ".show"), /forbids cycles/);
    for (const [name, options] of Object.entries({ "why-1280-dark": { dark: true }, "why-400": { width: 400 }, "why-400-dark": { width: 400, dark: true } })) {
      const small = await open(page.url(), { ...options, allowed: address });
      await look(small, name);
      const paper = await small.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(paper === "rgb(255, 255, 255)", !options.dark);
    }
    const narrow = await open(address, { width: 400 });
    await look(narrow, "report-400");
    await narrow.locator(".all .row").first().click();
    assert.equal(await narrow.locator(".list").isVisible(), false, "one thing at a time");
    await narrow.locator("button.back").click();
    assert.equal(await narrow.locator(".list").isVisible(), true);
  },

  async "an explanation as a page"() {
    const page = await open(make("why.html", "explain", "litmus/sb-x86.litmus", "-m", "sc"));
    assert.match(await text(page, ".show"), /cannot happen under sc/);
    assert.ok(await count(page, "svg .edge.bold") >= 4);
  },

  async "five thousand tests"() {
    // The page of a few tests, its rows and data many times over.
    const [head, ...rest] = readFileSync(file("few.html"), "utf8").split('<script type="application/json" id="');
    const parts = rest.map((part) => { const at = part.indexOf('">'); return [part.slice(0, at), part.slice(at + 2).split("</script>")[0]]; });
    const tests = parts.filter(([id]) => id.startsWith("test-")).map(([, data]) => data);
    const index = JSON.parse(parts.find(([id]) => id === "index")[1]);
    const rows = index.tests;
    index.tests = Array.from({ length: 5000 }, (_, i) => ({ ...rows[i % rows.length], name: `${rows[i % rows.length].name}-${i}` }));
    const element = (id, data) => `<script type="application/json" id="${id}">${data}</script>\n`;
    const program = rest.at(-1).slice(rest.at(-1).indexOf("</script>") + 9);
    writeFileSync(file("many.html"), [head, ...index.tests.map((_, i) => element(`test-${i}`, tests[i % tests.length])), element("index", JSON.stringify(index).replaceAll("<", "\\u003c")), program].join(""));
    const start = Date.now();
    const page = await open(`file://${file("many.html")}`);
    await page.locator(".all .row").first().waitFor();
    const shown = Date.now() - start;
    assert.ok(await count(page, ".all .row") < 60);
    await page.keyboard.press("End");
    await page.locator('[data-test="4999"]').waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("-4321");
    await page.locator('[data-test="4321"]').click();
    assert.match(await text(page, ".detail h2"), /-4321$/);
    console.log(`  there after ${shown} ms, all after ${Date.now() - start} ms`);
  },

  async "the playground"() {
    const server = spawn(litmus, ["serve", "--port", "0", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const address = await new Promise((done, failed) => {
        createInterface({ input: server.stdout }).once("line", done);
        server.once("exit", (code) => failed(new Error(`serve ended: ${code}`)));
      });
      const page = await open(address);
      await page.locator("table.outcomes").waitFor();
      assert.deepEqual(await page.locator(".verdict b").allInnerTexts(), ["sc", "aarch64"]);
      await page.locator("table.outcomes button.no").first().click();
      assert.match(await text(page, ".show"), /forbids cycles/);
      await look(page, "play-1280");
      // Errors are marked as they are typed, and go away.
      const area = page.getByLabel("The test");
      const typed = await area.inputValue();
      await area.fill(typed.replace("LDR W1", "LOAD W1"));
      await page.locator(".marks mark").first().waitFor();
      assert.match(await text(page, ".says"), /LOAD/);
      await look(page, "play-error-1280");
      await area.fill(typed);
      await page.locator(".marks mark").first().waitFor({ state: "detached" });
      // A model of one's own, run beside the others, with Ctrl+Enter.
      await page.getByLabel("one of my own").check();
      await page.getByLabel("Your model").fill('"mine"\ninclude "cos.cat"\nacyclic po | rf | co | fr as strong');
      await area.press("Control+Enter");
      await page.locator(".verdict:nth-of-type(3)").waitFor();
      assert.match(await text(page, ".verdict:nth-of-type(3)"), /mine Never/);
      // What would forbid it?
      await page.getByLabel("Model", { exact: true }).selectOption("aarch64");
      await page.getByRole("button", { name: "What would forbid it?" }).click();
      await page.getByRole("button", { name: "Take the first" }).waitFor();
      await page.getByLabel("Outcome").fill("1:X1=1");
      await page.getByRole("button", { name: "Explain" }).click();
      await page.getByText("can happen under aarch64").waitFor();
      // A link that holds everything.
      await page.getByRole("button", { name: "Share" }).click();
      await page.waitForURL(/#play=/);
      for (const [name, options] of Object.entries({ "play-1280-dark": { dark: true }, "play-400": { width: 400 }, "play-400-dark": { width: 400, dark: true } })) {
        const other = await open(page.url(), { ...options, allowed: address });
        await other.locator(".verdict:nth-of-type(3)").waitFor();
        assert.equal(await other.getByLabel("The test").inputValue(), typed);
        assert.match(await other.getByLabel("Your model").inputValue(), /as strong/);
        await other.locator("table.outcomes button.no").first().click();
        await look(other, name);
      }
    } finally { server.kill(); }
  },
};

let failed = 0;
for (const [name, step] of Object.entries(steps)) {
  const before = Date.now();
  try {
    await step();
    assert.deepEqual(troubles.splice(0), []);
    console.log(`ok ${name} (${((Date.now() - before) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}: ${error.message}\n${(error.stack || "").split("\n").slice(1, 4).join("\n")}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
