// Plays short matches in browsers at one platform, several matches at a time. There are ranked
// matches by clicks at three, four and five players, and matches by keyboard alone, by touch, and
// in Firefox. In the match by touch the person calls a card. At the end the program looks at the
// screens that need no match.
//
//   node tables.mjs http://127.0.0.1:PORT
// If TAROT_PARTS names parts, for example "ranked5,touch", plays only these parts.
//
// If TAROT_PARTS names parts, for example "ranked5,touch", only these are played.
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import {
  assertHidden, assertSentOnce, barriers, finish, launch, note, openTable, person, picture, play, problems, totals, type Wire,
} from "../play";

const address = process.argv[2];
const only = process.env.TAROT_PARTS;
assert.ok(address, "usage: tables.mjs http://HOST:PORT");

/** At the end of a match: asserts that the totals sum to zero and that no decision was sent twice. */
async function ended(page: Page, wire: Wire, name: string, done: Map<string, number>, moves: number) {
  await page.waitForSelector(".pay");
  const sum = (await totals(page)).reduce((all, one) => all + one, 0);
  assert.equal(sum, 0, `${name}: the totals on the screen sum to zero`);
  assertSentOnce(wire, name);
  assert.ok(wire.moves >= moves, `${name}: a deal is ${moves} moves at least, and ${wire.moves} left`);
  note(`${name}: ${JSON.stringify([...done])}; ${wire.moves} moves`);
  await barriers(page, `over-${name}`);
}

/** Looks for barriers at the first question of each kind. */
const look = (page: Page, name: string) => async ({ what }: { what: string }, done: Map<string, number>) => {
  if (["pass", "bid", "choose call", "discard", "card", "next"].includes(what) && !done.has(what)) await barriers(page, `${name}-${what.replace(" ", "-")}`);
};

/** The number of cards that a seat plays in a deal. The server plays the last one. */
const CARDS: Record<number, number> = { 3: 24, 4: 18, 5: 15 };
const GARDE_CONTRE = 5;

/** Plays a ranked match by clicks, with a watcher on a phone. At five players this seat takes and
 *  calls. */
async function ranked(browser: Browser, players: number) {
  const name = `ranked${players}`;
  const { page, wire } = await person(browser, { viewport: { width: 1440, height: 900 }, locale: "en" });
  await page.goto(address!);
  await page.click('.hero [role="radiogroup"] >> nth=0 >> [role="radio"] >> nth=0');
  await page.click(`.hero [role="radiogroup"] >> nth=1 >> [role="radio"] >> nth=${players - 3}`);
  const clicked = Date.now();
  await page.click('[data-test="play"]');
  await page.waitForSelector(".hero.queue, .table-page");
  await picture(page, `waiting-${name}`);
  await page.waitForSelector(".table-page .plate", { timeout: 60_000 });
  note(`${name}: at a table after ${((Date.now() - clicked) / 1000).toFixed(1)} s`);
  await page.waitForFunction(() => /Ranked|Your turn/.test(document.title));
  const watcher = await person(browser, { viewport: { width: 390, height: 844 }, locale: "fr" });
  await watcher.page.goto(page.url());
  await watcher.page.waitForSelector(".plate");
  const done = await play(page, "mouse", name, { bid: players === 5 ? GARDE_CONTRE : 3, before: look(page, name) });
  if (players === 5) assert.ok(done.get("call"), "five players: the taker calls a card");
  await ended(page, wire, name, done, CARDS[players]! - 1);
  if (players === 4) await barriers(watcher.page, "watcher-fr");
  assertHidden(wire, watcher.wire);
  await watcher.page.context().close();
  await page.context().close();
}

async function keyboard(browser: Browser) {
  const { page, wire } = await person(browser, { viewport: { width: 1280, height: 800 }, locale: "en", reducedMotion: "reduce" });
  await openTable(page, address!, "keys", 3, 1);
  let still = true;
  const done = await play(page, "keys", "keyboard", { before: async () => { still &&= await page.evaluate(() => document.getAnimations().every((one) => Number(one.effect!.getComputedTiming().activeDuration) < 20)); } });
  assert.ok(still, "nothing moves when the person asked for less motion");
  await ended(page, wire, "keyboard", done, CARDS[3]! - 1);
  await page.context().close();
}

async function touch(browser: Browser) {
  const { page, wire } = await person(browser, { viewport: { width: 360, height: 640 }, locale: "fr", hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await openTable(page, address!, "touch", 5, 1);
  const done = await play(page, "touch", "touch", { bid: GARDE_CONTRE, before: look(page, "touch") });
  assert.ok(done.get("call"), "five players: the taker calls a card");
  await ended(page, wire, "touch", done, CARDS[5]! - 1);
  await page.context().close();
}

async function firefox() {
  const browser = await launch("firefox");
  try {
    const { page, wire } = await person(browser, { viewport: { width: 1200, height: 800 } }, { lang: "fr" });
    await openTable(page, address!, "mouse", 4, 1);
    const done = await play(page, "mouse", "firefox", { before: look(page, "firefox") });
    await ended(page, wire, "firefox", done, CARDS[4]! - 1);
  } finally { await browser.close(); }
}

/** Looks at the screens that need no match, in both languages, also at 200 % zoom and on the
 *  smallest phone. */
async function screens(browser: Browser) {
  const SCREENS = [["/", ".hero"], ["/ladder", ".tiers"], ["/friends", ".page h1"], ["/settings", ".sets"], ["/learn", ".lesson"], ["/live", ".page h1"], ["/room", ".sets"], ["/nothing", ".page h1"]] as const;
  for (const [lang, width, height] of [["en", 1440, 900], ["fr", 720, 450], ["fr", 360, 640]] as const) {
    const { page } = await person(browser, { viewport: { width, height }, deviceScaleFactor: width === 720 ? 2 : 1, locale: lang });
    await page.goto(address!);
    await page.click('[data-test="play"]');
    await page.waitForSelector(".hero.queue");
    await barriers(page, `waiting-${lang}-${width}`);
    await page.click(".hero.queue .btn");
    for (const [path, wait] of SCREENS) {
      await page.goto(address + path);
      await page.waitForSelector(wait);
      await page.waitForTimeout(200);
      await barriers(page, `${path.slice(1) || "lobby"}-${lang}-${width}`);
    }
    await page.goto(address!);
    await page.goto(address! + await page.getAttribute(".topbar > .who", "href"));
    await page.waitForSelector(".profilehead");
    await barriers(page, `profile-${lang}-${width}`);
    await page.context().close();
  }
  note("screens: looked at");
}

const chromium = await launch("chromium");
const run = async (parts: Record<string, () => Promise<void>>) => {
  const chosen = Object.entries(parts).filter(([name]) => !only || only.split(",").includes(name));
  for (const [at, result] of (await Promise.allSettled(chosen.map(([, part]) => part()))).entries()) {
    if (result.status === "rejected") problems.push(`${chosen[at]![0]}: ${(result.reason as Error).stack ?? result.reason}`);
  }
};
await run({ ranked3: () => ranked(chromium, 3), ranked4: () => ranked(chromium, 4), ranked5: () => ranked(chromium, 5) });
await run({ keyboard: () => keyboard(chromium), touch: () => touch(chromium), firefox, screens: () => screens(chromium) });
await chromium.close();
finish();
