// The lobby. It has one button to play, the live tables, the friends and the way to the person's
// own seat. It also shows the wait for a match.
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Ticket_WaitReason } from "../../gen/tarot/matchmaking/v1/matchmaking_service_pb";
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import { Card } from "../pieces/card";
import { Frame } from "../pieces/frame";
import { Icon } from "../pieces/icons";
import { Avatar, clock, Empty, Loading, Panel, Problem, Segment, signed } from "../pieces/parts";
import { account, me, proposeName, signedOut } from "../state/account";
import {
  choice, choose, followLobby, isIncomplete, joinError, joining, leaveQueue, live, mine, play, queueFor, queues, rating, resumeWaiting, waiting,
} from "../state/lobby_store";
import { clockOffset } from "../wire/grpc_web";
import { go } from "../state/route";
import { sentence, w } from "../words";

const HERO = [28 + 12, 77, 76, 14 + 13, 10];

/** Returns the time of a match in minutes. A deal with four players takes about two and a half
 *  minutes. */
const minutes = (deals: number) => Math.max(5, Math.round((deals * 2.5) / 5) * 5);

const Idle = ({ name }: { name: { value: string } }) => {
  const { lobby } = w();
  const queue = queueFor(queues.value.value ?? [], choice.value);
  const count = queue?.waitingCount ?? 0;
  return (
    <section class="felt hero idle">
      <div class="herotext">
        <h1>{lobby.title}</h1>
        <p class="muted">{lobby.lead}</p>
        <div class="choices">
          <Segment label={lobby.kind} value={choice.value.ranked ? "ranked" : "casual"} options={[["ranked", lobby.ranked], ["casual", lobby.casual]]} set={(kind) => choose({ ranked: kind === "ranked" })} />
          <Segment label={lobby.players} value={choice.value.players} options={[[3, "3"], [4, "4"], [5, "5"]]} set={(players) => choose({ players })} />
        </div>
        <div class="row wrap playrow">
          <button class="btn gold big" data-test="play" aria-disabled={joining.value} onClick={() => void play(name.value.trim() || proposeName())}>{lobby.play}</button>
          <span class="s muted">
            {queue ? lobby.size(queue.dealCount, minutes(queue.dealCount)) : lobby.size(choice.value.ranked ? 4 : 2, minutes(choice.value.ranked ? 4 : 2))}<br />
            {queue && (queue.ranked ? lobby.waitingRanked(count) : lobby.waiting(count))}
          </span>
        </div>
        {!account.value && (
          <p class="guest s muted"><label>{lobby.name} <input class="field" maxLength={32} value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} /></label></p>
        )}
        {joinError.value !== undefined && <p class="why" role="alert">{sentence(joinError.value)}</p>}
      </div>
      <div class="herocards" aria-hidden="true">{HERO.map((card) => <Card key={card} card={card} hidden />)}</div>
    </section>
  );
};

const Window = ({ at, width }: { at: number; width: number }) => {
  const half = Math.min(188, Math.max(14, (width / 600) * 188));
  return (
    <div class="window">
      <svg viewBox="0 0 400 46" role="img" aria-label={w().wait.window(at, width)}>
        <rect x="0" y="14" width="400" height="6" rx="3" class="rail" />
        <rect x={200 - half} y="10" width={2 * half} height="14" rx="7" class="open" />
        <circle cx="200" cy="17" r="6" class="self" />
        <text x="200" y="43" text-anchor="middle">{`${at} ± ${width}`}</text>
      </svg>
    </div>
  );
};

const Queue = () => {
  const { wait } = w();
  const now = useSignal(Date.now());
  useEffect(() => { const timer = setInterval(() => { now.value = Date.now(); }, 1000); return () => clearInterval(timer); }, []);
  const told = useSignal(false);
  const { ticket, queue, since } = waiting.value!;
  const players = queue?.playerCount ?? 4;
  const waited = Math.max(0, now.value + clockOffset - since);
  const fill = queue?.botFillDelay ? Number(queue.botFillDelay.seconds) * 1000 - waited : undefined;
  const tell = async () => { told.value = "Notification" in window && (await Notification.requestPermission()) === "granted"; sessionStorage.setItem("tarot.tell", told.value ? "1" : ""); };
  const reason = ticket?.waitReason ?? Ticket_WaitReason.WAIT_REASON_UNSPECIFIED;
  const name = account.value?.name ?? "";
  return (
    <section class="felt hero queue" aria-label={wait.title(players - 1)}>
      <div class="herotext">
        <p class="muted s">{wait.kind(!!queue?.ranked, players)} · <span class="nowrap" role="timer">{wait.since} {clock(waited)}</span></p>
        <h1>{queue?.ranked ? wait.titleNear(players - 1) : wait.title(players - 1)}</h1>
        {queue?.ranked && rating.value.value && <Window at={Math.round(rating.value.value.rating)} width={ticket?.ratingWindow ?? 0} />}
        <p class="why" role="status"><b>{wait.why}</b> {wait.reasons[reason] ?? wait.reasons[0]}{fill !== undefined && ` ${wait.bots(Math.max(0, Math.ceil(fill / 1000)))}`}</p>
        <div class="row wrap">
          <button class="btn" onClick={() => void leaveQueue()}>{wait.leave}</button>
          {"Notification" in window && <button class="btn" aria-pressed={told.value} onClick={() => void tell()}><Icon name="bell" />{told.value ? wait.told : wait.tell}</button>}
          {!!ticket?.position && <span class="s muted">{wait.place(ticket.position, ticket.waitingCount)}</span>}
        </div>
      </div>
      <div class="seatsleft" aria-hidden="true"><div class="round">
        {Array.from({ length: players }, (_, at) => (
          <span key={at} class={at ? "open" : ""} style={{ "--a": `${90 - (at * 360) / players}deg` }}>{!at && <Avatar of={{ player: me.value, displayName: name }} />}</span>
        ))}
      </div></div>
    </section>
  );
};

