// Small parts that every screen uses.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sentence, w } from "../words";
import { CardBack } from "./card";
import { Icon, type IconName } from "./icons";

const COLOURS = ["#4E5D8A", "#3F6B5C", "#7A4B5E", "#5D6B3A", "#6D4C41", "#6B5B95", "#8A4F4F", "#4A6A7A"];
/** Returns the colour of a player, which is the same on every screen. */
function colour(player: string): string {
  let sum = 0;
  for (const letter of player) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return COLOURS[sum % COLOURS.length]!;
}

export interface Person { player: string; displayName: string; botLevel?: string; bot?: boolean }
export const isBot = (person: Person) => !!(person.botLevel || person.bot);

export const Avatar = ({ of, size = "" }: { of: Person; size?: "" | "sm" | "lg" }) => (
  <span class={`av ${size} ${isBot(of) ? "bot" : ""}`} style={{ "--av": colour(of.player || of.displayName) } as JSX.CSSProperties} aria-hidden="true">
    {isBot(of) ? <Icon name="bot" /> : [...of.displayName][0]?.toUpperCase() ?? "?"}
  </span>
);

export const playerPath = (player: string) => `/p/${player.replace(/^players\//, "")}`;

export const Who = ({ of, children }: { of: Person; children?: ComponentChildren }) => (
  <span class="who"><Avatar of={of} size="sm" />
    {of.player ? <a class="name" href={playerPath(of.player)}>{of.displayName}</a> : <span class="name">{of.displayName}</span>}
    {children}
  </span>
);

export function Segment<T extends string | number>({ label, value, options, set }: {
  label: string; value: T; options: readonly (readonly [T, string])[]; set(value: T): void;
}) {
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = options.findIndex(([option]) => option === value);
    const [next] = options[(at + by + options.length) % options.length]!;
    set(next);
    const group = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => group.querySelector<HTMLElement>('[aria-checked="true"]')?.focus());
  };
  return (
    <div class="seg" role="radiogroup" aria-label={label} onKeyDown={step}>
      {options.map(([option, text]) => (
        <button key={option} type="button" role="radio" aria-checked={option === value} tabIndex={option === value ? 0 : -1} onClick={() => set(option)}>{text}</button>
      ))}
    </div>
  );
}

export const Panel = ({ title, more, children, id, body = "body" }: {
  title?: string; more?: ComponentChildren; children: ComponentChildren; id?: string; body?: string;
}) => (
  <section class="panel" id={id}>
    {title && <div class="head"><h2>{title}</h2>{more}</div>}
    <div class={body}>{children}</div>
  </section>
);

/** Shows the error of one part of the page inside this part, with a button that tries again. */
export const Problem = ({ error, retry }: { error: unknown; retry?: () => void }) => (
  <p class="note bad" role="alert">
    {sentence(error)} {retry && <button class="btn small" onClick={retry}>{w().retry}</button>}
  </p>
);

export const Empty = ({ title, more, href, action }: { title: string; more: string; href?: string; action?: string }) => (
  <div class="empty">
    <div class="mini"><CardBack /></div>
    <div><p class="strong">{title}</p><p class="muted s">{more}</p></div>
    {href && <a class="btn small primary" href={href}>{action}</a>}
  </div>
);

/** Shows boxes in the place of rows that are still loading. The boxes have the height of the rows,
 *  and appear only after 150 ms. */
export const Loading = ({ rows = 3 }: { rows?: number }) => {
  const [shown, show] = useState(false);
  useEffect(() => { const timer = setTimeout(() => show(true), 150); return () => clearTimeout(timer); }, []);
  return <div class={`skel ${shown ? "" : "still"}`} aria-busy="true">{Array.from({ length: rows }, (_, at) => <i key={at} />)}</div>;
};

/** These functions return numbers and times as text for a person. */
export const signed = (n: number) => (n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0");
export const round = (n: number) => Math.round(n);
export const half = (halfPoints: number): string => (halfPoints < 0 ? `−${half(-halfPoints)}` : `${Math.floor(halfPoints / 2) || (halfPoints % 2 ? "" : "0")}${halfPoints % 2 ? "½" : ""}`);
export const clock = (ms: number) => {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** A modal dialog: focus stays inside, Esc closes it, and focus returns to where it was. */
export const Dialog = ({ title, close, children }: { title: string; close(): void; children: ComponentChildren }) => {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog ref={element} class="dialog panel" aria-label={title} onCancel={(event) => { event.preventDefault(); close(); }}
      onClick={(event) => { if (event.target === element.current) close(); }}>
      <div class="head"><h2>{title}</h2><button class="btn icon quiet" aria-label={w().close} onClick={close}><Icon name="close" /></button></div>
      <div class="body">{children}</div>
    </dialog>
  );
};

export const IconButton = ({ icon, label, onClick, extra = "", href }: { icon: IconName; label: string; onClick?: () => void; extra?: string; href?: string }) => (
  href ? <a class={`btn icon ${extra}`} href={href} aria-label={label}><Icon name={icon} /></a>
    : <button class={`btn icon ${extra}`} aria-label={label} onClick={onClick}><Icon name={icon} /></button>
);

/** Copies a link. If the browser does not allow this, shows the link, so that the person can copy
 *  it by hand, and returns false. */
export async function copyText(text: string): Promise<boolean> {
  try { await navigator.clipboard.writeText(text); return true; } catch { prompt("", text); return false; }
}
