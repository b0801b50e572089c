// The settings of a person, kept in this browser.
import { effect, signal } from "@preact/signals";
import { read, write } from "./store";

export interface Settings {
  lang: "en" | "fr";
  theme: "auto" | "light" | "dark";
  deck: "four" | "two";
  letters: "fr" | "en";
  sound: boolean;
  /** The time for which a finished trick stays on the table, in milliseconds: 600 to 3000. */
  hold: number;
  oneTap: boolean;
  keys: boolean;
}

const browserLanguage = (): "en" | "fr" =>
  typeof navigator !== "undefined" && navigator.language?.toLowerCase().startsWith("fr") ? "fr" : "en";

export const settings = signal<Settings>({
  lang: browserLanguage(), theme: "auto", deck: "four", letters: "fr", sound: true, hold: 1200,
  oneTap: false, keys: true, ...read<Partial<Settings>>("settings"),
});

export function change(part: Partial<Settings>) {
  settings.value = { ...settings.value, ...part };
  write("settings", settings.value);
}

/** Shows the settings on the root element, where the style sheet reads them. */
export function showSettings(element: HTMLElement) {
  effect(() => {
    const { lang, theme, deck, letters } = settings.value;
    element.lang = lang;
    for (const [name, value] of Object.entries({ theme: theme === "auto" ? "" : theme, deck, letters })) {
      if (value) element.dataset[name] = value; else delete element.dataset[name];
    }
  });
}
