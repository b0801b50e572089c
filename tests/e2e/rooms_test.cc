// Tests rooms on real processes, with guests' tokens and the public API only. Guests open a room
// for each rule set and each of its numbers of players. They play the room's match to the end with
// bots, and let the platform verify the records. In other tests, persons join a room by code or by
// invitation, and play a second match.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/player_thread.h"
#include "tools/cli/records.h"

namespace tarot::e2e {
namespace {

using client::Rooms;
using matchmaking::v1::ListRoomsRequest;
using matchmaking::v1::Room;
using rules::v1::DealRecord;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::string ReasonOf(const absl::Status& status) { return GetErrorDetails(status).reason; }

// A guest who uses rooms.
class Guest {
 public:
  Guest(Cluster& cluster, const std::string& name)
      : player_(std::make_unique<PlayerThread>(cluster.SignIn(name), name)) {}

  client::Client& client() { return player_->client(); }
  std::string id() const { return player_->id(); }

  absl::StatusOr<Room> Create(const matchmaking::v1::RoomTerms& terms,
                              Room::Visibility visibility = Room::PRIVATE) {
    matchmaking::v1::CreateRoomRequest request;
    *request.mutable_terms() = terms;
    request.set_visibility(visibility);
    request.set_request_id(client().NewRequestId());
    return RoomOf(client().Call(&Rooms::CreateRoom, request));
  }
  absl::StatusOr<Room> JoinByCode(const std::string& code) {
    matchmaking::v1::JoinRoomRequest request;
    request.set_code(code);
    request.set_request_id(client().NewRequestId());
    return RoomOf(client().Call(&Rooms::JoinRoom, request));
  }
  absl::StatusOr<Room> JoinByName(const std::string& name) {
    matchmaking::v1::JoinRoomRequest request;
    request.set_name(name);
    request.set_request_id(client().NewRequestId());
    return RoomOf(client().Call(&Rooms::JoinRoom, request));
  }
  absl::StatusOr<Room> Get(const std::string& name) {
    matchmaking::v1::GetRoomRequest request;
    request.set_name(name);
    return RoomOf(client().Call(&Rooms::GetRoom, request));
  }
  absl::Status Leave(const std::string& name, const std::string& player = "") {
    matchmaking::v1::LeaveRoomRequest request;
    request.set_name(name);
    request.set_player(player);
    return client().Call(&Rooms::LeaveRoom, request).status();
  }
  absl::StatusOr<Room> Invite(const std::string& name, const std::string& player) {
    matchmaking::v1::InvitePlayerRequest request;
    request.set_name(name);
    request.set_player(player);
    return RoomOf(client().Call(&Rooms::InvitePlayer, request));
  }
  absl::StatusOr<Room> SetBot(const std::string& name, int seat, const std::string& level) {
    matchmaking::v1::SetBotRequest request;
    request.set_name(name);
    request.set_seat(static_cast<std::uint32_t>(seat));
    request.set_bot_level(level);
    return RoomOf(client().Call(&Rooms::SetBot, request));
  }
  absl::StatusOr<Room> Start(const std::string& name) {
    matchmaking::v1::StartMatchRequest request;
    request.set_name(name);
    request.set_request_id(client().NewRequestId());
    return RoomOf(client().Call(&Rooms::StartMatch, request));
  }
  std::vector<std::string> List(ListRoomsRequest::Filter filter) {
    ListRoomsRequest request;
    request.set_filter(filter);
    const auto response = client().Call(&Rooms::ListRooms, request);
    EXPECT_TRUE(response.ok()) << response.status();
    std::vector<std::string> names;
    if (!response.ok()) return names;
    for (const Room& room : response->rooms()) names.push_back(room.name());
    return names;
  }

  // Waits until `done` returns true for the room, and returns the room. Returns nullopt after a
  // minute.
  template <typename Done>
  std::optional<Room> WaitFor(const std::string& name, Done done) {
    std::optional<Room> found;
    Eventually(absl::Minutes(1), [&] {
      const auto room = Get(name);
      if (room.ok() && done(*room)) found = *room;
      return found.has_value();
    });
    return found;
  }

