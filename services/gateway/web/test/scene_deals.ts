// The tables and deals of scenes.ts: the example deal of docs/notation.md, seen at several moments.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Reason_Kind, type AnalyzeDealResponseSchema, type DecisionAnalysisSchema } from "../gen/tarot/bot/v1/analysis_service_pb";
import { CardPointsLine_Source, DealResult_Outcome, Phase, UnitLine_Kind, type ActionSchema, type DealResultSchema, type DealViewSchema, type TrickSchema } from "../gen/tarot/rules/v1/deal_pb";
import type { DealRecordSchema } from "../gen/tarot/rules/v1/deal_record_pb";
import { Contract } from "../gen/tarot/rules/v1/rule_set_pb";
import type { ScoreSheet_DealSchema } from "../gen/tarot/rules/v1/score_sheet_pb";
import { Proposal_Kind, SaidPhrase_Phrase, Table_State, type TableSchema } from "../gen/tarot/rules/v1/table_pb";
import { suitOf } from "../src/state/cards";

/** The time on all screens: 20 November 2026, 20:15 in UTC. */
export const NOW = Date.UTC(2026, 10, 20, 20, 15);
/** Returns the moment that is this many milliseconds after NOW, or before NOW if the number is
 *  negative. */
export const at = (milliseconds: number) => ({ seconds: BigInt(Math.floor((NOW + milliseconds) / 1000)), nanos: 0 });

export type TableInit = MessageInitShape<typeof TableSchema>;
type DealInit = MessageInitShape<typeof DealViewSchema>;

/** Returns the card of a name of docs/notation.md: S1 to S9, ST, SJ, SN, SQ and SK; the same for H,
 *  D and C; T1 to T21; X. */
function card(name: string): number {
  if (name === "X") return 77;
  if (/^T\d/.test(name)) return 55 + Number(name.slice(1));
  const rank = "0123456789TJNQK".indexOf(name[1]!);
  return "SHDC".indexOf(name[0]!) * 14 + rank - 1;
}
const cards = (names: string) => names.split(" ").map(card);

export const ANA = "players/6f0d1c9a-0000-4000-8000-000000000001";
export const PEOPLE = [
  { player: ANA, displayName: "Ana" }, { player: "players/b", displayName: "Papillon", botLevel: "strong" },
  { player: "players/6f0d1c9a-0000-4000-8000-000000000003", displayName: "Chloé" }, { player: "players/6f0d1c9a-0000-4000-8000-000000000004", displayName: "Driss" },
];
const FIFTH = { player: "players/b5", displayName: "Carnaval", botLevel: "club" };
const [A, B, C, D] = [0, 1, 2, 3];

/** The tricks of the deal: the seat that leads, the cards in the order of play, and the seat that wins. */
const TRICKS = `A D1 D7 DQ DK D|D H2 HJ HQ T2 C|C S1 SQ SK S2 A|A D2 T21 D4 T9 B|B C1 T4 C5 C3 C|C T5 T11 T15 T16 B|B C2 T8 C9 C6 C|C D8 T13 D3 T18 B|B H4 T12 H6 H3 C
C D9 S5 D5 T10 B|B C4 T14 CN C7 C|C DT S6 D6 T19 B|B H5 T17 HK H7 C|C T20 S7 T3 H9 C|C DJ S8 T6 S9 A|A H8 HT T1 ST C|C X CK T7 CT A|A SJ CQ DN SN D`
  .split(/[|\n]/).map((line) => line.split(" ")).map((words) => ({ leader: "ABCD".indexOf(words[0]!), cards: words.slice(1, 5).map(card), winner: "ABCD".indexOf(words[5]!) }));
const DOG = cards("T5 X S1 DN DJ D4");
/** The cards of the écart. */
export const LAID = cards("S4 S3 HN H1 CJ C8");

/** Returns the cards that a seat has before a trick. The number of the first trick is 1. */
const handBefore = (seat: number, trick: number) => TRICKS.slice(trick - 1).map((one) => one.cards[(seat - one.leader + 4) % 4]!);
const dealt = (seat: number) => (seat === C ? [...handBefore(C, 1), ...LAID].filter((one) => !DOG.includes(one)) : handBefore(seat, 1));

const seats = (totals: number[], people = PEOPLE) => people.map((one, seat) => ({ ...one, total: totals[seat] ?? 0, timeBank: { seconds: 108n, nanos: 0 } }));
const TOTALS = [-149, -33, -33, 215];
const TOTALS_AFTER = [-77, 39, -249, 287];

