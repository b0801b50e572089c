// Draws cards from the deck's file. The build sets the address of this file.
import { faceOf, suitOf, type Suit } from "../state/cards";
import { w } from "../words";

declare const CARDS_URL: string;

export const Card = ({ card, mark = "", hidden = false }: { card: number; mark?: string; hidden?: boolean }) => (
  <svg class={`card ${mark}`} viewBox="0 0 120 200" {...(hidden ? { "aria-hidden": true } : { role: "img", "aria-label": w().card(card) })}>
    <use href={`${CARDS_URL}#c-${faceOf(card)}`} />
  </svg>
);

export const CardBack = () => (
  <svg class="card" viewBox="0 0 120 200" aria-hidden="true"><use href={`${CARDS_URL}#c-B`} /></svg>
);

export const Pip = ({ suit }: { suit: Suit }) => (
  <span class="pc"><svg class={`pip ${suit}`} viewBox="0 0 100 100" role="img" aria-label={w().suit(suit)}><use href={`${CARDS_URL}#p-${suit}`} /></svg></span>
);

const LETTERS = { fr: ["", "1", "V", "C", "D", "R"], en: ["", "1", "J", "N", "Q", "K"] };

/** A card inside a line of text. */
export const CardChip = ({ card, letters }: { card: number; letters: "fr" | "en" }) => {
  const suit = suitOf(card);
  if (suit === "X") return <span class="cc T">★</span>;
  if (suit === "T") return <span class="cc T">{card - 55}</span>;
  const rank = (card % 14) + 1;
  return (
    <span class={`cc ${suit}`} role="img" aria-label={w().card(card)}>
      <b aria-hidden="true">{rank > 10 ? LETTERS[letters][rank - 9] : rank}</b>
      <svg class="pip" viewBox="0 0 100 100" aria-hidden="true" fill="currentColor"><use href={`${CARDS_URL}#p-${suit}`} /></svg>
    </span>
  );
};

export const Mini = ({ cards, won, label }: { cards: readonly number[]; won?: number | undefined; label?: string }) => (
  <ul class="mini" aria-label={label}>
    {cards.map((card, at) => <li key={card}><Card card={card} mark={at === won ? "won" : ""} /></li>)}
  </ul>
);
