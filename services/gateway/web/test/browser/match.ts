// Plays a whole casual match in a browser by clicks, against bots, with a reload and a cut network
// in the middle of tricks. Checks what goes over the wire, and looks for barriers with axe.
//
//   node match.mjs http://127.0.0.1:PORT
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fromBinary } from "@bufbuild/protobuf";
import type { Browser, Page } from "playwright-core";
import { SubmitActionRequestSchema, WatchTableResponseSchema } from "../../gen/tarot/rules/v1/table_service_pb";
import { decision, isMyTurn } from "../../src/state/view";
import { TEMPO_MS } from "../../src/state/table_reducer";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core") as typeof import("playwright-core");
const [, , address, pictures] = process.argv;
assert.ok(address, "usage: match.mjs http://HOST:PORT [FOLDER OF SCREENSHOTS]");
if (pictures) mkdirSync(pictures, { recursive: true });

const PROGRAM = "/usr/bin/chromium";
assert.ok(existsSync(PROGRAM), "Debian's package chromium is missing");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const started = Date.now();
const note = (text: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1)} s  ${text}`);

/** The messages on the wire: the time when a view gave this player the turn, and when a move left. */
class Wire {
  readonly requests = new Map<string, number>();
  private turn = "";
  private since = 0;
  private revision = 0;
  moves = 0;
  views = 0;
  /** Set for a browser that only watches. */
  hidden = true;

  async listen(page: Page) {
    await page.exposeBinding("tarotWire", (_, kind: string, at: number, base64: string) => this.take(kind, at, base64));
    // The page's own fetch, with a copy of what it sends and gets.
    await page.addInitScript(() => {
      const own = window.fetch;
      const base64 = (bytes: Uint8Array) => { let text = ""; for (const byte of bytes) text += String.fromCharCode(byte); return btoa(text); };
      const report = (kind: string, bytes: Uint8Array) => (window as unknown as { tarotWire(kind: string, at: number, base64: string): void }).tarotWire(kind, performance.timeOrigin + performance.now(), base64(bytes));
      window.fetch = async (input, init) => {
        const url = String(input);
        if (url.endsWith("/SubmitAction")) report("submit", (init!.body as Uint8Array).slice(5));
        const response = await own(input, init);
        if (!/\/(WatchTable|SubmitAction|GetTable)$/.test(url) || !response.body) return response;
        let rest = new Uint8Array(0);
        const copy = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            const joined = new Uint8Array(rest.length + chunk.length);
            joined.set(rest); joined.set(chunk, rest.length); rest = joined;
            while (rest.length >= 5) {
              const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
              if (rest.length < 5 + length) break;
              if (!(rest[0]! & 0x80)) report("view", rest.slice(5, 5 + length));
              rest = rest.slice(5 + length);
            }
            controller.enqueue(chunk);
          },
        });
        return new Response(response.body.pipeThrough(copy), { status: response.status, headers: response.headers });
      };
    });
  }

  private take(kind: string, at: number, base64: string) {
    const bytes = new Uint8Array(Buffer.from(base64, "base64"));
    if (kind === "view") {
      const { table } = fromBinary(WatchTableResponseSchema, bytes);
      // The answer to a move and the stream may cross: the page ignores the older view, and so does this.
      if (!table || table.revision < this.revision) return;
      this.revision = table.revision;
      ++this.views;
      if (table.deal?.hand.length) this.hidden = false;
      const now = isMyTurn(table) ? decision(table) : "";
      if (now !== this.turn) { this.turn = now; this.since = at; }
      return;
    }
    const request = fromBinary(SubmitActionRequestSchema, bytes);
    const before = this.requests.get(request.requestId) ?? 0;
    this.requests.set(request.requestId, before + 1);
    if (before) return;
    ++this.moves;
    assert.ok(at - this.since >= TEMPO_MS - 5, `a move left ${Math.round(at - this.since)} ms after the view that gave the turn`);
  }
}

async function barriers(page: Page, name: string) {
  await page.evaluate(AXE);
  // A card that fades out has no contrast for a moment.
  await page.evaluate(() => Promise.race([
    Promise.all(document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity).map((one) => one.finished.catch(() => undefined))),
    new Promise((done) => { setTimeout(done, 3000); }),
  ]).then(() => undefined));
  const found = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
    const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.split("\n")[1] ?? ""}`).join(" | ")}`);
  });
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` });
  for (const one of found) problems.push(`${name}: axe: ${one}`);
}
const problems: string[] = [];

