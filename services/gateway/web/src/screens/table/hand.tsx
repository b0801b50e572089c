// The person's own hand. The cards that may be played are lit and raised. With a finger, the first
// tap raises a card and the second tap plays it. A click plays a card at once.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef, type MutableRef } from "preact/hooks";
import { Card } from "../../pieces/card";
import { sortHand } from "../../state/cards";
import { settings } from "../../state/settings";
import { STEADY_MS } from "../../state/table_reducer";
import type { TableStore } from "../../state/table_store";
import { isMyTurn, Phase, refusal } from "../../state/view";
import { sentence, w } from "../../words";

/** The card that has the roving focus. */
export const focused = signal<number | undefined>(undefined);

/** Returns the cards that the person's own hand shows. Cards in the slots of the écart are left
 *  out. */
export function shownHand(store: TableStore): number[] {
  const { table, discard } = store.state.value;
  return sortHand((table?.deal?.hand ?? []).filter((card) => !discard.includes(card)));
}

/** Does what a tap or a key on a card asks for. */
export function chooseCard(store: TableStore, card: number, touch: boolean) {
  const state = store.state.value;
  const { table, ahead, raised, handful, move } = state;
  const deal = table?.deal;
  if (!deal || table.viewer === undefined || move?.sent) return;
  const legal = deal.legal;
  if (handful) {
    if (!legal?.handfulCards.includes(card)) return;
    store.dispatch({ type: "handful", cards: handful.includes(card) ? handful.filter((one) => one !== card) : [...handful, card] });
    return;
  }
  const mine = isMyTurn(table);
  if (deal.phase === Phase.DISCARDING && mine && legal) {
    if (legal.discards.includes(card)) {
      store.dispatch({ type: "discard", card, size: legal.discardCount });
    } else {
      // Sends an écart with this card. The server refuses it and says why this card may not go.
      const rest = legal.discards.filter((one) => one !== card).slice(0, legal.discardCount - 1);
      store.act({ case: "discard", value: { cards: [card, ...rest] } });
    }
    return;
  }
  if (deal.phase !== Phase.PLAYING || Date.now() - state.handSince < STEADY_MS) return;
  if (!mine) {
    if (ahead?.card === card) store.dispatch({ type: "cancel" });
    else store.dispatch({ type: "ahead", card });
    return;
  }
  if (legal?.cards.includes(card) && touch && !settings.value.oneTap && raised !== card) store.dispatch({ type: "raise", card });
  else if (legal?.cards.includes(card)) {
    store.dispatch({ type: "raise", card });
    store.act({ case: "play", value: { card } });
  } else {
    store.dispatch({ type: "refuse", error: refusal(deal, card) });
  }
}

/** Draws one card of the hand. A component that reads a signal (here the words) is drawn again only
 *  when its props change. So most cards stay as they are when a new view comes. */
const HandCard = ({ store, card, mark, promise, label, tab, touch }: {
  store: TableStore; card: number; mark: string; promise: boolean; label: string; tab: boolean; touch: MutableRef<boolean>;
}) => (
  <button class={`${mark} ${promise ? "promise" : ""}`} data-card={card} aria-label={label || w().card(card)}
    aria-disabled={mark === "no" || undefined} aria-pressed={mark === "up" || undefined}
    tabIndex={tab ? 0 : -1} onFocus={() => { focused.value = card; }}
    onPointerDown={(event) => { touch.current = event.pointerType === "touch"; }}
    onKeyDown={() => { touch.current = false; }} onClick={() => chooseCard(store, card, touch.current)}>
    <Card card={card} hidden />
  </button>
);

export const Hand = ({ store }: { store: TableStore }) => {
  const { table: t } = w();
  const { table, raised, ahead, discard, handful, move } = store.state.value;
  const list = useRef<HTMLUListElement>(null);
  const touch = useRef(false);
  const deal = table?.deal;
  const cards = shownHand(store);
  const at = focused.value !== undefined && cards.includes(focused.value) ? focused.value : cards[0];
  // If the focused card has gone, the browser moves the focus to the body, where the keys of the
  // table do not work. This effect moves the focus to another card of the hand.
  useEffect(() => {
    const active = document.activeElement;
    if (focused.value !== undefined && at !== focused.value && (active === document.body || list.current?.contains(active))) {
      list.current?.querySelector<HTMLElement>(`[data-card="${at}"]`)?.focus({ preventScroll: true });
    }
  });
  if (!deal || table.viewer === undefined) return <ul class="hand" />;
  const mine = isMyTurn(table);
  const asks = mine && (deal.phase === Phase.PLAYING || deal.phase === Phase.DISCARDING);
  const legal = handful ? deal.legal?.handfulCards : deal.phase === Phase.DISCARDING ? deal.legal?.discards : deal.legal?.cards;
  const full = deal.phase === Phase.DISCARDING && discard.length >= (deal.legal?.discardCount ?? 0);
  const rows = cards.length > 24 ? 3 : 2;
  const state = (card: number) => {
    if (handful?.includes(card) || raised === card || ahead?.card === card) return "up";
    if (!asks || move) return "";
    return legal?.includes(card) && !full ? "ok" : "no";
  };
  const label = (card: number, mark: string) => {
    const why = mark === "no" ? refusal(deal, card) : undefined;
    return why ? `${w().card(card)}. ${sentence(why)}` : "";
  };
  return (
    <ul ref={list} class={`hand two ${cards.length > 18 ? "many" : ""}`} aria-label={t.hand(cards.length)} style={{ "--cols": Math.ceil(cards.length / rows) } as JSX.CSSProperties}>
      {cards.map((card) => {
        const mark = state(card);
        return (
          <li key={card}>
            <HandCard store={store} card={card} mark={mark} promise={ahead?.card === card} label={label(card, mark)} tab={card === at} touch={touch} />
          </li>
        );
      })}
    </ul>
  );
};