/** Returns Ana's table in its third deal of four. */
const tableOf = (deal: DealInit, more: TableInit = {}): TableInit => ({
  name: "tables/x", revision: 40, state: Table_State.PLAYING, ranked: true, seats: seats(TOTALS), viewer: A, dealCount: 4, dealsScored: 2, dealNumber: 3,
  ruleSet: "fft", turnExpireTime: at(122_000), clocks: { moveLimit: { seconds: 30n, nanos: 0 }, timeBank: { seconds: 180n, nanos: 0 } },
  ...more, deal: { ruleSet: "fft", playerCount: 4, dealer: D, viewer: more.viewer ?? A, ...deal },
} as TableInit);

const BID: DealInit = { bids: [Contract.PASS, Contract.PASS, Contract.GARDE, Contract.PASS], taker: C, contract: Contract.GARDE };

/** Ana bids after two other seats. */
export const auction = (): TableInit => tableOf({
  phase: Phase.BIDDING, dealer: B, turn: A, hand: dealt(A), handCounts: [18, 18, 18, 18], bids: [Contract.PRISE, Contract.PASS],
  legal: { bids: [Contract.PASS, Contract.GARDE, Contract.GARDE_SANS, Contract.GARDE_CONTRE] },
});

/** Chloé makes the écart. */
export const ecart = (): TableInit => tableOf({
  ...BID, phase: Phase.DISCARDING, turn: C, viewer: C, hand: [...handBefore(C, 1), ...LAID], handCounts: [18, 18, 24, 18], dog: DOG,
  legal: { discards: [...handBefore(C, 1), ...LAID].filter((one) => one < 56 && one % 14 !== 13), discardCount: 6, slam: true },
}, { viewer: C });

export const slam = (): TableInit => tableOf({
  ...BID, phase: Phase.SLAM, turn: C, viewer: C, hand: handBefore(C, 1), handCounts: [18, 18, 18, 18], dog: DOG, discard: LAID, legal: { slam: true },
}, { viewer: C });

const diamonds = (hand: number[]) => hand.filter((one) => suitOf(one) === "D");
const trumps = handBefore(C, 1).filter((one) => one >= 56);
/** Chloé may show a handful before her first card. */
export const handful = (): TableInit => tableOf({
  ...BID, phase: Phase.PLAYING, turn: C, viewer: C, hand: handBefore(C, 1), handCounts: [17, 17, 18, 18], dog: DOG, discard: LAID,
  tricks: [{ leader: A, cards: TRICKS[0]!.cards.slice(0, 2), winning: B }],
  legal: {
    cards: diamonds(handBefore(C, 1)), handfulSizes: [10], handfulCards: trumps,
    refused: [{ why: "MUST_FOLLOW_SUIT", suit: 2, cards: handBefore(C, 1).filter((one) => suitOf(one) !== "D") }],
  },
}, { viewer: C });

const tricks = (done: number, open: MessageInitShape<typeof TrickSchema>): MessageInitShape<typeof TrickSchema>[] =>
  [...TRICKS.slice(0, done).map((one, trick) => ({ ...one, cards: trick === done - 1 ? one.cards : [] })), open];

const FIFTH_TRICK: DealInit = {
  ...BID, phase: Phase.PLAYING, turn: A, handCounts: [14, 13, 13, 13], dog: DOG, handfuls: [{ seat: C, level: 1 }],
  tricks: tricks(4, { leader: B, cards: TRICKS[4]!.cards.slice(0, 3), winning: C }),
};
const clubs = (hand: number[]) => hand.filter((one) => suitOf(one) === "C");

/** Ana has to follow clubs in the fifth trick. */
export const table = (more: TableInit = {}): TableInit => {
  const hand = handBefore(A, 5);
  return tableOf({
    ...FIFTH_TRICK, hand,
    legal: { cards: clubs(hand), refused: [{ why: "MUST_FOLLOW_SUIT", suit: 3, cards: hand.filter((one) => suitOf(one) !== "C") }] },
  }, { phrases: { 3: { phrase: SaidPhrase_Phrase.ONE_MOMENT, sayTime: at(-2000) } }, ...more });
};

export const held = (): TableInit => table({ seats: seats(TOTALS).map((seat, index) => ({ ...seat, heldByBot: index === A })), phrases: {} });
export const proposal = (): TableInit => table({
  ranked: false, options: { takeBack: true, breaks: true }, phrases: {}, turnExpireTime: undefined,
  proposal: { kind: Proposal_Kind.TAKE_BACK, seat: C, pendingSeats: [A], expireTime: at(15_000), revision: 39 },
});

/** Returns the table as a person without a seat sees it, with no hand. */
export const watching = (): TableInit => {
  const shown = tableOf({ ...FIFTH_TRICK, hand: [] });
  delete (shown as { viewer?: number }).viewer;
  delete (shown.deal as { viewer?: number }).viewer;
  return shown;
};

