// Tests that every reason of docs/errors.md that a player may get has a sentence in both languages.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cardFromTdn, theCard } from "../../src/words/cards";
import { core as en } from "../../src/words/en";
import { core as fr } from "../../src/words/fr";
import { game as enGame } from "../../src/words/en_game";
import { game as frGame } from "../../src/words/fr_game";
import { more as enMore } from "../../src/words/en_more";
import { more as frMore } from "../../src/words/fr_more";
import * as enReasons from "../../src/words/reasons_en";
import * as frReasons from "../../src/words/reasons_fr";
import { judge as enJudge } from "../../src/words/en_judge";
import { judge as frJudge } from "../../src/words/fr_judge";
import { handText, reasonText } from "../../src/words/judge";
import { create } from "@bufbuild/protobuf";
import { HandSchema, Reason_Kind, ReasonSchema } from "../../gen/tarot/bot/v1/analysis_service_pb";

const page = readFileSync(`${process.env.TAROT_SOURCE}/docs/errors.md`, "utf8");
const rows = (text: string) => [...text.matchAll(/^\| `([A-Z_0-9]+)` \|/gm)].map((match) => match[1]!);
const between = page.indexOf("## Between services");
const whys = page.indexOf("## Why an action was refused");
assert.ok(between > 0 && whys > between, "docs/errors.md has other headings; this test reads them");

const FACTS = { card: "HK", suit: "hearts", number: "12", contract: "garde", trick: "7", missing: "2", seconds_left: "90", retry_after_seconds: "2", suggestion: "Ana", player_count: "4" };
const text = (sentence: enReasons.Sentence | undefined, facts: enReasons.Facts) => (typeof sentence === "function" ? sentence(facts) : sentence);

for (const [lang, words] of [["English", enReasons], ["French", frReasons]] as const) {
  test(`${lang} has a sentence for each reason, and no others`, () => {
    assert.deepEqual(Object.keys(words.reasons).sort(), [...new Set(rows(page.slice(0, between)))].sort());
    assert.deepEqual(Object.keys(words.whys).sort(), [...new Set(rows(page.slice(whys)))].sort());
  });

  test(`${lang} sentences are whole with and without the values of an error`, () => {
    for (const [reason, sentence] of [...Object.entries(words.reasons), ...Object.entries(words.whys)]) {
      for (const facts of [FACTS, {}]) {
        const said = text(sentence, facts);
        assert.match(said ?? "", /^[\p{Lu}\d].*[.!?]$/u, reason);
        assert.doesNotMatch(said ?? "", /undefined|NaN|\$\{/, reason);
      }
    }
  });
}

test("the design's own sentences", () => {
  const say = (words: typeof enReasons, why: string, facts: enReasons.Facts) => text(words.whys[why], facts);
  assert.equal(say(enReasons, "MUST_FOLLOW_SUIT", { suit: "hearts" }), "You have hearts: follow.");
  assert.equal(say(frReasons as typeof enReasons, "MUST_FOLLOW_SUIT", { suit: "hearts" }), "Vous avez du cœur : fournissez.");
  assert.equal(say(enReasons, "MUST_OVERTRUMP", { number: "12" }), "Go above the 12.");
  assert.equal(say(frReasons as typeof enReasons, "MUST_OVERTRUMP", { number: "12" }), "Montez au-dessus du 12.");
});

/** Returns the names of all texts and functions in an object of words. */
function shape(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return [`${path}[${value.length}]`];
  if (value && typeof value === "object") return Object.entries(value).flatMap(([key, inner]) => shape(inner, `${path}.${key}`));
  return [`${path}:${typeof value}`];
}

test("both languages have the same words", () => {
  assert.deepEqual(shape(fr), shape(en));
  assert.deepEqual(shape(frGame), shape(enGame));
  assert.deepEqual(shape(frMore), shape(enMore));
  assert.deepEqual(shape(frJudge), shape(enJudge));
});

test("the sentences of an analysis are those of docs/analysis.md", () => {
  const analysis = readFileSync(`${process.env.TAROT_SOURCE}/docs/analysis.md`, "utf8");
  const table = [...analysis.matchAll(/^\| `([A-Z_]+(?:\/\w+)?)` \| [\w ]+ \| (.*?) \| (.*?) \|$/gm)];
  assert.deepEqual(Object.entries(enJudge.sentences), table.map((row) => [row[1], row[2]]));
  assert.deepEqual(Object.entries(frJudge.sentences), table.map((row) => [row[1], row[3]]));
});

test("every kind of reason has a sentence", () => {
  const name = (seat: number) => `Seat${seat}`;
  for (const [words, lang] of [[enJudge, "en"], [frJudge, "fr"]] as const) {
    for (const kind of Object.values(Reason_Kind).filter((one) => typeof one === "number" && one > 0) as Reason_Kind[]) {
      const reason = create(ReasonSchema, { kind, card: 27, otherCard: 75, suit: 1, seat: 2, trick: 3, trumps: 10, points: 20, number: 620, betterNumber: 155 });
      assert.match(reasonText(reason, false, name, words, lang), /^\p{Lu}[^{}]*\.$/u, Reason_Kind[kind]);
    }
  }
  const ruffed = create(ReasonSchema, { kind: Reason_Kind.SUIT_RUFFED, card: 27, suit: 1, seat: 2, trick: 3 });
  assert.equal(reasonText(ruffed, false, name, frJudge, "fr"), "Seat2 n’a plus de cœur depuis le pli 3 et peut couper le Roi de cœur.");
  const pass = create(ReasonSchema, { kind: Reason_Kind.CONTRACT_CHANCE, betterNumber: 617 });
  assert.equal(reasonText(pass, true, name, enJudge, "en"), "The better bid is made in 62 % of the likely deals.");
  const given = create(ReasonSchema, { kind: Reason_Kind.POINTS_GIVEN, card: 25, otherCard: 14, number: 5, betterNumber: 1 });
  assert.equal(reasonText(given, false, name, frJudge, "fr"), "Le pli était déjà perdu : le Cavalier de cœur donne 2,5 points, l’as de cœur donne un demi-point.");
});

test("a hand is told by what counts in the auction", () => {
  const hand = create(HandSchema, { trumps: 1, bouts: [56], kings: 2, suitLengths: [6, 4, 1, 0] });
  assert.equal(handText(hand, enJudge), "1 trump, 1 bout (Petit), 2 Kings, 6 spades, a single diamond, no clubs");
  assert.equal(handText(hand, frJudge), "1 atout, 1 bout (Petit), 2 Rois, 6 piques, un seul carreau, pas de trèfle");
});

test("cards have their names", () => {
  assert.equal(theCard(42, "en"), "the ace of clubs");
  assert.equal(theCard(42, "fr"), "l’as de trèfle");
  assert.equal(theCard(59, "fr"), "le 4 d’atout");
  assert.equal(theCard(77, "en"), "the Excuse");
  assert.equal(theCard(14 + 12, "fr"), "la Dame de cœur");
  assert.equal(cardFromTdn("HK"), 27);
  assert.equal(cardFromTdn("DT"), 37);
  assert.equal(cardFromTdn("T21"), 76);
  assert.equal(cardFromTdn("X"), 77);
});
