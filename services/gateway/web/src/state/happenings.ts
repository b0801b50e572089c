// The events between two views of a table, in order: one entry for each thing that is said
// aloud and listed under "This deal".
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { Contract } from "../../gen/tarot/rules/v1/rule_set_pb";
import { Phase, seatAfter } from "./view";

export type Happening =
  | { kind: "deal"; number: number }
  | { kind: "bid" | "taker"; seat: number; contract: number }
  | { kind: "call"; seat: number; card: number | undefined }
  | { kind: "dog"; cards: readonly number[] }
  | { kind: "laid" | "slam" | "partner" | "back"; seat: number }
  | { kind: "handful"; seat: number; size: number }
  | { kind: "lead" | "play"; seat: number; card: number }
  | { kind: "trick"; seat: number; number: number }
  | { kind: "held"; seat: number; held: boolean }
  | { kind: "phrase"; seat: number; phrase: number }
  | { kind: "result"; won: boolean | undefined; difference: number };

/** Returns the number of trumps in a handful. If its cards are hidden again, the number comes from
 *  its level. */
const handfulSize = (cards: number, level: number) => cards || [0, 10, 13, 15][level] || 0;

export function happenings(before: Table | undefined, after: Table): Happening[] {
  const list: Happening[] = [];
  const deal = after.deal;
  const same = before?.deal && before.dealNumber === after.dealNumber ? before.deal : undefined;

  for (const [at, seat] of after.seats.entries()) {
    const old = before?.seats[at];
    if (old && old.heldByBot !== seat.heldByBot) list.push({ kind: "held", seat: at, held: seat.heldByBot });
  }
  if (before) {
    for (const [key, said] of Object.entries(after.phrases)) {
      const old = before.phrases[Number(key)];
      const newer = !old || old.sayTime?.seconds !== said.sayTime?.seconds || old.sayTime?.nanos !== said.sayTime?.nanos;
      if (newer && said.phrase) list.push({ kind: "phrase", seat: Number(key), phrase: said.phrase });
    }
  }
  if (!deal) return list;

  if (!same) list.push({ kind: "deal", number: after.dealNumber });
  const bidsBefore = same?.bids.length ?? 0;
  deal.bids.forEach((contract, at) => {
    if (at >= bidsBefore) list.push({ kind: "bid", seat: seatAfter(deal, deal.dealer, at + 1), contract });
  });
  const bidding = (phase: Phase | undefined) => phase === undefined || phase === Phase.BIDDING;
  if (deal.taker !== undefined && bidding(same?.phase) && !bidding(deal.phase)) {
    if (deal.contract !== Contract.CONTRACT_UNSPECIFIED) list.push({ kind: "taker", seat: deal.taker, contract: deal.contract });
  }
  if (deal.calledCard !== undefined && same?.calledCard === undefined && deal.taker !== undefined) {
    list.push({ kind: "call", seat: deal.taker, card: deal.calledCard });
  }
  if (deal.dog.length && !same?.dog.length && deal.phase !== Phase.DONE) list.push({ kind: "dog", cards: deal.dog });
  if (deal.taker !== undefined && deal.phase > Phase.DISCARDING && deal.dog.length && same?.phase === Phase.DISCARDING) {
    list.push({ kind: "laid", seat: deal.taker });
  }
  if (deal.slamAnnounced && !same?.slamAnnounced && deal.taker !== undefined) list.push({ kind: "slam", seat: deal.taker });
  for (const shown of deal.handfuls.slice(same?.handfuls.length ?? 0)) {
    list.push({ kind: "handful", seat: shown.seat, size: handfulSize(shown.cards.length, shown.level) });
  }
  let tookBack = false;
  deal.tricks.forEach((trick, number) => {
    const old = same?.tricks[number];
    if (old && old.cards.length > trick.cards.length && trick.cards.length && trick.winner === undefined) tookBack = true;
    trick.cards.forEach((card, at) => {
      if (at < (old?.cards.length ?? 0)) return;
      list.push({ kind: at ? "play" : "lead", seat: seatAfter(deal, trick.leader, at), card });
    });
    if (trick.winner !== undefined && old?.winner === undefined) list.push({ kind: "trick", seat: trick.winner, number: number + 1 });
  });
  if (tookBack && after.deal?.turn !== undefined) list.push({ kind: "back", seat: after.deal.turn });
  if (deal.partner !== undefined && same && same.partner === undefined && deal.phase === Phase.PLAYING && deal.partner !== after.viewer) {
    list.push({ kind: "partner", seat: deal.partner });
  }
  if (deal.result && !same?.result) {
    const judged = deal.result.taker !== undefined && deal.result.outcome === 1;
    list.push({ kind: "result", won: judged ? deal.result.won : undefined, difference: deal.result.difference });
  }
  return list;
}
