// Drives browsers for the tests: starts Debian's chromium and Firefox, reads the messages that a
// page sends and gets, looks for barriers, and plays at a table by mouse, finger or keyboard.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fromBinary } from "@bufbuild/protobuf";
import type { Browser, BrowserContextOptions, BrowserType, Page } from "playwright-core";
import { SubmitActionRequestSchema, WatchTableResponseSchema } from "../gen/tarot/rules/v1/table_service_pb";
import { TEMPO_MS } from "../src/state/table_reducer";
import { decision, isMyTurn } from "../src/state/view";

const require = createRequire(import.meta.url);
const playwright = require("playwright-core") as typeof import("playwright-core") & { _bidiFirefox: BrowserType };
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const started = Date.now();
export const note = (text: string) => console.log(`${((Date.now() - started) / 1000).toFixed(1)} s  ${text}`);

/** The problems that did not stop the test. If there are any, the program ends with an error. */
export const problems: string[] = [];

const pictures = process.env.TAROT_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
/** Keeps a screenshot if the environment names a folder for screenshots. */
export async function picture(page: Page, name: string) { if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` }); }

export async function launch(kind: "chromium" | "firefox"): Promise<Browser> {
  const program = kind === "chromium" ? "/usr/bin/chromium" : "/usr/bin/firefox-esr";
  assert.ok(existsSync(program), `Debian's package ${program.split("/").pop()} is missing`);
  // Debian's Firefox has WebDriver BiDi. It does not have the protocol of playwright's own build of
  // Firefox.
  return kind === "chromium" ? playwright.chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] })
    : playwright._bidiFirefox.launch({ executablePath: program });
}

/** Records the messages of a page: the time when a view gave this player the turn, and the moves
 *  that the page sent. */
export class Wire {
  /** How often the page sent each request id. */
  readonly requests = new Map<string, number>();
  /** The moves that the page sent for each decision, by their request ids. */
  readonly decisions = new Map<string, Map<string, string>>();
  /** The hands in the views, as the messages contain them: one byte for each card. */
  readonly hands = new Set<string>();
  /** The bytes of all views, each byte as one character. */
  readonly views: string[] = [];
  private turn = "";
  private since = 0;
  private revision = 0;
  moves = 0;
  /** The number of streams of a table that brought a view. */
  streams = 0;

