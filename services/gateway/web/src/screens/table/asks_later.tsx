// The questions after the bid: the call, the écart, the slam, the handful.
import { useSignal } from "@preact/signals";
import { Card, Mini, Pip } from "../../pieces/card";
import { half } from "../../pieces/parts";
import { EXCUSE, isBout, rankOf, sortHand, suitOf, type Suit } from "../../state/cards";
import type { TableStore } from "../../state/table_store";
import { isOpen, lastTrick } from "../../state/view";
import { w } from "../../words";
import { Ask, Needs } from "./asks";

const Call = ({ store }: { store: TableStore }) => {
  const { ask } = w();
  const chosen = useSignal<number | undefined>(undefined);
  const deal = store.table!.deal!;
  const calls = deal.legal?.calls ?? [];
  const kings = calls.every((card) => rankOf(card) === 14);
  const many = calls.length > 8;
  return (
    <Ask label={kings ? ask.callKing : ask.call}>
      <h2>{kings ? ask.callKing : ask.call}</h2>
      <p class="s muted">{ask.callMore}</p>
      <div class={`calls ${many ? "many" : ""}`} role="radiogroup" aria-label={ask.call}>
        {calls.map((card) => (
          <button key={card} role="radio" data-call={card} aria-checked={chosen.value === card} aria-label={`${w().card(card)}${deal.hand.includes(card) ? `, ${ask.callYours}` : ""}`} onClick={() => { chosen.value = card; }}>
            <Card card={card} mark={chosen.value === card ? "chosen" : ""} hidden />
            {deal.hand.includes(card) && <small>{ask.callYours}</small>}
          </button>
        ))}
      </div>
      <div class="row wrap">
        <button class="btn gold grow" data-test="call" aria-disabled={chosen.value === undefined || undefined}
          onClick={() => { if (chosen.value !== undefined) store.act({ case: "call", value: { card: chosen.value } }); }}>
          {ask.callIt(chosen.value === undefined ? "…" : w().theCard(chosen.value))}
        </button>
        {deal.legal?.callNobody && <button class="btn" onClick={() => store.act({ case: "call", value: {} })}>{ask.callNobody}</button>}
      </div>
    </Ask>
  );
};

/** Returns the card points of cards, in half points: King 9, Queen 7, Knight 5, Jack 3, bout 9, any
 *  other card 1. */
const halfPoints = (cards: readonly number[]) => cards.reduce((sum, card) => {
  if (isBout(card)) return sum + 9;
  return sum + (card < 56 && rankOf(card) > 10 ? 2 * rankOf(card) - 19 : 1);
}, 0);

const Discard = ({ store }: { store: TableStore }) => {
  const { ask } = w();
  const sure = useSignal(false);
  const { discard } = store.state.value;
  const table = store.table!;
  const deal = table.deal!;
  const count = deal.legal?.discardCount ?? 0;
  const rest = deal.hand.filter((card) => !discard.includes(card));
  const suits: Suit[] = ["S", "H", "D", "C"];
  const voids = suits.filter((suit) => !rest.some((card) => suitOf(card) === suit));
  const alone = suits.filter((suit) => { const held = rest.filter((card) => suitOf(card) === suit); return held.length === 1 && rankOf(held[0]!) === 1; });
  const bouts = deal.hand.filter(isBout).length;
  const ready = discard.length === count;
  const lay = (slam: boolean) => {
    if (!ready) return;
    store.dispatch({ type: "slam", slam });
    store.act({ case: "discard", value: { cards: discard } });
  };
  return (
    <Ask label={ask.discard(count)}>
      <div class="row between wrap"><div><h2>{ask.discard(count)}</h2>
        <p class="s muted">{deal.legal?.discardTrumpCount ? ask.discardTrumps(deal.legal.discardTrumpCount) : ask.discardMore}</p></div>
        <div class="count" aria-hidden="true"><b>{discard.length}</b> / {count}</div></div>
      <div class="slots">
        {Array.from({ length: count }, (_, at) => {
          const card = discard[at];
          return card === undefined ? <i key={`slot${at}`} /> : (
            <button key={card} aria-label={`${w().card(card)}: ${w().back}`} onClick={() => store.dispatch({ type: "discard", card, size: count })}><Card card={card} hidden /></button>
          );
        })}
      </div>
      <div class="facts">
        {voids.length > 0 && <span>{ask.void} {voids.map((suit) => <Pip key={suit} suit={suit} />)}</span>}
        {alone.map((suit) => <span key={suit}><Pip suit={suit} /> {ask.loneAce}</span>)}
        <span>{ask.inDiscard} <b>{half(halfPoints(discard))}</b> {ask.pointsWord}</span>
        <Needs table={table} bouts={bouts} now />
      </div>
      {sure.value ? (
        <div class="row wrap gap"><p class="s grow">{ask.slamSure}</p>
          <button class="btn gold" onClick={() => lay(true)}>{ask.slamYes}</button><button class="btn" onClick={() => { sure.value = false; }}>{ask.slamNo}</button></div>
      ) : (
        <div class="row wrap gap">
          <button class="btn gold grow" data-test="lay" aria-disabled={!ready || undefined} onClick={() => lay(false)}>{ask.lay}</button>
          <button class="btn" aria-disabled={!ready || undefined} onClick={() => { if (ready) sure.value = true; }}>{ask.slam}</button>
        </div>
      )}
    </Ask>
  );
};

