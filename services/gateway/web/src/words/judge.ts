// Writes the reasons of an analysis and the facts of a hand as sentences (docs/analysis.md).
import { Reason_Kind, type Hand, type Reason } from "../../gen/tarot/bot/v1/analysis_service_pb";
import { rankOf } from "../state/cards";
import { suitName, theCard, type Lang } from "./cards";

export interface Judge {
  /** The sentences by the name of the kind and its variant. They have placeholders such as {card}. */
  sentences: Record<string, string>;
  interval(low: string, high: string): string;
  uncertain: string;
  /** Suits are numbers: 0 is spades, 1 hearts, 2 diamonds, 3 clubs. */
  hand: {
    trumps(n: number): string; bouts(n: number): string; kings(n: number): string;
    long(n: number, suit: number): string; single(suit: number): string; none(suit: number): string;
  };
  points(halves: number): string;
  chance: string;
  range: string;
}

export const share = (thousandths: number): string => `${Math.round(thousandths / 10)} %`;

/** Returns the reason as a sentence. `bid` says whether the decision was a bid. Returns an empty text
 *  for a kind that the page does not know. */
export function reasonText(reason: Reason, bid: boolean, name: (seat: number) => string, words: Judge, lang: Lang): string {
  const kind = Reason_Kind[reason.kind] ?? "";
  const bids = reason.number === undefined ? "/pass" : reason.betterNumber === undefined ? "/bid" : "/bids";
  const variant = kind === "CONTRACT_CHANCE" && bid ? bids : kind === "TOP_TRUMP_EARLY" && reason.number === undefined ? "/lead" : "";
  const { number = 0, betterNumber = 0 } = reason;
  const values: Record<string, string | number | undefined> = {
    card: theCard(reason.card ?? 0, lang), other: theCard(reason.otherCard ?? 0, lang), suit: suitName((["S", "H", "D", "C"] as const)[reason.suit ?? 0]!, lang),
    seat: name(reason.seat ?? -1), trick: reason.trick, trumps: reason.trumps, points: reason.points,
    n: number, t: (number / 10).toFixed(1).replace(".", lang === "fr" ? "," : "."), np: words.points(number), mp: words.points(betterNumber), "n%": share(number), "m%": share(betterNumber),
  };
  const text = (words.sentences[kind + variant] ?? "").replace(/\{([^}]*)\}/g, (_, key: string) => String(values[key] ?? ""));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns for example "9 trumps, 2 bouts (21, Excuse), 1 King, 5 hearts, no clubs". */
export function handText(hand: Hand, words: Judge): string {
  const parts = [words.hand.trumps(hand.trumps)];
  const bouts = hand.bouts.map((card) => ({ 0: "Excuse", 1: "Petit" })[rankOf(card)] ?? "21").join(", ");
  if (hand.bouts.length) parts.push(`${words.hand.bouts(hand.bouts.length)} (${bouts})`);
  if (hand.kings) parts.push(words.hand.kings(hand.kings));
  hand.suitLengths.forEach((length, suit) => {
    if (length >= 5) parts.push(words.hand.long(length, suit));
    if (length === 1) parts.push(words.hand.single(suit));
    if (length === 0) parts.push(words.hand.none(suit));
  });
  return parts.join(", ");
}