  // Plays the match at `table` in a thread of its own, until Finish().
  void PlayAt(const std::string& table) { player_->PlayAt(table); }
  // Waits for the end of the match and expects no error.
  void Finish() {
    EXPECT_TRUE(Eventually(absl::Minutes(2), [&] { return player_->finished(); }));
    player_->Join();
    EXPECT_EQ(player_->error(), "");
  }

 private:
  template <typename Response>
  static absl::StatusOr<Room> RoomOf(const absl::StatusOr<Response>& response) {
    if (!response.ok()) return response.status();
    return response->room();
  }

  std::unique_ptr<PlayerThread> player_;
};

// Collects what one guest sees of a room by WatchRoom.
class RoomLog {
 public:
  RoomLog(Guest& guest, const std::string& room)
      : watch_(guest.client().WatchRoom(
            room,
            [this](const Room& now) {
              const std::lock_guard lock(mutex_);
              states_.insert(now.state());
              if (!now.table().empty()) tables_.insert(now.table());
            },
            [this](const absl::Status& status) {
              const std::lock_guard lock(mutex_);
              end_ = status;
            })) {}

  std::set<Room::State> states() {
    const std::lock_guard lock(mutex_);
    return states_;
  }
  std::set<std::string> tables() {
    const std::lock_guard lock(mutex_);
    return tables_;
  }
  // Waits for the end of the watch.
  absl::Status End() {
    std::optional<absl::Status> end;
    EXPECT_TRUE(Eventually(absl::Minutes(1), [&] {
      const std::lock_guard lock(mutex_);
      end = end_;
      return end.has_value();
    }));
    return end.value_or(absl::UnknownError("the watch has not ended"));
  }

