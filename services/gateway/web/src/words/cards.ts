// Names of cards, in both languages.
import { rankOf, suitOf, type Suit } from "../state/cards";

export type Lang = "en" | "fr";

const EN_SUITS: Record<Suit, string> = { S: "spades", H: "hearts", D: "diamonds", C: "clubs", T: "trumps", X: "the Excuse" };
const FR_SUITS: Record<Suit, string> = { S: "pique", H: "cœur", D: "carreau", C: "trèfle", T: "atout", X: "l’Excuse" };
const EN_RANKS: Record<number, string> = { 1: "ace", 11: "Jack", 12: "Knight", 13: "Queen", 14: "King" };
const FR_RANKS: Record<number, string> = { 1: "as", 11: "Valet", 12: "Cavalier", 13: "Dame", 14: "Roi" };

export const suitName = (suit: Suit, lang: Lang): string => (lang === "fr" ? FR_SUITS : EN_SUITS)[suit];

export function rankName(card: number, lang: Lang): string {
  const rank = rankOf(card);
  return (suitOf(card) === "T" ? undefined : (lang === "fr" ? FR_RANKS : EN_RANKS)[rank]) ?? String(rank);
}

/** "ace of clubs", "trump 4", "the Excuse"; « as de trèfle », « 4 d’atout », « l’Excuse ». */
export function cardName(card: number, lang: Lang): string {
  const suit = suitOf(card);
  if (suit === "X") return suitName("X", lang);
  if (suit === "T") {
    if (rankOf(card) === 1) return lang === "fr" ? "Petit" : "the Petit";
    return lang === "fr" ? `${rankOf(card)} d’atout` : `trump ${rankOf(card)}`;
  }
  return lang === "fr" ? `${rankName(card, lang)} de ${suitName(suit, lang)}` : `${rankName(card, lang)} of ${suitName(suit, lang)}`;
}

/** Returns the name with the article: "the ace of clubs", « l’as de trèfle ». */
export function theCard(card: number, lang: Lang): string {
  const name = cardName(card, lang);
  if (suitOf(card) === "X") return name;
  if (lang === "en") return suitOf(card) === "T" ? name : `the ${name}`;
  if (/^as/.test(name)) return `l’${name}`;
  return /^Dame/.test(name) ? `la ${name}` : `le ${name}`;
}

/** Returns the cards as a text that groups them by suit: "7, 6, 3 of clubs". */
export function cardList(cards: readonly number[], lang: Lang): string {
  const groups = new Map<Suit, number[]>();
  for (const card of cards) groups.set(suitOf(card), [...(groups.get(suitOf(card)) ?? []), card]);
  return [...groups].map(([suit, list]) => {
    if (suit === "X") return suitName("X", lang);
    const ranks = list.map((card) => rankName(card, lang)).join(", ");
    if (suit === "T") return lang === "fr" ? `${ranks} d’atout` : `trump ${ranks}`;
    return `${ranks} ${lang === "fr" ? "de" : "of"} ${suitName(suit, lang)}`;
  }).join(lang === "fr" ? " ; " : "; ");
}

const TDN_SUITS: Record<string, number> = { S: 0, H: 14, D: 28, C: 42 };
const TDN_RANKS: Record<string, number> = { T: 10, J: 11, N: 12, Q: 13, K: 14 };

/** Reads a card's name in TDN (docs/notation.md), as the metadata of errors has it: HK, DT, T21, X. */
export function cardFromTdn(text: string | undefined): number | undefined {
  if (!text) return undefined;
  if (text === "X") return 77;
  if (/^T\d+$/.test(text)) return 55 + Number(text.slice(1));
  const base = TDN_SUITS[text[0] ?? ""];
  const rank = TDN_RANKS[text.slice(1)] ?? Number(text.slice(1));
  return base === undefined || !rank ? undefined : base + rank - 1;
}
