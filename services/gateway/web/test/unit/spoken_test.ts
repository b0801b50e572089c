// Tests that the spoken log of one deal is the same as in test/golden. People have read these texts, one for each
// language. In the views of the test, every card of the hand is legal. After a change on purpose, write the texts again:
//   TAROT_WRITE_GOLDEN=1 node --test build/web/unit/spoken_test.mjs
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { initial, reduce } from "../../src/state/table_reducer";
import { spoken } from "../../src/state/spoken";
import type { Words } from "../../src/words";
import { core as en } from "../../src/words/en";
import { game as enGame } from "../../src/words/en_game";
import { core as fr } from "../../src/words/fr";
import { game as frGame } from "../../src/words/fr_game";
import * as enReasons from "../../src/words/reasons_en";
import * as frReasons from "../../src/words/reasons_fr";
import { readVectors, views } from "../views";

const source = process.env.TAROT_SOURCE!;
const deal = readVectors(source).find((vector) => vector.n === 4)!;

for (const [lang, words] of [["en", { ...en, ...enGame, ...enReasons }], ["fr", { ...fr, ...frGame, ...frReasons }]] as const) {
  test(`the spoken log of a deal in ${lang} is the one that people have read`, () => {
    let state = initial;
    const lines: string[] = [];
    views(deal, 1).forEach((table, at) => {
      const before = state.freshId;
      state = reduce(state, { type: "view", table }, 1000 * (at + 1), 1200);
      if (state.freshId !== before) lines.push(...spoken(table, state.fresh, words as unknown as Words));
    });
    const file = `${source}/services/gateway/web/test/golden/spoken_${lang}.txt`;
    const text = `${lines.join("\n")}\n`;
    if (process.env.TAROT_WRITE_GOLDEN) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  });
}