 private:
  std::mutex mutex_;
  std::set<Room::State> states_;
  std::set<std::string> tables_;
  std::optional<absl::Status> end_;
  // The watch is destroyed first, because its callbacks use the other members.
  std::unique_ptr<client::Watch> watch_;
};

matchmaking::v1::RoomTerms Terms(const std::string& rule_set, std::uint32_t players) {
  matchmaking::v1::RoomTerms terms;
  terms.set_rule_set(rule_set);
  terms.set_player_count(players);
  terms.set_deal_count(1);
  terms.mutable_move_limit()->set_seconds(60);
  return terms;
}

class RoomsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cluster_ = new Cluster(
        {.population = 0,
         .rules_flags = {"--bot_delay=1ms", "--bots_only_delay=1ms", "--deal_pause=1ms"},
         .fsync = false});
  }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }

  // Returns the table of the match that runs in the room.
  static std::string StartAndFindTable(Guest& host, const std::string& room) {
    const auto started = host.Start(room);
    EXPECT_TRUE(started.ok()) << started.status();
    if (!started.ok()) return "";
    const auto playing = host.WaitFor(room, [](const Room& now) {
      EXPECT_FALSE(now.start_refused());
      return (now.state() == Room::PLAYING && !now.table().empty()) || now.start_refused();
    });
    return playing ? playing->table() : "";
  }

  static void WaitForEndOfMatch(Guest& guest, const std::string& room) {
    EXPECT_TRUE(
        guest.WaitFor(room, [](const Room& now) { return now.state() == Room::GATHERING; }));
  }

  // Returns the records of all deals of a table.
  static std::vector<DealRecord> Records(Guest& guest, const std::string& table) {
    rules::v1::ListRecordsRequest list;
    list.set_player(guest.id());
    list.set_page_size(100);
    const auto summaries = guest.client().Call(&client::Records::ListRecords, list);
    EXPECT_TRUE(summaries.ok()) << summaries.status();
    std::vector<DealRecord> records;
    if (!summaries.ok()) return records;
    for (const DealRecord& summary : summaries->records()) {
      if (summary.name().rfind(table + "/", 0) != 0) continue;
      rules::v1::GetRecordRequest get;
      get.set_name(summary.name());
      const auto record = guest.client().Call(&client::Records::GetRecord, get);
      EXPECT_TRUE(record.ok()) << record.status();
      if (record.ok()) records.push_back(record->record());
    }
    return records;
  }

  // Lets the platform verify and analyze the record. Converts the record to text and to bytes, and
  // expects the same record back.
  static void CheckRecord(Guest& guest, const DealRecord& record) {
    EXPECT_TRUE(IsProven(*cluster_, record));
    const auto document = cli::ToDocument(record);
    ASSERT_TRUE(document.ok()) << document.status();
    EXPECT_EQ(notation::Untruth(*document), "");
    for (const std::string format : {"tdn", "bin"}) {
      const auto written = cli::WriteRecord(document->record, format);
      ASSERT_TRUE(written.ok()) << written.status();
      const auto read = cli::ParseRecords(*written);
      ASSERT_TRUE(read.ok()) << read.status() << "\n" << *written;
      ASSERT_EQ(read->size(), 1u);
      EXPECT_EQ(notation::Untruth(read->front()), "");
      EXPECT_TRUE(read->front().record == document->record) << *written;
      EXPECT_EQ(cli::WriteRecord(read->front().record, format).value_or(""), *written);
    }
    if (record.result().scores_size() > 0) {
      DealRecord forged = record;
      forged.mutable_result()->set_scores(0, forged.result().scores(0) + 7);
      EXPECT_FALSE(IsProven(*cluster_, forged));
    }
    Analyze(guest, record);
  }

  // Checks the packs of a match whose rule set does not shuffle between deals. Each deal after a
  // scored deal must begin with the pack that the scored deal left.
  static void CheckPacks(const std::string& table, const std::vector<DealRecord>& records) {
    std::map<std::string, notation::Document> by_name;
    for (const DealRecord& record : records) {
      const auto document = cli::ToDocument(record);
      ASSERT_TRUE(document.ok()) << document.status();
      by_name[record.name()] = *document;
    }
    int gathered = 0;
    for (std::size_t number = 2; number <= records.size(); ++number) {
      const auto before = by_name.find(absl::StrCat(table, "/deals/", number - 1));
      const auto after = by_name.find(absl::StrCat(table, "/deals/", number));
      ASSERT_TRUE(before != by_name.end() && after != by_name.end()) << number;
      const auto truth = [&] {
        const auto check = notation::ProveGathered(&before->second, after->second);
        return check ? check->truth : notation::Truth::kUnknown;
      };
      EXPECT_EQ(truth(), notation::Truth::kTrue) << after->first;
      auto& pack = after->second.record.gathered;
      EXPECT_EQ(pack.has_value(), before->second.claims.outcome == rules::Outcome::kScored);
      if (!pack) continue;
      ++gathered;
      std::swap(pack->front(), pack->back());
      EXPECT_EQ(truth(), notation::Truth::kFalse) << "two cards of the pack are exchanged";
    }
    EXPECT_GT(gathered, 0);
  }

  static void Analyze(Guest& guest, const DealRecord& record) {
    bot::v1::AnalyzeDealRequest request;
    request.set_name(record.name());
    request.set_node_budget(20);
    request.set_open_node_budget(20);
    std::atomic<int> decisions = 0;
    std::atomic<bool> over = false;
    absl::Status end;
    const auto watch = guest.client().AnalyzeDeal(
        request,
        [&](const bot::v1::AnalyzeDealResponse& part) { decisions += part.has_decision() ? 1 : 0; },
        [&](const absl::Status& status) {
          end = status;
          over = true;
        });
    ASSERT_TRUE(Eventually(absl::Minutes(1), [&] { return over.load(); }));
    EXPECT_TRUE(end.ok()) << end;
    EXPECT_EQ(decisions, record.entries_size());
  }

  // Compares the score sheet of a finished match with the records of all its deals, and the totals
  // of the sheet with the totals of the table.
  static void CheckScoreSheet(Guest& guest, const std::string& table,
                              const std::vector<DealRecord>& records) {
    rules::v1::GetScoreSheetRequest request;
    request.set_name(table);
    const auto response = guest.client().Call(&client::Records::GetScoreSheet, request);
    ASSERT_TRUE(response.ok()) << response.status();
    const rules::v1::ScoreSheet& sheet = response->sheet();
    EXPECT_TRUE(sheet.finished());
    std::map<std::string, const DealRecord*> by_name;
    for (const DealRecord& record : records) by_name[record.name()] = &record;
    ASSERT_EQ(sheet.deals_size(), static_cast<int>(by_name.size()));
    std::vector<int> totals(static_cast<std::size_t>(sheet.players_size()), 0);
    for (int i = 0; i < sheet.deals_size(); ++i) {
      const rules::v1::ScoreSheet::Deal& deal = sheet.deals(i);
      EXPECT_EQ(deal.number(), static_cast<std::uint32_t>(i + 1));
      const auto found = by_name.find(absl::StrCat(table, "/deals/", deal.number()));
      ASSERT_NE(found, by_name.end()) << deal.number();
      const DealRecord& record = *found->second;
      EXPECT_EQ(deal.dealer(), record.dealer());
      EXPECT_EQ(deal.result().ShortDebugString(), record.result().ShortDebugString());
      for (int seat = 0; seat < record.result().scores_size(); ++seat)
        totals.at(static_cast<std::size_t>(seat)) += record.result().scores(seat);
      EXPECT_THAT(deal.totals(), ElementsAreArray(totals));
    }
    rules::v1::GetTableRequest get;
    get.set_name(table);
    const auto played = guest.client().Call(&client::Tables::GetTable, get);
    ASSERT_TRUE(played.ok()) << played.status();
    ASSERT_EQ(played->table().seats_size(), sheet.players_size());
    for (int seat = 0; seat < sheet.players_size(); ++seat) {
      EXPECT_EQ(sheet.players(seat).player(), played->table().seats(seat).player());
      EXPECT_EQ(totals[static_cast<std::size_t>(seat)], played->table().seats(seat).total());
    }
  }

  // Opens a room with bots, plays its match and checks the records and the score sheet.
  static void PlayRoom(Guest& guest, const matchmaking::v1::RoomTerms& terms) {
    const auto room = guest.Create(terms);
    ASSERT_TRUE(room.ok()) << room.status();
    for (int seat = 1; seat < room->seats_size(); ++seat) {
      const auto seated = guest.SetBot(room->name(), seat, "novice");
      ASSERT_TRUE(seated.ok()) << seated.status();
      EXPECT_EQ(seated->seats(seat).bot_level(), "novice");
      EXPECT_NE(seated->seats(seat).player(), "");
    }
    const std::string table = StartAndFindTable(guest, room->name());
    ASSERT_NE(table, "");
    guest.PlayAt(table);
    guest.Finish();
    WaitForEndOfMatch(guest, room->name());
    EXPECT_TRUE(guest.Leave(room->name()).ok());
    const std::vector<DealRecord> records = Records(guest, table);
    int scored = 0;
    for (const DealRecord& record : records) {
      if (record.result().outcome() == rules::v1::DealResult::SCORED) ++scored;
      EXPECT_EQ(record.players_size(), static_cast<int>(terms.player_count()));
      CheckRecord(guest, record);
    }
    EXPECT_EQ(scored, static_cast<int>(terms.deal_count())) << records.size() << " deals";
    const rules::NamedRuleSet* set = rules::FindRuleSet(terms.rule_set());
    if (set != nullptr && set->rules.shuffle == rules::Shuffle::kNoneBetweenDeals) {
      CheckPacks(table, records);
    }
    CheckScoreSheet(guest, table, records);
  }

  static Cluster* cluster_;
};