export const LiveTable = ({ table }: { table: Table }) => {
  const { lobby } = w();
  const best = Math.max(...table.seats.map((seat) => seat.total));
  return (
    <li class="live">
      <div class="lp">{table.seats.map((seat) => (
        <span class="who" key={seat.player}><Avatar of={seat} size="sm" /><span class="name s">{seat.displayName}</span><b class={`s num ${seat.total === best ? "" : "muted"}`}>{signed(seat.total)}</b></span>
      ))}</div>
      <div class="lf"><span class="muted xs nowrap">{table.ranked ? lobby.ranked : lobby.casual} · {Math.min(table.dealsScored + 1, table.dealCount)} / {table.dealCount}</span>
        <a class="btn small" href={`/t/${table.name.slice(7)}`}><Icon name="eye" />{lobby.watch}</a></div>
    </li>
  );
};

/** Lists live tables, and says if the list is incomplete. An empty list shows `none`, but only if it
 *  is complete. */
export const Lives = ({ tables, incomplete, wide, none }: { tables: readonly Table[]; incomplete: boolean; wide?: boolean; none: ComponentChildren }) => (
  <>
    {incomplete && <p class="note sub" role="status">{w().lobby.incomplete}</p>}
    {tables.length ? <ul class={`lives ${wide ? "wide" : ""}`}>{tables.map((table) => <LiveTable key={table.name} table={table} />)}</ul> : !incomplete && none}
  </>
);

const Friends = () => {
  const { lobby } = w();
  const code = useSignal("");
  const join = (event: Event) => { event.preventDefault(); if (code.value.trim()) go(`/r/${encodeURIComponent(code.value.trim().toUpperCase())}`); };
  return (
    <Panel title={lobby.friends} body="body stack tight">
      <a class="btn" href="/room"><Icon name="people" />{lobby.makeRoom}</a>
      <form class="row tight" onSubmit={join}>
        <input class="field grow" aria-label={lobby.code} placeholder={lobby.codeHint} maxLength={12} autocomplete="off" autocapitalize="characters" value={code.value} onInput={(event) => { code.value = event.currentTarget.value; }} />
        <button class="btn">{lobby.join}</button>
      </form>
      <p class="muted xs">{lobby.friendsMore}</p>
    </Panel>
  );
};

export const Lobby = () => {
  const { lobby, signIn } = w();
  const name = useSignal(useComputed(proposeName).value);
  useEffect(followLobby, [account.value?.player]);
  useEffect(() => { void resumeWaiting(); }, []);
  const Own = useSignal<typeof import("../pieces/own_rating").OwnRating | undefined>(undefined);
  useEffect(() => { if (account.value) void import("../pieces/own_rating").then((file) => { Own.value = file.OwnRating; }); }, [account.value?.player]);
  const own = mine.value.value;
  const seat = own?.tables[0];
  const page = live.value.value;
  return (
    <Frame>
      {signedOut.value && <div class="notice row wrap" role="alert"><span class="tag warn">{signIn.title}</span><span class="grow">{signIn.why}</span><a class="btn small primary" href="/account">{signIn.again}</a></div>}
      {seat && (
        <div class="notice row wrap"><span class="tag warn">{lobby.keptTitle}</span>
          <span class="grow">{seat.seats[seat.viewer ?? -1]?.heldByBot ? lobby.kept(Math.min(seat.dealsScored + 1, seat.dealCount), seat.dealCount) : lobby.running(Math.min(seat.dealsScored + 1, seat.dealCount), seat.dealCount)}</span>
          <a class="btn small primary" href={`/t/${seat.name.slice(7)}`}>{lobby.resume}</a></div>
      )}
      <div class="cols">
        <div class="stack">
          {waiting.value ? <Queue /> : <Idle name={name} />}
          <Panel title={lobby.live} id="live" more={<a class="s" href="/live">{lobby.all}</a>}>
            {live.value.error !== undefined && <Problem error={live.value.error} />}
            {!account.value ? <Empty title={lobby.watchOthers} more={lobby.watchOthersMore} href="/live" action={lobby.watch} />
              : !page ? <Loading rows={5} />
              : <Lives tables={page.tables.filter((table) => !own?.tables.some(({ name }) => name === table.name)).slice(0, 6)} incomplete={isIncomplete(page, own)}
                none={<Empty title={lobby.noLive} more={lobby.noLiveMore} />} />}
          </Panel>
        </div>
        <div class="stack">
          <Friends />
          <Panel title={lobby.learnTitle}><p class="muted s">{lobby.learnMore}</p><p class="gap"><a class="btn small" href="/learn"><Icon name="book" />{lobby.learn}</a></p></Panel>
          <Panel title={lobby.season} more={<a class="s" href={`/ladder/${choice.value.players}`}>{w().nav.ladder}</a>}>
            {rating.value.value?.matchCount && Own.value ? <Own.value own={rating.value.value} /> : <><p class="strong">{lobby.unranked}</p><p class="muted s">{lobby.unrankedMore}</p></>}
          </Panel>
        </div>
      </div>
    </Frame>
  );
};
