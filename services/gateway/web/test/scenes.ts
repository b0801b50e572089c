// The screens of the page with made-up people and with the deal of docs/notation.md, each in the
// state that the mock-ups of the design show. Every answer is the same in each run, so that a
// picture can be compared with an older picture.
import { fromBinary } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { AnalysisService } from "../gen/tarot/bot/v1/analysis_service_pb";
import { SessionService } from "../gen/tarot/gateway/v1/session_service_pb";
import { Friend_Relation, FriendService, Presence_State } from "../gen/tarot/matchmaking/v1/friend_service_pb";
import { MatchmakingService, Ticket_State, Ticket_WaitReason } from "../gen/tarot/matchmaking/v1/matchmaking_service_pb";
import { Room_State, Room_Visibility, RoomService } from "../gen/tarot/matchmaking/v1/room_service_pb";
import { ListRatingsRequestSchema, RatingService, Rating_Tier, RoleResult_Role } from "../gen/tarot/ratings/v1/rating_service_pb";
import { ListTablesRequestSchema, TableService, WatchTableRequestSchema } from "../gen/tarot/rules/v1/table_service_pb";
import { RecordService } from "../gen/tarot/rules/v1/record_service_pb";
import { RuleSetService } from "../gen/tarot/rules/v1/rule_set_service_pb";
import { RuleSet_Direction, Contract } from "../gen/tarot/rules/v1/rule_set_pb";
import { Table_State } from "../gen/tarot/rules/v1/table_pb";
import * as deals from "./scene_deals";
import { at, NOW } from "./scene_deals";
import { answer, type Answer } from "./server";

const MINUTE = 60_000;
const DAY = 86_400_000;

type Answers = Record<string, Answer | ((request: Uint8Array) => Answer)>;

export interface Scene {
  name: string;
  path: string;
  /** The selector of an element that shows that the screen is complete. */
  wait: string;
  answers: Answers;
  /** True if the person has no session yet. */
  first?: boolean;
  /** The values in the browser's storage, besides the session. */
  stored?: Record<string, unknown>;
  /** Clicks that lead to the screen. */
  act?(page: Page): Promise<void>;
}

const { ANA, PEOPLE } = deals;
export const me = ANA;

const rating = (player: string, displayName: string, value: number, deviation: number, matchCount: number, rank?: number, weekChange?: number, bot = false) => ({
  player, displayName, playerCount: 4, rating: value, deviation, matchCount, bot, tier: tierOf(value, rank),
  ...(rank === undefined ? {} : { rank }), ...(weekChange === undefined ? {} : { weekChange }),
});
const tierOf = (value: number, rank = 99) => (rank <= 2 ? Rating_Tier.VINGT_ET_UN : value > 1750 ? Rating_Tier.ROI : value > 1560 ? Rating_Tier.DAME : value > 1360 ? Rating_Tier.CAVALIER : Rating_Tier.VALET);

const TOP = [
  rating("players/t1", "Solène", 2004, 41, 812, 1, 0), rating("players/t2", "Baptiste", 1978, 44, 640, 2, 3), rating("players/t3", "Carnaval", 1951, 38, 1204, 3, -1, true),
  rating("players/t4", "Nadège", 1933, 47, 388, 4, -1), rating("players/t5", "Émile", 1902, 52, 275, 5, 2), rating("players/t6", "Théodore de la Roche", 1874, 49, 431, 6),
];
const AROUND = [
  rating("players/a1", "Odile", 1547, 55, 201, 118, 4), rating(PEOPLE[3]!.player, "Driss", 1541, 61, 144, 119, -2), rating("players/a3", "Marius", 1536, 58, 92, 120, 0),
  rating(ANA, "Ana", 1528, 64, 87, 121, 12), rating("players/a5", "Firmin", 1522, 70, 66, 122, -7), rating("players/a6", "Colombine", 1519, 43, 510, 123, 1, true),
];