Cluster* RoomsTest::cluster_ = nullptr;

TEST_F(RoomsTest, EachRuleSetIsPlayedAtEachOfItsSizes) {
  Guest first(*cluster_, "First");
  const auto sets = first.client().Call(&client::RuleSets::ListRuleSets, {});
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_EQ(sets->rule_sets_size(), 15);
  std::vector<matchmaking::v1::RoomTerms> all;
  for (const rules::v1::RuleSetInfo& set : sets->rule_sets()) {
    for (const std::uint32_t players : set.player_counts())
      all.push_back(Terms(set.name(), players));
  }
  ASSERT_EQ(all.size(), 37u);
  // From the second deal on, booklet_customs has a gathered pack.
  for (matchmaking::v1::RoomTerms& terms : all) {
    if (terms.rule_set() == "booklet_customs") terms.set_deal_count(2);
  }
  // The last terms (rule set and number of players) have a custom rule set.
  all.push_back(Terms("", 4));
  all.back().mutable_rules()->set_preset("pagat");
  for (const std::uint32_t factor : {1, 2, 3, 5}) all.back().mutable_rules()->add_mult(factor);

  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Guest guest(*cluster_, absl::StrCat("Guest ", i));
      for (std::size_t at = next++; at < all.size(); at = next++) {
        SCOPED_TRACE(absl::StrCat(all[at].ShortDebugString()));
        PlayRoom(guest, all[at]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RoomsTest, CompanyGathersByCodeAndInvitationAndPlaysAReturnMatch) {
  Guest ada(*cluster_, "Ada"), bea(*cluster_, "Bea"), cleo(*cluster_, "Cleo"),
      dora(*cluster_, "Dora");
  const auto room = ada.Create(Terms("booklet", 4));
  ASSERT_TRUE(room.ok()) << room.status();
  const std::string name = room->name();
  EXPECT_EQ(room->code().size(), 6u);

  // Only the players in the room and the invited players can see the room.
  EXPECT_EQ(ReasonOf(dora.Get(name).status()), "ROOM_NOT_FOUND");
  EXPECT_EQ(ReasonOf(dora.JoinByName(name).status()), "ROOM_NOT_FOUND");
  EXPECT_THAT(dora.List(ListRoomsRequest::OPEN_SEATS), testing::Not(Contains(name)));
  for (const std::string code : {"ZZZZZZ", "A", "A-B-C!"}) {
    const std::string reason = ReasonOf(dora.JoinByCode(code).status());
    EXPECT_THAT(reason, testing::AnyOf("CODE_NOT_FOUND", "BAD_REQUEST")) << code;
  }

  const auto joined = bea.JoinByCode(absl::AsciiStrToLower(room->code()));
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->viewer(), 1u);
  EXPECT_EQ(joined->host_seat(), 0u);
  EXPECT_EQ(ReasonOf(bea.JoinByCode(room->code()).status()), "IN_ROOM");
  EXPECT_EQ(ReasonOf(bea.Create(Terms("fft", 4)).status()), "IN_ROOM");

  EXPECT_EQ(cleo.List(ListRoomsRequest::INVITED).size(), 0u);
  const auto invited = bea.Invite(name, cleo.id());
  ASSERT_TRUE(invited.ok()) << invited.status();
  EXPECT_THAT(invited->invited(), ElementsAre(cleo.id()));
  EXPECT_THAT(cleo.List(ListRoomsRequest::INVITED), ElementsAre(name));
  EXPECT_EQ(ReasonOf(bea.Invite(name, "players/00000000-0000-4000-8000-000000000077").status()),
            "PLAYER_NOT_FOUND");
  EXPECT_EQ(ReasonOf(dora.Invite(name, dora.id()).status()), "ROOM_NOT_FOUND");
  const auto seen = cleo.Get(name);
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ(seen->code(), "");
  ASSERT_TRUE(cleo.JoinByName(name).ok());

  EXPECT_EQ(ReasonOf(ada.Start(name).status()), "SEATS_FREE");
  EXPECT_EQ(ReasonOf(bea.SetBot(name, 3, "club").status()), "NOT_HOST");
  EXPECT_EQ(ReasonOf(ada.SetBot(name, 1, "club").status()), "SEAT_TAKEN");
  EXPECT_EQ(ReasonOf(ada.SetBot(name, 3, "genius").status()), "BAD_REQUEST");
  EXPECT_EQ(ReasonOf(ada.SetBot(name, 4, "club").status()), "BAD_REQUEST");
  ASSERT_TRUE(ada.SetBot(name, 3, "novice").ok());
  EXPECT_EQ(ReasonOf(dora.JoinByCode(room->code()).status()), "ROOM_FULL");
  EXPECT_EQ(ReasonOf(bea.Start(name).status()), "NOT_HOST");
  EXPECT_EQ(ReasonOf(bea.Leave(name, cleo.id())), "NOT_HOST");

  RoomLog bea_sees(bea, name), cleo_sees(cleo, name), dora_sees(dora, name);
  EXPECT_EQ(ReasonOf(dora_sees.End()), "ROOM_NOT_FOUND");
  std::vector<std::string> tables;
  for (int match = 0; match < 2; ++match) {
    const std::string table = StartAndFindTable(ada, name);
    ASSERT_NE(table, "");
    tables.push_back(table);
    EXPECT_EQ(ReasonOf(ada.Start(name).status()), "MATCH_RUNNING");
    EXPECT_EQ(ReasonOf(ada.SetBot(name, 3, "").status()), "MATCH_RUNNING");
    for (Guest* guest : {&ada, &bea, &cleo}) guest->PlayAt(table);
    for (Guest* guest : {&ada, &bea, &cleo}) guest->Finish();
    WaitForEndOfMatch(ada, name);
  }
  EXPECT_NE(tables[0], tables[1]);
  for (const std::string& table : tables) {
    const std::vector<DealRecord> records = Records(cleo, table);
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0].players(0).player(), ada.id());
    EXPECT_EQ(records[0].players(1).player(), bea.id());
    EXPECT_EQ(records[0].players(2).player(), cleo.id());
    for (const DealRecord& record : records) CheckRecord(cleo, record);
  }

  ASSERT_TRUE(ada.Leave(name).ok());
  EXPECT_EQ(ReasonOf(ada.Get(name).status()), "ROOM_NOT_FOUND");
  const auto without_ada = bea.Get(name);
  ASSERT_TRUE(without_ada.ok()) << without_ada.status();
  EXPECT_EQ(without_ada->host_seat(), 1u);
  EXPECT_EQ(without_ada->seats(0).player(), "");
  EXPECT_EQ(ReasonOf(bea.Start(name).status()), "SEATS_FREE");
  ASSERT_TRUE(dora.JoinByCode(room->code()).ok());
  ASSERT_TRUE(bea.Leave(name, dora.id()).ok());
  EXPECT_EQ(ReasonOf(dora.Get(name).status()), "ROOM_NOT_FOUND");
  EXPECT_EQ(ReasonOf(dora.JoinByCode(room->code()).status()), "REMOVED_FROM_ROOM");
  ASSERT_TRUE(bea.Leave(name).ok());
  EXPECT_EQ(ReasonOf(bea_sees.End()), "ROOM_NOT_FOUND");
  ASSERT_TRUE(cleo.Leave(name).ok());
  const absl::Status end = cleo_sees.End();
  EXPECT_TRUE(end.ok() || ReasonOf(end) == "ROOM_NOT_FOUND") << end;
  EXPECT_THAT(cleo_sees.states(), testing::IsSupersetOf({Room::GATHERING, Room::PLAYING}));
  EXPECT_THAT(cleo_sees.tables(), testing::IsSupersetOf(tables));
  EXPECT_EQ(ReasonOf(dora.JoinByCode(room->code()).status()), "CODE_NOT_FOUND");
}

