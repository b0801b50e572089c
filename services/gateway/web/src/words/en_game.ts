// English: the words of the table's first views.
import { cardList, cardName, theCard } from "./cards";
import type { Happening } from "../state/happenings";
import type { Suit } from "../state/cards";

const contracts = ["", "Pass", "Prise", "Garde", "Garde sans", "Garde contre"];
const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;
const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const numberWord = (n: number) => numbers[n] ?? String(n);

export const game = {
  table: {
    ranked: "Ranked match",
    casual: "Casual match",
    deal: "deal",
    leave: "Leave the table",
    felt: "Table",
    sheet: "Score sheet",
    lastTrickAndDog: "Last trick and dog",
    soundOn: "Sound is on",
    soundOff: "Sound is off",
    settings: "Settings",
    taker: "Taker",
    partner: "Partner",
    dealer: "Dealer",
    defence: "Defence",
    unknownCamp: "camp not known",
    away: "away",
    sitsOut: "sits out",
    heldByBot: "a bot plays for now",
    disconnected: "connection lost",
    tricks: (n: number) => many(n, "trick", "tricks"),
    trickOf: (n: number, of: number) => `${n} / ${of}`,
    trick: "Trick",
    handful: "Handful",
    yours: "yours",
    slam: "Slam announced",
    called: (card: string) => `${card} called`,
    alone: "plays alone",
    winning: "winning",
    last: "Last trick",
    dog: "The dog",
    thisDeal: "This deal",
    total: "Total",
    made: "made by",
    failed: "failed by",
    passed: "all passed",
    petitSec: "petit sec",
    voided: "cancelled",
    auction: "auction",
    plays: "plays",
    makesDiscard: "makes the écart",
    calls: "calls",
    hand: (n: number) => `Your hand, ${many(n, "card", "cards")}`,
    yourTurn: "Your turn",
    sent: "Sent",
    thinking: (name: string) => `${name} thinks`,
    watching: "You watch this table. Hands stay hidden.",
    turnLead: "Your turn: lead any card.",
    turnLeadSome: "Your turn: lead. Dimmed cards may not be led.",
    turnFollow: (suit: string) => `Your turn. ${suit[0]!.toUpperCase()}${suit.slice(1)} were led: follow.`,
    turnTrump: (suit: string) => `Your turn. No ${suit}: trump.`,
    turnOver: (n: number) => `Your turn. Go above the ${n}.`,
    turnFree: "Your turn: any card may go.",
    turnSome: "Your turn. Lit cards may go.",
    turnBid: "Your turn to bid",
    turnCall: "Your turn to call",
    turnDiscard: (n: number) => (n > 0 ? `Choose ${numberWord(n)} more` : "Your écart is ready"),
    turnSlam: "Announce a slam, or not",
    turnHandful: "Show a handful, or play",
    secondTap: (card: string) => `Tap again to play ${card}`,
    notYourTurn: (name: string) => `${name} is in turn.`,
    ahead: (card: string, winner: string) => (winner ? `${card} goes if ${winner} still wins.` : `${card} goes when it is your turn.`),
    aheadGone: "The trick changed: your card stays.",
    notThat: (reason: string) => `Not that one. ${reason}`,
    connecting: "Connecting again. The table keeps your time.",
    paused: "The game is paused.",
    dealing: "The next deal comes.",
    setBack: "The server lost the last moves of this table. This is the table now.",
    botHolds: "A bot plays for you.",
    takeBack: "Take my seat back",
    secretPartner: (name: string) => `You hold the called card: you play with ${name}. Only you know.`,
    knownPartner: (name: string) => `${name} plays with you.`,
    noTable: "This table is not here any more.",
    toLobby: "To the lobby",
    phrases: ["", "Hello", "Well played", "Oh well", "Thank you", "One moment", "Good game"],
    say: "Say",
    options: "The table",
    matchOver: "The match is over.",
  },
  ask: {
    bid: "Your bid", bidFirst: "You speak first.",
    bidPassed: (n: number, left: number) => `${n ? (n === 1 ? "One has passed." : `${numberWord(n)[0]!.toUpperCase()}${numberWord(n).slice(1)} have passed.`) : "Nobody has passed."} ${left ? `After you ${left === 1 ? "one player speaks" : `${numberWord(left)} players speak`}.` : "You speak last."}`,
    bidHigh: (name: string, contract: string) => `${name} bids ${contract}.`,
    fates: ["", "", "take the dog", "take the dog", "dog unseen, yours", "dog to the defence"],
    closed: "closed",
    trumps: (n: number) => many(n, "trump", "trumps"), bouts: (n: number) => many(n, "bout", "bouts"), bout: { 56: "the Petit", 76: "the 21", 77: "the Excuse" } as Record<number, string>,
    kings: (n: number) => (n ? many(n, "King", "Kings") : "no King"),
    needs: (bouts: number) => `with ${many(bouts, "bout", "bouts")} you need`,
    needsNow: (bouts: number) => `${many(bouts, "bout", "bouts")} now: you need`,
    call: "Call a card", callKing: "Call a King", callMore: "Who holds it plays with you, in secret.", callIt: (card: string) => `Call ${card}`, callYours: "yours: alone", callNobody: "Call no card: play alone",
    discard: (n: number) => `Your écart: ${numberWord(n)} cards`, discardMore: "Nobody sees them. Dimmed cards stay.", discardTrumps: (n: number) => `${many(n, "trump", "trumps")} must go, and all see ${n === 1 ? "it" : "them"}.`,
    void: "void in", loneAce: "a lone ace", inDiscard: "in the écart", pointsWord: "points",
    lay: "Lay it down and play", slam: "Announce a slam…", slamSure: "A slam takes every trick. A failed one costs a lot. Announce it?", slamYes: "Yes, announce it", slamNo: "No",
    slamTitle: "Announce a slam?", slamMore: "You say that you take every trick.", noSlam: "No slam",
    handful: "Show a handful?", handfulMore: (n: number, of: number) => `${n} of your ${of} trumps. Only before your first card.`,
    handfulShow: (n: number) => `Show these ${n}`, handfulOther: "Choose others", handfulNo: "Not this deal", handfulSizes: ["", "single", "double", "triple"],
  },
  say: {
    deal: (n: number) => `Deal ${n}.`,
    turn: (parts: string) => `Your turn. ${parts}`,
    led: (name: string, card: string) => `${name} led ${card}`,
    wins: (name: string, card: string) => `${name} wins with ${card}`,
    choices: { follow: "Follow", trump: "Trump", over: "Go above", any: "You may play" },
    event(h: Happening, name: (seat: number) => string): string {
      switch (h.kind) {
        case "deal": return `Deal ${h.number}.`;
        case "bid": return h.contract === 1 ? `${name(h.seat)} passes.` : `${name(h.seat)} bids ${contracts[h.contract]!.toLowerCase()}.`;
        case "taker": return `${name(h.seat)} takes: ${contracts[h.contract]!.toLowerCase()}.`;
        case "call": return h.card === undefined ? `${name(h.seat)} plays alone.` : `${name(h.seat)} calls ${theCard(h.card, "en")}.`;
        case "dog": return `The dog: ${cardList(h.cards, "en")}.`;
        case "laid": return `${name(h.seat)} lays down the écart.`;
        case "slam": return `${name(h.seat)} announces a slam.`;
        case "handful": return `${name(h.seat)} shows a handful of ${h.size}.`;
        case "lead": return `${name(h.seat)} leads ${theCard(h.card, "en")}.`;
        case "play": return `${name(h.seat)}: ${cardName(h.card, "en")}.`;
        case "trick": return `${name(h.seat)} takes trick ${h.number}.`;
        case "partner": return `${name(h.seat)} is the partner.`;
        case "held": return h.held ? `A bot plays for ${name(h.seat)}.` : `${name(h.seat)} is back.`;
        case "phrase": return `${name(h.seat)} says: ${game.table.phrases[h.phrase]}.`;
        case "result": return h.won === undefined ? "The deal is over." : h.won ? `Made by ${h.difference}.` : `Failed by ${h.difference}.`;
        case "back": return `${name(h.seat)} takes a card back.`;
      }
    },
    clock: "Ten seconds left.",
  },
  keyNames: { T: "T", S: "S", H: "H", D: "D", C: "C", X: "X" } as Record<Suit, string>,
};
export type Game = typeof game;
