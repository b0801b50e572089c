// The panel beside the felt, or the sheets of a phone: score sheet, last trick and dog, what
// happened in this deal, phrases.
import { DealResult_Outcome } from "../../../gen/tarot/rules/v1/deal_pb";
import { Proposal_Kind, SaidPhrase_Phrase } from "../../../gen/tarot/rules/v1/table_pb";
import { Mini } from "../../pieces/card";
import { Icon } from "../../pieces/icons";
import { Problem, signed } from "../../pieces/parts";
import type { TableStore } from "../../state/table_store";
import { lastComplete, Phase, seatAfter } from "../../state/view";
import { w } from "../../words";

/** Shortens a name so that it fits a column. At a table of five, a name has fewer letters. */
const short = (name: string, letters = 7) => ([...name].length > letters ? `${[...name].slice(0, letters - 1).join("").trim()}.` : name);

export const Sheet = ({ store }: { store: TableStore }) => {
  const { table: t, contract } = w();
  const table = store.table!;
  const me = (seat: number) => (seat === table.viewer ? "me" : "");
  const name = (seat: number | undefined) => table.seats[seat ?? -1]?.displayName ?? "";
  const lines = store.sheet.value?.deals ?? [];
  const deal = table.deal;
  const running = deal && deal.phase !== Phase.DONE && !lines.some((line) => line.number === table.dealNumber);
  const phase = !deal ? "" : deal.phase === Phase.BIDDING ? t.auction
    : `${name(deal.taker)} ${deal.phase === Phase.CALLING ? t.calls : deal.phase === Phase.DISCARDING ? t.makesDiscard : t.plays}`;
  const verdict = (line: (typeof lines)[number]) => {
    const result = line.result;
    if (result?.outcome === DealResult_Outcome.ALL_PASSED) return t.passed;
    if (result?.outcome === DealResult_Outcome.PETIT_SEC) return t.petitSec;
    if (result?.outcome === DealResult_Outcome.VOIDED) return t.voided;
    if (result?.taker === undefined) return "";
    const who = [name(result.taker), ...(result.partner === undefined ? [] : [name(result.partner)])].map((one) => short(one)).join(" + ");
    return `${who} ${result.won ? t.made : t.failed} ${result.difference}`;
  };
  return (
    <table class={`sheet ${table.seats.length === 5 ? "five" : ""}`}>
      <thead><tr><th><span class="vh">{t.deal}</span></th>{table.seats.map((seat, at) => <th key={at} scope="col" class={me(at)} title={seat.displayName}>{short(seat.displayName, table.seats.length === 5 ? 5 : 7)}</th>)}</tr></thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.number}><th scope="row">{line.number}{line.result && line.result.contract > 1 ? ` · ${contract(line.result.contract)}` : ""}<small>{verdict(line)}</small></th>
            {table.seats.map((_, at) => <td key={at} class={me(at)}>{line.result?.scores.length ? signed(line.result.scores[at] ?? 0) : "·"}</td>)}</tr>
        ))}
        {running && (
          <tr><th scope="row">{table.dealNumber}{deal.phase > Phase.BIDDING && deal.contract > 1 ? ` · ${contract(deal.contract)}` : ""}<small>{phase}</small></th>
            {table.seats.map((_, at) => <td key={at} class={me(at)}>·</td>)}</tr>
        )}
      </tbody>
      <tfoot><tr><th scope="row">{t.total}</th>{table.seats.map((seat, at) => <td key={at} class={me(at)}>{signed(seat.total)}</td>)}</tr></tfoot>
    </table>
  );
};

export const LastCards = ({ store }: { store: TableStore }) => {
  const { table: t } = w();
  const table = store.table!;
  const deal = table.deal;
  const last = deal && lastComplete(deal);
  const shown = deal?.handfuls.filter((one) => one.cards.length) ?? [];
  return (
    <>
      <div><div class="row between s sub"><span class="strong">{t.last}</span><span class="muted xs">{last ? `${table.seats[last.trick.winner!]?.displayName} · ` : ""}<kbd>L</kbd></span></div>
        {last && deal ? <Mini cards={last.trick.cards} won={last.trick.cards.findIndex((_, at) => seatAfter(deal, last.trick.leader, at) === last.trick.winner)} label={t.last} /> : <p class="muted xs">–</p>}</div>
      <div><div class="row between s sub"><span class="strong">{t.dog}</span><span class="muted xs"><kbd>G</kbd></span></div>
        {deal?.dog.length ? <Mini cards={deal.dog} label={t.dog} /> : <p class="muted xs">–</p>}</div>
      {shown.map((one) => (
        <div key={one.seat}><div class="row between s sub"><span class="strong">{t.handful}</span><span class="muted xs">{table.seats[one.seat]?.displayName}</span></div><Mini cards={one.cards} label={t.handful} /></div>
      ))}
    </>
  );
};