const queue = (name: string, playerCount: number, ranked: boolean, waitingCount: number) => ({
  name: `queues/${name}`, playerCount, ranked, dealCount: ranked ? 4 : 2, waitingCount, ruleSet: "fft", ...(ranked ? {} : { botFillDelay: { seconds: 8n, nanos: 0 } }),
});
const QUEUES = [3, 4, 5].flatMap((n) => [queue(`ranked${n}`, n, true, n - 2), queue(`casual${n}`, n, false, n === 4 ? 2 : 0)]);

const live = (id: string, ranked: boolean, dealsScored: number, people: [string, number, boolean?][]) => ({
  name: `tables/${id}`, ranked, dealsScored, dealCount: 4, dealNumber: dealsScored + 1, state: Table_State.PLAYING,
  seats: people.map(([displayName, total, bot]) => ({ player: `players/${displayName}`, displayName, total, botLevel: bot ? "club" : "" })),
});
const LIVE = [
  live("l1", true, 2, [["Solène", 214], ["Baptiste", -38], ["Nadège", -96], ["Émile", -80]]),
  live("l2", true, 0, [["Odile", 0], ["Marius", 0], ["Firmin", 0]]),
  live("l3", false, 1, [["Zoé", 62], ["Papillon", 62, true], ["Carnaval", -186, true], ["Hugo", 62]]),
  live("l4", true, 3, [["Lucie", 410], ["Théodore de la Roche", -55], ["Paul", -120], ["Inès", -205], ["Sacha", -30]]),
];

const RULES = { direction: RuleSet_Direction.CCW, mult: [1, 2, 4, 6], thresholds: [56, 51, 41, 36], bids: { contracts: [Contract.PASS, Contract.PRISE, Contract.GARDE, Contract.GARDE_SANS, Contract.GARDE_CONTRE] } };
const tables = TableService.method;
const ratings = RatingService.method;

/** The answers that every screen has, unless it has another answer of its own. */
const COMMON: Answers = {
  ListRuleSets: answer(RuleSetService.method.listRuleSets, { ruleSets: [
    { name: "fft", description: "The rules of the French federation", playerCounts: [3, 4, 5], rules: RULES },
    { name: "pagat", description: "The rules of pagat.com", playerCounts: [3, 4, 5], rules: RULES },
  ] }),
  ListQueues: answer(MatchmakingService.method.listQueues, { queues: QUEUES }),
  ListTables: (request) => answer(tables.listTables, { tables: fromBinary(ListTablesRequestSchema, request).player ? [] : LIVE }),
  GetRating: answer(ratings.getRating, { rating: AROUND[3]! }),
  BatchGetRatings: answer(ratings.batchGetRatings, { ratings: [AROUND[3]!, rating(PEOPLE[2]!.player, "Chloé", 1785, 48, 320, 21), AROUND[1]!] }),
  GetScoreSheet: answer(RecordService.method.getScoreSheet, { sheet: { deals: deals.SHEET } }),
  ListRooms: answer(RoomService.method.listRooms, {}),
  ListFriends: answer(FriendService.method.listFriends, {}),
};

/** Returns the answer of a scene to a call. */
export function answered(scene: Scene | undefined, method: string, request: Uint8Array): Answer | undefined {
  const found = scene?.answers[method] ?? COMMON[method];
  return typeof found === "function" ? found(request) : found;
}

const showsTable = (table: deals.TableInit, disconnectedSeats: number[] = []): Answers => ({ WatchTable: answer(tables.watchTable, { table, disconnectedSeats }) });
const hand = ".hand button";

