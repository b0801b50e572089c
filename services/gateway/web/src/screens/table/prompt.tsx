// The prompt above the hand: the question to the person, the seat in turn, or the reason of a
// refusal.
import { useComputed } from "@preact/signals";
import { clock } from "../../pieces/parts";
import { turnPrompt } from "../../state/spoken";
import type { TableStore } from "../../state/table_store";
import { isMyTurn, Phase } from "../../state/view";
import { sentence, w } from "../../words";

const Time = ({ store }: { store: TableStore }) => {
  const left = store.timeLeft();
  if (!left) return null;
  return <span class="time" role="timer" aria-live="off">{clock(left.move)}{left.bank > 0 && <span class="bank"> +{clock(left.bank)}</span>}</span>;
};

export const Prompt = ({ store }: { store: TableStore }) => {
  const { table: t, cancel } = w();
  const { table, notice, ahead, raised, move, discard } = store.state.value;
  if (!table?.deal) return <div class="prompt calm" id="prompt"><span>{t.dealing}</span></div>;
  const { deal } = table;
  const name = (seat: number | undefined) => table.seats[seat ?? -1]?.displayName ?? "";
  const mine = isMyTurn(table);
  if (table.viewer === undefined) return <div class="prompt calm" id="prompt"><span>{t.watching}</span><Time store={store} /></div>;
  if (table.seats[table.viewer]?.heldByBot) {
    return <div class="prompt" id="prompt"><span>{t.botHolds}</span><button class="btn" data-test="resume" onClick={() => void store.resume()}>{t.takeBack}</button></div>;
  }
  if (notice) {
    const text = notice.kind === "refused" ? (deal.phase === Phase.PLAYING && mine ? t.notThat(sentence(notice.error)) : sentence(notice.error))
      : notice.kind === "setBack" ? t.setBack : t.aheadGone;
    return <div class={`prompt ${mine ? "" : "calm"}`} id="prompt"><span>{text}</span><Time store={store} /></div>;
  }
  if (move?.sent) return <div class="prompt calm" id="prompt"><span>{t.sent}</span></div>;
  if (mine) {
    const text = raised !== undefined && !move && deal.phase === Phase.PLAYING ? t.secondTap(w().theCard(raised))
      : turnPrompt(table, (deal.legal?.discardCount ?? 0) - discard.length, w());
    return <div class="prompt" id="prompt"><span>{text}</span><Time store={store} /></div>;
  }
  if (ahead) {
    const seat = Number(ahead.winner.split(":")[1]);
    const winner = ahead.winner.split(":")[1] ? name(seat) : "";
    const text = t.ahead(w().card(ahead.card), winner);
    return <div class="prompt calm" id="prompt"><span>{text.charAt(0).toUpperCase() + text.slice(1)}</span><button class="btn" onClick={() => store.dispatch({ type: "cancel" })}>{cancel}</button></div>;
  }
  const text = store.over ? t.matchOver : table.proposal || table.breakExpireTime ? t.paused : deal.turn === undefined || deal.phase === Phase.DONE ? t.dealing : t.thinking(name(deal.turn));
  return <div class="prompt calm" id="prompt"><span>{text}</span><Time store={store} /></div>;
};

/** With five players: shows what only this seat knows about the camps. */
export const Secret = ({ store }: { store: TableStore }) => {
  const { table: t } = w();
  const text = useComputed(() => {
    const { table } = store.state.value;
    const deal = table?.deal;
    if (!deal || table.viewer === undefined || deal.calledCard === undefined || deal.phase === Phase.DONE || deal.taker === undefined) return "";
    const name = (seat: number) => table.seats[seat]?.displayName ?? "";
    if (deal.partner === table.viewer && deal.taker !== table.viewer) return t.secretPartner(name(deal.taker));
    if (deal.taker === table.viewer && deal.partner !== undefined && deal.partner !== table.viewer) return t.knownPartner(name(deal.partner));
    return "";
  });
  return text.value ? <span class="secret s"><svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z" /></svg><span>{text}</span></span> : null;
};

export const ClockBar = ({ store }: { store: TableStore }) => {
  const left = store.timeLeft();
  const mine = isMyTurn(store.table);
  return <div class="clock" aria-hidden="true"><i style={{ transform: `scaleX(${mine ? left?.share ?? 0 : 0})` }} /></div>;
};
