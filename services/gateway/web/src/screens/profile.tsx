// The screen of a player: the rating with its curve, and the matches. On the own profile, a person
// can also sign out.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { FriendService } from "../../gen/tarot/matchmaking/v1/friend_service_pb";
import { RatingService, RoleResult_Role, type PlayedMatch, type RatingChange, type RoleResult } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { Frame } from "../pieces/frame";
import { Avatar, Empty, Loading, Panel, Problem, Segment, signed, type Person } from "../pieces/parts";
import { Tier } from "../pieces/tier";
import { account, ensureGuest, me, proposeName, signOut } from "../state/account";
import { useLoad } from "../state/load";
import { go } from "../state/route";
import { call } from "../wire/call";
import { w } from "../words";

/** Returns the width of an element, so that a chart is drawn in the element's own pixels. */
export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => { width.value = Math.round(entry!.contentRect.width); });
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width.value];
}

const Curve = ({ changes }: { changes: readonly RatingChange[] }) => {
  const { profile: t } = w();
  const [box, width] = useWidth();
  const points = changes.filter((one) => !one.voided).reverse();
  const height = width < 500 ? 200 : 250;
  const low = Math.floor(Math.min(...points.map((one) => one.ratingAfter - one.deviationAfter)) / 100) * 100;
  const high = Math.ceil(Math.max(...points.map((one) => one.ratingAfter + one.deviationAfter)) / 100) * 100;
  const x = (at: number) => 44 + ((width - 60) * at) / Math.max(1, points.length - 1);
  const y = (value: number) => 16 + ((height - 44) * (high - value)) / Math.max(1, high - low);
  const line = points.map((one, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(one.ratingAfter).toFixed(1)}`).join("");
  const upper = points.map((one, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(one.ratingAfter + one.deviationAfter).toFixed(1)}`).join("");
  const lower = points.map((one, at) => `L${x(at).toFixed(1)} ${y(one.ratingAfter - one.deviationAfter).toFixed(1)}`).reverse().join("");
  const step = [50, 100, 200, 250, 500].find((size) => (high - low) / size <= 5) ?? 1000;
  const lines: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) lines.push(value);
  const last = points.at(-1)!;
  const said = (one: RatingChange) => `${Math.round(one.ratingAfter)} ± ${Math.round(one.deviationAfter)}`;
  return (
    <>
      <div ref={box} class="chart" style={{ height: `${height}px` }}>
        {width > 0 && (
          <svg class="curve" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t.curveLabel(points.length, said(points[0]!), said(last))}>
            {lines.map((value) => <g key={value}><line x1="44" x2={width - 8} y1={y(value)} y2={y(value)} stroke="var(--line)" /><text x="36" y={y(value) + 4} text-anchor="end" class="lab">{value}</text></g>)}
            <path d={`${upper}${lower}z`} fill="var(--accent-soft)" />
            <path d={line} fill="none" stroke="var(--accent)" stroke-width="2.4" stroke-linejoin="round" />
            <circle cx={x(points.length - 1)} cy={y(last.ratingAfter)} r="5" fill="var(--accent)" />
            <text x="44" y={height - 6} text-anchor="middle" class="lab">1</text><text x={x(points.length - 1)} y={height - 6} text-anchor="middle" class="lab">{points.length}</text>
          </svg>
        )}
      </div>
      <p class="muted xs">{t.curveNote}</p>
      <details><summary class="s">{t.table}</summary><table class="plain"><thead><tr><th>{t.date}</th><th class="num">{t.points}</th><th class="num">{t.luck}</th><th class="num">{t.rating}</th></tr></thead>
        <tbody>{points.slice(-40).reverse().map((one) => <tr key={one.table}><td>{date(one)}</td><td class="num">{signed(one.points)}</td><td class="num">{one.luck === undefined ? "–" : signed(Math.round(one.luck))}</td><td class="num">{said(one)}</td></tr>)}</tbody></table></details>
    </>
  );
};

const date = (one: { matchTime?: { seconds: bigint } }) => (one.matchTime
  ? new Date(Number(one.matchTime.seconds) * 1000).toLocaleDateString(w().lang, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }) : "");

const Matches = ({ matches }: { matches: readonly PlayedMatch[] }) => {
  const { profile: t } = w();
  return (
    <table class="ladder matches">
      <thead><tr><th>{t.date}</th><th class="hide-p">{t.with}</th><th class="num">{t.points}</th><th class="num" colSpan={2}>{t.rating}</th><th><span class="vh">{t.replay}</span></th></tr></thead>
      <tbody>{matches.map((one) => {
        const change = one.ratingAfter !== undefined && one.ratingBefore !== undefined ? Math.round(one.ratingAfter - one.ratingBefore) : undefined;
        return (
          <tr key={one.table}><td class="muted s nowrap">{date(one)}</td><td class="s hide-p">{one.opponents.map((other) => other.displayName).join(", ")}</td><td class="num strong">{signed(one.points)}</td>
            <td class={`num ${(change ?? 0) < 0 ? "down" : "up"}`}>{one.voided ? t.voided : change === undefined ? "" : signed(change)}</td><td class="num">{one.ratingAfter === undefined ? <span class="muted s">{t.casual}</span> : Math.round(one.ratingAfter)}</td>
            <td class="num"><a class="s" href={`/t/${one.table.slice(7)}/1`}>{t.replay}</a></td></tr>
        );
      })}</tbody>
    </table>
  );
};

