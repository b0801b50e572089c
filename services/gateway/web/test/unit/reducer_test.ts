// Tests the state of a table over complete deals: every view of a deal of the vectors in
// tests/data, for three, four and five players.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ActionSchema, DealViewSchema, type DealView } from "../../gen/tarot/rules/v1/deal_pb";
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { core } from "../../src/words/en";
import { game } from "../../src/words/en_game";
import * as reasons from "../../src/words/reasons_en";
import type { Words } from "../../src/words";
import { spoken } from "../../src/state/spoken";
import { initial, reduce, winnerKey, type Move, type TableEvent, type TableState } from "../../src/state/table_reducer";
import { card, readVectors, views } from "../views";
import { asked, places, refusal, tricksInAll } from "../../src/state/view";

const words = { ...core, ...game, ...reasons } as unknown as Words;
const HOLD = 1200;

const vectors = readVectors(process.env.TAROT_SOURCE!);

const four = vectors.find((vector) => vector.n === 4)!;

const step = (state: TableState, event: TableEvent, now: number) => reduce(state, event, now, HOLD);

test("whole deals: no card is drawn twice, every card is told once", () => {
  for (const vector of vectors) {
    let state = initial;
    let now = 1000;
    const told: number[] = [];
    for (const table of views(vector, 1)) {
      now += 600;
      state = step(state, { type: "view", table }, now);
      state = step(state, { type: "tick" }, now);
      const deal = state.table!.deal!;
      const open = deal.tricks.at(-1);
      const lying = state.held?.trick.cards ?? (open?.winner === undefined ? open?.cards ?? [] : []);
      const drawn = [...deal.hand, ...lying.filter((one) => !state.held || !deal.hand.includes(one))];
      assert.equal(new Set(drawn).size, drawn.length, `${vector.id}: a card is drawn twice`);
      for (const h of state.fresh) if (h.kind === "play" || h.kind === "lead") told.push(h.card);
      assert.ok(spoken(state.table!, state.fresh, words).every((line) => line && !/undefined|NaN/.test(line)), vector.id);
      if (deal.turn === 1) asked(deal);
      assert.ok(tricksInAll(deal) === vector.tricks.length, `${vector.id}: ${tricksInAll(deal)} tricks`);
      state = { ...state, fresh: [] };
    }
    assert.equal(new Set(told).size, told.length, vector.id);
    assert.equal(told.length, vector.tricks.length * vector.n, vector.id);
    assert.ok(state.ended, `${vector.id}: the score is open`);
  }
});

test("views that skip some of the game tell the same cards", () => {
  for (const vector of vectors.slice(0, 6)) {
    const all = views(vector, 0);
    let state = initial;
    const told: number[] = [];
    all.forEach((table, at) => {
      if (at && at % 5 && at !== all.length - 1) return;
      state = step(state, { type: "view", table }, at * 100);
      for (const h of state.fresh) if (h.kind === "play" || h.kind === "lead") told.push(h.card);
    });
    assert.equal(told.length, vector.tricks.length * vector.n);
  }
});

test("the prompt and the refusal say the server's reasons", () => {
  const table = views(four, 0)[0]!;
  const deal = { ...table.deal!, tricks: [{ leader: 3, cards: [card("C1")], winning: 3 }] } as DealView;
  const asking = (refused: object[]) => create(DealViewSchema, { ...deal, legal: { cards: [0], refused } } as object);
  assert.deepEqual(asked(asking([{ why: "MUST_FOLLOW_SUIT", suit: 3, cards: [0] }])), { kind: "follow", suit: "C" });
  assert.deepEqual(asked(asking([{ why: "MUST_TRUMP", cards: [0] }])), { kind: "trump", suit: "C" });
  assert.deepEqual(asked(asking([{ why: "MUST_TRUMP", cards: [0] }, { why: "MUST_OVERTRUMP", number: 12, cards: [57] }])), { kind: "over", number: 12 });
  assert.deepEqual(asked(asking([])), { kind: "any" });
  const barred = refusal(asking([{ why: "CALLED_SUIT_BARRED", suit: 1, card: 27, cards: [14] }]), 14)!;
  assert.deepEqual(barred.metadata, { why: "CALLED_SUIT_BARRED", suit: "hearts", card: "HK" });
  assert.equal(refusal(asking([]), 14), undefined);
});


test("an older view changes nothing", () => {
  const [first, second] = views(four, 0);
  const state = step(step(initial, { type: "view", table: second! }, 10), { type: "view", table: first! }, 20);
  assert.equal(state.table!.revision, second!.revision);
});

