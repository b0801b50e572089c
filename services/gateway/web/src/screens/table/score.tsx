// The end of a deal: the verdict, the score line by line, and the payments between the players.
// Every number and every line comes from the server.
import { useSignal } from "@preact/signals";
import { CardPointsLine_Source as Source, DealResult_Outcome, UnitLine_Kind as Kind, type UnitLine } from "../../../gen/tarot/rules/v1/deal_pb";
import type { Table } from "../../../gen/tarot/rules/v1/table_pb";
import { Mini } from "../../pieces/card";
import { Icon } from "../../pieces/icons";
import { Avatar, copyText, half, signed } from "../../pieces/parts";
import { sortHand } from "../../state/cards";
import type { Ended } from "../../state/table_reducer";
import type { TableStore } from "../../state/table_store";
import { w } from "../../words";

const CARD_POINTS_IN_ALL = 182;

export function verdict(ended: Ended, table: Table): string {
  const { result: r } = w();
  const { result } = ended.deal;
  switch (result?.outcome) {
    case DealResult_Outcome.ALL_PASSED: return r.allPassed;
    case DealResult_Outcome.PETIT_SEC: return r.petitSec(table.seats[result.petitSecSeat ?? 0]?.displayName ?? "");
    case DealResult_Outcome.VOIDED: return r.voided;
  }
  if (result?.taker === undefined) return r.scored;
  if (!result.won) return r.failed(result.difference);
  return result.difference ? r.made(result.difference) : r.madeExactly;
}

const Gauge = ({ ended }: { ended: Ended }) => {
  const { result: r } = w();
  const result = ended.deal.result!;
  const part = (halfPoints: number) => `${(100 * halfPoints) / CARD_POINTS_IN_ALL}%`;
  return (
    <div class="gauge" role="img" aria-label={r.ofNeeded(half(result.attackHalfPoints), half(result.neededHalfPoints))}>
      <span class="track"><i style={{ width: part(result.attackHalfPoints) }} /><b style={{ left: part(result.neededHalfPoints) }} /></span>
      <span class="row between xs"><span><b>{half(result.attackHalfPoints)}</b> {r.gotWord}</span><span class="muted">{r.neededWith(half(result.neededHalfPoints), result.bouts)}</span><span class="muted">91</span></span>
    </div>
  );
};

const Line = ({ name, how = "", value, sum = false }: { name: string; how?: string; value: string | number; sum?: boolean }) => (
  <tr class={sum ? "sum" : ""}><th scope="row">{name}</th><td class="muted how">{how}</td><td class="num">{value}</td></tr>
);

const Lines = ({ ended, table }: { ended: Ended; table: Table }) => {
  const { result: r, contract, table: t } = w();
  const { deal } = ended;
  const result = deal.result!;
  const name = (seat: number | undefined) => table.seats[seat ?? -1]?.displayName ?? "";
  const sources: Record<Source, string> = { [Source.SOURCE_UNSPECIFIED]: "", [Source.TRICKS]: "", [Source.DISCARD]: r.discard, [Source.DOG]: r.dog, [Source.EXCUSE]: r.excuse };
  const kinds: Record<Kind, string> = {
    [Kind.KIND_UNSPECIFIED]: "", [Kind.CONTRACT]: contract(result.contract), [Kind.HONOURS]: contract(result.contract), [Kind.PETIT_AU_BOUT]: r.petit,
    [Kind.HANDFUL]: r.handful, [Kind.SLAM]: r.slam, [Kind.ROUNDING]: r.rounding,
  };
  const how = (line: UnitLine) => {
    // The spaces do not break, so the sum stays on one line.
    const sum = [line.base, line.difference].filter((one) => one).join("\u00a0+\u00a0");
    if (line.kind === Kind.HANDFUL) return `${name(line.seat)}, ${r.handfulSizes[line.level]}`;
    if (line.kind === Kind.SLAM) return deal.slamAnnounced ? t.slam : "";
    return line.multiplier ? `${sum.includes("+") ? `(${sum})` : sum}\u00a0×\u00a0${line.multiplier}` : "";
  };
  return (
    <div class="halves">
      <section><h2>{r.took}</h2>
        <div class="took">
          {deal.discard.length > 0 && <div><span class="strong">{r.discard}</span><Mini cards={sortHand(deal.discard)} label={r.discard} /></div>}
          {deal.dog.length > 0 && <div><span class="strong">{r.dog}</span><Mini cards={sortHand(deal.dog)} label={r.dog} /></div>}
        </div>
        <table class="lines" data-test="card-points"><tbody>
          {result.cardPoints.map((line) => <Line key={line.source} name={line.tricks ? r.tricks(line.tricks) : sources[line.source]} value={half(line.halfPoints)} />)}
          <Line name={r.cardPoints} how={r.neededWith(half(result.neededHalfPoints), result.bouts)} value={half(result.attackHalfPoints)} sum />
        </tbody></table>
      </section>
      <section><h2>{r.costs}</h2>
        <table class="lines" data-test="unit"><tbody>
          {result.unitLines.map((line, at) => <Line key={at} name={kinds[line.kind]} how={how(line)} value={signed(line.points)} />)}
          <Line name={!result.shares.some((share) => share < 0) ? r.unit : result.unit < 0 ? r.eachReceives : r.eachPays} value={Math.abs(result.unit)} sum />
        </tbody></table>
        {result.claimSeat !== undefined && <p class="muted s">{r.claim(name(result.claimSeat), result.claimTrick ?? 0)}</p>}
      </section>
    </div>
  );
};

