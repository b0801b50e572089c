// The felt: the seats with their players, the trick in the middle, the chips in the corners.
import type { JSX } from "preact";
import { Contract } from "../../../gen/tarot/rules/v1/rule_set_pb";
import { RuleSet_Direction } from "../../../gen/tarot/rules/v1/rule_set_pb";
import type { Trick } from "../../../gen/tarot/rules/v1/deal_pb";
import type { Table } from "../../../gen/tarot/rules/v1/table_pb";
import { Card, Mini, Pip } from "../../pieces/card";
import { Avatar } from "../../pieces/parts";
import { suitOf } from "../../state/cards";
import { rulesOf } from "../../state/rules";
import { settings } from "../../state/settings";
import type { TableStore } from "../../state/table_store";
import { isMyTurn, isOpen, lastTrick, Phase, places, seatAfter, sitsOut, trickCounts, tricksInAll, winning, type Place } from "../../state/view";
import { w } from "../../words";

export const placesOf = (table: Table): Place[] =>
  places(table.seats.length, table.viewer ?? 0, rulesOf(table)?.direction === RuleSet_Direction.CW);

/** Shows the time that the seat still has, as a ring around the avatar. */
const Ring = ({ store }: { store: TableStore }) => {
  const left = store.timeLeft();
  return (
    <svg class="ring" viewBox="0 0 50 50" aria-hidden="true">
      <circle class="bg" cx="25" cy="25" r="23" />
      <circle cx="25" cy="25" r="23" pathLength="100" stroke-dasharray={`${Math.round((left?.share ?? 0) * 100)} 100`} />
    </svg>
  );
};

const Tags = ({ table, seat }: { table: Table; seat: number }) => {
  const { table: t } = w();
  const deal = table.deal;
  if (!deal) return null;
  const camp = () => {
    if (deal.taker === undefined || deal.phase === Phase.BIDDING) return null;
    if (seat === deal.taker) return <span class="tag attack">{t.taker}</span>;
    if (seat === deal.partner) return <span class="tag attack">{t.partner}</span>;
    if (deal.calledCard !== undefined && deal.partner === undefined && seat !== table.viewer && deal.phase !== Phase.DONE) {
      return <span class="tag" role="img" aria-label={t.unknownCamp}>?</span>;
    }
    return null;
  };
  return (
    <>
      {camp()}
      {seat === deal.dealer && <span class="tag">{t.dealer}</span>}
      {seat === sitsOut(deal) && <span class="tag">{t.sitsOut}</span>}
      {table.seats[seat]!.heldByBot && <span class="tag">{w().bot}</span>}
    </>
  );
};

export const Plate = ({ store, seat, open }: { store: TableStore; seat: number; open?: (seat: number) => void }) => {
  const { table: t, bot, levels } = w();
  const table = store.table!;
  const person = table.seats[seat]!;
  const deal = table.deal;
  const turn = deal?.turn === seat && deal.phase !== Phase.DONE;
  const rating = store.ratings.value.get(person.player);
  const about = person.botLevel ? `${bot} · ${levels[person.botLevel] ?? person.botLevel}` : rating?.matchCount ? String(Math.round(rating.rating)) : "";
  const away = person.heldByBot ? t.heldByBot : store.state.value.disconnected.includes(seat) ? t.disconnected : "";
  const played = deal && deal.phase >= Phase.PLAYING ? t.tricks(trickCounts(deal)[seat]!) : "";
  const inside = (
    <>
      <span class="face"><Avatar of={person} />{turn && <Ring store={store} />}</span>
      <span class="about"><span class="row names"><span class="name">{person.displayName}</span><Tags table={table} seat={seat} /></span>
        <span class="meta">{away || <>{about && <span class="more">{about}{played ? " · " : ""}</span>}{played}</>}</span></span>
    </>
  );
  return open ? <button class={`plate ${turn ? "turn" : ""}`} onClick={() => open(seat)}>{inside}</button> : <div class={`plate ${turn ? "turn" : ""}`}>{inside}</div>;
};

/** Shows the bid of a seat in the auction, or the phrase that the seat says now. */
const Say = ({ store, seat }: { store: TableStore; seat: number }) => {
  const table = store.table!;
  const deal = table.deal;
  const said = table.phrases[seat];
  if (said?.phrase && said.sayTime && store.now.value - Number(said.sayTime.seconds) * 1000 < 8000) {
    return <span class="say">{w().table.phrases[said.phrase]}</span>;
  }
  if (!deal || deal.phase !== Phase.BIDDING) return null;
  const at = deal.bids.findIndex((_, bid) => seatAfter(deal, deal.dealer, bid + 1) === seat);
  if (at < 0) return seat === sitsOut(deal) || seat === table.viewer ? null : <span class="say pass wait" aria-hidden="true">…</span>;
  const bid = deal.bids[at]!;
  const high = bid !== Contract.PASS && bid === Math.max(...deal.bids);
  return <span class={`say ${bid === Contract.PASS ? "pass" : high ? "high" : ""}`}>{w().contract(bid)}</span>;
};

