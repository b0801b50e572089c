// Plays a complete casual match against bots in a browser, by clicks. Once it reloads the page, and
// once it cuts the network, each in the middle of a trick. At the end it looks at the replay and
// the profile.
//
//   node match.mjs http://127.0.0.1:PORT
import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { assertHidden, barriers, cutNetwork, finish, launch, note, person, picture, play, totals } from "../play";

const address = process.argv[2];
assert.ok(address, "usage: match.mjs http://HOST:PORT");

async function playMatch(browser: Browser): Promise<void> {
  const { page, wire } = await person(browser, { viewport: { width: 1440, height: 900 }, locale: "en" });
  const context = page.context();
  await page.goto(address!);
  await page.waitForSelector('[data-test="play"]');
  await barriers(page, "lobby");
  const clicked = Date.now();
  await page.click('[data-test="play"]');
  await page.waitForSelector(".hero.queue, .table-page");
  await page.waitForSelector(".prompt:not(.calm)", { timeout: 40_000 });
  note(`first decision ${((Date.now() - clicked) / 1000).toFixed(1)} s after one click`);
  assert.ok(Date.now() - clicked <= 20_000, "the first decision comes within 20 s of one click");
  await barriers(page, "auction");
  const table = page.url();

  const { page: other, wire: seen } = await person(browser, { viewport: { width: 390, height: 844 }, locale: "fr", colorScheme: "dark" });
  await other.goto(table);
  await other.waitForSelector(".plate");

  let looked = false;
  let reloaded = false;
  let cut = false;
  const done = await play(page, "mouse", "match", { before: async ({ what }, did) => {
    const cards = did.get("card") ?? 0;
    if (what === "card" && !looked && await page.$(".hand .no")) {
      looked = true;
      await barriers(page, "table");
      // Clicks a card that may not be played. The page says why, and the card stays in the hand.
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
      await picture(page, "refused");
    }
    if (what === "discard" && did.get("discard") === 4) await barriers(page, "ecart");
    if (what === "next" && !did.has("next")) { await page.waitForSelector(".lines, .pay"); await barriers(page, "score"); }
    if (what === "card" && cards >= 4 && !reloaded) {
      reloaded = true;
      await page.reload();
      await page.waitForSelector(".hand button, [data-test=next]", { timeout: 10_000 });
      note("reloaded in the middle of a trick: the seat is there again");
    }
    if (what === "card" && cards >= 8 && !cut) {
      cut = true;
      await cutNetwork(page);
      await picture(page, "lost");
      await context.setOffline(false);
      await page.waitForSelector(".chip.lost", { state: "detached", timeout: 10_000 });
      note("the network came back: the table goes on");
    }
  } });
  await page.waitForSelector(".pay");
  await barriers(page, "over");
  await barriers(other, "watcher");
  const shown = await totals(page);
  assert.equal(shown.reduce((sum, one) => sum + one, 0), 0, `the totals on the screen sum to zero: ${shown}`);
  note(`match over: ${JSON.stringify([...done])}, totals ${shown}; ${wire.moves} moves, ${wire.views.length} views`);
  assert.ok(reloaded && cut && looked);
  // The player plays 17 of the 18 cards of each deal; the server plays the last one.
  assert.ok(wire.moves >= 2 * 17, `two deals are ${wire.moves} moves`);
  assertHidden(wire, seen);

  const id = table.split("/t/")[1]!;
  await page.goto(`${address}/t/${id}/1`);
  await page.waitForSelector(".board .card");
  await barriers(page, "replay");
  await page.click(".topbar > .who");
  await page.waitForSelector(".profilehead");
  await page.waitForTimeout(400);
  await barriers(page, "profile");
  await context.close();
  await other.context().close();
}

const browser = await launch("chromium");
try {
  await playMatch(browser);
} finally {
  await browser.close();
}
finish();
