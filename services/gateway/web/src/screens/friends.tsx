// The screen of friends, with requests, blocks, and invitations to rooms.
import { useSignal } from "@preact/signals";
import { Friend_Relation, FriendService, Presence_State, type Friend } from "../../gen/tarot/matchmaking/v1/friend_service_pb";
import { ListRoomsRequest_Filter, RoomService } from "../../gen/tarot/matchmaking/v1/room_service_pb";
import { RatingService, type Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { Frame } from "../pieces/frame";
import { Empty, Loading, Panel, Problem, Who } from "../pieces/parts";
import { ensureGuest, proposeName } from "../state/account";
import { useLoad } from "../state/load";
import { call } from "../wire/call";
import { w } from "../words";

/** Finds players by the beginning of their names. */
const Search = () => {
  const { friends: t } = w();
  const text = useSignal("");
  const found = useSignal<readonly Rating[] | undefined>(undefined);
  const error = useSignal<unknown>(undefined);
  const search = (event: Event) => {
    event.preventDefault();
    if (!text.value.trim()) return;
    error.value = undefined;
    call(RatingService.method.searchPlayers, { query: text.value.trim(), pageSize: 12 }).then(({ ratings }) => { found.value = ratings; }, (reason) => { error.value = reason; });
  };
  return (
    <Panel title={t.search}>
      <form class="row tight" onSubmit={search} role="search"><input class="field grow" aria-label={t.search} maxLength={32} value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} /><button class="btn">{t.search}</button></form>
      {error.value !== undefined && <Problem error={error.value} />}
      {found.value && (found.value.length ? <ul class="people gap">{found.value.map((one) => <li key={one.player} class="row between"><Who of={one} /><span class="muted s">{one.matchCount ? Math.round(one.rating) : ""}</span></li>)}</ul> : <p class="muted s gap">{t.noResult}</p>)}
    </Panel>
  );
};

export const Friends = () => {
  const { friends: t, room } = w();
  const list = useLoad(async () => {
    await ensureGuest(proposeName());
    const all: Friend[] = [];
    for (let pageToken = ""; ;) {
      const page = await call(FriendService.method.listFriends, { pageSize: 100, pageToken });
      all.push(...page.friends);
      if (!(pageToken = page.nextPageToken)) return all;
    }
  }, [], 20_000);
  const rooms = useLoad(async () => { await ensureGuest(proposeName()); return (await call(RoomService.method.listRooms, { filter: ListRoomsRequest_Filter.INVITED })).rooms; }, [], 20_000);
  const error = useSignal<unknown>(undefined);
  const run = (work: Promise<unknown>) => { error.value = undefined; work.then(list.again, (reason) => { error.value = reason; }); };
  const m = FriendService.method;
  const of = (relation: Friend_Relation) => list.value.value?.filter((one) => one.relation === relation) ?? [];
  const person = (one: Friend) => ({ player: one.player, displayName: one.displayName || t.noName });
  const group = (title: string, people: Friend[], buttons: (one: Friend) => preact.ComponentChildren) => people.length > 0 && (
    <Panel title={title}><ul class="people">{people.map((one) => <li key={one.player} class="row between wrap"><Who of={person(one)} /><span class="row tight">{buttons(one)}</span></li>)}</ul></Panel>
  );
  return (
    <Frame>
      <h1 class="title">{t.title}</h1>
      {(list.error.value ?? error.value) !== undefined && <Problem error={list.error.value ?? error.value} retry={list.again} />}
      <div class="stack">
        <Search />
        {!!rooms.value.value?.length && <Panel title={room.invited}><ul class="people">{rooms.value.value.map((one) => <li key={one.name} class="row between"><span>{one.seats[one.hostSeat]?.displayName}</span><a class="btn small primary" href={`/r/${one.name.slice(6)}`}>{t.join}</a></li>)}</ul></Panel>}
        {!list.value.value ? <Loading rows={5} /> : !list.value.value.length && <Empty title={t.none} more={t.noneMore} href="/live" action={w().nav.watch} />}
        {group(t.requests, of(Friend_Relation.REQUEST_RECEIVED), (one) => <><button class="btn small primary" onClick={() => run(call(m.acceptFriend, { player: one.player }))}>{t.accept}</button><button class="btn small" onClick={() => run(call(m.removeFriend, { player: one.player }))}>{t.decline}</button></>)}
        {group(t.title, of(Friend_Relation.FRIEND), (one) => (
          <><span class="muted s">{t.states[one.presence?.state ?? Presence_State.OFFLINE]}</span>
            {one.presence?.room && <a class="btn small" href={`/r/${one.presence.room.slice(6)}`}>{t.join}</a>}
            {one.presence?.table && <a class="btn small" href={`/t/${one.presence.table.slice(7)}`}>{t.watch}</a>}
            <button class="btn small" onClick={() => run(call(m.removeFriend, { player: one.player }))}>{t.remove}</button></>
        ))}
        {group(t.sent, of(Friend_Relation.REQUEST_SENT), (one) => <button class="btn small" onClick={() => run(call(m.removeFriend, { player: one.player }))}>{t.takeBack}</button>)}
        {group(t.blocked, of(Friend_Relation.BLOCKED), (one) => <button class="btn small" onClick={() => run(call(m.unblockPlayer, { player: one.player }))}>{t.unblock}</button>)}
      </div>
    </Frame>
  );
};