/** Does one thing that the table asks for. Returns what it did. */
async function act(page: Page, wants: { take: boolean }): Promise<string> {
  return page.evaluate(({ take }) => {
    const one = <T extends HTMLElement>(selector: string) => document.querySelector<T>(selector);
    const open = (element: HTMLElement | null) => (element && element.getAttribute("aria-disabled") !== "true" ? element : null);
    if (one('[data-test="again"]')) return "over";
    const next = one('[data-test="next"]');
    if (next) { next.click(); return "next"; }
    if (one(".prompt")?.textContent?.match(/Sent/)) return "";
    const take3 = open(one('[data-bid="3"]'));
    const pass = open(one('[data-bid="1"]'));
    if (pass) { (take && take3 ? take3 : pass).click(); return take && take3 ? "garde" : "pass"; }
    const call = one('[data-call]:not([aria-checked="true"])');
    if (call && !one('[data-call][aria-checked="true"]')) { call.click(); return "choose call"; }
    const calling = open(one('[data-test="call"]'));
    if (calling) { calling.click(); return "call"; }
    const lay = open(one('[data-test="lay"]'));
    if (lay) { lay.click(); return "lay"; }
    const handful = one('[data-test="no-handful"]');
    if (handful) { handful.click(); return "no handful"; }
    const slam = one('[data-test="no-slam"]');
    if (slam) { slam.click(); return "no slam"; }
    const lit = [...document.querySelectorAll<HTMLElement>(".hand button.ok")];
    const card = lit[Math.floor(lit.length / 2)];
    if (card) { card.click(); return `card ${card.dataset.card}`; }
    return "";
  }, wants);
}

