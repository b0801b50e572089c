// The words of the language that is set, in six parts. The lobby needs the first part only; a
// screen's route loads the other parts that the screen needs.
import { signal } from "@preact/signals";
import { CallError } from "../wire/errors";
import type { Core } from "./en";
import type { AccountWords } from "./en_account";
import type { Game } from "./en_game";
import type { More } from "./en_more";
import type { Judge } from "./judge";
import type { Sentence } from "./reasons_en";

interface Reasons { reasons: Record<string, Sentence>; whys: Record<string, Sentence> }
export type Words = Core & Game & More & AccountWords & Reasons & { judge: Judge };
export type Part = "core" | "game" | "more" | "account" | "reasons" | "judge";

const current = signal<Words | undefined>(undefined);
const wanted = new Set<Part>();
let loaded = "";

const FILES: Record<"en" | "fr", Record<Part, () => Promise<object>>> = {
  en: {
    core: async () => (await import("./en")).core, game: async () => (await import("./en_game")).game,
    more: async () => (await import("./en_more")).more, account: async () => (await import("./en_account")).account,
    reasons: async () => ({ ...(await import("./reasons_en")) }), judge: async () => ({ ...(await import("./en_judge")) }),
  },
  fr: {
    core: async () => (await import("./fr")).core, game: async () => (await import("./fr_game")).game,
    more: async () => (await import("./fr_more")).more, account: async () => (await import("./fr_account")).account,
    reasons: async () => ({ ...(await import("./reasons_fr")) }), judge: async () => ({ ...(await import("./fr_judge")) }),
  },
};

/** Loads parts of the words in a language, and with them all parts that were loaded before. */
export async function loadWords(lang: "en" | "fr", parts: readonly Part[]): Promise<void> {
  for (const part of parts) wanted.add(part);
  const key = [lang, ...[...wanted].sort()].join();
  if (key === loaded) return;
  const got = await Promise.all([...wanted].map((part) => FILES[lang][part]()));
  loaded = key;
  current.value = Object.assign({}, ...got) as Words;
}

/** Returns the words. The route of a screen has already loaded the parts that the screen needs. */
export const w = (): Words => current.value!;

/** Returns the sentence for an error. It is the sentence for the error's `why`. If there is none,
 *  it is the sentence for the reason. If there is none for the reason, it is the general sentence. */
export function sentence(error: unknown, words: Words = w()): string {
  if (!(error instanceof CallError) || !error.reason) return words.otherError;
  if (!words.reasons) {
    // The screen is drawn again when the sentences have come.
    void loadWords(words.lang, ["reasons"]);
    return "";
  }
  const { reason, metadata } = error;
  const found = (reason !== "GAME_PAUSED" && metadata.why && words.whys[metadata.why]) || words.reasons[reason];
  if (!found) return words.otherError;
  return typeof found === "string" ? found : found(metadata);
}
