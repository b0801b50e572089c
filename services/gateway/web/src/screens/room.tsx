// The screen of private tables. A person makes a room, or joins a room by code or link. In the
// room, the person invites others, adds bots, starts the match, and plays again.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Friend_Relation, FriendService } from "../../gen/tarot/matchmaking/v1/friend_service_pb";
import { ListRoomsRequest_Filter, Room_State, Room_Visibility, RoomService, type Room } from "../../gen/tarot/matchmaking/v1/room_service_pb";
import { Frame } from "../pieces/frame";
import { Icon } from "../pieces/icons";
import { Avatar, copyText, Empty, Loading, Panel, Problem, Segment } from "../pieces/parts";
import { account, ensureGuest, proposeName } from "../state/account";
import { useLoad } from "../state/load";
import { go } from "../state/route";
import { loadRuleSets, ruleSets } from "../state/rules";
import { read, write } from "../state/store";
import { call, newId, watch } from "../wire/call";
import type { CallError } from "../wire/errors";
import { w } from "../words";

const LEVELS = ["novice", "club", "sociable", "strong", "expert"];
interface Terms { ruleSet: string; players: number; deals: number; move: number; bank: number; open: boolean; takeBack: boolean; breaks: boolean }

/** A number with its name, chosen with the arrow keys or by typing. */
const Amount = ({ label, value, min, max, set }: { label: string; value: number; min: number; max: number; set(value: number): void }) => (
  <li><label>{label} <input class="field amount" type="number" min={min} max={max} value={value} onInput={(event) => { const n = Number(event.currentTarget.value); if (n >= min && n <= max) set(Math.round(n)); }} /></label></li>
);

export const MakeRoom = () => {
  const { room: t } = w();
  const terms = useSignal<Terms>({ ruleSet: "fft", players: 4, deals: 4, move: 45, bank: 3, open: false, takeBack: true, breaks: true, ...read<Partial<Terms>>("terms") });
  const name = useSignal(account.value?.name ?? proposeName());
  const error = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const rooms = useLoad(async () => { await ensureGuest(name.value); loadRuleSets(); return (await call(RoomService.method.listRooms, { filter: ListRoomsRequest_Filter.OPEN_SEATS })).rooms; }, [], 10_000);
  const set = (part: Partial<Terms>) => { terms.value = { ...terms.value, ...part }; write("terms", terms.value); };
  const chosen = ruleSets.value.find((one) => one.name === terms.value.ruleSet);
  const counts = chosen?.playerCounts.length ? chosen.playerCounts : [3, 4, 5];
  const players = counts.includes(terms.value.players) ? terms.value.players : counts[0]!;
  const make = async () => {
    busy.value = true;
    error.value = undefined;
    try {
      await ensureGuest(name.value);
      const { ruleSet, deals, move, bank, open, takeBack, breaks } = terms.value;
      const made = await call(RoomService.method.createRoom, {
        terms: { ruleSet, playerCount: players, dealCount: deals, moveLimit: { seconds: BigInt(move) }, timeBank: { seconds: BigInt(60 * bank) }, options: { takeBack, breaks } },
        visibility: open ? Room_Visibility.OPEN : Room_Visibility.PRIVATE, requestId: newId(),
      });
      if (made.room) go(`/r/${made.room.name.slice(6)}`);
    } catch (reason) {
      const failure = reason as CallError;
      if (failure.reason === "IN_ROOM" && failure.metadata.room) go(`/r/${failure.metadata.room.slice(6)}`);
      else error.value = reason;
    } finally { busy.value = false; }
  };
  return (
    <Frame>
      <h1 class="title">{t.title}</h1>
      <div class="cols">
        <Panel>
          <ul class="sets">
            <li><label>{t.rules} <select class="field" value={terms.value.ruleSet} onChange={(event) => set({ ruleSet: event.currentTarget.value })}>{(ruleSets.value.length ? ruleSets.value : [{ name: "fft", description: "FFT" }]).map((one) => <option key={one.name} value={one.name}>{one.name} – {one.description}</option>)}</select></label></li>
            <li><span>{t.players}</span><Segment label={t.players} value={players} options={counts.map((n) => [n, String(n)] as const)} set={(n) => set({ players: n })} /></li>
            <Amount label={t.deals} value={terms.value.deals} min={1} max={100} set={(deals) => set({ deals })} />
            <Amount label={t.move} value={terms.value.move} min={5} max={600} set={(move) => set({ move })} />
            <Amount label={t.bank} value={terms.value.bank} min={0} max={60} set={(bank) => set({ bank })} />
            {([["open", t.open], ["takeBack", t.takeBack], ["breaks", t.breaks]] as const).map(([key, label]) => <li key={key}><label class="check"><input type="checkbox" checked={terms.value[key]} onChange={(event) => set({ [key]: event.currentTarget.checked })} /> {label}</label></li>)}
          </ul>
          <p class="muted s">{t.watched}</p>
          <p class="gap"><button class="btn primary" aria-disabled={busy.value || undefined} onClick={() => void make()}>{t.make}</button></p>
          {error.value !== undefined && <Problem error={error.value} />}
        </Panel>
        <Panel title={t.openRooms}>
          {rooms.error.value !== undefined ? <Problem error={rooms.error.value} retry={rooms.again} /> : !rooms.value.value ? <Loading /> : rooms.value.value.length ? (
            <ul class="people">{rooms.value.value.map((one) => <li key={one.name} class="row between"><span><b>{one.seats[one.hostSeat]?.displayName}</b> <span class="muted s">{one.terms?.ruleSet} · {t.freeSeats(one.seats.filter((seat) => !seat.player).length)}</span></span><a class="btn small" href={`/r/${one.name.slice(6)}`}>{w().lobby.join}</a></li>)}</ul>
          ) : <Empty title={t.noOpen} more="" />}
        </Panel>
      </div>
    </Frame>
  );
};