// If all other seats have bots, a person who takes a card back gets it at once. The record and the
// score sheet then have only the card that the person played instead.
TEST_F(RoomsTest, NoRecordHasACardThatWasTakenBack) {
  using client::Tables;
  Guest ada(*cluster_, "Ada");
  matchmaking::v1::RoomTerms terms = Terms("fft", 4);
  terms.mutable_options()->set_take_back(true);
  terms.mutable_options()->set_breaks(true);
  const auto room = ada.Create(terms);
  ASSERT_TRUE(room.ok()) << room.status();
  EXPECT_TRUE(room->terms().options().take_back() && room->terms().options().breaks());
  for (int seat = 1; seat < 4; ++seat) ASSERT_TRUE(ada.SetBot(room->name(), seat, "novice").ok());
  const std::string name = StartAndFindTable(ada, room->name());
  ASSERT_NE(name, "");
  ada.PlayAt(name);
  const auto propose = [&](rules::v1::Proposal::Kind kind) {
    rules::v1::ProposeRequest request;
    request.set_name(name);
    request.set_kind(kind);
    request.set_request_id(ada.client().NewRequestId());
    return ada.client().Call(&Tables::Propose, request);
  };
  rules::v1::GetTableRequest get;
  get.set_name(name);
  EXPECT_TRUE(Eventually(absl::Minutes(2), [&] {
    const auto table = ada.client().Call(&Tables::GetTable, get);
    if (!table.ok() || !table->table().has_take_back_seat()) return false;
    EXPECT_EQ(table->table().take_back_seat(), table->table().viewer());
    const auto back = propose(rules::v1::Proposal::TAKE_BACK);
    if (!back.ok()) return false;  // On a busy machine, the next bot may have played already.
    const rules::v1::DealView& deal = back->table().deal();
    EXPECT_EQ(deal.turn(), back->table().viewer());
    EXPECT_EQ(deal.hand_size(), table->table().deal().hand_size() + 1);
    return true;
  }));
  const auto paused = propose(rules::v1::Proposal::BREAK);
  ASSERT_TRUE(paused.ok()) << paused.status();
  EXPECT_TRUE(paused->table().has_break_expire_time());
  EXPECT_FALSE(paused->table().has_turn_expire_time());
  EXPECT_EQ(ReasonOf(propose(rules::v1::Proposal::BREAK).status()), "PROPOSAL_REFUSED");
  rules::v1::EndBreakRequest end;
  end.set_name(name);
  end.set_request_id(ada.client().NewRequestId());
  EXPECT_TRUE(ada.client().Call(&Tables::EndBreak, end).ok());
  ada.Finish();
  WaitForEndOfMatch(ada, room->name());
  ASSERT_TRUE(ada.Leave(room->name()).ok());
  const std::vector<DealRecord> records = Records(ada, name);
  ASSERT_FALSE(records.empty());
  for (const DealRecord& record : records) CheckRecord(ada, record);
  CheckScoreSheet(ada, name, records);
}

