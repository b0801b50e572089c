// Makes the views of a table over complete deals, from the vectors in tests/data.
import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { DealResult_Outcome, Phase } from "../gen/tarot/rules/v1/deal_pb";
import { Contract } from "../gen/tarot/rules/v1/rule_set_pb";
import { TableSchema, Table_State, type Table } from "../gen/tarot/rules/v1/table_pb";

/** Returns the card of a name in the vectors: S1 to S14, the same for H, D and C, T1 to T21, EX. */
export function card(name: string): number {
  if (name === "EX") return 77;
  const rank = Number(name.slice(1));
  return name[0] === "T" ? 55 + rank : "SHDC".indexOf(name[0]!) * 14 + rank - 1;
}

export interface Vector { id: string; n: number; taker: number; partner: number; hands_at_play: string[][]; tricks: { leader: number; cards: string[] }[] }
/** Reads all vectors of tests/data, for three, four and five players. */
export const readVectors = (source: string): Vector[] => [3, 4, 5].flatMap((n) => readFileSync(`${source}/tests/data/vectors/fullplay_${n}.jsonl`, "utf8")
  .split("\n").filter(Boolean).map((line) => JSON.parse(line) as Vector));

/** Returns the index of the card that wins a trick: the highest trump, or without a trump the
 *  highest card of the suit led. */
function best(cards: readonly number[]): number {
  const suit = (one: number) => (one >= 56 ? 4 : Math.floor(one / 14));
  const led = cards.find((one) => one !== 77);
  const power = (one: number) => (one === 77 ? -1 : one >= 56 ? one : led !== undefined && suit(one) === suit(led) ? one % 14 : -1);
  return cards.reduce((found, one, at) => (power(one) > power(cards[found]!) ? at : found), 0);
}

/** Returns the views of one seat over the play of a vector: one before each card, and one after the
 *  last card. */
export function views(vector: Vector, viewer: number): Table[] {
  const hands = vector.hands_at_play.map((hand) => hand.map(card));
  const list: Table[] = [];
  const tricks: { leader: number; cards: number[]; winning?: number; winner?: number }[] = [];
  const push = (turn: number | undefined, done = false) => list.push(create(TableSchema, {
    name: "tables/x", revision: list.length + 1, state: Table_State.PLAYING, viewer, dealNumber: 1, dealCount: 1,
    seats: vector.hands_at_play.map((_, seat) => ({ player: `players/${seat}`, displayName: `P${seat}` })),
    deal: {
      playerCount: vector.n, dealer: vector.n - 1, phase: done ? Phase.DONE : Phase.PLAYING, viewer, taker: vector.taker, contract: Contract.GARDE,
      ...(turn === undefined ? {} : { turn }), hand: hands[viewer]!, handCounts: hands.map((hand) => hand.length),
      tricks: tricks.map((trick) => ({ ...trick })), ...(turn === viewer ? { legal: { cards: hands[viewer]! } } : {}),
      ...(done ? { result: { outcome: DealResult_Outcome.SCORED, taker: vector.taker, won: true, difference: 7 } } : {}),
    },
  }));
  vector.tricks.forEach((trick, number) => {
    tricks.push({ leader: trick.leader, cards: [] });
    trick.cards.forEach((name, at) => {
      const seat = (trick.leader + at) % vector.n;
      push(seat);
      hands[seat] = hands[seat]!.filter((one) => one !== card(name));
      const cards = [...tricks[number]!.cards, card(name)];
      tricks[number] = { ...tricks[number]!, cards, winning: (trick.leader + best(cards)) % vector.n };
    });
    tricks[number] = { leader: trick.leader, cards: tricks[number]!.cards, winner: vector.tricks[number + 1]?.leader ?? trick.leader };
  });
  push(undefined, true);
  return list;
}

