// The keys at the table: what each one does, and their list.
import { suitOf, type Suit } from "../../state/cards";
import { change, settings } from "../../state/settings";
import { turnSentence } from "../../state/spoken";
import type { TableStore } from "../../state/table_store";
import { w } from "../../words";
import { bidByKey } from "./asks";
import { focused, shownHand } from "./hand";

const Keys = ({ list }: { list: readonly string[] }) => <span>{list.map((key) => <><kbd key={key}>{key}</kbd>{" "}</>)}</span>;

export const KeyList = () => {
  const { keys, keyNames } = w();
  const rows: [readonly string[], string][] = [
    [["←", "→"], keys.hand], [["Enter"], keys.play], [["Esc"], keys.esc],
    [[keyNames.T, keyNames.S, keyNames.H, keyNames.D, keyNames.C], keys.suits], [[keyNames.X], keys.excuse],
    [["0", "1", "2", "3", "4"], keys.bids], [["L"], keys.last], [["G"], keys.dog], [["R"], keys.where], [["/"], keys.type], [["M"], keys.sound], [["?"], keys.help],
  ];
  return <ul class="keys">{rows.map(([list, text]) => <li key={text}><Keys list={list} /><span>{text}</span></li>)}</ul>;
};

/** Does what a key at the table asks for. */
export function onKey(store: TableStore, event: KeyboardEvent, open: (what: string) => void, say: (texts: readonly string[]) => void) {
  if (!settings.value.keys || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as Element).closest("input, textarea, dialog")) return;
  const { key } = event;
  const cards = shownHand(store);
  const at = Math.max(0, cards.indexOf(focused.value ?? cards[0] ?? -1));
  const focus = (card: number | undefined) => {
    if (card === undefined) return;
    focused.value = card;
    document.querySelector<HTMLElement>(`.hand [data-card="${card}"]`)?.focus();
  };
  const suits = Object.entries(w().keyNames) as [Suit, string][];
  const suit = suits.find(([, letter]) => letter === key.toUpperCase())?.[0];
  if ((event.target as Element).closest('[role="radiogroup"]') && key.startsWith("Arrow")) return;
  if (key === "ArrowRight") focus(cards[(at + 1) % cards.length]);
  else if (key === "ArrowLeft") focus(cards[(at - 1 + cards.length) % cards.length]);
  else if (key === "Home") focus(cards[0]);
  else if (key === "End") focus(cards.at(-1));
  else if (key === "Escape") store.dispatch({ type: "cancel" });
  else if (/^[0-4]$/.test(key)) bidByKey(store, Number(key));
  else if (key === "/") open("type");
  else if (key === "?") open("keys");
  else if (suit) {
    const same = cards.filter((card) => suitOf(card) === suit);
    const now = same.indexOf(cards[at]!);
    focus(same[(now + 1) % same.length]);
  } else {
    switch (key.toUpperCase()) {
      case "L": case "G": open("cards"); break;
      case "R": if (store.table) say([store.table.deal?.turn === store.table.viewer ? turnSentence(store.table, w()) : document.getElementById("prompt")?.textContent ?? ""]); break;
      case "M": change({ sound: !settings.value.sound }); break;
      default: return;
    }
  }
  event.preventDefault();
}