const isCode = (id: string) => /^[A-Z0-9]{6}$/.test(id.toUpperCase());

/** Returns the room of a link or a code. Joins the room if the person is not in it. */
async function enter(id: string): Promise<Room | undefined> {
  if (!isCode(id)) {
    try {
      const { room } = await call(RoomService.method.getRoom, { name: `rooms/${id}` });
      if (room?.viewer !== undefined) return room;
    } catch { /* A room that is hidden from the caller may still be joined by an invitation. */ }
  }
  try {
    return (await call(RoomService.method.joinRoom, { ...(isCode(id) ? { code: id } : { name: `rooms/${id}` }), requestId: newId() })).room;
  } catch (error) {
    const { reason, metadata } = error as CallError;
    if (reason === "IN_ROOM" && metadata.room) return (await call(RoomService.method.getRoom, { name: metadata.room })).room;
    throw error;
  }
}

const Invite = ({ room }: { room: Room }) => {
  const { room: t } = w();
  const friends = useLoad(async () => (await call(FriendService.method.listFriends, { pageSize: 50 })).friends.filter((one) => one.relation === Friend_Relation.FRIEND), [room.name]);
  const error = useSignal<unknown>(undefined);
  const list = friends.value.value?.filter((one) => !room.seats.some((seat) => seat.player === one.player)) ?? [];
  if (!list.length) return null;
  return (
    <Panel title={t.invite}><ul class="people">{list.map((one) => (
      <li key={one.player} class="row between"><span>{one.displayName || w().friends.noName}</span>
        {room.invited.includes(one.player) ? <span class="muted s">{t.invited}</span> : <button class="btn small" onClick={() => { call(RoomService.method.invitePlayer, { name: room.name, player: one.player }).catch((reason) => { error.value = reason; }); }}>{t.invite}</button>}</li>
    ))}</ul>{error.value !== undefined && <Problem error={error.value} />}</Panel>
  );
};