export const Score = ({ store, ended, again }: { store: TableStore; ended: Ended; again: () => void }) => {
  const { result: r, contract, table: t } = w();
  const copied = useSignal(false);
  const table = store.table!;
  const { deal, number } = ended;
  const result = deal.result!;
  const judged = result.outcome === DealResult_Outcome.SCORED && result.taker !== undefined;
  const best = Math.max(...table.seats.map((seat) => seat.total));
  const winners = table.seats.filter((seat) => seat.total === best).map((seat) => seat.displayName);
  const id = table.name.slice(7);
  const left = Math.max(0, Math.ceil((ended.until - store.now.value) / 1000));
  const role = (seat: number) => (seat === result.taker ? t.taker : seat === result.partner ? t.partner : t.defence);
  const shown = result.petitSecHand.length ? result.petitSecHand : [];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={r.headDeal(number)}><div class="result panel">
      <header class="verdict">
        <div><p class="muted s">{judged ? r.head(number, contract(result.contract), table.seats[result.taker!]?.displayName ?? "") : r.headDeal(number)}</p>
          <h1>{store.over ? r.matchWon(w().list(winners)) : verdict(ended, table)}</h1>
          {store.over && <p class="muted">{verdict(ended, table)}</p>}
          {result.outcome === DealResult_Outcome.ALL_PASSED && <p class="muted">{r.allPassedMore}</p>}
          {result.outcome === DealResult_Outcome.PETIT_SEC && <p class="muted">{r.petitSecMore}</p>}
          {result.voidReason && <p class="muted">{result.voidReason}</p>}</div>
        {judged && <Gauge ended={ended} />}
      </header>
      {judged && result.shares.length > 0 && <Lines ended={ended} table={table} />}
      {shown.length > 0 && <div class="took"><Mini cards={sortHand(shown)} label={w().table.petitSec} /></div>}
      <div class="pay" aria-label={r.pays} role="group" style={{ "--seats": table.seats.length }}>
        {table.seats.map((seat, at) => {
          const points = result.scores[at] ?? 0;
          return (
            <div key={seat.player} class={at === table.viewer ? "me" : ""}><Avatar of={seat} size="sm" />
              <span class="about"><span class="name">{seat.displayName}</span><span class="muted xs">{judged ? role(at) : ""}</span></span><b class={points < 0 ? "neg" : points > 0 ? "pos" : ""}>{signed(points)}</b>
              <span class="muted xs num">{r.totalNow} {signed(store.over ? seat.total : ended.totals[at] ?? seat.total)}</span></div>
          );
        })}
      </div>
      <footer class="row wrap">
        {store.over ? <><button class="btn primary" data-test="again" onClick={again}>{r.again}</button><a class="btn" href="/">{r.lobby}</a></>
          : <button class="btn primary" data-test="next" onClick={() => store.dispatch({ type: "closeScore" })}>{r.next}</button>}
        <span class="muted s grow" role="status">{copied.value ? r.copied : !store.over ? r.nextIn(left) : ""}</span>
        <a class="btn quiet small" href={`/t/${id}/${number}`}><Icon name="play" />{r.replay}</a>
        <button class="btn quiet small" onClick={() => void copyText(`${location.origin}/t/${id}/${number}`).then((done) => { copied.value = done; })}><Icon name="link" />{r.share}</button>
        <a class="btn quiet small" href={`/t/${id}/${number}?proof=1`}><Icon name="shield" />{r.proof}</a>
      </footer>
    </div></div>
  );
};
