// The replay of a finished deal. A person steps through the decisions, and can ask the server for
// an analysis.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AnalysisService, type DealAnalysis, type DecisionAnalysis } from "../../gen/tarot/bot/v1/analysis_service_pb";
import type { Action } from "../../gen/tarot/rules/v1/deal_pb";
import type { DealRecord } from "../../gen/tarot/rules/v1/deal_record_pb";
import { RuleSet_Direction } from "../../gen/tarot/rules/v1/rule_set_pb";
import { RecordService } from "../../gen/tarot/rules/v1/record_service_pb";
import { Card, CardBack, CardChip } from "../pieces/card";
import { Frame } from "../pieces/frame";
import { Icon } from "../pieces/icons";
import { Avatar, copyText, IconButton, Loading, Panel, Problem, Segment, signed } from "../pieces/parts";
import { ensureGuest, me, proposeName } from "../state/account";
import { sortHand } from "../state/cards";
import { useLoad } from "../state/load";
import { moments, nextOf, hex, proves, trickSeats } from "../state/replay";
import { go, query } from "../state/route";
import { loadRuleSets, rulesOf } from "../state/rules";
import { settings } from "../state/settings";
import { places } from "../state/view";
import { call, watch } from "../wire/call";
import { w } from "../words";
import { handText, reasonText, share } from "../words/judge";
import { Graph } from "./replay_graph";

const points = (hundredths: number) => signed(Math.round(hundredths / 10) / 10).replace(".", w().lang === "fr" ? "," : ".");
const unsigned = (hundredths: number) => points(hundredths).replace("+", "");
/** Returns whether the decision is certain to have cost points (docs/analysis.md). */
const isFault = (report: DecisionAnalysis) => report.better !== undefined;

/** The cost of a decision with its interval. */
const Cost = ({ report }: { report: DecisionAnalysis }) => (report.expectedCost > 0
  ? <span class="muted">{w().replay.cost} {unsigned(report.expectedCost)}{report.costLow !== undefined && report.costHigh !== undefined && ` (${w().judge.interval(unsigned(report.costLow), unsigned(report.costHigh))})`}</span>
  : null);

/** The reasons of a fault, one for each line. */
const Reasons = ({ report, record }: { report: DecisionAnalysis; record: DealRecord }) => {
  const name = (seat: number) => record.players[seat]?.displayName ?? "";
  const uncertain = report.expectedCost >= 100 && report.costLow !== undefined && !isFault(report);
  return (
    <>
      {uncertain && <p class="muted s">{w().judge.uncertain}</p>}
      {report.reasons.map((reason, at) => <p key={at} class="s" data-test="reason">{reasonText(reason, report.played?.kind.case === "bid", name, w().judge, w().lang)}</p>)}
    </>
  );
};

/** One choice, in a line of text. */
const Choice = ({ action }: { action: Action | undefined }) => {
  const { letters } = settings.value;
  const kind = action?.kind;
  switch (kind?.case) {
    case "bid": return <b>{w().contract(kind.value.contract)}</b>;
    case "play": return <CardChip card={kind.value.card} letters={letters} />;
    case "call": return kind.value.card === undefined ? <b>{w().table.alone}</b> : <CardChip card={kind.value.card} letters={letters} />;
    case "discard": return <span class="chips">{sortHand(kind.value.cards).map((card) => <CardChip key={card} card={card} letters={letters} />)}</span>;
    case "handful": return <span>{w().table.handful} {kind.value.cards.length}</span>;
    case "slam": return <b>{kind.value.announce ? w().table.slam : w().ask.noSlam}</b>;
    default: return null;
  }
};

