// The ladder of one table size: the places around the player, then the best places, and the meaning
// of the tiers.
import { useSignal } from "@preact/signals";
import { RatingService, type Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { Frame } from "../pieces/frame";
import { Empty, Loading, Panel, Problem, Segment, Who } from "../pieces/parts";
import { Tier, TierMark, TIERS } from "../pieces/tier";
import { ensureGuest, me, proposeName } from "../state/account";
import { useLoad } from "../state/load";
import { go } from "../state/route";
import { call } from "../wire/call";
import type { CallError } from "../wire/errors";
import { w } from "../words";

/** Draws a rating with one deviation to each side, on a line from the lowest to the highest rating
 *  of the list. */
const Band = ({ rating, from, to }: { rating: Rating; from: number; to: number }) => {
  const x = (value: number) => Math.max(0, Math.min(100, (100 * (value - from)) / Math.max(1, to - from)));
  const low = rating.rating - rating.deviation;
  const high = rating.rating + rating.deviation;
  return (
    <span class="band" role="img" aria-label={w().ladder.between(Math.round(low), Math.round(high))}>
      <i style={{ left: `${x(low)}%`, width: `${x(high) - x(low)}%` }} /><b style={{ left: `${x(rating.rating)}%` }} />
    </span>
  );
};

const Rows = ({ ratings }: { ratings: readonly Rating[] }) => {
  const { ladder: t } = w();
  const from = Math.min(...ratings.map((one) => one.rating - one.deviation)) - 20;
  const to = Math.max(...ratings.map((one) => one.rating + one.deviation)) + 20;
  return (
    <table class="ladder">
      <thead><tr><th class="num">{t.place}</th><th><span class="vh">{t.tier}</span></th><th>{t.player}</th><th class="num">{t.rating}</th><th class="hide-p"><span class="vh">±</span></th><th class="num">±</th><th class="num hide-p">{t.matches}</th><th class="num week">{t.week}</th></tr></thead>
      <tbody>{ratings.map((one) => (
        <tr key={one.player} class={one.player === me.value ? "me" : ""}>
          <td class="num place">{one.rank ?? "–"}</td><td><Tier of={one} /></td>
          <td class="player"><Who of={one} /></td><td class="num strong">{Math.round(one.rating)}</td><td class="hide-p"><Band rating={one} from={from} to={to} /></td>
          <td class="num muted">± {Math.round(one.deviation)}</td><td class="num muted hide-p">{one.matchCount}</td>
          <td class={`num week ${(one.weekChange ?? 0) > 0 ? "up" : (one.weekChange ?? 0) < 0 ? "down" : "muted"}`}>{one.weekChange === undefined ? "" : one.weekChange > 0 ? `▲ ${one.weekChange}` : one.weekChange < 0 ? `▼ ${-one.weekChange}` : "="}</td>
        </tr>
      ))}</tbody>
    </table>
  );
};

export const Ladder = ({ id }: { id: string }) => {
  const { ladder: t } = w();
  const players = [3, 4, 5].includes(Number(id)) ? Number(id) : 4;
  const more = useSignal<Rating[]>([]);
  const next = useSignal("");
  const about = useSignal("");
  const around = useLoad(async () => {
    await ensureGuest(proposeName());
    try {
      return (await call(RatingService.method.listRatings, { playerCount: players, around: me.value, pageSize: 7 })).ratings;
    } catch (error) {
      if ((error as CallError).reason === "NOT_RANKED") return [];
      throw error;
    }
  }, [players]);
  const top = useLoad(async () => {
    await ensureGuest(proposeName());
    const page = await call(RatingService.method.listRatings, { playerCount: players, pageSize: 50 });
    more.value = [];
    next.value = page.nextPageToken;
    about.value = page.season ? t.season(page.season, page.totalSize) : t.players(page.totalSize);
    return page.ratings;
  }, [players]);
  const loadMore = async () => {
    const page = await call(RatingService.method.listRatings, { playerCount: players, pageSize: 50, pageToken: next.value });
    more.value = [...more.value, ...page.ratings];
    next.value = page.nextPageToken;
  };
  const own = around.value.value?.find((one) => one.player === me.value);
  const tier = own?.tier ?? 0;
  return (
    <Frame>
      <div class="row between wrap headrow"><div><h1>{t.title}</h1><p class="muted s">{about.value || " "}</p></div>
        <Segment label={w().lobby.players} value={players} options={[3, 4, 5].map((n) => [n, String(n)] as const)} set={(n) => go(`/ladder/${n}`)} /></div>
      <div class="cols">
        <div class="stack">
          <Panel title={t.around} body="body tablebody">
            {around.error.value !== undefined ? <Problem error={around.error.value} retry={around.again} />
              : !around.value.value ? <Loading rows={4} /> : around.value.value.length ? <Rows ratings={around.value.value} />
              : <Empty title={t.unranked} more={t.unrankedMore} href="/" action={w().lobby.play} />}
          </Panel>
          <Panel title={t.top} body="body tablebody">
            {top.error.value !== undefined ? <Problem error={top.error.value} retry={top.again} />
              : !top.value.value ? <Loading rows={10} /> : top.value.value.length ? <Rows ratings={[...top.value.value, ...more.value]} /> : <Empty title={t.empty} more={t.emptyMore} />}
            {next.value && <button class="btn small gap" onClick={() => void loadMore()}>{t.nextPage}</button>}
          </Panel>
        </div>
        <Panel title={t.tiers}>
          <ul class="tiers">{([5, 4, 3, 2, 1] as const).map((at) => <li key={at} class={at === tier ? "me" : ""}><TierMark tier={at} /><span class="grow strong">{TIERS[at]}</span><span class="muted s">{at === 5 ? "21" : at > 1 ? t.from([1300, 1500, 1700][at - 2]!) : t.start}</span></li>)}</ul>
          <p class="muted s gap">{t.tierRule}</p>
        </Panel>
      </div>
    </Frame>
  );
};
