// Makes the sentences of the spoken log: one for each event, and the question at the person's own
// turn.
import type { Table } from "../../gen/tarot/rules/v1/table_pb";
import type { Words } from "../words";
import { sortHand } from "./cards";
import type { Happening } from "./happenings";
import { asked, isMyTurn, isOpen, lastTrick, Phase, winning } from "./view";

/** Returns the text of the prompt at the person's own turn. */
export function turnPrompt(table: Table, discardsLeft: number, words: Words): string {
  const { table: t } = words;
  const deal = table.deal!;
  switch (deal.phase) {
    case Phase.BIDDING: return t.turnBid;
    case Phase.CALLING: return t.turnCall;
    case Phase.DISCARDING: return t.turnDiscard(discardsLeft);
    case Phase.SLAM: return t.turnSlam;
    case Phase.PLAYING: {
      const what = asked(deal);
      switch (what.kind) {
        case "lead": return t.turnLead;
        case "leadSome": return t.turnLeadSome;
        case "any": return t.turnFree;
        case "some": return t.turnSome;
        case "follow": return t.turnFollow(words.suit(what.suit));
        case "trump": return t.turnTrump(words.suit(what.suit));
        case "over": return t.turnOver(what.number);
      }
    }
  }
  return t.yourTurn;
}

/** "Your turn. Papillon led the ace of clubs, Chloé wins with trump 4. Follow: 7, 6, 3 of clubs." */
export function turnSentence(table: Table, words: Words): string {
  const deal = table.deal!;
  const name = (seat: number) => table.seats[seat]?.displayName ?? "";
  if (deal.phase !== Phase.PLAYING) return turnPrompt(table, deal.legal?.discardCount ?? 0, words);
  const trick = lastTrick(deal);
  const parts: string[] = [];
  if (isOpen(trick) && trick.cards.length) {
    const best = winning(deal, trick);
    const led = words.say.led(name(trick.leader), words.theCard(trick.cards[0]!));
    parts.push(best && best.card !== trick.cards[0] ? `${led}, ${words.say.wins(name(best.seat), words.theCard(best.card))}.` : `${led}.`);
  }
  const { kind } = asked(deal);
  const { choices } = words.say;
  const verb = kind === "follow" ? choices.follow : kind === "trump" ? choices.trump : kind === "over" ? choices.over : choices.any;
  parts.push(words.lang === "fr" ? `${verb} : ` : `${verb}: `);
  const list = words.cards(sortHand(deal.legal?.cards ?? []));
  return words.say.turn(`${parts.slice(0, -1).join(" ")}${parts.length > 1 ? " " : ""}${parts.at(-1)}${list}.`);
}

/** Returns the sentences for the new events. The log does not repeat the person's own moves. */
export function spoken(table: Table, fresh: readonly Happening[], words: Words): string[] {
  const name = (seat: number) => table.seats[seat]?.displayName ?? "";
  const own = (h: Happening) => "seat" in h && h.seat === table.viewer && (h.kind === "play" || h.kind === "lead" || h.kind === "bid" || h.kind === "laid" || h.kind === "phrase");
  const list = fresh.filter((h) => !own(h)).map((h) => words.say.event(h, name));
  if (isMyTurn(table)) list.push(turnSentence(table, words));
  return list;
}
