// Computes the state of one table from the views that have come and from the person's actions. The
// functions are pure: they get times as numbers, and send nothing.
import type { Action, DealView, Trick } from "../../gen/tarot/rules/v1/deal_pb";
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { happenings, type Happening } from "./happenings";
import { decision, isMyTurn, isOpen, lastTrick, Phase, winning } from "./view";

/** A move is sent not earlier than this time after the view that gave the seat the turn, also if
 *  the card was chosen ahead. */
export const TEMPO_MS = 700;
/** After the hand has changed, a tap plays nothing for this time. */
export const STEADY_MS = 250;
/** The score of a deal stays open for this time, unless the person closes it. */
export const SCORE_MS = 12_000;

/** A move that waits for its time, or for its answer. */
export interface Move {
  action: Action;
  /** The decision that the move is for. */
  decision: string;
  requestId: string;
  /** The revision on which the person decided. */
  revision: number;
  sent: boolean;
}

export interface Ahead {
  card: number;
  /** The seat and the card that win the open trick now. */
  winner: string;
}

export interface Ended {
  number: number;
  deal: DealView;
  totals: number[];
  until: number;
}

export interface TableState {
  table: Table | undefined;
  /** The seats of other persons who have no open stream of the table. */
  disconnected: readonly number[];
  /** The decision of the newest view, and the time when it came to this seat. The time is 0 if
   *  another seat decides. */
  decision: string;
  turnSince: number;
  handSince: number;
  held: { trick: Trick; number: number; until: number } | undefined;
  ended: Ended | undefined;
  raised: number | undefined;
  ahead: Ahead | undefined;
  move: Move | undefined;
  /** The cards that lie in the slots of the écart, and the answer to the question of the slam. */
  discard: number[];
  slam: boolean | undefined;
  /** The trumps of a handful while the person changes it. */
  handful: number[] | undefined;
  handfulRefused: string;
  /** The page shows this notice until the next view of the game or the next choice. */
  notice: { kind: "refused"; error: unknown } | { kind: "aheadGone" | "setBack" } | undefined;
  log: Happening[];
  /** Everything that happened since the last view, for the sounds and the spoken log. */
  fresh: Happening[];
  freshId: number;
  live: boolean;
  lostSince: number;
  gone: unknown;
}

export const initial: TableState = {
  table: undefined, disconnected: [], decision: "", turnSince: 0, handSince: 0, held: undefined, ended: undefined,
  raised: undefined, ahead: undefined, move: undefined, discard: [], slam: undefined, handful: undefined,
  handfulRefused: "", notice: undefined, log: [], fresh: [], freshId: 0, live: false, lostSince: 0, gone: undefined,
};

export type TableEvent =
  | { type: "view"; table: Table; disconnected?: readonly number[] }
  | { type: "live"; live: boolean }
  | { type: "setBack" }
  | { type: "gone"; error: unknown }
  | { type: "raise"; card: number | undefined }
  | { type: "ahead"; card: number }
  | { type: "cancel" }
  | { type: "move"; move: Move }
  | { type: "sent"; requestId: string }
  | { type: "answered"; requestId: string; error?: unknown }
  | { type: "refuse"; error: unknown }
  | { type: "discard"; card: number; size: number }
  | { type: "slam"; slam: boolean | undefined }
  | { type: "handful"; cards: number[] | undefined }
  | { type: "noHandful" }
  | { type: "closeScore" }
  | { type: "tick" };

export const winnerKey = (deal: DealView): string => {
  const trick = lastTrick(deal);
  const best = isOpen(trick) ? winning(deal, trick) : undefined;
  return `${deal.tricks.length}:${best ? `${best.seat}:${best.card}` : ""}`;
};

const sameCards = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((card, at) => card === b[at]);