async function playMatch(browser: Browser): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en" });
  const page = await context.newPage();
  const wire = new Wire();
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error" && /Content Security|Uncaught/.test(message.text())) problems.push(message.text()); });
  await wire.listen(page);
  await page.goto(address!);
  await page.waitForSelector('[data-test="play"]');
  await barriers(page, "lobby");
  const clicked = Date.now();
  await page.click('[data-test="play"]');
  await page.waitForSelector(".hero.queue, .table-page");
  if (pictures && await page.$(".hero.queue")) await page.screenshot({ path: `${pictures}/waiting.png` });
  await page.waitForSelector(".prompt:not(.calm)", { timeout: 40_000 });
  note(`first decision ${((Date.now() - clicked) / 1000).toFixed(1)} s after one click`);
  assert.ok(Date.now() - clicked <= 20_000, "the first decision comes within 20 s of one click");
  await page.evaluate(() => localStorage.setItem("tarot.settings", JSON.stringify({ ...JSON.parse(localStorage.getItem("tarot.settings") ?? "{}"), hold: 600, lang: "en" })));
  await barriers(page, "auction");
  const table = page.url();

  const watcher = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "fr", colorScheme: "dark" });
  const other = await watcher.newPage();
  const seen = new Wire();
  await seen.listen(other);
  await other.goto(table);
  await other.waitForSelector(".plate");

  const done = new Map<string, number>();
  let cards = 0;
  let reloaded = false;
  let cut = false;
  let scores = 0;
  let looked = false;
  let discarded = 0;
  let idle = Date.now();
  for (const until = Date.now() + 150_000; ;) {
    assert.ok(Date.now() < until, `the match took too long: ${JSON.stringify([...done])}`);
    if (await page.$(".hand .no") && !looked && cards > 0) {
      looked = true;
      await barriers(page, "table");
      // A card that may not go: the server says why, and nothing moves.
      const before = await page.$$eval(".hand button", (list) => list.length);
      // The page ignores a click right after the hand has moved, so a person would click again.
      for (let tries = 1; ; ++tries) {
        await page.click(".hand button.no", { force: true, position: { x: 10, y: 30 } });
        const said = await page.waitForFunction(() => /Not that one/.test(document.querySelector(".prompt")?.textContent ?? ""), undefined, { timeout: 5000 }).catch(() => undefined);
        if (said) break;
        assert.ok(tries < 3, "the page says why the card may not go");
      }
      note(`refused: ${await page.textContent(".prompt span")}`);
      assert.equal(await page.$$eval(".hand button", (list) => list.length), before);
      if (pictures) await page.screenshot({ path: `${pictures}/refused.png` });
    }
    if (await page.$('[data-test="lay"]') && discarded < 20) {
      if (discarded === 4) await barriers(page, "ecart");
      const lay = await page.getAttribute('[data-test="lay"]', "aria-disabled");
      if (lay === "true") {
        await page.evaluate(() => document.querySelector<HTMLElement>(".hand button.ok")?.click());
        ++discarded;
        continue;
      }
    }
    if (await page.$('[data-test="next"], [data-test="again"]') && !scores++) { await page.waitForSelector(".lines, .pay"); await page.waitForTimeout(400); await barriers(page, "score"); }
    const what = await act(page, { take: true });
    if (what === "over") break;
    if (what) {
      idle = Date.now();
      const name = what.replace(/ \d+$/, "");
      done.set(name, (done.get(name) ?? 0) + 1);
      if (name === "card") ++cards;
      if (cards === 4 && !reloaded) {
        reloaded = true;
        await page.waitForTimeout(300);
        await page.reload();
        await page.waitForSelector(".hand button, [data-test=next]", { timeout: 10_000 });
        note("reloaded in the middle of a trick: the seat is there again");
      }
      if (cards === 8 && !cut) {
        cut = true;
        await context.setOffline(true);
        await page.waitForSelector(".chip.lost", { timeout: 5000 });
        if (pictures) await page.screenshot({ path: `${pictures}/lost.png` });
        await page.waitForTimeout(1200);
        await context.setOffline(false);
        await page.waitForSelector(".chip.lost", { state: "detached", timeout: 10_000 });
        note("the network came back: the table goes on");
      }
    }
    assert.ok(Date.now() - idle < 40_000, `nothing to do for 40 s: ${await page.textContent("#prompt").catch(() => "no prompt")}`);
    await page.waitForTimeout(90);
  }
  await page.waitForSelector(".pay");
  await barriers(page, "over");
  await barriers(other, "watcher");
  const totals = await page.$$eval(".pay .num", (list) => list.map((one) => Number(one.textContent!.replace(/^\D*?(?=[+−\d])/, "").replace("−", "-"))));
  assert.equal(totals.reduce((sum, one) => sum + one, 0), 0, `the totals on the screen sum to zero: ${totals}`);
  note(`match over: ${JSON.stringify([...done])}, totals ${totals}; ${wire.moves} moves, ${wire.views} views`);
  assert.ok(reloaded && cut && cards >= 15);
  // The player plays 17 of the 18 cards of each deal; the server plays the last one.
  assert.ok(wire.moves >= 2 * 17, `two deals are ${wire.moves} moves`);
  assert.ok(seen.hidden && seen.views > 10, "a watcher gets views without hands");

  const id = table.split("/t/")[1]!;
  await page.goto(`${address}/t/${id}/1`);
  await page.waitForSelector(".board .card");
  await barriers(page, "replay");
  for (const [path, name, wait] of [["/ladder", "ladder", ".tiers"], ["/friends", "friends", ".page h1"], ["/settings", "settings", ".sets"], ["/learn", "learn", ".lesson"], ["/live", "live", ".page h1"], ["/room", "room", ".sets"]] as const) {
    await page.goto(address + path);
    await page.waitForSelector(wait);
    await page.waitForTimeout(250);
    await barriers(page, name);
  }
  await page.click(".topbar > .who");
  await page.waitForSelector(".profilehead");
  await page.waitForTimeout(400);
  await barriers(page, "profile");
  await context.close();
  await watcher.close();
}

const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--disable-gpu"] });
try {
  await playMatch(browser);
} finally {
  await browser.close();
}
for (const problem of problems) console.error(problem);
process.exit(problems.length ? 1 : 0);
