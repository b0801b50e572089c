// The questions that a table asks in the middle of the felt. This file has the question for the
// bid; asks_later.tsx has the other questions.
import type { ComponentChildren } from "preact";
import { Contract } from "../../../gen/tarot/rules/v1/rule_set_pb";
import type { Table } from "../../../gen/tarot/rules/v1/table_pb";
import { isBout, rankOf, suitOf } from "../../state/cards";
import { rulesOf } from "../../state/rules";
import type { TableStore } from "../../state/table_store";
import { isMyTurn, Phase, seatAfter } from "../../state/view";
import { w } from "../../words";

export const Ask = ({ children, label }: { children: ComponentChildren; label: string }) => (
  <div class="middle"><div class="ask" role="group" aria-label={label}>{children}</div></div>
);

export const Needs = ({ table, bouts, now }: { table: Table; bouts: number; now: boolean }) => {
  const needed = rulesOf(table)?.thresholds[bouts];
  return needed === undefined ? null : <span>{now ? w().ask.needsNow(bouts) : w().ask.needs(bouts)} <b>{needed}</b></span>;
};

/** The names that bids have in the rules, from pass to garde contre. */
export const BIDS = [Contract.PASS, Contract.PRISE, Contract.GARDE, Contract.GARDE_SANS, Contract.GARDE_CONTRE];

export const Bid = ({ store }: { store: TableStore }) => {
  const { ask, contract } = w();
  const table = store.table!;
  const deal = table.deal!;
  const rules = rulesOf(table);
  const highest = Math.max(0, ...deal.bids);
  const by = deal.bids.indexOf(highest);
  const passed = deal.bids.filter((bid) => bid === Contract.PASS).length;
  const left = deal.playerCount - deal.bids.length - 1;
  const named = rules?.bids?.contracts.filter((bid) => bid > Contract.PASS);
  const shown = BIDS.filter((bid) => bid === Contract.PASS || !named?.length || named.includes(bid));
  const trumps = deal.hand.filter((card) => suitOf(card) === "T").length;
  const bouts = deal.hand.filter(isBout);
  const kings = deal.hand.filter((card) => card < 56 && rankOf(card) === 14).length;
  return (
    <Ask label={ask.bid}>
      <h2>{ask.bid}</h2>
      <p class="s muted">{deal.bids.length === 0 ? ask.bidFirst
        : highest > Contract.PASS ? ask.bidHigh(table.seats[seatAfter(deal, deal.dealer, by + 1)]?.displayName ?? "", contract(highest))
        : ask.bidPassed(passed, left)}</p>
      <div class="bids" style={{ "--bids": shown.length }}>
        {shown.map((bid) => {
          const open = deal.legal?.bids.includes(bid);
          const multiplier = rules?.mult[bid - Contract.PRISE];
          return (
            <button key={bid} class="bid" data-bid={bid} aria-disabled={!open || undefined} onClick={() => store.act({ case: "bid", value: { contract: bid } })}>
              <b>{contract(bid)}</b>{bid > Contract.PASS && multiplier && <span class="x">×{multiplier}</span>}
              <small>{open ? ask.fates[bid] : ask.closed}</small><kbd aria-hidden="true">{BIDS.indexOf(bid)}</kbd>
            </button>
          );
        })}
      </div>
      <div class="facts">
        <span><b>{trumps}</b> {ask.trumps(trumps).replace(/^\d+ /, "")}</span>
        <span><b>{bouts.length}</b> {ask.bouts(bouts.length).replace(/^\d+ /, "")}{bouts.length ? `: ${bouts.map((card) => ask.bout[card]).join(", ")}` : ""}</span>
        <span>{ask.kings(kings)}</span>
        <Needs table={table} bouts={bouts.length} now={false} />
      </div>
    </Ask>
  );
};

/** Returns the question that waits for the person's answer, if there is one. */
export function question(store: TableStore): "bid" | "call" | "discard" | "slam" | "handful" | undefined {
  const { table, held, handfulRefused, move } = store.state.value;
  const deal = table?.deal;
  if (!table || !deal || !isMyTurn(table) || held || move?.sent) return undefined;
  switch (deal.phase) {
    case Phase.BIDDING: return "bid";
    case Phase.CALLING: return "call";
    case Phase.DISCARDING: return "discard";
    case Phase.SLAM: return store.state.value.slam === undefined ? "slam" : undefined;
    case Phase.PLAYING: return deal.legal?.handfulSizes.length && handfulRefused !== String(table.dealNumber) ? "handful" : undefined;
    default: return undefined;
  }
}

/** Makes the bid with this number, for the keyboard. */
export function bidByKey(store: TableStore, digit: number) {
  const bid = BIDS[digit];
  if (bid !== undefined && question(store) === "bid") store.act({ case: "bid", value: { contract: bid } });
}

