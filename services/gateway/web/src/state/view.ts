// Reads a view of a deal. The functions here describe what the server has sent. They decide
// nothing: `legal` alone says what a seat may do.
import type { DealView, Trick } from "../../gen/tarot/rules/v1/deal_pb";
import { Phase } from "../../gen/tarot/rules/v1/deal_pb";
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { CallError } from "../wire/errors";
import { EXCUSE, suitOf, tdnOf, type Suit } from "./cards";

export { Phase };

/** The seat without cards in this deal, or -1. At a table of five under the rule that the dealer
 *  sits out, this is the dealer. */
export function sitsOut(deal: DealView): number {
  if (deal.playerCount !== 5) return -1;
  const complete = deal.tricks.find((trick) => trick.winner !== undefined && trick.cards.length);
  if (complete) return complete.cards.length === 4 ? deal.dealer : -1;
  return Math.max(...deal.handCounts, 0) > 1 && deal.handCounts[deal.dealer] === 0 ? deal.dealer : -1;
}

/** Returns the seat that comes `steps` seats after `seat` in the order of play. */
export function seatAfter(deal: DealView, seat: number, steps: number): number {
  const out = sitsOut(deal);
  for (let at = seat; ;) {
    if (steps-- === 0) return at;
    do at = (at + 1) % deal.playerCount; while (at === out);
  }
}

export const playing = (deal: DealView): number => deal.playerCount - (sitsOut(deal) >= 0 ? 1 : 0);

/** Returns the trick on the table, which is the newest trick, complete or not. */
export const lastTrick = (deal: DealView): Trick | undefined => deal.tricks.at(-1);

export const isOpen = (trick: Trick | undefined): trick is Trick => !!trick && trick.winner === undefined;

/** Returns the newest complete trick that the seat may still look at. */
export function lastComplete(deal: DealView): { trick: Trick; number: number } | undefined {
  for (let at = deal.tricks.length - 1; at >= 0; --at) {
    const trick = deal.tricks[at]!;
    if (trick.winner !== undefined) return trick.cards.length ? { trick, number: at + 1 } : undefined;
  }
  return undefined;
}

/** Returns the suit that the other seats must follow in a trick. An Excuse that is led sets no
 *  suit. */
export function ledSuit(trick: Trick | undefined): Suit | undefined {
  const first = trick?.cards.find((card) => card !== EXCUSE);
  return first === undefined ? undefined : suitOf(first);
}

/** Returns the seat and the card that have won a trick, or that are the best so far. */
export function winning(deal: DealView, trick: Trick): { seat: number; card: number } | undefined {
  const seat = trick.winner ?? trick.winning;
  const card = trick.cards.find((_, at) => seatAfter(deal, trick.leader, at) === seat);
  return seat === undefined || card === undefined ? undefined : { seat, card };
}

/** Returns the number of tricks that each seat has won. */
export function trickCounts(deal: DealView): number[] {
  const counts = new Array<number>(deal.playerCount).fill(0);
  for (const { winner } of deal.tricks) if (winner !== undefined) counts[winner]!++;
  return counts;
}

/** Returns the number of tricks in a complete deal. */
export function tricksInAll(deal: DealView): number {
  const out = sitsOut(deal);
  const seat = deal.handCounts.findIndex((_, at) => at !== out && at !== deal.taker);
  const open = lastTrick(deal);
  const done = deal.tricks.filter((trick) => trick.winner !== undefined).length;
  const inOpen = isOpen(open) && open.cards.some((_, at) => seatAfter(deal, open.leader, at) === seat) ? 1 : 0;
  return (deal.handCounts[Math.max(0, seat)] ?? 0) + done + inOpen;
}

/** The rule that limits the choice of the seat in turn, for the prompt. It follows from the reasons
 *  that the server gives. */
export type Asked =
  | { kind: "any" | "lead" | "leadSome" | "some" }
  | { kind: "follow" | "trump"; suit: Suit }
  | { kind: "over"; number: number };

const SUITS: readonly Suit[] = ["S", "H", "D", "C"];

export function asked(deal: DealView): Asked {
  const trick = lastTrick(deal);
  const led = isOpen(trick) ? ledSuit(trick) : undefined;
  const refused = deal.legal?.refused ?? [];
  const by = (why: string) => refused.find((group) => group.why === why);
  const over = by("MUST_OVERTRUMP");
  const follow = by("MUST_FOLLOW_SUIT");
  if (over?.number !== undefined) return { kind: "over", number: over.number };
  if (follow?.suit !== undefined) return { kind: "follow", suit: SUITS[follow.suit] ?? led ?? "S" };
  if (by("MUST_TRUMP") && led) return led === "T" ? { kind: "follow", suit: "T" } : { kind: "trump", suit: led };
  if (refused.length) return { kind: led ? "some" : "leadSome" };
  return { kind: led ? "any" : "lead" };
}

const SUIT_NAMES = ["spades", "hearts", "diamonds", "clubs"];

/** Returns why a card of the hand may not be played now, in the form of the server's error. */
export function refusal(deal: DealView, card: number): CallError | undefined {
  const group = deal.legal?.refused.find((one) => one.cards.includes(card));
  if (!group) return undefined;
  const facts: Record<string, string> = { why: group.why };
  if (group.suit !== undefined) facts.suit = SUIT_NAMES[group.suit] ?? "";
  if (group.number !== undefined) facts.number = String(group.number);
  if (group.card !== undefined) facts.card = tdnOf(group.card);
  return new CallError(FAILED_PRECONDITION, "", "ILLEGAL_CARD", facts);
}
const FAILED_PRECONDITION = 9;

/** Where a seat is drawn, seen from the seat below. */
export type Place = "bottom" | "right" | "left" | "top" | "tl" | "tr" | "ll" | "rr";
const PLACES: Record<number, Place[]> = {
  3: ["bottom", "right", "left"],
  4: ["bottom", "right", "top", "left"],
  5: ["bottom", "rr", "tr", "tl", "ll"],
};

/** Returns the place of each seat. If play is counter-clockwise, the next seat is on the right. */
export function places(count: number, viewer: number, clockwise: boolean): Place[] {
  const list = PLACES[count] ?? PLACES[4]!;
  return Array.from({ length: count }, (_, seat) => {
    const steps = (seat - viewer + count) % count;
    return list[clockwise ? (count - steps) % count : steps]!;
  });
}

/** Returns a key for the decision of the seat in turn. Another key means another decision. */
export function decision(table: Table): string {
  const deal = table.deal;
  if (!deal || deal.turn === undefined || deal.phase === Phase.DONE) return "";
  const cards = deal.tricks.reduce((sum, trick) => sum + trick.cards.length, 0);
  const hidden = deal.tricks.filter((trick) => !trick.cards.length).length;
  return [table.dealNumber, deal.phase, deal.turn, deal.bids.length, deal.handfuls.length, deal.tricks.length - hidden, hidden, cards].join("/");
}

export const isMyTurn = (table: Table | undefined): boolean =>
  table?.viewer !== undefined && table.deal !== undefined && table.deal.turn === table.viewer &&
  table.deal.phase !== Phase.DONE && !table.proposal && !table.breakExpireTime;