/** Shows the player's results in each role, as the ladder counts them. */
const Roles = ({ roles, matches }: { roles: readonly RoleResult[]; matches: number }) => {
  const { profile: t } = w();
  const names = ["", t.taker, t.partnerRole, t.defender];
  if (!roles.length) return <p class="muted s">{t.noRoles}</p>;
  return (
    <><div class="roles">{roles.map((one) => (
      <div class="role" key={one.role}><span class={`tag ${one.role === RoleResult_Role.DEFENDER ? "defence" : "attack"}`}>{names[one.role]}</span><b>{signed(Math.round(Number(one.points) / Math.max(1, one.dealCount)))}</b><span class="muted xs">{t.perDeal}</span><span class="muted s">{t.successes(one.wonCount, one.dealCount)}</span></div>
    ))}</div><p class="muted xs gap">{t.fromLast(matches)}</p></>
  );
};

const Buttons = ({ player, person }: { player: string; person: Person }) => {
  const { profile: t, talk } = w();
  const said = useSignal("");
  const error = useSignal<unknown>(undefined);
  const run = (work: Promise<unknown>, done: string) => { error.value = undefined; work.then(() => { said.value = done; }, (reason) => { error.value = reason; }); };
  const leave = (everywhere: boolean) => { if (confirm(t.lose)) signOut(everywhere).then(() => go("/"), (reason) => { error.value = reason; }); };
  return (
    <div class="stack tight">
      <div class="row tight wrap">
        {player === me.value ? <><button class="btn small" onClick={() => leave(false)}>{t.signOut}</button><button class="btn small" onClick={() => leave(true)}>{t.signOutAll}</button></>
          : !person.bot && <><button class="btn small" onClick={() => run(call(FriendService.method.requestFriend, { player }), talk.requested)}>{t.add}</button><button class="btn small" onClick={() => run(call(FriendService.method.blockPlayer, { player }), talk.blocked)}>{t.block}</button></>}
      </div>
      <span class="s" role="status">{said.value}</span>
      {error.value !== undefined && <Problem error={error.value} />}
    </div>
  );
};

export const Profile = ({ id }: { id: string }) => {
  const { profile: t } = w();
  const player = `players/${id}`;
  const players = useSignal(4);
  const signedIn = () => ensureGuest(proposeName());
  const rating = useLoad(async () => { await signedIn(); return (await call(RatingService.method.getRating, { player, playerCount: players.value })).rating; }, [id, players.value]);
  const changes = useLoad(async () => { await signedIn(); return (await call(RatingService.method.listRatingChanges, { player, playerCount: players.value, pageSize: 100 })).changes; }, [id, players.value]);
  const matches = useLoad(async () => { await signedIn(); return (await call(RatingService.method.listMatches, { player, pageSize: 20 })).matches; }, [id]);
  const statistics = useLoad(async () => { await signedIn(); return call(RatingService.method.getPlayerStatistics, { player, playerCount: players.value }); }, [id, players.value]);
  const own = rating.value.value;
  const name = own?.displayName || (player === me.value ? account.value?.name : "") || "";
  const person: Person = { player, displayName: name || "?", bot: !!own?.bot };
  return (
    <Frame>
      <section class="panel profilehead"><Avatar of={person} size="lg" /><div class="grow"><h1>{name || " "}</h1>{player === me.value && <p class="muted s">{t.guest}</p>}</div>
        <dl class="nums">
          <div><dt>{t.rating}</dt><dd>{own ? Math.round(own.rating) : "–"} <small>± {own ? Math.round(own.deviation) : "–"}</small></dd></div>
          <div><dt>{t.place}</dt><dd>{own?.rank ?? "–"}</dd></div>
          <div><dt>{t.tier}</dt><dd>{own && <Tier of={own} />}</dd></div>
          <div><dt>{t.matches}</dt><dd>{own?.matchCount ?? "–"}</dd></div>
        </dl>
        <Buttons player={player} person={person} />
      </section>
      {rating.error.value !== undefined && <Problem error={rating.error.value} retry={rating.again} />}
      <div class="cols gap">
        <div class="stack">
          <Panel title={t.curve} more={<Segment label={w().lobby.players} value={players.value} options={[[3, "3"], [4, "4"], [5, "5"]]} set={(n) => { players.value = n; }} />}>
            {changes.error.value !== undefined ? <Problem error={changes.error.value} retry={changes.again} /> : !changes.value.value ? <Loading rows={8} />
              : changes.value.value.some((one) => !one.voided) ? <Curve changes={changes.value.value} /> : <Empty title={t.noMatches} more={t.noMatchesMore} />}
          </Panel>
          <Panel title={t.list} body="body tablebody">
            {matches.error.value !== undefined ? <Problem error={matches.error.value} retry={matches.again} /> : !matches.value.value ? <Loading rows={6} />
              : matches.value.value.length ? <Matches matches={matches.value.value} /> : <Empty title={t.noMatches} more={t.noMatchesMore} />}
          </Panel>
        </div>
        <Panel title={t.roles}>{statistics.error.value !== undefined ? <Problem error={statistics.error.value} retry={statistics.again} /> : !statistics.value.value ? <Loading rows={4} /> : <Roles roles={statistics.value.value.roles} matches={statistics.value.value.matchCount} />}</Panel>
      </div>
    </Frame>
  );
};
