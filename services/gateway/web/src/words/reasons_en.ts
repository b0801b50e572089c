// A sentence for each reason of docs/errors.md. A test compares the two lists.
import { cardFromTdn, theCard } from "./cards";

export type Facts = Readonly<Record<string, string>>;
export type Sentence = string | ((facts: Facts) => string);

const SUITS: Record<string, string> = { spades: "spades", hearts: "hearts", diamonds: "diamonds", clubs: "clubs", trumps: "trumps" };
const suit = (f: Facts) => SUITS[f.suit ?? ""] ?? "this suit";
const card = (f: Facts) => { const n = cardFromTdn(f.card); return n === undefined ? "this card" : theCard(n, "en"); };
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const seconds = (f: Facts, name: string) => {
  const s = Math.ceil(Number(f[name] ?? 0));
  return s >= 120 ? `${Math.ceil(s / 60)} minutes` : s > 1 ? `${s} seconds` : "a second";
};

/** Reasons of ErrorInfo. */
export const reasons: Record<string, Sentence> = {
  BAD_REQUEST: (f) => (f.field === "display_name"
    ? "This name cannot be used: 1 to 32 letters of one script, and not the name of a bot."
    : f.field?.includes("passphrase")
    ? "This passphrase cannot be used: 10 to 128 characters, not the name."
    : "The page sent something that the server does not understand. Reload the page."),
  BAD_TOKEN: "You are signed out. Sign in again; your place at the table stays.",
  BANNED: (f) => `You cannot play until ${f.until ?? "later"}.${f.message ? ` ${f.message}` : ""}`,
  BAD_CREDENTIALS: "The name or what you typed with it is wrong. Try again.",
  ACCOUNT_EXISTS: "This player has an account already. Use its name and passphrase.",
  NOT_A_PLAYER: "The page called a method that is not for it. Reload the page.",
  NOT_SEATED: "You do not sit at this table.",
  TABLE_NOT_FOUND: "There is no such table any more.",
  DEAL_NOT_FOUND: "This deal has not been dealt at this table.",
  RECORD_NOT_FOUND: "There is no record of this deal.",
  RECORD_CLOSED: "The cards of this deal stay secret until the match is over.",
  QUEUE_NOT_FOUND: "This kind of match is not offered now. Choose another.",
  TICKET_NOT_FOUND: "You no longer wait in this queue.",
  RULE_SET_NOT_FOUND: "These rules do not exist here.",
  ROOM_NOT_FOUND: "This room has ended, or it is private. Ask for its code.",
  CODE_NOT_FOUND: "No room has this code now. Check it, or ask for it again.",
  PLAYER_NOT_FOUND: "This player is not known here yet. Give the code of the room instead.",
  REQUEST_NOT_FOUND: "This request was taken back. Ask the player yourself.",
  NOT_RANKED: "This player has no place yet. Here is the top of the ladder.",
  REVISION_MISMATCH: "The table has gone on. Look at it again, then choose.",
  NOT_YOUR_TURN: "It is not your turn.",
  ILLEGAL_CARD: "This card may not be played now.",
  ILLEGAL_ACTION: "This is not allowed now.",
  CLAIM_REFUSED: "It is not proven that you win all the tricks that are left. Play on.",
  DEAL_NOT_RUNNING: "This deal is over.",
  TALK_LIMITED: "That is enough talk for now.",
  TALK_OVER: "The match is over, and the table is quiet.",
  PROPOSAL_REFUSED: "You cannot propose this now.",
  PROPOSALS_SPENT: "You have made five proposals in this deal. Wait for the next deal.",
  NO_PROPOSAL: "This proposal is not open any more.",
  GAME_PAUSED: (f) => (f.why === "BREAK_RUNS" ? "The table has a break." : "A proposal waits for answers. The game stands still."),
  NONCE_REFUSED: "Your bytes came too late for this shuffle. They can go into the next one.",
  NAME_TAKEN: (f) => (f.suggestion ? `Another player has this name. “${f.suggestion}” is free.` : "Another player has this name. Choose another."),
  TICKET_EXISTS: "You already wait in this queue, or sit at a table.",
  TICKET_MATCHED: "Your match begins. You can no longer leave the queue.",
  LEAVER_PENALTY: (f) => `You left a ranked match. You can play ranked again in ${seconds(f, "seconds_left")}. Casual matches are open.`,
  MATCHES_MISSING: (f) => `Finish ${f.missing === "1" ? "one more match" : `${f.missing ?? "some"} more matches`} first. Casual matches are open.`,
  PARTY_TOO_LARGE: (f) => `Your room has more people than the ${f.player_count ?? ""} seats of this table. Choose another queue.`,
  IN_ROOM: "You already sit in a room. Go there, or leave it first.",
  REMOVED_FROM_ROOM: "The host has removed you from this room. Ask for an invitation.",
  ROOM_FULL: "No seat of this room is free.",
  NOT_HOST: "Only the host of the room may do this.",
  PLAYER_IS_BOT: "This player is a bot.",
  BLOCKED: "One of you has blocked the other.",
  FRIENDS_FULL: "One of you has too many friends and requests.",
  BLOCKS_FULL: "You block 100 players. End a block first.",
  NOT_AT_TABLE: "This player had no seat at this table.",
  REPORTS_FULL: "You have made 20 reports today. Report again tomorrow.",
  INVITATIONS_FULL: "Too many invitations are open. Share the code instead.",
  SEAT_TAKEN: "A person sits here. Choose another seat.",
  SEATS_FREE: "Some seats are free. Wait for players, or add bots.",
  MATCH_RUNNING: "A match of this room runs. Wait for its end.",
  PLAYER_BUSY: "Somebody in the room still waits or plays elsewhere.",
  RATE_LIMITED: (f) => `Too many calls. The page tries again in ${seconds(f, "retry_after_seconds")}.`,
  TABLE_BUSY: "The table still works on your last moves. Wait a moment.",
  TABLES_FULL: "All tables are taken. Try again in a minute.",
  METHOD_NOT_FORWARDED: "The page is older or newer than the server. Reload it.",
  SERVICE_AWAY: "A part of the server does not answer. The page tries again.",
  SHUTTING_DOWN: "A part of the server restarts. The page connects again.",
  TABLE_MOVED: "The table moved to another machine. The page connects again.",
  TABLE_SET_BACK: "The server lost the last moves of this table. Look at it again.",
  HOST_AWAY: "The table’s machine does not answer; another takes over within seconds.",
  NOT_READY: "The server is starting. The page tries again.",
  OVERLOADED: "The server has too much to do. The page tries again.",
  ANALYSIS_RUNNING: "Another analysis of yours still runs.",
  ANALYSIS_TOO_LONG: "The analysis took too long. Smaller budgets take less time.",
  SEATED_AT_TABLE: "You sit at a table. Analysis is open after your match.",
  STORAGE_AWAY: "The server’s memory does not answer. The page tries again.",
  STORAGE_SLOW: "The server’s memory is slow. The page tries again.",
  ARCHIVE_AWAY: "The archive of old matches does not answer. The page tries again.",
  ARCHIVE_DAMAGED: "The archive has lost part of this match. Please report it.",
  SECRET_UNREADABLE: "The server cannot open this deal. Please report it.",
  BUG: "The server made a mistake. It is written down.",
};

