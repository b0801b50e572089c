// Plays a match with troubles: reloads, a cut network, restarts of processes, two tabs of one
// player, and a wrong clock. The troubles happen in the écart, in a trick and between deals. A line
// "restart PROCESS" asks the program that started this one to kill a process and start it again.
//
//   node troubles.mjs http://127.0.0.1:PORT
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { answer, assertSentOnce, cutNetwork, finish, launch, note, openTable, person, picture, play, type Ask } from "../play";

const address = process.argv[2];
assert.ok(address, "usage: troubles.mjs http://HOST:PORT");

const SECONDS = 1000;
const hand = (page: Page) => page.$$eval(".hand button", (list) => list.map((card) => (card as HTMLElement).dataset.card).join());

async function troubles(browser: Browser) {
  const { page, wire } = await person(browser, { viewport: { width: 1280, height: 800 }, locale: "en" });
  // The machine's clock is two minutes late.
  await page.context().addInitScript(() => { const own = Date.now; Date.now = () => own() - 120_000; });
  await openTable(page, address!, "mouse", 4, 12);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector(".plate");

  /** Waits until a new stream has brought a view. */
  const streamAgain = async (before: number) => {
    for (const until = Date.now() + 30 * SECONDS; wire.streams === before; await page.waitForTimeout(50)) {
      if (Date.now() > until) { await picture(page, "no-stream"); assert.fail(`the stream of the table opens again within 30 s: ${await page.textContent("body")}`); }
    }
    await page.waitForSelector(".chip.lost", { state: "detached", timeout: 20 * SECONDS });
  };
  const reload = async () => {
    const before = wire.streams;
    await page.reload();
    await streamAgain(before);
    await page.waitForSelector(".hand button, [data-test=next]");
  };
  const cut = async () => {
    const before = wire.streams;
    await cutNetwork(page);
    await picture(page, "lost");
    await page.context().setOffline(false);
    await streamAgain(before);
  };
  const restartGateway = async () => {
    const before = wire.streams;
    console.log("restart gateway");
    await streamAgain(before);
  };
  /** Restarts a process other than the gateway. The page does not notice this: the stream of the
   *  table stays open, and only the next move may take longer. */
  const restart = (process: string) => async () => { console.log(`restart ${process}`); };
  /** Asserts that the page shows the right time, although the clock of the machine is wrong. */
  const clock = async () => {
    const [minutes, seconds] = (await page.textContent(".prompt .time"))!.split(" ")[0]!.split(":").map(Number);
    const left = 60 * minutes! + seconds!;
    assert.ok(left <= 46 && left > 20, `a wrong clock of the machine changes the time left: ${left} s`);
  };
  /** Clicks the same card in both tabs: the server takes one of the moves, and both tabs show it. */
  const twoTabs = async ({ what, selector }: Ask) => {
    await other.waitForFunction((shown) => [...document.querySelectorAll<HTMLElement>(".hand button")].map((card) => card.dataset.card).join() === shown, await hand(page), { timeout: 20 * SECONDS });
    // The page ignores a click right after the hand has moved, so a person would click again.
    for (let tries = 0; await page.$(selector); ++tries) {
      assert.ok(tries < 10, "one of two tabs plays the card");
      await Promise.all([answer(page, "mouse", { what, selector }), answer(other, "mouse", { what, selector })]);
      await page.waitForTimeout(1000);
    }
    await other.waitForSelector(selector, { state: "detached", timeout: 20 * SECONDS });
  };

  // Each trouble happens once. The troubles of each kind of question come in this order.
  const left: Record<"discard" | "card" | "next", [string, (ask: Ask) => Promise<void>][]> = {
    discard: [["reload", reload], ["cut network", cut], ["restart gateway", restartGateway], ["restart rules", restart("rules")]],
    card: [
      ["clock", clock], ["reload", reload], ["cut network", cut], ["two tabs", twoTabs], ["restart gateway", restartGateway],
      ["restart rules", restart("rules")], ["restart bot", restart("bot")], ["restart ratings", restart("ratings")], ["restart matchmaking", restart("matchmaking")],
    ],
    next: [["cut network", cut], ["restart gateway", restartGateway], ["restart rules", restart("rules")], ["reload", reload]],
  };
  const PLACES = { discard: "in the écart", card: "in a trick", next: "between deals" };
  const open = () => Object.values(left).some((list) => list.length);
  // After the last trouble, plays on until a move has led to another decision.
  let last: number | undefined;
  const over = () => !open() && wire.moves >= (last ??= wire.moves) + 2;
  const done = await play(page, "mouse", "troubles", { seconds: 330, before: async (ask) => {
    if (!(ask.what in PLACES)) return over();
    const place = ask.what as keyof typeof PLACES;
    // In the écart and between deals there is only one question, so all troubles happen before its
    // answer.
    do {
      const next = left[place].shift();
      if (!next) break;
      note(`troubles: ${next[0]} ${PLACES[place]}`);
      await next[1](ask);
    } while (place !== "card");
    return over();
  } });
  assert.ok(!open(), `did not happen: ${JSON.stringify(left)}`);
  assertSentOnce(wire, "troubles");
  note(`troubles: ${JSON.stringify([...done])}; ${wire.moves} moves, ${wire.streams} streams`);
  await page.context().close();
}

const browser = await launch("chromium");
try {
  await troubles(browser);
} finally {
  await browser.close();
}
finish();