/** Five players: Ana takes and calls. */
export const call = (): TableInit => tableOf({
  playerCount: 5, dealer: 4, phase: Phase.CALLING, turn: A, taker: A, contract: Contract.GARDE, bids: [Contract.GARDE, 1, 1, 1, 1], handCounts: [15, 15, 15, 15, 15],
  hand: cards("T21 T18 T15 T12 T9 T4 X SK SQ S7 H5 H2 DK D6 C9"), legal: { calls: cards("SK HK DK CK") },
}, { seats: seats([10, -40, 60, -20, -10], [...PEOPLE, FIFTH]) });

/** Returns a table of three or five players in the middle of a trick. */
export const other = (players: 3 | 5): TableInit => {
  const five = players === 5;
  const hand = cards(five ? "T17 T11 T6 SK S9 S4 H8 HQ D2 DJ C7 C3" : "T20 T16 T13 T9 T7 T3 SJ S8 S6 S2 HK HT H5 H4 H2 DQ D9 D8 CK CN CT C6 C4");
  return tableOf({
    playerCount: players, dealer: players - 1, phase: Phase.PLAYING, turn: A, taker: five ? 3 : 1, contract: five ? Contract.GARDE : Contract.PRISE, bids: five ? [1, 1, 1, 3, 1] : [1, 2, 1],
    hand, handCounts: five ? [12, 11, 11, 11, 11] : [23, 22, 22], dog: five ? cards("T5 S1 D4") : DOG,
    ...(five ? { calledCard: card("HK") } : {}),
    tricks: [
      ...(five ? [{ leader: A, cards: [], winner: 3 }, { leader: 3, cards: [], winner: 3 }] : []),
      { leader: five ? 3 : 1, cards: five ? cards("C5 CJ C2 CQ T2") : cards("D1 D3 DK"), winner: 1 },
      { leader: 1, cards: five ? cards("H3 H9 T8 H1") : cards("S3 SQ"), winning: five ? 3 : 2 },
    ],
    legal: five ? { cards: cards("H8 HQ"), refused: [{ why: "MUST_FOLLOW_SUIT", suit: 1, cards: hand.filter((one) => suitOf(one) !== "H") }] }
      : { cards: cards("SJ S8 S6 S2"), refused: [{ why: "MUST_FOLLOW_SUIT", suit: 0, cards: hand.filter((one) => suitOf(one) !== "S") }] },
  }, { seats: seats([10, -40, 60, -20, -10], five ? [...PEOPLE, FIFTH] : PEOPLE.slice(0, 3)) });
};

const RESULT: MessageInitShape<typeof DealResultSchema> = {
  outcome: DealResult_Outcome.SCORED, taker: C, contract: Contract.GARDE, attackHalfPoints: 80, neededHalfPoints: 82, bouts: 2, won: false, difference: 1,
  handfulPoints: -20, unit: -72, scores: [72, 72, -216, 72], shares: [-1, -1, 3, -1],
  cardPoints: [
    { source: CardPointsLine_Source.TRICKS, halfPoints: 60, tricks: 8 }, { source: CardPointsLine_Source.DISCARD, halfPoints: 12 },
    { source: CardPointsLine_Source.EXCUSE, halfPoints: 8 },
  ],
  unitLines: [
    { kind: UnitLine_Kind.CONTRACT, points: -52, base: 25, difference: 1, multiplier: 2 }, { kind: UnitLine_Kind.HANDFUL, points: -20, seat: C, level: 1 },
  ],
};

/** Returns the table at the end of the deal. */
export const score = (more: TableInit = {}): TableInit => tableOf({
  ...BID, phase: Phase.DONE, hand: [], handCounts: [0, 0, 0, 0], dog: DOG, discard: LAID, handfuls: [{ seat: C, level: 1, cards: trumps.slice(0, 10) }],
  tricks: TRICKS, result: RESULT,
}, { state: Table_State.DEALING, dealsScored: 3, seats: seats(TOTALS_AFTER), turnExpireTime: undefined, ...more });
export const matchOver = (): TableInit => score({ state: Table_State.FINISHED, dealsScored: 4, dealNumber: 4 });

const line = (number: number, taker: number, contract: Contract, won: boolean, difference: number, scores: number[], totals: number[]): MessageInitShape<typeof ScoreSheet_DealSchema> =>
  ({ number, result: { outcome: DealResult_Outcome.SCORED, taker, contract, won, difference, scores }, totals });
export const SHEET = [
  line(1, D, Contract.GARDE, true, 6, [-62, -62, -62, 186], [-62, -62, -62, 186]), line(2, A, Contract.PRISE, false, 4, [-87, 29, 29, 29], [-149, -33, -33, 215]),
];

