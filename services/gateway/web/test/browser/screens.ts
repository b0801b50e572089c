// Draws every screen of the page without a platform, with the answers of scenes.ts. Compares pictures of three window
// sizes, light and dark, with pictures that people have reviewed, and looks for barriers with axe in both languages.
//
//   node screens.mjs [--update] [--pictures] [NAME...]
//
// With names, the program draws only these scenes; the name "planted" stands for the test of the comparison (PLANTED).
// With --pictures, the program does not look for barriers. With --update, the new pictures replace the reviewed
// pictures: look at the new pictures first. If TAROT_PICTURES names a folder, the program also writes every picture
// there in its full size.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { compare, type Shot } from "../compare";
import { barriers, finish, launch, note, picture, problems } from "../play";
import { NOW } from "../scene_deals";
import { answered, me, SCENES, type Scene } from "../scenes";
import { servePage } from "../server";

const work = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const reviewed = join(work, "test/reviewed");
const words = process.argv.slice(2);
const update = words.includes("--update");
const names = words.filter((word) => !word.startsWith("--"));
const scenes = SCENES.filter(({ name }) => !names.length || names.includes(name));
assert.ok(scenes.length || names.includes("planted"), `there is no such scene; the scenes are ${SCENES.map(({ name }) => name).join(", ")}`);

const quick = words.includes("--pictures");

const SIZES = [[1440, 900], [820, 1180], [390, 844]] as const;
/** The fonts of the pictures. Debian's fontconfig installs them, so the pictures are the same on
 *  all machines. */
const FONTS = ':root { --font-ui: "DejaVu Sans" !important; --font-display: "DejaVu Serif" !important; }';

/** Opens the screen of a scene and waits until it is complete. */
async function open(browser: Browser, origin: string, scene: Scene, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", serviceWorkers: "block", timezoneId: "UTC", ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`${scene.name}: error in the page: ${error.message}`));
  await page.clock.setFixedTime(NOW);
  await page.addInitScript(({ stored, fonts }) => {
    // Names and request ids are the same in each run.
    let seed = 7;
    Math.random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (const [name, value] of Object.entries(stored)) if (!localStorage.getItem(`tarot.${name}`)) localStorage.setItem(`tarot.${name}`, JSON.stringify(value));
    const style = document.createElement("style");
    style.textContent = fonts;
    document.addEventListener("DOMContentLoaded", () => document.head.append(style));
  }, { stored: { ...(scene.first ? {} : { account: { player: me, name: "Ana", token: scene.name, expires: NOW + 30 * 86_400_000 } }), ...scene.stored }, fonts: FONTS });
  await page.goto(origin + scene.path);
  await page.waitForSelector(scene.wait);
  await scene.act?.(page);
  // Some parts of the page are loaded later: the panel beside the felt, ratings, and the score
  // sheet.
  if (scene.path === "/t/x" && options.viewport!.width > 1080) await page.waitForSelector(".side section");
  await page.waitForLoadState("networkidle");
  return page;
}

/** Takes pictures of a screen until the screen does not change any more. Returns the last picture. */
async function still(page: Page): Promise<Buffer> {
  const take = () => page.screenshot({ animations: "disabled", caret: "hide" });
  let before = await take();
  for (let tries = 0; tries < 10; ++tries) {
    await page.waitForTimeout(250);
    const next = await take();
    if (next.equals(before)) break;
    before = next;
  }
  return before;
}

/** The pictures of a scene: each size in both themes. If `keeps` is true, also keeps the pictures in their full size. */
async function shoot(browser: Browser, origin: string, scene: Scene, keeps = false): Promise<Shot[]> {
  const shots: Shot[] = [];
  for (const [width, height] of SIZES) {
    const page = await open(browser, origin, scene, { viewport: { width, height }, locale: "en", colorScheme: "light", hasTouch: width < 1000 });
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      const png = await still(page);
      if (keeps) await picture(page, `${scene.name}-${width}-${theme}`);
      shots.push({ width, height, theme, png: png.toString("base64") });
    }
    const moves = await page.evaluate(() => document.getAnimations().filter((one) => Number(one.effect!.getComputedTiming().activeDuration) > 20).length);
    if (moves) problems.push(`${scene.name}: ${moves} parts move, although the person asked for less motion`);
    await page.context().close();
  }
  return shots;
}

