// The data of the lobby: queues, live tables, the person's own seat and rating. It also joins a
// queue and waits for the match.
import { signal } from "@preact/signals";
import { MatchmakingService, Ticket_State, type Queue, type Ticket } from "../../gen/tarot/matchmaking/v1/matchmaking_service_pb";
import type { Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { TableService, type ListTablesResponse } from "../../gen/tarot/rules/v1/table_service_pb";
import { Table_State } from "../../gen/tarot/rules/v1/table_pb";
import { call, newId, watch } from "../wire/call";
import type { CallError } from "../wire/errors";
import { account, ensureGuest, me } from "./account";
import { go } from "./route";
import { read, write } from "./store";

export interface Part<T> { value: T | undefined; error: unknown }
const part = <T>() => signal<Part<T>>({ value: undefined, error: undefined });

export const queues = part<Queue[]>();
export const live = part<ListTablesResponse>();
export const mine = part<ListTablesResponse>();
export const rating = part<Rating>();

async function load<T>(into: ReturnType<typeof part<T>>, work: () => Promise<T | undefined>) {
  try {
    into.value = { value: await work(), error: undefined };
  } catch (error) {
    into.value = { value: into.value.value, error };
  }
}

export const choice = signal<{ ranked: boolean; players: number }>(read("choice") ?? { ranked: false, players: 4 });
export function choose(part: Partial<{ ranked: boolean; players: number }>) {
  choice.value = { ...choice.value, ...part };
  write("choice", choice.value);
  if (account.value) void loadRating();
}
/** The code of the rating is in a file of its own, because a first visitor has no rating. */
export const loadRating = () => load(rating, async () => (await import("./ratings")).ownRating(me.value, choice.value.players));
export const loadLive = () => load(live, () => call(TableService.method.listTables, { pageSize: 12 }));
export const loadQueues = () => load(queues, async () => (await call(MatchmakingService.method.listQueues, {})).queues);
export const loadMine = () => load(mine, async () => {
  const page = await call(TableService.method.listTables, { player: me.value, pageSize: 5 });
  page.tables = page.tables.filter((table) => table.state !== Table_State.FINISHED);
  return page;
});
/** Returns whether tables may lack in a list, because a part of the platform did not answer. */
export const isIncomplete = (...pages: readonly (ListTablesResponse | undefined)[]) => pages.some((page) => !!page?.silentCells.length);

/** Loads everything that the lobby shows, and again every ten seconds while the page is visible. */
export function followLobby(): () => void {
  const all = () => {
    if (!account.value || document.visibilityState !== "visible") return;
    void loadQueues(); void loadLive(); void loadMine(); void loadRating();
  };
  all();
  const timer = setInterval(all, 10_000);
  addEventListener("visibilitychange", all);
  return () => { clearInterval(timer); removeEventListener("visibilitychange", all); };
}

/** Returns the queue for a choice. The page finds a queue by its kind and size, so that an operator
 *  may name queues freely. */
export const queueFor = (list: readonly Queue[], { ranked, players }: { ranked: boolean; players: number }) =>
  list.find((queue) => queue.ranked === ranked && queue.playerCount === players);

export interface Waiting { ticket: Ticket | undefined; queue: Queue | undefined; since: number; error: unknown; live: boolean }
export const waiting = signal<Waiting | undefined>(undefined);
/** The error of the last try to join. */
export const joinError = signal<unknown>(undefined);
export const joining = signal(false);
let stream: { stop(): void } | undefined;

const toTable = (name: string) => go(`/t/${name.replace(/^tables\//, "")}`);

/** Makes a guest if needed, joins the chosen queue, and sits down at the table. */
export async function play(name: string, party = ""): Promise<void> {
  if (joining.value) return;
  joining.value = true;
  joinError.value = undefined;
  try {
    await ensureGuest(name);
    if (!queues.value.value) await loadQueues();
    const queue = queueFor(queues.value.value ?? [], choice.value);
    if (!queue) throw queues.value.error;
    try {
      const { ticket } = await call(MatchmakingService.method.createTicket, { queue: queue.name, requestId: newId(), party });
      if (ticket) follow(ticket, queue);
    } catch (error) {
      const { reason, metadata } = error as CallError;
      if (reason !== "TICKET_EXISTS") throw error;
      if (metadata.table) toTable(metadata.table);
      else if (metadata.ticket) follow((await call(MatchmakingService.method.getTicket, { name: metadata.ticket })).ticket, queue);
    }
  } catch (error) {
    joinError.value = error ?? new Error("no queue");
  } finally {
    joining.value = false;
  }
}

function follow(ticket: Ticket | undefined, queue: Queue | undefined) {
  if (!ticket) return;
  stream?.stop();
  const since = Number(ticket.createTime?.seconds ?? 0) * 1000 || Date.now();
  write("ticket", ticket.name);
  const show = (next: Ticket) => {
    if (next.state === Ticket_State.MATCHED && next.table) {
      stopWaiting();
      toTable(next.table);
    } else if (next.state === Ticket_State.CANCELLED || next.state === Ticket_State.CLOSED) {
      stopWaiting();
    } else {
      waiting.value = { ticket: next, queue, since, error: undefined, live: true };
    }
  };
  show(ticket);
  if (ticket.state !== Ticket_State.WAITING && ticket.state !== Ticket_State.PLACING) return;
  stream = watch(MatchmakingService.method.watchTicket, () => ({ name: ticket.name }), {
    message: (answer) => { if (answer.ticket) show(answer.ticket); },
    live: (open) => { if (waiting.value) waiting.value = { ...waiting.value, live: open }; },
    end: (error) => { if (error) { stopWaiting(); joinError.value = error; } },
  });
}

function stopWaiting() {
  stream?.stop();
  stream = undefined;
  waiting.value = undefined;
  write("ticket", "");
}

/** Continues to wait after a reload, with the ticket that this browser had. */
export async function resumeWaiting(): Promise<void> {
  const name = read<string>("ticket");
  if (!name || waiting.value || !account.value) return;
  try {
    const { ticket } = await call(MatchmakingService.method.getTicket, { name });
    if (!queues.value.value) await loadQueues();
    const queue = queues.value.value?.find((one) => one.name === ticket?.queue);
    if (ticket?.state === Ticket_State.WAITING || ticket?.state === Ticket_State.PLACING) follow(ticket, queue);
    else write("ticket", "");
  } catch { write("ticket", ""); }
}

export async function leaveQueue(): Promise<void> {
  const ticket = waiting.value?.ticket;
  if (!ticket) return;
  try {
    await call(MatchmakingService.method.deleteTicket, { name: ticket.name });
    stopWaiting();
  } catch (error) {
    const { reason, metadata } = error as CallError;
    stopWaiting();
    if (reason === "TICKET_MATCHED" && metadata.table) toTable(metadata.table);
    else joinError.value = error;
  }
}
