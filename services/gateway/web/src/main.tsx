// Starts the page: loads the settings and the words, and then the screen that the address names.
import { effect, signal } from "@preact/signals";
import { render, type ComponentType } from "preact";
import { Frame } from "./pieces/frame";
import { Lobby } from "./screens/lobby";
import { followOtherTabs, refreshIfOld } from "./state/account";
import { followLinks, followNetwork, path } from "./state/route";
import { settings, showSettings } from "./state/settings";
import { loadWords, w, type Part, type Words } from "./words";

type Title = "" | keyof Words["titles"] | keyof Words["nav"];
interface Screen { Component: ComponentType<{ id: string }>; id: string; key: string }
const screen = signal<Screen | undefined>(undefined);

const NotFound = () => <Frame><h1 class="title">404</h1><p>{w().notFound}</p></Frame>;

/** The screens with their titles and with the parts of the words that they need. Each screen except
 *  the lobby is a file of its own. A table sets its own title. */
const ROUTES: [RegExp, Title, Part[], () => Promise<ComponentType<{ id: string }>>][] = [
  [/^\/$/, "", ["core"], async () => Lobby],
  [/^\/t\/([\w-]+)$/, "", ["core", "game"], async () => (await import("./screens/table")).TableScreen],
  [/^\/t\/([\w-]+\/\d+)$/, "replay", ["core", "game", "more", "judge"], async () => (await import("./screens/replay")).Replay],
  [/^\/live$/, "watch", ["core", "more"], async () => (await import("./screens/live")).Live],
  [/^\/ladder(?:\/(\d))?$/, "ladder", ["core", "game", "more"], async () => (await import("./screens/ladder")).Ladder],
  [/^\/p\/([\w-]+)$/, "player", ["core", "game", "more"], async () => (await import("./screens/profile")).Profile],
  [/^\/friends$/, "friends", ["core", "game", "more"], async () => (await import("./screens/friends")).Friends],
  [/^\/room$/, "room", ["core", "game", "more"], async () => (await import("./screens/room")).MakeRoom],
  [/^\/r\/([\w%-]+)$/, "room", ["core", "game", "more"], async () => (await import("./screens/room")).RoomScreen],
  [/^\/settings$/, "settings", ["core", "game", "more"], async () => (await import("./screens/settings")).SettingsScreen],
  [/^\/account$/, "account", ["core", "account"], async () => (await import("./screens/account")).AccountScreen],
  [/^\/learn$/, "learn", ["core", "game", "more"], async () => (await import("./screens/learn")).Learn],
];

async function show(to: string) {
  for (const [pattern, title, parts, load] of ROUTES) {
    const match = pattern.exec(to);
    if (!match) continue;
    const [Component] = await Promise.all([load(), loadWords(settings.value.lang, parts)]);
    if (path.value === to && title) document.title = `${{ ...w().nav, ...w().titles }[title]} – Tarot`;
    if (path.value === to) screen.value = { Component, id: decodeURIComponent(match[1] ?? ""), key: to };
    return;
  }
  await loadWords(settings.value.lang, ["core"]);
  screen.value = { Component: NotFound, id: "", key: to };
}

const App = () => {
  const now = screen.value;
  return now ? <now.Component key={now.key} id={now.id} /> : null;
};

async function start() {
  showSettings(document.documentElement);
  await show(path.value);
  effect(() => { void loadWords(settings.value.lang, ["core"]); });
  effect(() => { document.title = "Tarot"; void show(path.value); });
  followLinks();
  followNetwork();
  followOtherTabs();
  render(<App />, document.getElementById("page")!);
  void refreshIfOld().catch(() => {});
  // Loads the file of the table early, for a person who will wait for a table.
  if ("requestIdleCallback" in window) requestIdleCallback(() => { void import("./screens/table"); void loadWords(settings.value.lang, ["game", "reasons"]); });
  if ("serviceWorker" in navigator && isSecureContext) void navigator.serviceWorker.register("/worker.js");
}
void start();