const Board = ({ record, at, report, only }: { record: DealRecord; at: number; report: DecisionAnalysis | undefined; only: number }) => {
  const { replay: t, table: words } = w();
  const all = moments(record);
  const moment = all[at]!;
  const own = record.players.findIndex((one) => one.player === me.value);
  const taker = record.result?.taker;
  const below = own >= 0 ? own : taker ?? 0;
  const place = places(record.players.length, below, rulesOf({ ruleSet: record.ruleSet, ...(record.rules ? { rules: record.rules } : {}) })?.direction === RuleSet_Direction.CW);
  const area = (seat: number) => ({ bottom: "bottom", right: "right", left: "left", top: "top", tl: "top", tr: "top2", ll: "left", rr: "right" })[place[seat]!];
  const entry = record.entries[at];
  const name = (seat: number | undefined) => record.players[seat ?? -1]?.displayName ?? "";
  const kind = entry?.action?.kind;
  const title = kind?.case === "play" ? t.trick(moment.trickNumber, name(moment.trick.length ? moment.leader : entry?.seat)) : kind?.case === "bid" ? t.auction : kind?.case === "discard" ? t.discard : kind?.case === "call" ? t.call : kind?.case === "handful" ? words.handful : kind?.case === "slam" ? words.slam : verdict(record);
  const better = report?.better ?? report?.options[0]?.action;
  const differs = report && report.expectedCost > 0;
  const seats = trickSeats(record, moment);
  return (
    <section class={`felt board n${record.players.length}`} aria-label={title}>
      {record.players.map((person, seat) => (
        <div key={seat} class={`bh ${area(seat)}`}>
          <div class="row tight bp"><Avatar of={person} size="sm" /><span class="strong s">{person.displayName}</span>
            {seat === taker && <span class="tag attack felt-tag">{words.taker}</span>}{seat === record.result?.partner && <span class="tag attack felt-tag">{words.partner}</span>}{entry?.seat === seat && <span class="turnsign" aria-hidden="true">●</span>}</div>
          <div class="fan">{sortHand(moment.hands[seat] ?? []).map((card) => <span key={card}>{only >= 0 && only !== seat ? <CardBack /> : <Card card={card} />}</span>)}</div>
        </div>
      ))}
      <div class="bm"><span class="chip">{title}</span>
        <div class="bt">
          {moment.kind === "play" || moment.kind === "end" ? moment.trick.map((card, n) => <figure key={card}><Card card={card} /><figcaption>{name(seats[n])}</figcaption></figure>) : record.dog.map((card) => <figure key={card}><Card card={card} /></figure>)}
          {kind?.case === "play" && <figure class="playedc"><Card card={kind.value.card} /><figcaption>{name(entry!.seat)}: {entry?.standIn ? t.standIn : t.played}</figcaption></figure>}
          {differs && better?.kind.case === "play" && <figure class="bestc"><Card card={better.kind.value.card} /><figcaption>{t.better}</figcaption></figure>}
        </div>
        {kind && kind.case !== "play" && <span class="chip">{name(entry!.seat)}: <Choice action={entry!.action} /></span>}
      </div>
    </section>
  );
};

function verdict(record: DealRecord): string {
  const { result: r, contract } = w();
  const { result } = record;
  if (result?.outcome === 2) return r.allPassed;
  if (result?.outcome === 4) return r.voided;
  if (result?.taker === undefined) return r.scored;
  const line = result.won ? (result.difference ? r.made(result.difference) : r.madeExactly) : r.failed(result.difference);
  return `${contract(result.contract)}, ${record.players[result.taker]?.displayName ?? ""}: ${line.charAt(0).toLowerCase()}${line.slice(1)}`;
}

const Options = ({ report, record }: { report: DecisionAnalysis; record: DealRecord }) => {
  const { replay: t, judge: words } = w();
  if (report.forced) return <p class="muted s">{t.forced}</p>;
  const best = report.options[0]?.expected ?? 0;
  const worst = Math.min(...report.options.map((one) => one.expected ?? best));
  const same = (a: Action | undefined, b: Action | undefined) => JSON.stringify(a?.kind) === JSON.stringify(b?.kind);
  return (
    <>
      <p class="s"><b>{record.players[report.seat]?.displayName}</b>: <Choice action={report.played} /> <Cost report={report} /></p>
      <Reasons report={report} record={record} />
      {report.hand && <p class="muted s">{handText(report.hand, words)}</p>}
      <table class="opts"><thead><tr><th>{t.option}</th><th class="num">{t.expected}</th>{report.hand ? <><th class="num">{words.chance}</th><th class="num">{words.range}</th></> : <><th><span class="vh">–</span></th><th class="num">{t.loss}</th></>}</tr></thead>
        <tbody>{report.options.slice(0, 8).map((one, at) => (
          <tr key={at} class={same(one.action, report.played) ? "played" : ""}><td><Choice action={one.action} /></td><td class="num">{one.expected === undefined ? "–" : points(one.expected)}</td>
            {report.hand ? <>
              <td class="num muted">{one.contractChance !== undefined && share(one.contractChance)}</td>
              <td class="num muted">{one.low !== undefined && one.high !== undefined && words.interval(signed(Math.round(one.low / 100)), signed(Math.round(one.high / 100)))}</td>
            </> : <>
              <td class="barcell"><i style={{ width: `${one.expected === undefined || best === worst ? 100 : 8 + (92 * (one.expected - worst)) / (best - worst)}%` }} /></td>
              <td class="num muted">{one.openLoss === undefined ? "" : one.openLoss ? `−${Math.round(one.openLoss / 100)}` : "0"}</td>
            </>}</tr>
        ))}</tbody></table>
    </>
  );
};