function onView(state: TableState, table: Table, disconnected: readonly number[], now: number, hold: number): TableState {
  const before = state.table;
  if (before && table.revision < before.revision) return state;
  // The list may have the person's own seat for a moment. Leave it out, because this stream is
  // open.
  const next: TableState = { ...state, table, disconnected: disconnected.filter((seat) => seat !== table.viewer) };
  const newDeal = !before || before.dealNumber !== table.dealNumber || !before.deal;
  const deal = table.deal;

  next.fresh = before ? happenings(before, table) : [];
  next.freshId = state.freshId + (next.fresh.length ? 1 : 0);
  next.log = newDeal ? (before ? next.fresh : happenings(undefined, table)) : [...state.log, ...next.fresh];

  // The page shows a finished trick for a while, even if later views have already come.
  if (deal && before && !newDeal) {
    const done = deal.tricks.filter((trick) => trick.winner !== undefined);
    const doneBefore = before.deal?.tricks.filter((trick) => trick.winner !== undefined).length ?? 0;
    const last = done.at(-1);
    if (done.length > doneBefore && last?.cards.length) {
      next.held = { trick: last, number: done.length, until: now + hold };
    } else if (done.length < doneBefore) {
      next.held = undefined;
    }
  } else if (newDeal) {
    next.held = undefined;
  }

  const ended = deal?.phase === Phase.DONE && deal.result;
  if (ended && before && before.deal?.phase !== Phase.DONE && !newDeal) {
    next.ended = {
      number: table.dealNumber, deal, totals: table.seats.map((seat) => seat.total),
      until: (next.held?.until ?? now) + SCORE_MS,
    };
  } else if (ended && !before) {
    next.ended = { number: table.dealNumber, deal, totals: table.seats.map((seat) => seat.total), until: now + SCORE_MS };
  }

  if (newDeal || !sameCards(before?.deal?.hand ?? [], deal?.hand ?? [])) next.handSince = now;
  if (newDeal) Object.assign(next, { discard: [], slam: undefined, handful: undefined, handfulRefused: "", raised: undefined, ahead: undefined });
  if (deal && deal.phase !== Phase.DISCARDING) next.discard = [];
  next.discard = next.discard.filter((card) => deal?.hand.includes(card));
  if (next.raised !== undefined && !deal?.hand.includes(next.raised)) next.raised = undefined;

  const key = decision(table);
  const mine = isMyTurn(table);
  if (key !== state.decision || (mine && !state.turnSince)) {
    next.decision = key;
    next.turnSince = mine ? now : 0;
    if (state.notice?.kind === "refused") next.notice = undefined;
    if (state.notice?.kind === "aheadGone" && mine) next.notice = undefined;
  } else if (!mine) {
    next.turnSince = 0;
  }
  // A move that is not sent yet is dropped if the decision has changed. A move that was sent waits
  // for its answer.
  if (next.move && !next.move.sent && next.move.decision !== next.decision) next.move = undefined;

  if (next.ahead && deal) {
    const illegal = mine && !deal.legal?.cards.includes(next.ahead.card);
    if (!deal.hand.includes(next.ahead.card)) next.ahead = undefined;
    else if (illegal || winnerKey(deal) !== next.ahead.winner) {
      next.ahead = undefined;
      next.notice = { kind: "aheadGone" };
    }
  }
  return next;
}

export function reduce(state: TableState, event: TableEvent, now: number, hold: number): TableState {
  switch (event.type) {
    case "view": return onView(state, event.table, event.disconnected ?? [], now, hold);
    case "live":
      if (event.live === state.live) return state;
      return { ...state, live: event.live, lostSince: event.live ? 0 : now };
    case "setBack": return { ...initial, notice: { kind: "setBack" }, freshId: state.freshId };
    case "gone": return { ...state, gone: event.error, live: true, lostSince: 0 };
    case "raise": return { ...state, raised: event.card, notice: undefined };
    case "ahead": {
      const deal = state.table?.deal;
      if (!deal) return state;
      return { ...state, ahead: { card: event.card, winner: winnerKey(deal) }, raised: event.card, notice: undefined };
    }
    case "cancel":
      return { ...state, ahead: undefined, raised: undefined, notice: undefined, move: state.move?.sent ? state.move : undefined };
    case "move": return { ...state, move: event.move, ahead: undefined, notice: undefined };
    case "sent": return state.move?.requestId === event.requestId ? { ...state, move: { ...state.move, sent: true } } : state;
    case "answered": {
      if (state.move?.requestId !== event.requestId) return state;
      const notice = event.error ? { kind: "refused" as const, error: event.error } : state.notice;
      return { ...state, move: undefined, notice, slam: event.error ? undefined : state.slam };
    }
    case "refuse": return { ...state, notice: { kind: "refused", error: event.error } };
    case "discard": {
      const has = state.discard.includes(event.card);
      if (!has && state.discard.length >= event.size) return state;
      const discard = has ? state.discard.filter((card) => card !== event.card) : [...state.discard, event.card];
      return { ...state, discard, notice: undefined };
    }
    case "slam": return { ...state, slam: event.slam };
    case "handful": return { ...state, handful: event.cards };
    case "noHandful": return { ...state, handful: undefined, handfulRefused: String(state.table?.dealNumber ?? "") };
    case "closeScore": return { ...state, ended: undefined };
    case "tick": {
      let next = state;
      if (state.held && now >= state.held.until) next = { ...next, held: undefined };
      const over = state.table?.state === 3;
      if (state.ended && !over && now >= state.ended.until) next = { ...next, ended: undefined };
      return next;
    }
  }
}