  async listen(page: Page) {
    await page.exposeBinding("tarotWire", (_, kind: string, at: number, base64: string) => this.take(kind, at, base64));
    // Replaces fetch by a function that also reports what the page sends and gets.
    await page.addInitScript(() => {
      const own = window.fetch;
      const base64 = (bytes: Uint8Array) => { let text = ""; for (const byte of bytes) text += String.fromCharCode(byte); return btoa(text); };
      const report = (kind: string, bytes: Uint8Array) => (window as unknown as { tarotWire(kind: string, at: number, base64: string): void }).tarotWire(kind, performance.timeOrigin + performance.now(), base64(bytes));
      window.fetch = async (input, init) => {
        const url = String(input);
        if (url.endsWith("/SubmitAction")) report("submit", (init!.body as Uint8Array).slice(5));
        const response = await own(input, init);
        if (!/\/(WatchTable|SubmitAction|GetTable)$/.test(url) || !response.body) return response;
        let kind = url.endsWith("/WatchTable") ? "stream" : "view";
        let rest = new Uint8Array(0);
        const copy = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            const joined = new Uint8Array(rest.length + chunk.length);
            joined.set(rest); joined.set(chunk, rest.length); rest = joined;
            while (rest.length >= 5) {
              const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
              if (rest.length < 5 + length) break;
              if (!(rest[0]! & 0x80)) { report(kind, rest.slice(5, 5 + length)); kind = "view"; }
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
    const bytes = Buffer.from(base64, "base64");
    if (kind === "stream") ++this.streams;
    if (kind !== "submit") {
      const { table } = fromBinary(WatchTableResponseSchema, new Uint8Array(bytes));
      this.views.push(bytes.toString("latin1"));
      const hand = table?.deal?.hand ?? [];
      if (hand.length) this.hands.add(Buffer.from(hand).toString("latin1"));
      // The stream may bring an older view after the answer to a move. The page ignores the older
      // view, and so does this class.
      if (!table || table.revision < this.revision) return;
      this.revision = table.revision;
      const now = isMyTurn(table) ? decision(table) : "";
      if (now !== this.turn) { this.turn = now; this.since = at; }
      return;
    }
    const request = fromBinary(SubmitActionRequestSchema, new Uint8Array(bytes));
    const before = this.requests.get(request.requestId) ?? 0;
    this.requests.set(request.requestId, before + 1);
    if (before) return;
    ++this.moves;
    const moves = this.decisions.get(this.turn) ?? new Map<string, string>();
    this.decisions.set(this.turn, moves.set(request.requestId, JSON.stringify(request.action?.kind)));
    const after = Math.round(at - this.since);
    if (after < TEMPO_MS - 5) problems.push(`a move left ${after} ms after the view that gave the turn`);
  }
}

/** Asserts that the bytes of a watcher contain none of the hands in the player's views. */
export function assertHidden(player: Wire, watcher: Wire) {
  assert.ok(watcher.views.length > 10, `a watcher gets views: ${watcher.views.length}`);
  assert.equal(watcher.hands.size, 0, "a watcher gets views without hands");
  const hands = [...player.hands].filter((hand) => hand.length >= 4);
  assert.ok(hands.length > 10, `the player had hands: ${hands.length}`);
  // The search must find the hands in the player's own bytes. If it did not, it would prove nothing
  // about the watcher.
  for (const hand of hands) assert.ok(player.views.some((bytes) => bytes.includes(hand)));
  for (const hand of hands) assert.ok(!watcher.views.some((bytes) => bytes.includes(hand)), "a hand is in the bytes of a watcher");
}

/** Asserts that each decision was sent with one request id only. */
export function assertSentOnce(wire: Wire, name: string) {
  for (const [decision, moves] of wire.decisions) assert.equal(moves.size, 1, `${name}: decision ${decision} left as ${[...moves.values()]}`);
}

/** Opens a page for a new person. An error in the page is a problem. */
export async function person(browser: Browser, options: BrowserContextOptions, settings: object = {}): Promise<{ page: Page; wire: Wire }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const wire = new Wire();
  page.on("pageerror", (error) => problems.push(`error in the page: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error" && /Content Security|Uncaught/.test(message.text())) problems.push(message.text()); });
  await wire.listen(page);
  await page.addInitScript((text) => { if (!localStorage.getItem("tarot.settings")) localStorage.setItem("tarot.settings", text); }, JSON.stringify({ hold: 600, ...settings }));
  return { page, wire };
}

/** Looks for barriers with axe, in the light and in the dark theme, and for text that is cut off at the side. */
export async function barriers(page: Page, name: string) {
  await page.evaluate(AXE);
  const own = await page.evaluate(() => document.documentElement.dataset.theme);
  for (const theme of ["light", "dark"]) {
    await page.evaluate((value) => { document.documentElement.dataset.theme = value; }, theme);
    // While a card fades out, axe finds too little contrast.
    await page.evaluate(() => Promise.race([
      Promise.all(document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity).map((one) => one.finished.catch(() => undefined))),
      new Promise((done) => { setTimeout(done, 3000); }),
    ]).then(() => undefined));
    const found = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
      const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
      return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.split("\n")[1] ?? ""}`).join(" | ")}`);
    });
    await picture(page, `${name}-${theme}`);
    for (const one of found) problems.push(`${name}, ${theme}: axe: ${one}`);
  }
  await page.evaluate((value) => { if (value) document.documentElement.dataset.theme = value; else delete document.documentElement.dataset.theme; }, own);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) problems.push(`${name}: the page is ${wide} px wider than the window`);
}

export type Hand = "mouse" | "touch" | "keys";
export interface Ask { what: string; selector: string }

/** Returns what the table asks now, with the element that answers the question. Chooses the bid
 *  `bid` if it is legal, and passes if not. */
export async function asks(page: Page, bid: number): Promise<Ask | undefined> {
  return page.evaluate((wanted) => {
    const open = (selector: string) => { const one = document.querySelector(selector); return one && one.getAttribute("aria-disabled") !== "true" ? selector : undefined; };
    const found = (what: string, selector: string | undefined) => (selector && open(selector) ? { what, selector } : undefined);
    if (document.querySelector('[data-test="again"]')) return { what: "over", selector: "" };
    if (document.querySelector("#prompt")?.textContent?.match(/^(Sent|Envoyé)/)) return undefined;
    const bids = open(`[data-bid="${wanted}"]`) ?? open('[data-bid="1"]');
    // While a move waits for its time, its card is raised and no other card is marked.
    const raised = document.querySelector<HTMLElement>(".hand button.up");
    const waits = raised && document.querySelectorAll(".hand button").length > 1 && !document.querySelector(".hand button.ok, .hand button.no");
    // A first tap may have raised a card.
    const cards = [...document.querySelectorAll<HTMLElement>(".hand button.up, .hand button.ok")];
    const card = waits ? undefined : raised?.dataset.card ?? cards[Math.floor(cards.length / 2)]?.dataset.card;
    return found("next", '[data-test="next"]') ?? found("resume", '[data-test="resume"]') ?? found(bids === '[data-bid="1"]' ? "pass" : "bid", bids)
      ?? (document.querySelector('[data-call][aria-checked="true"]') ? undefined : found("choose call", "[data-call]")) ?? found("call", '[data-test="call"]')
      ?? found("lay", '[data-test="lay"]') ?? found("no handful", '[data-test="no-handful"]') ?? found("no slam", '[data-test="no-slam"]')
      ?? (card ? { what: document.querySelector('[data-test="lay"]') ? "discard" : "card", selector: `.hand [data-card="${card}"]` } : undefined);
  }, bid);
}

/** Moves the focus with the Tab key until it is on the element. */
export async function reach(page: Page, selector: string) {
  for (let step = 0; step < 90; ++step) {
    if (await page.evaluate((one) => !!document.activeElement?.matches(one), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key does not reach ${selector}`);
}

/** Returns the point where a person touches a card. The next card covers all of a card in the hand
 *  except its left edge. */
const edge = (page: Page, selector: string) => page.evaluate((one) => {
  const card = document.querySelector(one);
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
  const box = card?.getBoundingClientRect();
  return box && { x: box.left + 9, y: box.top + 30 };
}, selector);

/** Answers by mouse, finger or keyboard. If the element has gone meanwhile, this is no error. If a
 *  card moves meanwhile, the click misses it, and the table asks again. */
export async function answer(page: Page, by: Hand, { what, selector }: Ask) {
  const card = what === "card" || what === "discard";
  try {
    if (card && by !== "keys") {
      const raised = await page.$(`${selector}.up`);
      const at = await edge(page, selector);
      if (!at) return;
      const touch = () => (by === "touch" ? page.touchscreen.tap(at.x, at.y) : page.mouse.click(at.x, at.y));
      await touch();
      // The first tap of a finger raises a card, the second one plays it.
      if (by === "touch" && what === "card" && !raised) {
        await page.waitForSelector(`${selector}.up`, { timeout: 2000 });
        await touch();
      }
    } else if (by === "mouse") await page.click(selector, { timeout: 2000 });
    else if (by === "touch") await page.tap(selector, { timeout: 2000 });
    else if (card) {
      await page.keyboard.press("Home");
      const focused = () => page.evaluate((one) => !!document.activeElement?.matches(one), selector);
      for (let step = 0; step < 30 && !await focused(); ++step) await page.keyboard.press("ArrowRight");
      if (await focused()) await page.keyboard.press("Enter");
    } else if (what === "pass" || what === "bid") {
      await page.keyboard.press(String(Number(/\d/.exec(selector)![0]) - 1));
    } else {
      await reach(page, selector);
      await page.keyboard.press("Enter");
    }
  } catch (error) {
    if (await page.$(selector) && !/Timeout/.test(String(error))) throw error;
  }
}

/** Plays at a table until the match is over or `before` returns true. Returns how often the person
 *  made each kind of answer. */
export async function play(page: Page, by: Hand, name: string, options: {
  bid?: number; seconds?: number; before?(ask: Ask, done: Map<string, number>): Promise<boolean | void>;
} = {}): Promise<Map<string, number>> {
  const done = new Map<string, number>();
  const limit = Date.now() + 1000 * (options.seconds ?? 300);
  let idle = Date.now();
  for (;;) {
    assert.ok(Date.now() < limit, `${name}: the match took too long: ${JSON.stringify([...done])}`);
    if (Date.now() - idle > 45_000) assert.fail(`${name}: nothing to do for 45 s: ${await page.textContent("main")}`);
    const ask = await asks(page, options.bid ?? 3);
    if (ask?.what === "over") return done;
    if (ask) {
      idle = Date.now();
      if (await options.before?.(ask, done)) return done;
      await answer(page, by, ask);
      done.set(ask.what, (done.get(ask.what) ?? 0) + 1);
    }
    await page.waitForTimeout(ask && ask.what !== "discard" ? 250 : 90);
  }
}

/** Makes a private table with bots and sits down, all by mouse, finger or keyboard. */
export async function openTable(page: Page, address: string, by: Hand, players: number, deals: number) {
  const press = async (selector: string) => {
    await page.waitForSelector(selector);
    if (by === "keys") { await reach(page, selector); await page.keyboard.press("Enter"); } else if (by === "touch") await page.tap(selector); else await page.click(selector);
  };
  await page.goto(address);
  await press('a[href="/room"]');
  await page.waitForSelector(".sets input.amount");
  // The choices three, four and five are beside each other, and four is chosen at the start.
  const size = `.sets [role="radio"]:nth-child(${players - 2})`;
  if (by === "keys") {
    await reach(page, '.sets [role="radio"][aria-checked="true"]');
    if (players !== 4) await page.keyboard.press(players === 3 ? "ArrowLeft" : "ArrowRight");
    await page.waitForSelector(`${size}[aria-checked="true"]`);
    await reach(page, ".sets input.amount");
    await page.keyboard.press("Control+a");
    await page.keyboard.type(String(deals));
  } else {
    await press(size);
    await page.fill(".sets input.amount", String(deals));
  }
  await press(".sets ~ p .btn.primary");
  await page.waitForSelector(".seatlist");
  if (by === "mouse" && players === 4) await barriers(page, `inside-room-${await page.getAttribute("html", "lang")}`);
  for (let free = players - 1; free > 0; --free) {
    await press('[data-test="add-bot"]');
    await page.waitForFunction((left) => document.querySelectorAll('[data-test="add-bot"]').length === left, free - 1);
  }
  await press('[data-test="start"]:not([aria-disabled])');
  await page.waitForSelector(".table-page .plate");
}

/** Returns the totals of the players that the screen shows at the end of a match. */
export const totals = (page: Page) => page.$$eval(".pay .num", (list) => list.map((one) => Number(one.textContent!.replace(/^\D*?(?=[+−\d])/, "").replace("−", "-"))));

/** Cuts the network until `setOffline(false)`, and waits until the page shows that it is cut. */
export async function cutNetwork(page: Page) {
  // A view that is already on its way may still come. Then the page believes that the stream works,
  // so this function tries again.
  for (let tries = 1; ; ++tries) {
    await page.context().setOffline(true);
    if (await page.waitForSelector(".chip.lost", { timeout: 5000 }).catch(() => undefined)) return;
    assert.ok(tries < 3, "the page says that it has no network");
    await page.context().setOffline(false);
  }
}

/** Ends the program. If there were problems, it ends with an error. */
export function finish(): never {
  for (const problem of problems) console.error(problem);
  process.exit(problems.length ? 1 : 0);
}