const Slam = ({ store }: { store: TableStore }) => {
  const { ask } = w();
  const sure = useSignal(false);
  const answer = (announce: boolean) => store.act({ case: "slam", value: { announce } });
  return (
    <Ask label={ask.slamTitle}>
      <h2>{ask.slamTitle}</h2><p class="s muted">{sure.value ? ask.slamSure : ask.slamMore}</p>
      <div class="row wrap gap">
        <button class="btn gold grow" data-test="no-slam" onClick={() => answer(false)}>{ask.noSlam}</button>
        {store.table!.deal!.legal?.slam && <button class="btn" onClick={() => { if (sure.value) answer(true); else sure.value = true; }}>{sure.value ? ask.slamYes : ask.slam}</button>}
      </div>
    </Ask>
  );
};

/** Returns the largest handful that the seat may show. Leaves out the lowest trumps. */
function proposal(cards: readonly number[], sizes: readonly number[]): number[] {
  const size = Math.max(...sizes);
  const trumps = sortHand(cards).filter((card) => card !== EXCUSE);
  return trumps.length >= size ? trumps.slice(0, size) : sortHand(cards).slice(0, size);
}

const HandfulAsk = ({ store }: { store: TableStore }) => {
  const { ask } = w();
  const { handful } = store.state.value;
  const deal = store.table!.deal!;
  const sizes = deal.legal!.handfulSizes;
  const cards = handful ?? proposal(deal.legal!.handfulCards, sizes);
  const fits = sizes.includes(cards.length);
  const trick = lastTrick(deal);
  return (
    <Ask label={ask.handful}>
      <h2>{ask.handful}</h2><p class="s muted">{ask.handfulMore(cards.length, deal.legal!.handfulCards.length)}</p>
      <div class="shown"><Mini cards={sortHand(cards)} label={w().table.handful} /></div>
      {isOpen(trick) && trick.cards.length > 0 && <div class="shown"><p class="xs muted">{w().table.trick}</p><Mini cards={trick.cards} label={w().table.trick} /></div>}
      <div class="row wrap tight">
        <button class="btn gold" aria-disabled={!fits || undefined} onClick={() => { if (fits) store.act({ case: "handful", value: { cards } }); }}>{ask.handfulShow(cards.length)}</button>
        {!handful && <button class="btn" onClick={() => store.dispatch({ type: "handful", cards })}>{ask.handfulOther}</button>}
        <button class="btn" data-test="no-handful" onClick={() => store.dispatch({ type: "noHandful" })}>{ask.handfulNo}</button>
      </div>
    </Ask>
  );
};

export const AskLater = ({ store, what }: { store: TableStore; what: "call" | "discard" | "slam" | "handful" }) => {
  switch (what) {
    case "call": return <Call store={store} />;
    case "discard": return <Discard store={store} />;
    case "slam": return <Slam store={store} />;
    case "handful": return <HandfulAsk store={store} />;
  }
};
