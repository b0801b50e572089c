// A guest becomes an account by name and passphrase, signs out, and signs in in a second browser.
// Then the recovery code sets a new passphrase, and all other devices are signed out.
//
//   node accounts.mjs http://127.0.0.1:PORT
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { barriers, finish, launch, note, person } from "../play";

const address = process.argv[2];
assert.ok(address, "usage: accounts.mjs http://HOST:PORT");

const NAME = "Héloïse Atout";
const FIRST = "vingt-et-un d’atout";
const SECOND = "le petit au bout";

/** Opens the screen of the account by the links that a person clicks. */
async function openAccount(page: Page) {
  await page.goto(address!);
  await page.click('a[href="/settings"]');
  await page.click('a[href="/account"]');
  await page.waitForSelector('form[data-test="signIn"], [data-test="owner"]');
}

/** Fills a form and sends it. */
async function send(page: Page, form: string, fields: Record<string, string>) {
  for (const [name, value] of Object.entries(fields)) await page.fill(`form[data-test="${form}"] [data-test="${name}"]`, value);
  await page.click(`form[data-test="${form}"] button`);
}

/** Sends a form that the server refuses. Returns the sentence of the error. */
async function refused(page: Page, form: string, fields: Record<string, string>): Promise<string> {
  // The page removes the error of an earlier try when it sends the form.
  await Promise.all([page.waitForResponse(/SessionService/), send(page, form, fields)]);
  const text = await page.textContent(`form[data-test="${form}"] [role="alert"]`);
  note(`refused: ${text}`);
  return text!;
}

const stored = (page: Page) => page.evaluate(() => JSON.parse(localStorage.getItem("tarot.account") ?? "null") as { player: string; name: string; token: string } | null);
const owner = (page: Page) => page.waitForSelector('[data-test="owner"]');
const code = async (page: Page) => (await page.textContent('[data-test="recovery-code"]'))!.trim();

/** Asserts that the browser keeps neither a passphrase nor a recovery code. */
async function assertNotKept(page: Page, secrets: string[]) {
  const kept = await page.evaluate(() => JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]));
  assert.ok(kept.includes("players/"), "the search sees what the browser keeps");
  for (const secret of secrets) assert.ok(!kept.includes(secret), `the browser keeps ${secret}`);
}

async function accounts(browser: Browser) {
  const { page: home } = await person(browser, { viewport: { width: 1280, height: 800 }, locale: "en" });
  await home.goto(address!);
  await home.click('[data-test="play"]');
  await home.click(".hero.queue .btn");
  await home.waitForSelector('[data-test="play"]');
  const guest = (await stored(home))!;

  await openAccount(home);
  await barriers(home, "account-guest");
  assert.match(await refused(home, "make", { name: NAME, passphrase: "short" }), /10 to 128 characters/);
  await send(home, "make", { passphrase: FIRST });
  await home.waitForSelector('[data-test="recovery-code"]');
  const firstCode = await code(home);
  assert.match(firstCode, /^\w{5}(-\w{5}){4}$/, "the recovery code is 25 letters and digits in five groups");
  await barriers(home, "account-code");
  await home.click('[data-test="code-done"]');
  await home.waitForSelector('[data-test="recovery-code"]', { state: "detached" });
  await owner(home);
  await barriers(home, "account-owner");
  const made = (await stored(home))!;
  assert.equal(made.player, guest.player, "the player of the guest is the player of the account");
  assert.equal(await home.textContent(".topbar .who .name"), NAME);
  await assertNotKept(home, [FIRST, firstCode]);
  note(`${guest.name} has the account ${NAME}`);

  // Another tab of this browser shows the account too, and signs out together with this tab.
  const tab = await home.context().newPage();
  await openAccount(tab);
  await owner(tab);
  await home.click('[data-test="out-all"] >> xpath=preceding-sibling::button');
  for (const page of [home, tab]) {
    await page.waitForSelector('form[data-test="signIn"]');
    assert.equal(await stored(page), null, "signed out, the browser keeps no token");
    assert.equal(await page.$(".topbar .who"), null);
  }
  await tab.close();
  note("signed out in both tabs");

  // A second browser, in French, on a phone: the wrong passphrase does not open the account.
  const { page: phone } = await person(browser, { viewport: { width: 360, height: 640 }, locale: "fr" });
  await openAccount(phone);
  await barriers(phone, "account-signed-out-fr");
  assert.match(await refused(phone, "signIn", { name: NAME, passphrase: SECOND }), /nom/);
  // Upper and lower case of the name make no difference.
  await send(phone, "signIn", { name: NAME.toUpperCase(), passphrase: FIRST });
  await owner(phone);
  assert.equal((await stored(phone))!.player, guest.player, "the account has the same player in every browser");
  assert.equal((await stored(phone))!.name, NAME);
  await phone.reload();
  await owner(phone);
  await barriers(phone, "account-owner-fr");
  await assertNotKept(phone, [FIRST]);
  note("signed in in a second browser");

  // The recovery code sets a new passphrase and signs the second browser out.
  assert.match(await refused(home, "recover", { name: NAME, code: "AAAAA-AAAAA-AAAAA-AAAAA-AAAAA", passphrase: SECOND }), /wrong/);
  await send(home, "recover", { code: firstCode.toLowerCase() });
  await home.waitForSelector('[data-test="recovery-code"]');
  const secondCode = await code(home);
  assert.notEqual(secondCode, firstCode);
  await home.click('[data-test="code-done"]');
  await owner(home);
  assert.equal((await stored(home))!.player, guest.player);
  await assertNotKept(home, [SECOND, firstCode, secondCode]);
  note("the recovery code sets a new passphrase");
  // Gateways learn of the revoked token within five seconds, and the lobby calls every ten seconds.
  await phone.click('a[href="/"]');
  await phone.waitForSelector('.notice[role="alert"]', { timeout: 20_000 });
  assert.equal(await stored(phone), null);
  await barriers(phone, "signed-out-elsewhere-fr");
  await phone.click('.notice[role="alert"] a');
  assert.match(await refused(phone, "signIn", { name: NAME, passphrase: FIRST }), /nom/);
  await send(phone, "signIn", { passphrase: SECOND });
  await owner(phone);
  note("the second browser was signed out; only the new passphrase opens the account");

  // A new code replaces the old one, and a code works once.
  await send(phone, "newCode", { passphrase: SECOND });
  await phone.waitForSelector('[data-test="recovery-code"]');
  const thirdCode = await code(phone);
  assert.notEqual(thirdCode, secondCode);
  await phone.click('[data-test="code-done"]');
  const { page: third } = await person(browser, { viewport: { width: 720, height: 450 }, locale: "en" });
  await openAccount(third);
  for (const used of [firstCode, secondCode]) assert.match(await refused(third, "recover", { name: NAME, code: used, passphrase: FIRST }), /wrong/);

  // One browser signs out everywhere. Then the other browser is signed out too.
  await phone.click('[data-test="out-all"]');
  await phone.waitForSelector('form[data-test="signIn"]');
  await home.click('a[href="/"]');
  await home.waitForSelector('.notice[role="alert"]', { timeout: 20_000 });
  assert.equal(await stored(home), null);
  note("signed out everywhere");
  for (const page of [home, phone, third]) await page.context().close();
}

const browser = await launch("chromium");
try {
  await accounts(browser);
} finally {
  await browser.close();
}
finish();
