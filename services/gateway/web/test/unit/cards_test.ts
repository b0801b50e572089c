// Tests the order of the cards in a hand, and the names of cards that a person may type.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EXCUSE, faceOf, readCard, sortHand } from "../../src/state/cards";

test("a hand shows trumps first, then the suits, the highest card first", () => {
  assert.deepEqual(sortHand([0, 13, 14, 56, 76, EXCUSE, 42, 28]).map(faceOf), ["T21", "T1", "X", "S14", "S1", "H1", "C1", "D1"]);
});

test("each card has a face of its own", () => {
  assert.equal(new Set(Array.from({ length: 78 }, (_, card) => faceOf(card))).size, 78);
});

test("typed cards are read in the language that is set", () => {
  assert.equal(readCard("hk", "en"), 27);
  assert.equal(readCard("cr", "fr"), 27);
  assert.equal(readCard("t21", "en"), 76);
  assert.equal(readCard("a21", "fr"), 76);
  assert.equal(readCard("ex", "fr"), EXCUSE);
  assert.equal(readCard("x", "en"), EXCUSE);
  assert.equal(readCard("T22", "en"), undefined);
  assert.equal(readCard("h15", "en"), undefined);
  assert.equal(readCard("<b>", "en"), undefined);
});
