// The graph of a deal: by how many points the contract would be made or lost with open hands, and
// the cost of each decision.
import type { DealAnalysis, DecisionAnalysis } from "../../gen/tarot/bot/v1/analysis_service_pb";
import { w } from "../words";
import { useWidth } from "./profile";

const TOP = 11, ZERO_FROM = 34, ZERO_TO = 96, BARS_TO = 196, HEIGHT = 218;

export const Graph = ({ reports, summary, count, attack, at, choose, tricks }: {
  reports: ReadonlyMap<number, DecisionAnalysis>; summary: DealAnalysis | undefined; count: number;
  attack: (seat: number) => boolean; at: number; choose(entry: number): void; tricks: readonly { number: number; at: number }[];
}) => {
  const { replay: t } = w();
  const [box, width] = useWidth();
  const left = 34;
  const step = Math.max(1, (width - left - 6) / Math.max(1, count));
  const x = (entry: number) => left + entry * step;
  const all = [...reports.values()];
  const margins = all.filter((one) => one.margin !== undefined).map((one) => one.margin! / 2);
  const reach = Math.max(5, ...margins.map(Math.abs));
  const y = (points: number) => (ZERO_FROM + ZERO_TO) / 2 - (points / reach) * ((ZERO_TO - ZERO_FROM) / 2);
  const dear = Math.max(50, ...all.map((one) => one.expectedCost / 100));
  const bar = (cost: number) => ((BARS_TO - 122) * cost) / dear;
  const made = (one: DecisionAnalysis | undefined) => one?.contractMade ?? (one?.margin === undefined ? undefined : one.margin >= 0);
  let known: boolean | undefined;
  const bands = Array.from({ length: count }, (_, entry) => { known = made(reports.get(entry)) ?? known; return known; });
  return (
    <div ref={box} class="chart" style={{ height: `${HEIGHT}px` }}>
      {width > 0 && (
        <svg class="graph" width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={t.graph}
          onClick={(event) => { const rect = event.currentTarget.getBoundingClientRect(); choose(Math.max(0, Math.min(count - 1, Math.floor((event.clientX - rect.left - left) / step)))); }}>
          <rect x={x(at) - 1} y="4" width={step + 2} height={BARS_TO - 2} class="here" />
          {bands.map((band, entry) => <rect key={entry} x={x(entry)} y={TOP} width={step + 0.3} height="10" fill={band === undefined ? "var(--line)" : band ? "var(--attack-fill)" : "var(--defence-fill)"} />)}
          {all.filter((one) => one.margin !== undefined).map((one) => {
            const points = one.margin! / 2;
            return <rect key={one.entry} x={x(one.entry)} width={step} y={Math.min(y(points), y(0))} height={Math.abs(y(points) - y(0))} fill={points >= 0 ? "var(--attack-soft)" : "var(--defence-soft)"} />;
          })}
          <path fill="none" stroke="var(--ink)" stroke-width="1.6" d={all.filter((one) => one.margin !== undefined).sort((a, b) => a.entry - b.entry).map((one, n) => `${n ? "L" : "M"}${x(one.entry).toFixed(1)} ${y(one.margin! / 2).toFixed(1)}h${step.toFixed(1)}`).join("")} />
          <line x1={left} x2={width - 6} y1={y(0)} y2={y(0)} stroke="var(--line-strong)" />
          <text x={left - 5} y={ZERO_FROM + 8} text-anchor="end" class="lab">+{Math.round(reach)}</text>
          <text x={left - 5} y={ZERO_TO + 2} text-anchor="end" class="lab">−{Math.round(reach)}</text>
          <line x1={left} x2={width - 6} y1={BARS_TO} y2={BARS_TO} stroke="var(--line-strong)" />
          <text x={left - 5} y={BARS_TO - bar(dear) + 8} text-anchor="end" class="lab">{Math.round(dear)}</text>
          {all.filter((one) => one.expectedCost > 0).map((one) => <rect key={one.entry} x={x(one.entry) + step * 0.12} width={step * 0.76} y={BARS_TO - bar(one.expectedCost / 100)} height={bar(one.expectedCost / 100)} rx="2" fill={attack(one.seat) ? "var(--attack-fill)" : "var(--defence-fill)"} />)}
          {summary?.turningPoints.map((entry) => <path key={entry} class="turnmark" d={`M${x(entry)} 6l6 10-6 10-6-10z`} />)}
          {tricks.filter(({ number }) => width > 700 || number % 3 === 1).map(({ number, at: entry }) => <text key={number} x={x(entry) + step * 2} y="212" text-anchor="middle" class="lab">{number}</text>)}
        </svg>
      )}
    </div>
  );
};