const LOGGED = new Set(["taker", "call", "laid", "slam", "handful", "trick", "partner", "held", "result", "back"]);

export const DealLog = ({ store }: { store: TableStore }) => {
  const { talk, say } = w();
  const table = store.table!;
  const name = (seat: number) => table.seats[seat]?.displayName ?? "";
  const entries = store.state.value.log.filter((h) => LOGGED.has(h.kind)).slice(-5);
  if (!entries.length || table.deal?.phase === Phase.BIDDING) {
    return <p class="row s"><span class="muted"><Icon name="shield" /></span><span>{talk.shuffle}</span></p>;
  }
  return <ul class="log">{entries.map((h, at) => <li key={at}>{say.event(h, name)}</li>)}</ul>;
};

const PHRASES = [SaidPhrase_Phrase.HELLO, SaidPhrase_Phrase.WELL_PLAYED, SaidPhrase_Phrase.SORRY, SaidPhrase_Phrase.ONE_MOMENT, SaidPhrase_Phrase.THANKS, SaidPhrase_Phrase.GOOD_GAME];

export const Phrases = ({ store }: { store: TableStore }) => (
  <div class="phrases" role="group" aria-label={w().table.say}>{PHRASES.map((phrase) => <button key={phrase} onClick={() => void store.say(phrase)}>{w().table.phrases[phrase]}</button>)}</div>
);

/** Shows the actions that are not cards: the claim, taking a card back, and a break. */
export const Offers = ({ store }: { store: TableStore }) => {
  const { talk: t } = w();
  const table = store.table!;
  if (table.viewer === undefined || store.over) return null;
  const playing = table.deal?.phase === Phase.PLAYING && table.deal.turn === table.viewer && table.deal.tricks.some((trick) => trick.winner !== undefined);
  return (
    <div class="phrases offers">
      {playing && <button onClick={() => void store.claim()}>{t.claim}</button>}
      {table.takeBackSeat === table.viewer && <button onClick={() => void store.takeBack()}>{t.takeCardBack}</button>}
      {table.options?.breaks && !table.breakExpireTime && !table.proposal && <button onClick={() => void store.askBreak()}>{t.askBreak}</button>}
    </div>
  );
};

export const ProposalBanner = ({ store }: { store: TableStore }) => {
  const { talk: t } = w();
  const table = store.table!;
  const { proposal } = table;
  if (table.breakExpireTime) {
    return <div class="prompt banner2"><span>{t.breakRuns}</span>{table.viewer !== undefined && <button class="btn" onClick={() => void store.endBreak()}>{t.endBreak}</button>}</div>;
  }
  if (!proposal) return null;
  const name = (seat: number) => table.seats[seat]?.displayName ?? "";
  const asksMe = table.viewer !== undefined && proposal.pendingSeats.includes(table.viewer);
  return (
    <div class="prompt banner2"><span>{t.proposes(name(proposal.seat), proposal.kind === Proposal_Kind.TAKE_BACK ? 1 : 2)} {!asksMe && t.waitsFor(w().list(proposal.pendingSeats.map(name)))}</span>
      {asksMe && <button class="btn" onClick={() => void store.answer(true)}>{t.agree}</button>}
      {asksMe && <button class="btn" onClick={() => void store.answer(false)}>{t.refuse}</button>}
      {proposal.seat === table.viewer && <button class="btn" onClick={() => void store.answer(false)}>{t.withdraw}</button>}
    </div>
  );
};

export const Side = ({ store }: { store: TableStore }) => {
  const { table: t } = w();
  return (
    <aside class="side" aria-label={t.options} tabIndex={0}>
      <section class="panel paper-sheet"><div class="head"><h2>{t.sheet}</h2></div><div class="body narrowbody"><Sheet store={store} /></div></section>
      <section class="panel"><div class="body stack tightbody"><LastCards store={store} /></div></section>
      <section class="panel"><div class="head"><h2>{t.thisDeal}</h2></div><div class="body"><DealLog store={store} /></div></section>
      {store.table!.viewer !== undefined && !store.over && <section class="panel"><div class="body tightbody"><Phrases store={store} /><Offers store={store} />
        {store.trouble.value !== undefined && <Problem error={store.trouble.value} />}</div></section>}
    </aside>
  );
};