const Inside = ({ room, act, error }: { room: Room; act(work: Promise<unknown>): void; error: unknown }) => {
  const { room: t, levels, bot } = w();
  const copied = useSignal(false);
  const host = room.viewer === room.hostSeat;
  const free = room.seats.filter((seat) => !seat.player).length;
  const gathering = room.state === Room_State.GATHERING;
  const m = RoomService.method;
  const link = `${location.origin}/r/${room.code || room.name.slice(6)}`;
  const setBot = (seat: number, botLevel: string) => act(call(m.setBot, { name: room.name, seat, botLevel }));
  return (
    <div class="cols">
      <div class="stack">
        <Panel>
          <ul class="people seatlist">{room.seats.map((seat, at) => (
            <li key={at} class="row between wrap">
              {seat.player ? <span class="who"><Avatar of={seat} size="sm" /><span class="name">{seat.displayName}</span>{at === room.hostSeat && <span class="tag">{t.host}</span>}{seat.botLevel && <span class="tag">{bot} · {levels[seat.botLevel] ?? seat.botLevel}</span>}</span>
                : <span class="who"><span class="av sm openseat" aria-hidden="true" /><span class="muted">{t.free}</span></span>}
              {host && gathering && <span class="row tight">
                {seat.botLevel && <select class="field" aria-label={t.level} value={seat.botLevel} onChange={(event) => setBot(at, event.currentTarget.value)}>{LEVELS.map((level) => <option key={level} value={level}>{levels[level]}</option>)}</select>}
                {!seat.player ? <button class="btn small" data-test="add-bot" onClick={() => setBot(at, "club")}>{t.addBot}</button>
                  : seat.botLevel ? <button class="btn small" onClick={() => setBot(at, "")}>{t.remove}</button>
                  : at !== room.viewer && <button class="btn small" onClick={() => act(call(m.leaveRoom, { name: room.name, player: seat.player }))}>{t.kick}</button>}
              </span>}
            </li>
          ))}</ul>
          <div class="row wrap gap">
            {room.state === Room_State.PLAYING && room.table ? <a class="btn primary" href={`/t/${room.table.slice(7)}`}>{t.sit}</a>
              : room.state === Room_State.STARTING ? <span role="status">{t.starting}</span>
              : host ? <button class="btn primary" data-test="start" aria-disabled={free > 0 || undefined} onClick={() => act(call(m.startMatch, { name: room.name, requestId: newId() }))}>{room.table ? t.again : t.start}</button>
              : <span class="muted">{t.waitingHost}</span>}
            <button class="btn" onClick={() => { act(call(m.leaveRoom, { name: room.name })); go("/"); }}>{t.leave}</button>
          </div>
          {room.startRefused && <p class="note bad gap">{t.refused}</p>}
          {error !== undefined && <Problem error={error} />}
        </Panel>
        <Invite room={room} />
      </div>
      <div class="stack">
        {room.code && <Panel title={t.code}><p class="code">{room.code}</p><p class="gap"><button class="btn" onClick={() => void copyText(link).then((done) => { copied.value = done; })}><Icon name="link" />{copied.value ? w().result.copied : t.copy}</button></p></Panel>}
        <Panel title={t.rules}><p>{room.terms?.ruleSet}</p><p class="muted s">{w().many(room.terms?.dealCount ?? 0, w().table.deal, `${w().table.deal}s`)} · {String(room.terms?.moveLimit?.seconds ?? 0)} s</p><p class="muted s">{t.watched}</p></Panel>
      </div>
    </div>
  );
};

export const RoomScreen = ({ id }: { id: string }) => {
  const { room: t } = w();
  const room = useSignal<Room | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const failed = useSignal<unknown>(undefined);
  const asked = useSignal(!!account.value);
  const name = useSignal(account.value?.name ?? proposeName());
  useEffect(() => {
    if (!asked.value) return;
    let stream: { stop(): void } | undefined;
    let left = false;
    let started = false;
    const show = (next: Room) => {
      // When the match begins, the page of each person in the room opens the table. A person who
      // comes to the room during the match stays on this screen.
      if (next.state === Room_State.PLAYING && next.table && started) go(`/t/${next.table.slice(7)}`);
      started = next.state === Room_State.GATHERING || next.state === Room_State.STARTING;
      room.value = next;
    };
    ensureGuest(name.value).then(() => enter(id)).then((found) => {
      if (left || !found) return;
      show(found);
      stream = watch(RoomService.method.watchRoom, () => ({ name: found.name }), {
        message: (answer) => { if (answer.room) show(answer.room); },
        end: (reason) => { if (reason) failed.value = reason; },
      });
    }).catch((reason) => { failed.value = reason; });
    return () => { left = true; stream?.stop(); };
  }, [id, asked.value]);
  const act = (work: Promise<unknown>) => { error.value = undefined; work.catch((reason) => { error.value = reason; }); };
  return (
    <Frame>
      <h1 class="title">{asked.value ? t.title : t.joinTitle}</h1>
      {!asked.value ? (
        <Panel><form class="stack tight" onSubmit={(event) => { event.preventDefault(); asked.value = true; }}><label>{t.joinMore} <input class="field" maxLength={32} value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} /></label><p><button class="btn primary">{w().lobby.join}</button></p></form></Panel>
      ) : failed.value !== undefined ? <><Problem error={failed.value} /><p class="gap"><a class="btn" href="/">{w().table.toLobby}</a></p></>
        : !room.value ? <Loading rows={6} /> : room.value.state === Room_State.ENDED ? <Empty title={t.ended} more="" href="/room" action={t.make} />
        : <Inside room={room.value} act={act} error={error.value} />}
    </Frame>
  );
};