TEST_F(RoomsTest, BadTermsAreRefusedWithAReason) {
  Guest ada(*cluster_, "Ada");
  const auto field = [&](const matchmaking::v1::RoomTerms& terms) {
    const auto room = ada.Create(terms);
    EXPECT_EQ(ReasonOf(room.status()), "BAD_REQUEST") << terms.ShortDebugString();
    return GetErrorDetails(room.status()).metadata["field"];
  };
  matchmaking::v1::RoomTerms terms = Terms("fft", 6);
  EXPECT_EQ(field(terms), "terms.player_count");
  terms = Terms("fft_dead5", 4);
  EXPECT_EQ(field(terms), "terms.player_count");
  terms = Terms("fft", 4);
  terms.set_deal_count(101);
  EXPECT_EQ(field(terms), "terms.deal_count");
  for (const std::int64_t seconds : {0, -5, 601}) {
    terms = Terms("fft", 4);
    terms.mutable_move_limit()->set_seconds(seconds);
    EXPECT_EQ(field(terms), "terms.move_limit");
  }
  terms = Terms("fft", 4);
  terms.mutable_time_bank()->set_seconds(3601);
  EXPECT_EQ(field(terms), "terms.time_bank");
  terms = Terms("", 4);
  terms.mutable_rules()->set_preset("fft");
  terms.mutable_rules()->mutable_hand()->set_four(17);
  const auto contradiction = ada.Create(terms);
  EXPECT_EQ(ReasonOf(contradiction.status()), "BAD_REQUEST");
  const auto facts = GetErrorDetails(contradiction.status()).metadata;
  EXPECT_EQ(facts.count("field") + facts.count("other_field"), 2u) << contradiction.status();
  EXPECT_EQ(ReasonOf(ada.Create(Terms("nowhere", 4)).status()), "RULE_SET_NOT_FOUND");
  EXPECT_THAT(ada.List(ListRoomsRequest::MINE), ElementsAre());
}

}  // namespace
}  // namespace tarot::e2e
