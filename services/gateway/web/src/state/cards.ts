// Cards are numbers, as in proto/tarot/rules/v1/deal.proto: spades 0-13, hearts 14-27, diamonds
// 28-41, clubs 42-55, trumps 56-76, the Excuse 77.
export type Suit = "S" | "H" | "D" | "C" | "T" | "X";
export const EXCUSE = 77;
const SUITS = ["S", "H", "D", "C"] as const;

export const suitOf = (card: number): Suit => (card === EXCUSE ? "X" : card >= 56 ? "T" : SUITS[Math.floor(card / 14)]!);
/** 1 to 14 in a suit, 1 to 21 in trumps, 0 for the Excuse. */
export const rankOf = (card: number): number => (card === EXCUSE ? 0 : card >= 56 ? card - 55 : (card % 14) + 1);
export const isBout = (card: number): boolean => card === 56 || card === 76 || card === EXCUSE;
/** Returns the name of the card's symbol in the deck, without "c-". */
export const faceOf = (card: number): string => (card === EXCUSE ? "X" : suitOf(card) + rankOf(card));

/** Returns the name of a card in TDN (docs/notation.md), as the metadata of errors has it. */
export function tdnOf(card: number): string {
  const rank = rankOf(card);
  return card >= 56 ? faceOf(card) : suitOf(card) + ({ 10: "T", 11: "J", 12: "N", 13: "Q", 14: "K" }[rank] ?? rank);
}

const ORDER: Record<Suit, number> = { T: 0, X: 1, S: 2, H: 3, C: 4, D: 5 };
/** Trumps first, then the suits, alternating black and red; the highest card first. */
export function sortHand(cards: readonly number[]): number[] {
  return [...cards].sort((a, b) => ORDER[suitOf(a)] - ORDER[suitOf(b)] || rankOf(b) - rankOf(a));
}

/** Reads a card that a person typed: `hr` or `hk` the King of hearts, `t21`, `ex` or `x`. French
 *  letters of suits (p, c, k, t, a) count in French. Returns nothing for any other text. */
export function readCard(text: string, lang: "en" | "fr"): number | undefined {
  const word = text.trim().toLowerCase();
  if (word === "x" || word === "ex" || word === "excuse") return EXCUSE;
  const match = /^([a-z])\s*(\d{1,2}|[a-z])$/.exec(word);
  if (!match) return undefined;
  const suits: Record<string, string> = lang === "fr" ? { a: "T", p: "S", c: "H", k: "D", t: "C" } : { t: "T", s: "S", h: "H", d: "D", c: "C" };
  const suit = suits[match[1]!];
  const letters: Record<string, number> = lang === "fr"
    ? { a: 1, v: 11, c: 12, d: 13, r: 14 } : { a: 1, j: 11, v: 11, n: 12, q: 13, k: 14, r: 14 };
  const rank = /\d/.test(match[2]!) ? Number(match[2]) : letters[match[2]!];
  if (!suit || !rank) return undefined;
  if (suit === "T") return rank <= 21 ? 55 + rank : undefined;
  return rank <= 14 ? SUITS.indexOf(suit as (typeof SUITS)[number]) * 14 + rank - 1 : undefined;
}
