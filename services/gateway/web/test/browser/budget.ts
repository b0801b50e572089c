// Measures the page against its budget and prints a JSON list of figures. The program has a small
// server, which serves the built files and the views of a deal. So it needs no platform.
//
//   node budget.mjs
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { CDPSession, Page } from "playwright-core";
import { SessionService } from "../../gen/tarot/gateway/v1/session_service_pb";
import { TableService } from "../../gen/tarot/rules/v1/table_service_pb";
import { answer, servePage } from "../server";
import { readVectors, views } from "../views";

const require = createRequire(import.meta.url);
const { chromium } = require("playwright-core") as typeof import("playwright-core");
const work = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = resolve(work, "../page");
const source = resolve(work, "../..");

interface Output { entryPoint?: string; imports: { path: string; kind: string }[] }
const outputs = (JSON.parse(readFileSync(join(work, "meta.json"), "utf8")) as { outputs: Record<string, Output> }).outputs;
const byName = new Map(Object.entries(outputs).map(([path, output]) => [path.split("/").pop()!, output]));

/** Returns the entries and the files that they import. */
function files(...entries: string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name) || !name.endsWith(".js")) return;
    found.add(name);
    for (const one of byName.get(name)!.imports) if (one.kind === "import-statement") add(one.path.split("/").pop()!);
  };
  for (const entry of entries) add([...byName].find(([, output]) => output.entryPoint === entry)![0]);
  return found;
}
const kilobytes = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + statSync(join(root, "assets", `${name}.gz`)).size, 0) / 1000;

const LOBBY = ["src/main.tsx", "src/words/en.ts"];
const first = kilobytes(files(...LOBBY));
const playing = kilobytes(files(...LOBBY, "src/screens/table.tsx", "src/words/en_game.ts"));
const css = kilobytes([...byName].filter(([name]) => name.endsWith(".css")).map(([name]) => name));

const deal = views(readVectors(source).find((vector) => vector.n === 4)!, 1);
const view = (at: number) => answer(TableService.method.watchTable, { table: deal[at]! });
let push: (at: number) => void = () => {};
const { origin, close } = await servePage(root, (method) => {
  if (method === "WatchTable") return { ...view(0), open: (send) => { push = (at) => send(view(at).messages[0]!); } };
  if (method !== "CreateGuestSession") return undefined;
  return answer(SessionService.method.createGuestSession, { session: { player: "players/1", displayName: "Ada", token: "x", expireTime: { seconds: 4_000_000_000n } } });
});

/** Slows the page down as on an average phone with 4G: 9 Mbit/s, a round trip of 60 ms, and a
 *  processor slowed four times. */
async function slow(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 60, downloadThroughput: 9e6 / 8, uploadThroughput: 3e6 / 8 });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  return devtools;
}

const median = (list: number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!;
const PROGRAM = "/usr/bin/chromium";
assert.ok(existsSync(PROGRAM), "Debian's package chromium is missing");
const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--disable-gpu"] });
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, locale: "en" };

const paints: number[] = [];
const playables: number[] = [];
let shift = 0;
for (let run = 0; run < 5; ++run) {
  const context = await browser.newContext(phone);
  const page = await context.newPage();
  await slow(page);
  await page.addInitScript(() => {
    const seen = window as unknown as { shift: number; ready: number };
    seen.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[]) if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    const look = () => { if (document.querySelector('[data-test="play"]')) seen.ready = performance.now(); else requestAnimationFrame(look); };
    requestAnimationFrame(look);
  });
  await page.goto(origin);
  await page.waitForSelector('[data-test="play"]');
  await page.waitForTimeout(600);
  const [paint, ready, moved] = await page.evaluate(() => {
    const seen = window as unknown as { shift: number; ready: number };
    return [performance.getEntriesByName("first-contentful-paint")[0]!.startTime, seen.ready, seen.shift] as const;
  });
  paints.push(paint);
  playables.push(ready);
  shift = Math.max(shift, moved);
  await context.close();
}

// The cost of a view is the time for script, style and layout, over all views of a deal. The
// transport of the views does not count.
const context = await browser.newContext(phone);
const page = await context.newPage();
const devtools = await slow(page);
await page.goto(`${origin}/t/x`);
await page.waitForSelector(".hand button");
await page.waitForTimeout(1500);
await devtools.send("Performance.enable");
const spent = async () => {
  const { metrics } = await devtools.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((one) => one.name === name)!.value;
  const parts = [of("ScriptDuration"), of("LayoutDuration"), of("RecalcStyleDuration")].map((seconds) => 1000 * seconds);
  return parts.reduce((sum, one) => sum + one, 0);
};
const idleFrom = await spent();
await page.waitForTimeout(3000);
const idle = (await spent()) - idleFrom;
const count = 40;
const from = await spent();
const began = Date.now();
for (let at = 1; at <= count; ++at) {
  push(at);
  await page.waitForTimeout(150);
}
const draw = ((await spent()) - from - (idle * (Date.now() - began)) / 3000) / count;
await browser.close();
close();

const figures: [string, number, string][] = [
  ["js_gzip_kb", playing, "kB"], ["first_route_gzip_kb", first, "kB"], ["css_gzip_kb", css, "kB"],
  ["view_draw_ms", draw, "ms"], ["first_paint_ms", median(paints), "ms"], ["playable_ms", median(playables), "ms"], ["layout_shift", shift, ""],
];
console.log(JSON.stringify(figures.map(([name, value, unit]) => ({ name, value: Number(value.toFixed(3)), unit })), null, 1));
process.exit(0);