/** Values of `why`. */
export const whys: Record<string, Sentence> = {
  DEAL_IS_OVER: "This deal is over.",
  WRONG_PHASE: "Another decision comes first.",
  BID_TOO_LOW: (f) => (f.contract ? `Pass, or bid more than ${f.contract}.` : "Pass, or bid more."),
  BID_NOT_ALLOWED: "These rules have no such bid.",
  MUST_BID: "The board names you the taker: choose a contract.",
  CARD_NOT_HELD: (f) => `${capital(card(f))} is not in your hand.`,
  MUST_FOLLOW_SUIT: (f) => `You have ${suit(f)}: follow.`,
  MUST_TRUMP: (f) => (f.suit && f.suit !== "trumps" ? `No ${suit(f)}: trump.` : "You have no card of this suit: trump."),
  MUST_OVERTRUMP: (f) => `Go above the ${f.number ?? "highest trump"}.`,
  CALLED_SUIT_BARRED: (f) => (f.card
    ? `${capital(suit(f))} may not be led first, except ${card(f)} itself: it is called.`
    : `${capital(suit(f))} may not be played in the first trick: a card of this suit is called.`),
  CALL_NOT_ALLOWED: "This card may not be called with your hand.",
  DISCARD_COUNT: (f) => `The écart takes exactly ${f.number ?? "the asked number of"} cards.`,
  DISCARD_KING: "A King may not go into the écart.",
  DISCARD_BOUT: "A bout may not go into the écart.",
  DISCARD_CALLED_CARD: "The called card may not go into the écart.",
  DISCARD_TRUMP: "A trump may not go into the écart while other cards are left.",
  DISCARD_TRUMP_COUNT: (f) => `Exactly ${f.number ?? "some"} trumps must go into the écart.`,
  HANDFUL_TOO_LATE: "A handful is shown just before the first card, once.",
  HANDFUL_SIZE: (f) => `No handful has ${f.number ?? "this number of"} cards.`,
  HANDFUL_NOT_TRUMPS: (f) => `${capital(card(f))} is not a trump.`,
  HANDFUL_EXCUSE: "The Excuse counts in a handful only if no other trump stays hidden.",
  NOT_PLAYING: "The tricks have not begun.",
  FIRST_TRICK: "Wait for the end of the first trick.",
  SEAT_HELD: "A bot holds your seat. Take it back first.",
  TRICK_COULD_BE_LOST: (f) => `It is not proven that you win trick ${f.trick ?? ""}. Play on.`,
  NOT_AN_OPTION: "This table does not have this option.",
  NO_CARD: "No card of yours can be taken back now.",
  GAME_WENT_ON: "The game has gone on since.",
  PROPOSAL_OPEN: "Another proposal waits for answers.",
  BREAK_RUNS: "The table has a break.",
  MATCH_OVER: "The match is over.",
  PHRASE_TOO_SOON: "One phrase in three seconds.",
  PHRASES_OF_DEAL_SPENT: "You have said 20 phrases in this deal.",
  MUTES_OF_DEAL_SPENT: "You have changed your mutes 20 times in this deal.",
  DEAL_BEGAN: "That shuffle is already fixed.",
  NONCE_GIVEN: "Your bytes are already in this shuffle.",
  NO_SEED_YET: "The next shuffle is not fixed yet.",
  NONCE_SIZE: "1 to 32 bytes go into a shuffle.",
};
