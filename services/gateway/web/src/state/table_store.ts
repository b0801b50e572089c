// One table on the screen: keeps its stream open, sends moves at their time, and repeats a move
// with the same request id until it is answered.
import { create } from "@bufbuild/protobuf";
import { signal } from "@preact/signals";
import { ActionSchema, type Action } from "../../gen/tarot/rules/v1/deal_pb";
import type { ScoreSheet } from "../../gen/tarot/rules/v1/score_sheet_pb";
import { TableService } from "../../gen/tarot/rules/v1/table_service_pb";
import { Proposal_Kind, Table_State, type SaidPhrase_Phrase, type Table } from "../../gen/tarot/rules/v1/table_pb";
import type { Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { backoff, call, callOnce, newId, sleep, watch } from "../wire/call";
import type { CallError } from "../wire/errors";
import { clockOffset, noteServerTime } from "../wire/grpc_web";
import { settings } from "./settings";
import { initial, reduce, STEADY_MS, TEMPO_MS, type TableEvent, type TableState } from "./table_reducer";
import { isMyTurn, Phase } from "./view";

type Play = { case: "play"; value: { card: number } };
type Kind = Play | { case: "bid"; value: { contract: number } } | { case: "call"; value: { card?: number } }
  | { case: "discard"; value: { cards: number[] } } | { case: "slam"; value: { announce: boolean } }
  | { case: "handful"; value: { cards: number[] } };

export class TableStore {
  readonly state = signal<TableState>(initial);
  /** The time of this machine. It changes a few times a second, so that the clocks on the screen
   *  move. */
  readonly now = signal(Date.now());
  readonly sheet = signal<ScoreSheet | undefined>(undefined);
  readonly ratings = signal<ReadonlyMap<string, Rating>>(new Map());
  /** The error of a call that is not a move, for example of a phrase or a proposal. */
  readonly trouble = signal<unknown>(undefined);
  private readonly ticker: ReturnType<typeof setInterval>;
  private stream: { stop(): void; reopen(): void };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stopped = false;
  private heardAt = Date.now();
  private nonceFor = 0;
  private ratedFor = "";

  constructor(readonly name: string, private readonly fresh: (store: TableStore) => void = () => {}) {
    this.stream = this.open();
    this.ticker = setInterval(() => this.tick(), 250);
    addEventListener("visibilitychange", this.wake);
    addEventListener("online", this.wake);
    addEventListener("offline", this.sleep);
    void this.loadSheet();
  }

  stop() {
    this.stopped = true;
    this.stream.stop();
    clearInterval(this.ticker);
    clearTimeout(this.timer);
    removeEventListener("visibilitychange", this.wake);
    removeEventListener("online", this.wake);
    removeEventListener("offline", this.sleep);
  }

  get table(): Table | undefined { return this.state.value.table; }

  private wake = () => {
    if (document.visibilityState === "visible" && (!this.state.value.live || Date.now() - this.heardAt > 15_000)) this.stream.reopen();
  };
  private sleep = () => this.dispatch({ type: "live", live: false });

  private open() {
    return watch(TableService.method.watchTable,
      () => {
        // Asks for the views after the revision before the newest one. So the server sends a view
        // at once, which shows that the stream works.
        const revision = this.table?.revision;
        return revision === undefined ? { name: this.name } : { name: this.name, afterRevision: revision - 1 };
      }, {
        message: ({ table, serverTime, disconnectedSeats }) => {
          if (serverTime) noteServerTime(Number(serverTime.seconds) * 1000 + serverTime.nanos / 1e6);
          if (table) this.view(table, disconnectedSeats);
        },
        live: (live) => this.dispatch({ type: "live", live }),
        end: (error) => this.ended(error),
      });
  }

  private ended(error: CallError | undefined) {
    if (error?.reason === "TABLE_SET_BACK") {
      this.dispatch({ type: "setBack" });
      this.stream = this.open();
    } else if (error) {
      this.dispatch({ type: "gone", error });
    } else {
      this.dispatch({ type: "live", live: true });
      void this.loadSheet();
    }
  }

  /** Shows a view. The answer of a call does not say which seats are disconnected, so those of the last view stay. */
  private view(table: Table, disconnected: readonly number[] = this.state.value.disconnected) {
    this.heardAt = Date.now();
    const before = this.state.value;
    if (!before.live) this.dispatch({ type: "live", live: true });
    this.dispatch({ type: "view", table, disconnected });
    if (before.table?.deal?.phase !== table.deal?.phase && table.deal?.phase === Phase.DONE) void this.loadSheet();
    this.addNonce(table);
    this.loadRatings(table);
  }

  dispatch(event: TableEvent) {
    const before = this.state.value;
    const next = reduce(before, event, Date.now(), settings.value.hold);
    if (next === before) return;
    this.state.value = next;
    if (next.freshId !== before.freshId) this.fresh(this);
    this.decide();
  }

  private tick() {
    this.now.value = Date.now();
    this.dispatch({ type: "tick" });
  }

  /** Makes the move that the person has chosen ahead: a card, or the answer to the question of the
   *  slam. */
  private decide() {
    const { table, ahead, slam, move } = this.state.value;
    const deal = table?.deal;
    if (!deal || !isMyTurn(table) || move) {
      this.schedule();
      return;
    }
    if (deal.phase === Phase.SLAM && slam !== undefined) this.act({ case: "slam", value: { announce: slam } });
    else if (ahead && deal.legal?.cards.includes(ahead.card)) this.act({ case: "play", value: { card: ahead.card } });
  }

  /** Makes a move. The move is sent when its time has come and the stream is open. */
  act(kind: Kind) {
    const { table, move, decision } = this.state.value;
    if (!table || move?.sent || !isMyTurn(table)) return;
    const action = create(ActionSchema, { kind: kind as Action["kind"] });
    this.dispatch({ type: "move", move: { action, decision, requestId: newId(), revision: table.revision, sent: false } });
  }

  private schedule() {
    const { move, turnSince, handSince, live } = this.state.value;
    clearTimeout(this.timer);
    if (!move || move.sent || !live) return;
    const due = Math.max(turnSince + TEMPO_MS, move.action.kind.case === "play" ? handSince + STEADY_MS : 0);
    this.timer = setTimeout(() => void this.submit(), Math.max(0, due - Date.now()));
  }

  private async submit() {
    const { move, table, decision, live } = this.state.value;
    if (!move || move.sent || !table || move.decision !== decision || !live) return;
    this.dispatch({ type: "sent", requestId: move.requestId });
    const request = { name: this.name, expectedRevision: table.revision, action: move.action, requestId: move.requestId };
    for (let attempt = 0; !this.stopped; ++attempt) {
      try {
        const answer = await callOnce(TableService.method.submitAction, request);
        this.dispatch({ type: "answered", requestId: move.requestId });
        if (answer.table) this.view(answer.table);
        return;
      } catch (error) {
        const failure = error as CallError;
        if (failure.repeatable) {
          await sleep(backoff(attempt));
          continue;
        }
        this.dispatch({ type: "answered", requestId: move.requestId, error });
        if (failure.reason === "REVISION_MISMATCH" || failure.reason === "NOT_YOUR_TURN") await this.reload();
        return;
      }
    }
  }

  private async reload() {
    try {
      const { table } = await call(TableService.method.getTable, { name: this.name });
      if (table) this.view(table);
    } catch { /* The stream will bring the view. */ }
  }

  private async loadSheet() {
    try {
      this.sheet.value = await (await import("./sheet")).scoreSheet(this.name);
    } catch { /* The sheet is loaded again with the next deal. */ }
  }

  /** Adds bytes of this browser to the next shuffle, so that the server alone cannot choose it. */
  private addNonce(table: Table) {
    const next = table.nextDeal;
    if (table.viewer === undefined || !next?.seedCommitment.length || this.nonceFor === next.dealNumber) return;
    this.nonceFor = next.dealNumber;
    if (next.nonces[table.viewer]?.length) return;
    const nonce = crypto.getRandomValues(new Uint8Array(16));
    call(TableService.method.addNonce, { name: this.name, dealNumber: next.dealNumber, nonce, requestId: newId() }).catch(() => {});
  }

  private loadRatings(table: Table) {
    const players = table.seats.map((seat) => seat.player).filter(Boolean);
    if (!players.length || this.ratedFor === players.join()) return;
    this.ratedFor = players.join();
    import("./ratings").then((file) => file.ratingsOf(players, table.seats.length))
      .then((ratings) => { this.ratings.value = ratings; }, () => {});
  }

  /** Returns the milliseconds that the seat in turn still has: for this move, and in its time bank. */
  timeLeft(): { move: number; bank: number; share: number } | undefined {
    const { table } = this.state.value;
    const until = table?.turnExpireTime;
    if (!table || !until || table.deal?.turn === undefined) return undefined;
    const left = Math.max(0, Number(until.seconds) * 1000 + until.nanos / 1e6 - (this.now.value + clockOffset));
    const span = table.seats[table.deal.turn]?.timeBank;
    const bank = span ? Number(span.seconds) * 1000 + span.nanos / 1e6 : 0;
    const limit = Number(table.clocks?.moveLimit?.seconds ?? 0) * 1000;
    const move = Math.max(0, left - bank);
    return { move, bank: Math.min(left, bank), share: limit ? Math.min(1, move / limit) : 0 };
  }

  private async side(work: () => Promise<{ table?: Table }>) {
    this.trouble.value = undefined;
    try {
      const { table } = await work();
      if (table) this.view(table);
    } catch (error) {
      this.trouble.value = error;
    }
  }

  resume = () => this.side(() => call(TableService.method.resumeSeat, { name: this.name, requestId: newId() }));
  say = (phrase: SaidPhrase_Phrase) => this.side(() => call(TableService.method.sayPhrase, { name: this.name, phrase, requestId: newId() }));
  mute = (seat: number, muted: boolean) => this.side(() => call(TableService.method.muteSeat, { name: this.name, seat, muted, requestId: newId() }));
  claim = () => this.side(() => call(TableService.method.claimTricks, { name: this.name, expectedRevision: this.table?.revision ?? 0, requestId: newId() }));
  takeBack = () => this.side(() => call(TableService.method.propose, { name: this.name, kind: Proposal_Kind.TAKE_BACK, expectedRevision: this.table?.revision ?? 0, requestId: newId() }));
  askBreak = () => this.side(() => call(TableService.method.propose, { name: this.name, kind: Proposal_Kind.BREAK, requestId: newId() }));
  endBreak = () => this.side(() => call(TableService.method.endBreak, { name: this.name, requestId: newId() }));
  answer = (agree: boolean) => this.side(() => call(TableService.method.answerProposal, {
    name: this.name, proposalRevision: this.table?.proposal?.revision ?? 0, agree, requestId: newId(),
  }));

  get over(): boolean { return this.table?.state === Table_State.FINISHED; }
}
