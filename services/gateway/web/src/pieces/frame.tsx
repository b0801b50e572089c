// The frame of all screens except the table: the bar above, and on a phone the tabs below.
import type { ComponentChildren } from "preact";
import { account } from "../state/account";
import { online, path } from "../state/route";
import { change, settings } from "../state/settings";
import { w } from "../words";
import { Icon, Sun, type IconName } from "./icons";
import { Avatar, playerPath } from "./parts";

const LINKS = [
  ["/", "play", "play"], ["/live", "watch", "eye"], ["/ladder", "ladder", "bars"], ["/friends", "friends", "people"], ["/learn", "learn", "book"],
] as const satisfies readonly (readonly [string, keyof ReturnType<typeof w>["nav"], IconName])[];

const current = (href: string) =>
  (href === "/" ? path.value === "/" : path.value.startsWith(href)) ? ("page" as const) : undefined;

const Links = () => <>{LINKS.map(([href, word, icon]) => (
  <a key={href} href={href} aria-current={current(href)}><Icon name={icon} /><span>{w().nav[word]}</span></a>
))}</>;

/** Says that there is no network, for as long as the browser has none. */
export const Offline = () => (online.value ? null : <p class="notice" role="status" data-test="offline">{w().offline}</p>);

export const Frame = ({ children, wide = false }: { children: ComponentChildren; wide?: boolean }) => {
  const person = account.value;
  const { lang } = settings.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>{w().nav.skip}</a>
      <header class="topbar">
        <a class="brand" href="/"><Sun />Tarot</a>
        <nav aria-label={w().nav.main}><Links /></nav>
        <button class="btn quiet small" aria-label={w().language} onClick={() => change({ lang: lang === "fr" ? "en" : "fr" })}>{lang.toUpperCase()}</button>
        <a class="btn icon quiet" href="/settings" aria-label={w().nav.settings}><Icon name="gear" /></a>
        {person && <a class="who" href={playerPath(person.player)} aria-label={person.name}><Avatar of={{ player: person.player, displayName: person.name }} size="sm" /><span class="name">{person.name}</span></a>}
      </header>
      <main class={`page ${wide ? "wide" : ""}`} id="main" tabIndex={-1}><Offline />{children}</main>
      <nav class="tabs" aria-label={w().nav.main}><Links /></nav>
    </>
  );
};