/** Looks for barriers: on a large screen in English, on a phone in French, and at 200 % zoom in French. */
async function search(browser: Browser, origin: string, scene: Scene) {
  for (const [locale, width, height, scale] of [["en", 1440, 900, 1], ["fr", 390, 844, 1], ["fr", 720, 450, 2]] as const) {
    const page = await open(browser, origin, scene, { viewport: { width, height }, deviceScaleFactor: scale, locale });
    await barriers(page, `${scene.name}-${locale}-${width}`);
    await page.context().close();
  }
}

/** Changes of screens. The comparison must see each change with `true`, because a person would see it. The changes with
 *  `false` are differences between machines, and the comparison must not see them. */
const PLANTED: [string, string, string, boolean][] = [
  ["table", "a card is missing", ".hand li:nth-child(6) { visibility: hidden }", true],
  ["table", "the prompt has another colour", ".prompt { background: #9fb4f0 !important }", true],
  ["table", "the panel stands lower", ".side { padding-top: 16px }", true],
  ["score", "a line of the score is missing", ".lines tr:first-child { display: none }", true],
  ["score", "a number is missing", ".pay b { visibility: hidden }", true],
  ["lobby", "the button has gone", '[data-test="play"] { visibility: hidden }', true],
  ["lobby", "letters stand a third of a pixel lower", "main { transform: translateY(0.33px) }", false],
  ["table", "letters are drawn with more weight", "body { -webkit-text-stroke: 0.2px }", false],
];

async function plant(browser: Browser, origin: string, lab: Page) {
  for (const [name, what, style, found] of PLANTED) {
    const scene = SCENES.find((one) => one.name === name)!;
    const plain = await shoot(browser, origin, scene);
    const planted = await shoot(browser, origin, { ...scene, act: async (page) => { await scene.act?.(page); await page.addStyleTag({ content: style }); } });
    const { sheet } = await compare(lab, plain);
    const { differs, most } = await compare(lab, planted, sheet);
    note(`planted: ${what}: ${differs.length} squares differ, at most by ${most}`);
    if (found !== differs.length > 0) problems.push(`the comparison ${found ? "does not see" : "reports"} the planted change: ${what} ${differs.slice(0, 3).join("; ")}`);
  }
}

const browser = await launch("chromium");
const { origin, close } = await servePage(resolve(work, "../page"), (method, token, request) => answered(SCENES.find(({ name }) => name === token), method, request));
const lab = await browser.newPage();
const started = Date.now();
mkdirSync(reviewed, { recursive: true });
async function look(scene: Scene) {
  try {
    const shots = await shoot(browser, origin, scene, true);
    const file = join(reviewed, `${scene.name}.webp`);
    const { sheet, differs } = await compare(lab, shots, existsSync(file) && !update ? readFileSync(file).toString("base64") : undefined);
    if (update) writeFileSync(file, Buffer.from(sheet, "base64"));
    else if (!existsSync(file)) problems.push(`${scene.name}: no reviewed picture; see --update`);
    if (differs.length) problems.push(`${scene.name}: the picture differs from the reviewed one in ${differs.length} squares: ${differs.slice(0, 6).join("; ")}`);
    if (!quick) await search(browser, origin, scene);
  } catch (error) { problems.push(`${scene.name}: ${(error as Error).message}`); }
}
const waiting = [...scenes];
/** Draws two scenes at a time. While one scene waits for its page, the other scene is drawn. */
await Promise.all([1, 2].map(async () => { for (let scene = waiting.shift(); scene; scene = waiting.shift()) await look(scene); }));
note(`${scenes.length} scenes`);
if (!names.length || names.includes("planted")) await plant(browser, origin, lab);
note(`${((Date.now() - started) / 1000).toFixed(0)} s`);
await browser.close();
close();
finish();