const Proof = ({ record }: { record: DealRecord }) => {
  const { replay: t } = w();
  const good = useSignal<boolean | undefined>(undefined);
  useEffect(() => { if (crypto.subtle) void proves(record.seed, record.seedCommitment).then((result) => { good.value = result; }); }, [record]);
  return (
    <Panel title={t.seedTitle}><p class="s">{t.seedMore}</p><dl class="proof"><dt>{t.commitment}</dt><dd>{hex(record.seedCommitment)}</dd><dt>{t.seed}</dt><dd>{hex(record.seed)}</dd></dl>
      {good.value !== undefined && <p class={`s strong ${good.value ? "up" : "down"}`}>{good.value ? t.proven : t.wrong}</p>}</Panel>
  );
};

export const Replay = ({ id }: { id: string }) => {
  const { replay: t } = w();
  const [table, number] = id.split("/");
  const name = `tables/${table}/deals/${number}`;
  const record = useLoad(async () => { await ensureGuest(proposeName()); loadRuleSets(); return (await call(RecordService.method.getRecord, { name })).record; }, [name]);
  const at = useSignal(Math.max(0, Number(query.value.get("d") ?? 0)));
  const only = useSignal(-1);
  const running = useSignal(false);
  const copied = useSignal(false);
  const proof = useSignal(query.value.has("proof"));
  const reports = useSignal<ReadonlyMap<number, DecisionAnalysis>>(new Map());
  const summary = useSignal<DealAnalysis | undefined>(undefined);
  const progress = useSignal<{ done: number; count: number } | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const stream = useSignal<{ stop(): void } | undefined>(undefined);
  useEffect(() => () => stream.value?.stop(), []);
  useEffect(() => {
    if (!running.value) return;
    const timer = setInterval(() => { if (at.value < (record.value.value?.entries.length ?? 0)) at.value++; else running.value = false; }, 900);
    return () => clearInterval(timer);
  }, [running.value]);
  const marks = useComputed(() => summary.value ? [...summary.value.mistakes].sort((a, b) => a - b)
    : [...reports.value.values()].filter((one) => one.expectedCost >= 100 && isFault(one)).map((one) => one.entry).sort((a, b) => a - b));

  const analyse = () => {
    failure.value = undefined;
    progress.value = { done: 0, count: 0 };
    reports.value = new Map();
    summary.value = undefined;
    stream.value = watch(AnalysisService.method.analyzeDeal, () => ({ name }), {
      message: (part) => {
        progress.value = { done: part.decisionsDone, count: part.decisionCount };
        if (part.part.case === "decision") reports.value = new Map(reports.value).set(part.part.value.entry, part.part.value);
        if (part.part.case === "summary") summary.value = part.part.value;
      },
      end: (error) => { stream.value = undefined; if (error) { failure.value = error; progress.value = undefined; } },
    });
  };
  const deal = record.value.value;
  if (!deal) return <Frame wide>{record.error.value !== undefined ? <Problem error={record.error.value} retry={record.again} /> : <Loading rows={12} />}</Frame>;
  const last = deal.entries.length;
  const here = Math.min(at.value, last);
  const to = (next: number) => { at.value = Math.max(0, Math.min(last, next)); go(`/t/${id}?d=${at.value}`, true); };
  const report = reports.value.get(here);
  const attack = (seat: number) => seat === deal.result?.taker || seat === deal.result?.partner;
  const tricks = moments(deal).flatMap((moment) => (moment.kind === "play" && !moment.trick.length ? [{ number: moment.trickNumber, at: moment.at }] : []));
  const link = () => void copyText(`${location.origin}/t/${id}?d=${here}`).then((done) => { copied.value = done; });
  const onKey = (event: KeyboardEvent) => {
    if (!settings.value.keys || (event.target as Element).closest("input, [role=radiogroup]") || event.ctrlKey || event.metaKey) return;
    const mistake = (by: number) => { const list = marks.value; const next = by > 0 ? nextOf(list, here) : [...list].reverse().find((mark) => mark < here) ?? list.at(-1); if (next !== undefined) to(next); };
    const seat = Number(event.key) - 1;
    if (event.key === "ArrowLeft") to(here - 1);
    else if (event.key === "ArrowRight") to(here + 1);
    else if (event.key === "ArrowDown") mistake(1);
    else if (event.key === "ArrowUp") mistake(-1);
    else if (event.key === "Home") to(0);
    else if (event.key === "End") to(last);
    else if (event.key === " " && !(event.target as Element).closest("button, a, summary")) running.value = !running.value;
    else if (seat >= 0 && seat < deal.players.length) only.value = only.value === seat ? -1 : seat;
    else if (event.key.toUpperCase() === "H") only.value = only.value < 0 ? deal.result?.taker ?? 0 : -1;
    else if (event.key.toUpperCase() === "S") link();
    else return;
    event.preventDefault();
  };
  const expensive = [...reports.value.values()].filter((one) => one.expectedCost >= 100 && isFault(one)).sort((a, b) => b.expectedCost - a.expectedCost).slice(0, 6);
  return (
    <Frame wide>
      <div onKeyDown={onKey} class="replay">
        <div class="row between wrap headrow"><div><h1>{verdict(deal)}</h1><p class="muted s">{w().result.headDeal(Number(number))} · {deal.ruleSet}{deal.finishTime && ` · ${new Date(Number(deal.finishTime.seconds) * 1000).toLocaleDateString(w().lang, { dateStyle: "long" })}`}</p></div>
          <div class="row tight wrap"><button class="btn small" onClick={link}><Icon name="link" />{copied.value ? w().result.copied : t.link}</button><button class="btn small" aria-expanded={proof.value} onClick={() => { proof.value = !proof.value; }}><Icon name="shield" />{t.verify}</button></div></div>
        <div class="cols rcols">
          <div class="stack tightstack">
            <Board record={deal} at={here} report={report} only={only.value} />
            <section class="panel timeline" aria-label={t.graph}>
              <div class="row wrap between controls">
                <div class="row tight wrap">
                  <IconButton icon="first" label={t.first} extra="small" onClick={() => to(0)} /><IconButton icon="back" label={t.back} extra="small" onClick={() => to(here - 1)} />
                  <IconButton icon={running.value ? "pause" : "play"} label={running.value ? t.pause : t.play} extra="small primary" onClick={() => { running.value = !running.value; }} />
                  <IconButton icon="forward" label={t.forward} extra="small" onClick={() => to(here + 1)} /><IconButton icon="last" label={t.last} extra="small" onClick={() => to(last)} />
                  {marks.value.length > 0 && <button class="btn small" onClick={() => to(nextOf(marks.value, here) ?? here)}><Icon name="flag" />{t.next}</button>}
                  <span class="muted s" role="status">{t.decision(Math.min(here + 1, last), last)}</span>
                </div>
                <div class="row tight s"><span class="muted">{t.hands}</span><Segment label={t.hands} value={only.value} options={[[-1, t.all], ...(deal.result?.taker !== undefined ? [[only.value >= 0 ? only.value : deal.result.taker, t.only(deal.players[only.value >= 0 ? only.value : deal.result.taker]?.displayName ?? "")] as const] : [])]} set={(seat) => { only.value = seat; }} /></div>
              </div>
              {reports.value.size > 0 && (
                <><div class="legend xs"><span><i class="made" />{t.made}</span><span><i class="failed" />{t.failed}</span><span><b class="dia" />{t.turned}</span><span class="muted">{t.graphNote}</span></div>
                  <Graph reports={reports.value} summary={summary.value} count={last} attack={attack} at={here} choose={to} tricks={tricks} /></>
              )}
              <input class="slider" type="range" aria-label={t.entry} min="0" max={last} value={here} onInput={(event) => to(Number(event.currentTarget.value))} />
            </section>
          </div>
          <div class="stack tightstack">
            {proof.value && <Proof record={deal} />}
            <Panel title={t.entry}>
              {report ? <Options report={report} record={deal} /> : deal.entries[here] ? <p class="s"><b>{deal.players[deal.entries[here]!.seat]?.displayName}</b>: <Choice action={deal.entries[here]!.action} /></p> : <p class="s">{verdict(deal)}</p>}
              <div class="gap row wrap">
                {!progress.value ? <button class="btn primary" data-test="analyse" onClick={analyse}>{t.analyse}</button> : stream.value && (
                  <><span class="s" role="status">{t.analysing(progress.value.done, progress.value.count || last)}</span><button class="btn small" onClick={() => { stream.value?.stop(); stream.value = undefined; progress.value = undefined; }}>{t.stop}</button></>)}
              </div>
              {failure.value !== undefined && <Problem error={failure.value} />}
            </Panel>
            {reports.value.size > 0 && <Panel title={t.expensive}>{expensive.length ? (
              <ul class="dear">{expensive.map((one) => <li key={one.entry}><button aria-current={one.entry === here || undefined} onClick={() => to(one.entry)}><span class="cost">{Math.round(one.expectedCost / 100)}</span><span class="grow">{deal.players[one.seat]?.displayName}: <Choice action={one.played} />{summary.value?.turningPoints.includes(one.entry) && <span class="turning"> {t.turned}</span>}</span></button></li>)}</ul>
            ) : <p class="muted s">{t.noMistakes}</p>}</Panel>}
            {summary.value && <Panel title={t.perSeat}><table class="plain"><thead><tr><th>{w().ladder.player}</th><th class="num">{t.decisions}</th><th class="num">{t.seatCost}</th></tr></thead><tbody>{summary.value.seats.map((seat, n) => <tr key={n}><td>{deal.players[n]?.displayName}</td><td class="num">{seat.decisions}</td><td class="num">{Math.round(seat.expectedCost / 100)}</td></tr>)}</tbody></table></Panel>}
          </div>
        </div>
      </div>
    </Frame>
  );
};
