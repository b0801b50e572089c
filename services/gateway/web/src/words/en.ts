// English: the words of the lobby and of every frame.
import { cardList, cardName, suitName, theCard } from "./cards";
import type { Suit } from "../state/cards";

const contracts = ["", "Pass", "Prise", "Garde", "Garde sans", "Garde contre"];
const many = (n: number, one: string, more: string) => `${n} ${n === 1 ? one : more}`;
const numbers = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const numberWord = (n: number) => numbers[n] ?? String(n);
const joined = (list: string[]) => (list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`);

export const core = {
  lang: "en" as "en" | "fr",
  otherError: "The server does not answer. The page tries again.",
  card: (card: number) => cardName(card, "en"),
  theCard: (card: number) => theCard(card, "en"),
  cards: (cards: readonly number[]) => cardList(cards, "en"),
  suit: (suit: Suit) => suitName(suit, "en"),
  contract: (contract: number) => contracts[contract] ?? "",
  list: joined,
  many,
  nav: { main: "Main", play: "Play", watch: "Watch", ladder: "Ladder", learn: "Learn", you: "You", friends: "Friends", settings: "Settings", skip: "Skip to the page" },
  titles: { replay: "Replay of a deal", player: "Player", room: "Private table", account: "Account" },
  language: "Language: English",
  retry: "Try now",
  reload: "Reload the page",
  cancel: "Cancel",
  close: "Close",
  back: "Back",
  more: "More",
  offline: "There is no network. The page connects again by itself; your seat is kept at the table.",
  retryIn: (seconds: number) => `The next try is in ${seconds} s.`,
  you: "You",
  bot: "Bot",
  levels: { novice: "novice", club: "club", sociable: "sociable", strong: "strong", expert: "expert" } as Record<string, string>,
  points: "points",
  tier: "Tier",
  lobby: {
    title: "Sit down and play",
    lead: "French Tarot against people and strong bots. No account needed.",
    kind: "Kind of match", ranked: "Ranked", casual: "Casual", players: "Players at the table",
    play: "Play", name: "Your name", changeName: "Name of the guest",
    size: (deals: number, minutes: number) => `${many(deals, "deal", "deals")}, about ${minutes} minutes`,
    waiting: (n: number) => (n ? `${many(n, "waits", "wait")} now` : "nobody waits yet; bots fill the table"),
    waitingRanked: (n: number) => (n ? `${many(n, "waits", "wait")} now` : "nobody waits yet"),
    watchOthers: "See others play first", watchOthersMore: "You watch as a guest. Hands stay hidden.",
    live: "Live tables", all: "All", watch: "Watch", noLive: "No table is live", noLiveMore: "Play, and yours is the first.",
    friends: "With friends", makeRoom: "Make a private table", code: "Code of a table", codeHint: "CODE", join: "Join",
    friendsMore: "A link or the code is enough. Bots take the seats that stay free.",
    season: "Your rating", unranked: "No ranked match yet", unrankedMore: "Three casual matches open ranked play.",
    place: (n: number) => `place ${n}`,
    keptTitle: "Your seat is kept", kept: (deal: number, of: number) => `Your match goes on, deal ${deal} of ${of}. A bot may play for you until you are back.`,
    running: (deal: number, of: number) => `Your match runs, deal ${deal} of ${of}.`,
    resume: "Take my seat back",
    learnTitle: "New to Tarot?", learnMore: "A first deal, card by card, in five minutes.", learn: "Learn the game",
  },
  wait: {
    kind: (ranked: boolean, players: number) => `${ranked ? "Ranked" : "Casual"}, ${numberWord(players)} players`,
    since: "waiting for",
    title: (n: number) => `Finding ${numberWord(n)} players`,
    titleNear: (n: number) => `Finding ${numberWord(n)} players near your level`,
    why: "Why I wait",
    leave: "Leave the queue", tell: "Tell me when it starts", told: "You will be told",
    place: (at: number, of: number) => `Place ${at} of ${of} by age`,
    window: (rating: number, window: number) => `Your rating is ${rating}; the window is ${window} points to each side.`,
    begins: "Your table is ready.",
    bots: (seconds: number) => (seconds > 0 ? `Bots take the free seats in ${seconds} s.` : "Bots take the free seats now."),
    reasons: [
      "The queue looks for players.",
      "Fewer players wait than the table needs.",
      "Enough players wait, but not yet near enough to your rating. Your window opens with every second.",
      "The table is being made.",
      "You have just come. The next round comes within seconds.",
      "Enough players wait, but some of them met a short time ago.",
      "Not all people of your room have joined the queue yet.",
      "Enough players wait, but some of them do not want to meet.",
      "Bots wait until a person comes.",
      "Enough players wait, but some of them share a network address.",
      "Enough players wait, but some of them play far away. They count when you have waited longer.",
    ],
  },
  signIn: { title: "Signed out", again: "Sign in", why: "This browser’s sign-in is no longer valid. A new guest starts without the old rating." },
  notFound: "There is nothing here.",
};
export type Core = typeof core;