test("a view says which other seats have lost the connection, also at the same revision", () => {
  const table = views(four, 0)[0]!;
  let state = step(initial, { type: "view", table, disconnected: [0, 2] }, 1000);
  assert.deepEqual(state.disconnected, [2], "the own seat has this stream");
  state = step(state, { type: "view", table, disconnected: [] }, 5000);
  assert.deepEqual(state.disconnected, []);
  assert.deepEqual(state.fresh, []);
  assert.equal(state.turnSince, 1000, "the turn does not begin again");
});

test("the time of a turn begins with the view that gives it", () => {
  let state = initial;
  let gave = 0;
  views(four, 2).slice(0, 9).forEach((table, at) => {
    const now = 1000 * (at + 1);
    state = step(state, { type: "view", table }, now);
    if (table.deal!.turn === 2) { gave = now; assert.equal(state.turnSince, now); } else assert.equal(state.turnSince, 0);
  });
  assert.ok(gave > 0);
});

test("the same view again does not begin the turn again", () => {
  const table = views(four, 0)[0]!;
  const later = { ...table, revision: table.revision + 1 } as Table;
  let state = step(initial, { type: "view", table }, 1000);
  state = step(state, { type: "view", table: later }, 5000);
  assert.equal(state.turnSince, 1000, "a nonce or a phrase raises the revision and gives no new turn");
});

test("a card chosen ahead is cancelled when the winner changes", () => {
  const all = views(four, 3);
  const at = all.findIndex((table) => { const trick = table.deal!.tricks.at(-1)!; return table.deal!.turn !== 3 && trick.cards.length === 1; });
  let state = step(initial, { type: "view", table: all[at]! }, 0);
  state = step(state, { type: "ahead", card: all[at]!.deal!.hand[0]! }, 10);
  assert.ok(state.ahead);
  const next = all.slice(at + 1).find((table) => winnerKey(table.deal!) !== state.ahead!.winner)!;
  state = step(state, { type: "view", table: next }, 20);
  assert.equal(state.ahead, undefined);
  assert.equal(state.notice?.kind, "aheadGone");
});

test("a card chosen ahead is cancelled when it becomes illegal", () => {
  const all = views(four, 3);
  const turn = all.findIndex((table, at) => at > 0 && table.deal!.turn === 3 && table.deal!.tricks.at(-1)!.cards.length > 1);
  const before = all[turn - 1]!;
  const after = { ...all[turn]!, deal: { ...all[turn]!.deal!, tricks: before.deal!.tricks, legal: { ...all[turn]!.deal!.legal!, cards: [] } } } as Table;
  let state = step(initial, { type: "view", table: before }, 0);
  state = step(state, { type: "ahead", card: before.deal!.hand[0]! }, 10);
  state = step(state, { type: "view", table: after }, 20);
  assert.equal(state.ahead, undefined);
});

const move = (state: TableState, sent: boolean): Move => ({
  action: create(ActionSchema, { kind: { case: "play", value: { card: 0 } } }), decision: state.decision, requestId: "id", revision: 1, sent,
});

test("a move that waits is dropped when another decision comes; a sent one waits for its answer", () => {
  const all = views(four, 0);
  for (const sent of [false, true]) {
    let state = step(initial, { type: "view", table: all[0]! }, 0);
    state = step(state, { type: "move", move: move(state, sent) }, 10);
    state = step(state, { type: "view", table: all[1]! }, 20);
    assert.equal(!!state.move, sent);
    state = step(state, { type: "answered", requestId: "id" }, 30);
    assert.equal(state.move, undefined);
  }
});

test("a finished trick lies for its time while later views come", () => {
  const all = views(four, 0);
  let state = initial;
  let now = 0;
  for (const table of all.slice(0, 6)) state = step(state, { type: "view", table }, (now += 10));
  assert.equal(state.held?.number, 1);
  state = step(state, { type: "tick" }, now + HOLD - 50);
  assert.ok(state.held);
  state = step(state, { type: "tick" }, now + HOLD);
  assert.equal(state.held, undefined);
});

test("seats follow the direction of play", () => {
  assert.deepEqual(places(4, 0, false), ["bottom", "right", "top", "left"]);
  assert.deepEqual(places(4, 0, true), ["bottom", "left", "top", "right"]);
  assert.deepEqual(places(5, 2, false), ["tl", "ll", "bottom", "rr", "tr"]);
  assert.deepEqual(places(3, 1, false), ["left", "bottom", "right"]);
});