export const Seats = ({ store, open }: { store: TableStore; open(seat: number): void }) => {
  const table = store.table!;
  const place = placesOf(table);
  return (
    <>
      {table.seats.map((person, seat) => place[seat] !== "bottom" && (
        <div class={`seat ${place[seat]}`} key={person.player || seat}><Plate store={store} seat={seat} open={open} /><Say store={store} seat={seat} /></div>
      ))}
    </>
  );
};

export const OwnSeat = ({ store, open }: { store: TableStore; open(seat: number): void }) => {
  const table = store.table!;
  const seat = table.viewer ?? 0;
  return <span class="row tight own"><Plate store={store} seat={seat} {...(table.viewer === undefined ? { open } : {})} /><Say store={store} seat={seat} /></span>;
};

export const Corners = ({ store }: { store: TableStore }) => {
  const { table: t, contract } = w();
  const table = store.table!;
  const deal = table.deal;
  if (!deal || deal.phase === Phase.BIDDING) return null;
  const rules = rulesOf(table);
  const multiplier = rules?.mult[deal.contract - Contract.PRISE];
  const taker = deal.taker === undefined ? "" : deal.taker === table.viewer ? t.yours : table.seats[deal.taker]!.displayName;
  const open = lastTrick(deal);
  const number = deal.tricks.length + (deal.tricks.length && isOpen(open) ? 0 : deal.phase === Phase.PLAYING ? 1 : 0);
  const all = tricksInAll(deal);
  return (
    <>
      <div class="corner">
        {deal.taker !== undefined && deal.contract > Contract.PASS && (
          <span class="chip"><b class="attackword">{contract(deal.contract)}{multiplier ? ` ×${multiplier}` : ""}</b> <span class="chipname">{taker}</span></span>
        )}
        {deal.calledCard !== undefined && <span class="chip called"><Pip suit={suitOf(deal.calledCard)} /> {t.called(w().card(deal.calledCard).split(" ")[0]!)}</span>}
        {deal.handfuls.map((shown) => <span class="chip" key={shown.seat}>{t.handful} {shown.cards.length || [0, 10, 13, 15][shown.level]}<span class="no-phone"> · {table.seats[shown.seat]?.displayName}</span></span>)}
        {deal.slamAnnounced && <span class="chip"><b class="attackword">{t.slam}</b></span>}
      </div>
      {deal.phase === Phase.PLAYING && <div class="corner r"><span class="chip">{t.trick} {t.trickOf(Math.min(number, all), all)}</span></div>}
    </>
  );
};

const SPOT: Record<Place, string> = { bottom: "b", right: "r", left: "l", top: "t", tl: "tl", tr: "tr", ll: "l", rr: "r" };

const Lying = ({ store, trick, held }: { store: TableStore; trick: Trick; held: boolean }) => {
  const table = store.table!;
  const deal = table.deal!;
  const place = placesOf(table);
  const best = winning(deal, trick);
  const to = trick.winner === undefined ? "" : SPOT[place[trick.winner]!];
  return (
    <>
      {trick.cards.map((card, at) => {
        const seat = seatAfter(deal, trick.leader, at);
        return (
          <div key={card} class={`${SPOT[place[seat]!]} ${card === best?.card ? "best" : ""} ${held ? `gather to-${to}` : ""}`}>
            <Card card={card} />{card === best?.card && <span class="crown">{w().table.winning}</span>}
          </div>
        );
      })}
    </>
  );
};

export const Middle = ({ store }: { store: TableStore }) => {
  const { table: t } = w();
  const { table, held } = store.state.value;
  const deal = table?.deal;
  if (!table || !deal) return <div class="middle" />;
  const open = lastTrick(deal);
  const trick = held?.trick ?? (isOpen(open) ? open : undefined);
  const mine = isMyTurn(table) && deal.phase === Phase.PLAYING && !held;
  const hold = { "--hold": `${settings.value.hold}ms` } as JSX.CSSProperties;
  return (
    <div class="middle">
      {deal.phase === Phase.DISCARDING && deal.dog.length > 0 && <div class="lieback"><p class="muted s">{t.dog}</p><Mini cards={deal.dog} label={t.dog} /></div>}
      <div class="trick" style={hold}>
        {trick && <Lying store={store} trick={trick} held={!!held} />}
        {mine && <div class="b slot mine" />}
      </div>
    </div>
  );
};
