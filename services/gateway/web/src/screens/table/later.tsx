// The parts that a table needs after its first view: the panel beside the felt, the end of a deal, and the
// dialogs.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Dialog } from "../../pieces/parts";
import { readCard } from "../../state/cards";
import { settings } from "../../state/settings";
import type { TableStore } from "../../state/table_store";
import { loadWords, w } from "../../words";
import { chooseCard, focused } from "./hand";
import { KeyList } from "./keys";
import { PersonDialog } from "./person";
import { LastCards, Offers, Phrases, Sheet } from "./side";

export { AskLater } from "./asks_later";
export { onKey } from "./keys";
export { Score } from "./score";
export { ProposalBanner, Side } from "./side";
export { sound } from "../../pieces/sound";

const TypeCard = ({ store, close }: { store: TableStore; close(): void }) => {
  const text = useSignal("");
  const submit = (event: Event) => {
    event.preventDefault();
    const card = readCard(text.value, settings.value.lang);
    if (card === undefined) return;
    close();
    focused.value = card;
    if (store.table?.deal?.hand.includes(card)) chooseCard(store, card, false);
  };
  return <Dialog title={w().keys.typeLabel} close={close}><form class="row" onSubmit={submit}><input class="field grow" aria-label={w().keys.typeLabel} autofocus autocomplete="off" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} /><button class="btn primary">↵</button></form><p class="muted s gap">{w().keys.type}</p></Dialog>;
};

export const Open = ({ store, what, close }: { store: TableStore; what: string; close(): void }) => {
  const { table: t } = w();
  if (!store.table) return null;
  if (what.startsWith("seat")) return <PersonDialog store={store} seat={Number(what.slice(4))} close={close} />;
  switch (what) {
    case "sheet": return <Dialog title={t.sheet} close={close}><Sheet store={store} />{store.table.viewer !== undefined && <div class="gap stack tight"><Phrases store={store} /><Offers store={store} /></div>}</Dialog>;
    case "cards": return <Dialog title={t.lastTrickAndDog} close={close}><div class="stack"><LastCards store={store} /></div></Dialog>;
    case "keys": return <Dialog title={w().keys.title} close={close}><KeyList /></Dialog>;
    case "type": return <TypeCard store={store} close={close} />;
    case "settings": return <Dialog title={t.settings} close={close}><SettingsBody /></Dialog>;
    default: return null;
  }
};

/** Loads the file of the settings when the person opens them. */
const SettingsBody = () => {
  const body = useSignal<preact.ComponentType | undefined>(undefined);
  useEffect(() => { void Promise.all([import("../settings"), loadWords(settings.value.lang, ["more"])]).then(([file]) => { body.value = file.SettingsList; }); }, []);
  const Body = body.value;
  return Body ? <Body /> : null;
};