type Kind = NonNullable<MessageInitShape<typeof ActionSchema>["kind"]>;
const entry = (seat: number, kind: Kind) => ({ seat, action: { kind } });
const ENTRIES = [
  ...[Contract.PASS, Contract.PASS, Contract.GARDE, Contract.PASS].map((contract, seat) => entry(seat, { case: "bid", value: { contract } })),
  entry(C, { case: "discard", value: { cards: LAID } }), entry(C, { case: "slam", value: { announce: false } }),
  ...TRICKS.flatMap((one, trick) => one.cards.flatMap((value, turn) => {
    const seat = (one.leader + turn) % 4;
    const shows = trick === 0 && seat === C ? [entry(C, { case: "handful", value: { cards: trumps.slice(0, 10) } })] : [];
    return [...shows, entry(seat, { case: "play", value: { card: value } })];
  })),
];

export const record = (finishTime: ReturnType<typeof at>): MessageInitShape<typeof DealRecordSchema> => ({
  name: "tables/x/deals/3", ruleSet: "fft", dealer: D, players: PEOPLE, hands: [A, B, C, D].map((seat) => ({ cards: dealt(seat) })), dog: DOG, entries: ENTRIES, result: RESULT,
  finishTime, seed: new Uint8Array(32), seedCommitment: new Uint8Array(32),
});

/** What the decisions of the taker cost in hundredths of a point, by their place in the record. */
const COSTS: Record<number, number> = { 2: 6200, 20: 2800, 31: 3200, 43: 11_400, 44: 4200, 48: 4100, 51: 9600, 52: 7200, 58: 13_200, 65: 5800 };
const play = (name: string): MessageInitShape<typeof ActionSchema> => ({ kind: { case: "play", value: { card: card(name) } } });

const bid = (contract: Contract): MessageInitShape<typeof ActionSchema> => ({ kind: { case: "bid", value: { contract } } });
const BIDS = [
  { action: bid(Contract.PASS), expected: 1200 }, { action: bid(Contract.PRISE), expected: -2500, contractChance: 437, low: -12_300, high: 9000 },
  { action: bid(Contract.GARDE), expected: -5000, contractChance: 437, low: -24_600, high: 18_000 },
  { action: bid(Contract.GARDE_CONTRE), expected: -66_470, contractChance: 63, low: -113_600, high: 48_600 },
];

function decision(index: number): MessageInitShape<typeof DecisionAnalysisSchema> {
  const { seat, action } = ENTRIES[index]!;
  const margin = index < 36 ? undefined : index < 51 ? 20 : index < 55 ? -8 : -2;
  const options = index === 43
    ? ([["T20", 26_200, 0], ["T14", 17_500, 2400], ["D9", 14_800, 1200], ["DJ", 13_200, 1200], ["X", 11_400, 48_600], ["T1", -15_000, 52_800]] as const)
      .map(([name, expected, openLoss]) => ({ action: play(name), expected, openLoss }))
    : index === 2 ? BIDS : [{ action, expected: 1000, openLoss: 0 }];
  const reasons = index === 43 ? [{ kind: Reason_Kind.PETIT_DANGER, card: card("T1"), otherCard: card("T20"), number: 615, betterNumber: 40 }] : [];
  const cost = COSTS[index];
  return { reasons, ...(cost ? { costLow: Math.round(cost * 0.8), costHigh: Math.round(cost * 1.2), better: options[0]!.action } : {}), ...(index === 2 ? { hand: { trumps: 7, bouts: [56, 77], kings: 1, suitLengths: [0, 2, 6, 1] } } : {}), entry: index, seat, played: action, forced: index > 70, worlds: 794, options, expectedCost: COSTS[index] ?? 0, ...(margin === undefined ? {} : { margin, contractMade: margin >= 0 }) };
}

export function analysis(): MessageInitShape<typeof AnalyzeDealResponseSchema>[] {
  const count = ENTRIES.length;
  const cost = (seat: number) => Object.entries(COSTS).reduce((sum, [index, one]) => sum + (ENTRIES[Number(index)]!.seat === seat ? one : 0), 0);
  return [
    ...ENTRIES.map((_, index) => ({ decisionCount: count, decisionsDone: index + 1, part: { case: "decision" as const, value: decision(index) } })),
    {
      decisionCount: count, decisionsDone: count,
      part: { case: "summary" as const, value: { seats: [A, B, C, D].map((seat) => ({ decisions: 15, expectedCost: cost(seat) })), turningPoints: [20, 51, 58], mistakes: [2, 43, 51, 58] } },
    },
  ];
}