/** The screens of a table. */
const TABLES: Scene[] = [
  { name: "auction", path: "/t/x", wait: ".bids", answers: showsTable(deals.auction()) },
  { name: "call", path: "/t/x", wait: ".calls", answers: showsTable(deals.call()), act: async (page) => { await page.click("[data-call] >> nth=1"); } },
  {
    name: "ecart", path: "/t/x", wait: '[data-test="lay"]', answers: showsTable(deals.ecart()),
    act: async (page) => {
      // The page ignores a click right after the hand has changed.
      await page.waitForTimeout(300);
      for (const card of deals.LAID.slice(0, 4)) await page.click(`.hand [data-card="${card}"]`, { position: { x: 8, y: 20 } });
      await page.mouse.move(0, 0);
    },
  },
  { name: "slam", path: "/t/x", wait: '[data-test="no-slam"]', answers: showsTable(deals.slam()) },
  { name: "handful", path: "/t/x", wait: '[data-test="no-handful"]', answers: showsTable(deals.handful()) },
  { name: "table", path: "/t/x", wait: hand, answers: showsTable(deals.table()) },
  { name: "table3", path: "/t/x", wait: hand, answers: showsTable(deals.other(3)) },
  { name: "table5", path: "/t/x", wait: hand, answers: showsTable(deals.other(5)) },
  { name: "watching", path: "/t/x", wait: ".trick", answers: showsTable(deals.watching()) },
  { name: "held", path: "/t/x", wait: '[data-test="resume"]', answers: showsTable(deals.held()) },
  {
    name: "lost", path: "/t/x", wait: hand,
    // The first stream breaks after its view. The later streams break without a view.
    answers: { WatchTable: (request) => ({
      messages: fromBinary(WatchTableRequestSchema, request).afterRevision === undefined ? answer(tables.watchTable, { table: deals.table() }).messages : [], breaks: true,
    }) },
    act: async (page) => {
      await page.waitForTimeout(300);
      await page.clock.setFixedTime(NOW + 5000);
      await page.waitForSelector(".chip.lost");
    },
  },
  { name: "disconnected", path: "/t/x", wait: hand, answers: showsTable(deals.table({ phrases: {} }), [2]) },
  { name: "proposal", path: "/t/x", wait: ".banner2", answers: showsTable(deals.proposal()) },
  { name: "score", path: "/t/x", wait: ".pay", answers: showsTable(deals.score()) },
  { name: "match-over", path: "/t/x", wait: '[data-test="again"]', answers: showsTable(deals.matchOver()) },
  { name: "person", path: "/t/x", wait: hand, answers: showsTable(deals.table()), act: async (page) => { await page.click(".seat.left .plate"); await page.waitForSelector("dialog[open]"); } },
];

const LOBBY: Scene[] = [
  { name: "first-visit", path: "/", wait: '[data-test="play"]', answers: {}, first: true },
  { name: "lobby", path: "/", wait: ".live", answers: {
    ListTables: (request) => answer(tables.listTables, { tables: fromBinary(ListTablesRequestSchema, request).player
      ? [{ ...live("own", true, 1, [["Ana", 40], ["Papillon", -10, true], ["Chloé", -20], ["Driss", -10]]), viewer: 0 }] : LIVE }),
  } },
  { name: "no-answer", path: "/", wait: ".note.bad", answers: { ListTables: { messages: [], error: { code: 9, reason: "BUG" } } } },
  {
    name: "waiting", path: "/", wait: ".window", stored: { ticket: "tickets/1", choice: { ranked: true, players: 4 } },
    answers: (() => {
      const ticket = {
        name: "tickets/1", queue: "queues/ranked4", state: Ticket_State.WAITING, createTime: at(-23_000), position: 2, waitingCount: 5,
        waitReason: Ticket_WaitReason.RATINGS_TOO_FAR, ratingWindow: 180,
      };
      return {
        GetTicket: answer(MatchmakingService.method.getTicket, { ticket }),
        WatchTicket: answer(MatchmakingService.method.watchTicket, { ticket }),
      };
    })(),
  },
];

const changes = Array.from({ length: 40 }, (_, index) => {
  const value = (game: number) => 1430 + 2.4 * game + 45 * Math.sin(game / 4) + 18 * Math.sin(game * 1.7);
  const game = 40 - index;
  return {
    table: `tables/m${game}`, ratingBefore: value(game - 1), ratingAfter: value(game), deviationAfter: 64 + 160 / (game + 1), matchTime: at(-index * 0.6 * DAY),
    points: Math.round(5 * (value(game) - value(game - 1))), luck: Math.round(30 * Math.sin(game)),
  };
});

