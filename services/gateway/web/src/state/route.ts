// The address bar: which screen the page shows, and how a link leads to a screen without a reload.
import { computed, signal } from "@preact/signals";

export const address = signal(typeof location === "undefined" ? "/" : location.pathname + location.search + location.hash);
export const path = computed(() => address.value.replace(/[?#].*/, ""));
export const query = computed(() => new URLSearchParams(address.value.replace(/^[^?]*\??/, "").replace(/#.*/, "")));

/** False while the browser knows that it has no network. */
export const online = signal(typeof navigator === "undefined" || navigator.onLine !== false);

export function followNetwork() {
  for (const kind of ["online", "offline"]) addEventListener(kind, () => { online.value = kind === "online"; });
}

export function go(to: string, replace = false) {
  if (to === address.value) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  address.value = to;
  if (!replace) scrollTo(0, 0);
}

export function followLinks() {
  addEventListener("popstate", () => {
    address.value = location.pathname + location.search + location.hash;
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    if (link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
