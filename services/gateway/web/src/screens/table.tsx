// The screen of a table, for a player or a watcher. One stream brings the views;
// state/table_store.ts has the rest.
import { effect, signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { DealResult_Outcome } from "../../gen/tarot/rules/v1/deal_pb";
import { Offline } from "../pieces/frame";
import { IconButton, clock, Loading } from "../pieces/parts";
import { Icon } from "../pieces/icons";
import { account, ensureGuest, proposeName } from "../state/account";
import { choose, play } from "../state/lobby_store";
import { go } from "../state/route";
import { loadRuleSets } from "../state/rules";
import { change, settings } from "../state/settings";
import { spoken } from "../state/spoken";
import { SCORE_MS } from "../state/table_reducer";
import { TableStore } from "../state/table_store";
import { isMyTurn, Phase } from "../state/view";
import { loadWords, sentence, w } from "../words";
import { Bid, question } from "./table/asks";
import { Corners, Middle, OwnSeat, Seats } from "./table/felt";
import { Hand } from "./table/hand";
import { ClockBar, Prompt, Secret } from "./table/prompt";

/** Dialogs and the end of a deal come in a file of their own, after the table itself. */
const later = signal<typeof import("./table/later") | undefined>(undefined);
const loadLater = async () => {
  const [file] = await Promise.all([import("./table/later"), loadWords(settings.value.lang, ["more"])]);
  later.value = file;
};

/** The last sentences of the spoken log. */
const log = signal<readonly { id: number; text: string }[]>([]);
let sentences = 0;
export function say(texts: readonly string[]) {
  if (!texts.length) return;
  log.value = [...log.value, ...texts.map((text) => ({ id: ++sentences, text }))].slice(-16);
}

/** The panel beside the felt is not drawn where the screen has no room for it (rooms.css hides it). */
const narrow = matchMedia("(max-width: 1080px)");
const wide = signal(!narrow.matches);
narrow.onchange = () => { wide.value = !narrow.matches; };

let turnSaid = "";

/** After each change of the table: adds to the spoken log, makes sounds, and shows a notification
 *  if the page is hidden. */
function tell(store: TableStore) {
  const { table, fresh, decision } = store.state.value;
  if (!table) return;
  say(spoken(table, fresh, w()));
  const others = fresh.filter((h) => !("seat" in h) || h.seat !== table.viewer);
  const mine = isMyTurn(table) && decision !== turnSaid;
  if (mine) turnSaid = decision;
  if (fresh.some((h) => h.kind === "trick")) later.value?.sound("trick");
  else if (others.some((h) => h.kind === "play" || h.kind === "lead")) later.value?.sound("card");
  if (mine && document.hidden) {
    later.value?.sound("turn");
    if (sessionStorage.getItem("tarot.tell") && !store.state.value.ahead) new Notification("Tarot", { body: w().table.yourTurn, tag: store.name });
  }
}

const Header = ({ store, open }: { store: TableStore; open(what: string): void }) => {
  const { table: t } = w();
  const table = store.table;
  const { deal } = table ?? {};
  // While the page shows the score of a deal, the number of this deal stays. A deal that ends
  // without a score does not count, so the next deal has the same number.
  const shown = store.over || (deal?.phase === Phase.DONE && deal.result?.outcome === DealResult_Outcome.SCORED) ? 0 : 1;
  return (
    <header class="tbar">
      <IconButton icon="back" label={t.leave} href="/" />
      <h1 class="title">{table?.ranked ? t.ranked : t.casual}</h1>
      <span class="muted s sub">{table ? `${t.deal} ${Math.min(table.dealsScored + shown, table.dealCount)} / ${table.dealCount}` : ""}</span>
      <span class="grow" />
      <IconButton icon="sheet" label={t.sheet} extra="only-phone" onClick={() => open("sheet")} />
      <IconButton icon="cards" label={t.lastTrickAndDog} extra="only-phone" onClick={() => open("cards")} />
      <IconButton icon={settings.value.sound ? "sound" : "mute"} label={settings.value.sound ? t.soundOn : t.soundOff} extra="no-phone" onClick={() => change({ sound: !settings.value.sound })} />
      <IconButton icon="gear" label={t.settings} onClick={() => open("settings")} />
    </header>
  );
};

const Lost = ({ store }: { store: TableStore }) => {
  const { live, lostSince, table } = store.state.value;
  const lost = store.now.value - lostSince;
  if (live || !table || !lostSince || lost < 600) return null;
  return <div class="chip lost" role="status"><Icon name="net" /><span>{w().table.connecting}</span><span class="muted" aria-hidden="true">{clock(lost)}</span></div>;
};

/** The score of a deal stays open for at least this time, even if it is the person's turn in the
 *  next deal. */
const SCORE_AT_LEAST_MS = 6000;

const Felt = ({ store, person }: { store: TableStore; person(seat: number): void }) => {
  const { state } = store;
  const Late = later.value;
  const { table, ended, held } = state.value;
  if (!table) return <section class="felt" aria-label={w().table.felt}><div class="middle"><Offline /></div></section>;
  const mine = isMyTurn(table);
  const early = ended && mine && !store.over && store.now.value > ended.until - SCORE_MS + SCORE_AT_LEAST_MS;
  if (ended && !held && !early) {
    const again = () => {
      choose({ ranked: table.ranked, players: table.seats.length });
      go("/");
      void play(account.value?.name ?? proposeName());
    };
    return <section class="felt ended" aria-label={w().table.felt}><Lost store={store} />{Late ? <Late.Score store={store} ended={ended} again={again} /> : <Loading />}</section>;
  }
  const what = question(store);
  return (
    <section class={`felt ${table.seats.length === 5 ? "five" : table.seats.length === 3 ? "three" : ""} ${what ? "asking" : ""}`} aria-label={w().table.felt}>
      <Corners store={store} />
      <Seats store={store} open={person} />
      {what === "bid" ? <Bid store={store} /> : what && Late ? <Late.AskLater store={store} what={what} /> : <Middle store={store} />}
      <div class="tray"><Lost store={store} />{Late && <Late.ProposalBanner store={store} />}<span class="row wrap tight"><OwnSeat store={store} open={person} /><Secret store={store} /></span><Prompt store={store} /></div>
      <Hand store={store} />
      <ClockBar store={store} />
    </section>
  );
};

const Spoken = () => <div class="vh" role="log" aria-live="polite" id="spoken">{log.value.map(({ id, text }) => <p key={id}>{text}</p>)}</div>;

export const TableScreen = ({ id }: { id: string }) => {
  const store = useMemo(() => signal<TableStore | undefined>(undefined), [id]);
  const open = useSignal("");
  const main = useRef<HTMLElement>(null);
  const failure = useSignal<unknown>(undefined);
  useEffect(() => {
    let one: TableStore | undefined;
    let left = false;
    log.value = [];
    // A browser without an account may open a link to a table. So the page makes a guest, who may
    // watch.
    setTimeout(() => void loadLater(), 100);
    ensureGuest(proposeName()).then(() => {
      if (left) return;
      loadRuleSets();
      one = new TableStore(`tables/${id}`, tell);
      store.value = one;
      main.current?.focus();
    }, (error) => { failure.value = error; });
    return () => { left = true; one?.stop(); };
  }, [id, account.value?.player === undefined]);
  // The title of the page says that it is the person's turn. Ten seconds before the end of the
  // person's time, the spoken log says so.
  useEffect(() => {
    let warned = "";
    return effect(() => {
      const one = store.value;
      if (!one) return;
      const { table, decision } = one.state.value;
      const mine = isMyTurn(table);
      const title = `${table?.ranked ? w().table.ranked : w().table.casual} – Tarot`;
      const shown = mine ? `● ${w().table.yourTurn} – Tarot` : title;
      if (document.title !== shown) document.title = shown;
      const left = mine ? one.timeLeft() : undefined;
      if (left && left.move + left.bank < 10_000 && left.move + left.bank > 0 && warned !== decision) {
        warned = decision;
        say([w().say.clock]);
        later.value?.sound("clock");
      }
    });
  }, [store]);

  // The keys work while the focus is at the table. If the focused element has gone, this effect
  // moves the focus back to the table.
  useEffect(() => { if (document.activeElement === document.body) main.current?.focus({ preventScroll: true }); });

  const one = store.value;
  const Late = later.value;
  const gone = one?.state.value.gone ?? failure.value;
  if (gone && !one?.state.value.table) {
    return <div class="table-page"><Header0 /><main class="play"><section class="felt ended"><div class="scroll"><div class="result panel"><h1>{w().table.noTable}</h1><p class="gap">{sentence(gone)}</p><p class="gap"><a class="btn primary" href="/">{w().table.toLobby}</a></p></div></div></section></main></div>;
  }
  return (
    <div class="table-page" onKeyDown={(event) => one && Late?.onKey(one, event, (what) => { open.value = what; }, say)}>
      {one ? <Header store={one} open={(what) => { open.value = what; }} /> : <Header0 />}
      <main class="play" ref={main} tabIndex={-1}>
        {one ? <><Felt store={one} person={(seat) => { open.value = `seat${seat}`; }} />{one.table && Late && wide.value ? <Late.Side store={one} /> : <aside class="side" />}</>
          : <><section class="felt" /><aside class="side" /></>}
      </main>
      <Spoken />
      {one && open.value && Late && <Late.Open store={one} what={open.value} close={() => { open.value = ""; }} />}
    </div>
  );
};

const Header0 = () => <header class="tbar"><IconButton icon="back" label={w().table.leave} href="/" /><span class="grow" /></header>;