const ROOM = {
  name: "rooms/r1", state: Room_State.GATHERING, visibility: Room_Visibility.PRIVATE, code: "K7Q2MX", hostSeat: 0, viewer: 0,
  terms: { ruleSet: "fft", playerCount: 4, dealCount: 4, moveLimit: { seconds: 45n, nanos: 0 } }, invited: [PEOPLE[3]!.player],
  seats: [{ player: ANA, displayName: "Ana" }, { player: PEOPLE[2]!.player, displayName: "Chloé" }, { player: "players/b", displayName: "Papillon", botLevel: "strong" }, {}],
};
const FRIENDS = [
  { player: PEOPLE[2]!.player, displayName: "Chloé", relation: Friend_Relation.FRIEND, presence: { state: Presence_State.PLAYING, table: "tables/l1" } },
  { player: PEOPLE[3]!.player, displayName: "Driss", relation: Friend_Relation.FRIEND, presence: { state: Presence_State.ONLINE } },
  { player: "players/f3", displayName: "Zoé", relation: Friend_Relation.REQUEST_RECEIVED },
  { player: "players/f4", displayName: "Hugo", relation: Friend_Relation.BLOCKED },
];

const OTHERS: Scene[] = [
  { name: "replay", path: "/t/x/3?d=43", wait: ".board .card", answers: {
    GetRecord: answer(RecordService.method.getRecord, { record: deals.record(at(-MINUTE)) }),
    AnalyzeDeal: answer(AnalysisService.method.analyzeDeal, ...deals.analysis()),
  }, act: async (page) => { await page.click('[data-test="analyse"]'); await page.waitForSelector(".opts"); await page.mouse.move(0, 0); } },
  { name: "ladder", path: "/ladder/4", wait: ".ladder .me", answers: {
    ListRatings: (request) => answer(ratings.listRatings, fromBinary(ListRatingsRequestSchema, request).around ? { ratings: AROUND, season: 3, totalSize: 2841 } : { ratings: TOP, season: 3, totalSize: 2841, nextPageToken: "2" }),
  } },
  { name: "profile", path: `/p/${ANA.slice(8)}`, wait: ".roles", answers: {
    ListRatingChanges: answer(ratings.listRatingChanges, { changes }),
    GetPlayerStatistics: answer(ratings.getPlayerStatistics, { matchCount: 87, roles: [
      { role: RoleResult_Role.TAKER, dealCount: 91, wonCount: 57, points: 4120n }, { role: RoleResult_Role.DEFENDER, dealCount: 257, wonCount: 121, points: -3340n },
    ] }),
    ListMatches: answer(ratings.listMatches, { matches: changes.slice(0, 6).map(({ table, matchTime, points, ratingBefore, ratingAfter }) => ({
      table, matchTime, points, ratingBefore, ratingAfter, dealCount: 4, opponents: [{ displayName: "Chloé" }, { displayName: "Driss" }, { displayName: "Papillon", bot: true }],
    })) }),
  } },
  { name: "live", path: "/live", wait: ".lives.wide .live", answers: {} },
  { name: "make-room", path: "/room", wait: ".sets select", answers: {} },
  { name: "room", path: "/r/r1", wait: ".seatlist", answers: {
    GetRoom: answer(RoomService.method.getRoom, { room: ROOM }), WatchRoom: answer(RoomService.method.watchRoom, { room: ROOM }),
    ListFriends: answer(FriendService.method.listFriends, { friends: FRIENDS }),
  } },
  { name: "friends", path: "/friends", wait: ".people", answers: { ListFriends: answer(FriendService.method.listFriends, { friends: FRIENDS }) } },
  { name: "settings", path: "/settings", wait: ".sets", answers: {} },
  { name: "account", path: "/account", wait: '[data-test="make"]', answers: { GetAccount: answer(SessionService.method.getAccount, {}) } },
  { name: "owner", path: "/account", wait: '[data-test="owner"]', answers: { GetAccount: answer(SessionService.method.getAccount, { account: { displayName: "Ana" } }) } },
  { name: "learn", path: "/learn", wait: ".lesson", answers: {}, act: async (page) => { await page.click('[data-test="go-on"]'); } },
  { name: "nothing", path: "/nothing", wait: ".page h1", answers: {} },
];

export const SCENES: readonly Scene[] = [...LOBBY, ...TABLES, ...OTHERS];
