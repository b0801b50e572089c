// Defines the contract test of TicketStore. The fake store and the store on Postgres pass the same
// tests.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/app/waiting_tickets.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {

// The ids of the queues in TestCatalog.
inline constexpr char kQueue[] = "ranked4";
inline constexpr char kOtherQueue[] = "casual4";

// `Factory::Make()` returns a new, empty store.
template <typename Factory>
class TicketStoreContract : public testing::Test {
 protected:
  using Outcome = CreatedTicket::Outcome;

  TicketStoreContract() { EXPECT_THAT(store_->WriteCatalog(TestCatalog()), testkit::IsOk()); }

  NewTicket Draft(int age_seconds = 0) {
    return {.id = TicketId{entropy_.NewUuid()},
            .queue = kQueue,
            .player = PlayerId{entropy_.NewUuid()},
            .display_name = R"(Zoë "la \reine")",
            .request_id = RequestId{entropy_.NewUuid()},
            .create_time = now_ - absl::Seconds(age_seconds)};
  }

  Ticket Create(const NewTicket& draft) {
    const absl::StatusOr<CreatedTicket> created = store_->Create(draft);
    EXPECT_THAT(created, testkit::IsOk());
    return created.ok() ? created->ticket : Ticket();
  }

  PlannedTable Plan(const std::vector<Ticket>& tickets) {
    PlannedTable table{.id = TableId{entropy_.NewUuid()},
                       .queue = kQueue,
                       .terms = TestCatalog().queues[0].terms,
                       .rating_spread = 77,
                       .create_time = now_};
    for (const Ticket& ticket : tickets) {
      table.seats.push_back({.player = ticket.player,
                             .display_name = ticket.display_name,
                             .bot_level = ticket.bot_level,
                             .ticket = ticket.id});
    }
    return table;
  }

  // Returns true if the table is stored now.
  bool Place(const PlannedTable& table) {
    const absl::StatusOr<std::set<TableId>> placed = store_->Place({table});
    EXPECT_THAT(placed, testkit::IsOk());
    return placed.ok() && placed->contains(table.id);
  }

  Ticket Get(TicketId id) {
    const absl::StatusOr<std::vector<Ticket>> tickets = store_->Get({id});
    EXPECT_THAT(tickets, testkit::IsOk());
    return tickets.ok() && tickets->size() == 1 ? tickets->front() : Ticket();
  }

  // Returns the waiting tickets of kQueue. A replica that starts now gets the same tickets.
  std::vector<Ticket> Waiting() {
    WaitingTickets waiting(*store_);
    EXPECT_THAT(waiting.Refresh(), testkit::IsOk());
    return waiting.Of(kQueue);
  }

  const absl::Time now_ = absl::FromUnixMicros(1'800'000'000'123'456);
  SeededEntropy entropy_{7};
  std::unique_ptr<TicketStore> store_ = Factory::Make();
};

TYPED_TEST_SUITE_P(TicketStoreContract);

TYPED_TEST_P(TicketStoreContract, ReadsTheCatalogThatWasWritten) {
  EXPECT_EQ(this->store_->ReadCatalog().value(), TestCatalog());
  Catalog changed = TestCatalog();
  changed.queues[0].terms.move_limit = absl::Seconds(20);
  changed.queues[0].required_matches = 3;
  changed.queues[1].display_name = R"(Casual "for \all")";
  std::swap(changed.bots[0], changed.bots[31]);
  changed.bots.pop_back();
  ASSERT_THAT(this->store_->WriteCatalog(changed), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadCatalog().value(), changed);
}

TYPED_TEST_P(TicketStoreContract, ClosesQueueThatIsMissingInTheCatalog) {
  const Ticket waiting = this->Create(this->Draft());
  const Ticket placed = this->Create(this->Draft());
  const PlannedTable table = this->Plan({placed});
  ASSERT_TRUE(this->Place(table));
  Catalog casual_only = TestCatalog();
  casual_only.queues.erase(casual_only.queues.begin());
  ASSERT_THAT(this->store_->WriteCatalog(casual_only), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadCatalog().value(), casual_only);
  EXPECT_EQ(this->Get(waiting.id).state, TicketState::kCancelled);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::ElementsAre(table));
  EXPECT_THAT(this->store_->Create(this->Draft()), testkit::HasReason("STORAGE_AWAY"));

  ASSERT_THAT(this->store_->WriteCatalog(TestCatalog()), testkit::IsOk());
  this->Create(this->Draft());
}

TYPED_TEST_P(TicketStoreContract, PlacedTableKeepsItsTerms) {
  const PlannedTable table = this->Plan({this->Create(this->Draft())});
  ASSERT_TRUE(this->Place(table));
  Catalog changed = TestCatalog();
  changed.queues[0].terms.move_limit = absl::Seconds(5);
  ASSERT_THAT(this->store_->WriteCatalog(changed), testkit::IsOk());
  EXPECT_THAT(*this->store_->ListPlaced(), testing::ElementsAre(table));
}

TYPED_TEST_P(TicketStoreContract, CreatesAndReadsBack) {
  const NewTicket draft = this->Draft();
  const auto created = this->store_->Create(draft);
  ASSERT_THAT(created, testkit::IsOk());
  EXPECT_EQ(created->outcome, CreatedTicket::Outcome::kCreated);
  const Ticket expected{.id = draft.id,
                        .queue = kQueue,
                        .player = draft.player,
                        .display_name = draft.display_name,
                        .create_time = draft.create_time};
  EXPECT_EQ(created->ticket, expected);
  EXPECT_EQ(this->Get(draft.id), expected);
  const auto none = this->store_->Get({TicketId{this->entropy_.NewUuid()}});
  ASSERT_THAT(none, testkit::IsOk());
  EXPECT_THAT(*none, testing::IsEmpty());
}

TYPED_TEST_P(TicketStoreContract, ReturnsFirstTicketForRepeatedRequest) {
  NewTicket draft = this->Draft();
  const Ticket first = this->Create(draft);
  draft.id = TicketId{this->entropy_.NewUuid()};
  const auto again = this->store_->Create(draft);
  ASSERT_THAT(again, testkit::IsOk());
  EXPECT_EQ(again->outcome, CreatedTicket::Outcome::kReplayed);
  EXPECT_EQ(again->ticket, first);
  ASSERT_THAT(this->store_->Cancel(first.id, draft.player), testkit::IsOk());
  // The ticket has ended, but the store still knows the request.
  const auto later = this->store_->Create(draft);
  ASSERT_THAT(later, testkit::IsOk());
  EXPECT_EQ(later->outcome, CreatedTicket::Outcome::kReplayed);
  EXPECT_EQ(later->ticket.state, TicketState::kCancelled);
}

TYPED_TEST_P(TicketStoreContract, AllowsOneLiveTicketPerPlayerAndQueue) {
  NewTicket draft = this->Draft();
  const Ticket first = this->Create(draft);
  draft.id = TicketId{this->entropy_.NewUuid()};
  draft.request_id = RequestId{this->entropy_.NewUuid()};
  const auto second = this->store_->Create(draft);
  ASSERT_THAT(second, testkit::IsOk());
  EXPECT_EQ(second->outcome, CreatedTicket::Outcome::kHasAnother);
  EXPECT_EQ(second->ticket, first);

  draft.queue = kOtherQueue;
  const auto elsewhere = this->store_->Create(draft);
  ASSERT_THAT(elsewhere, testkit::IsOk());
  EXPECT_EQ(elsewhere->outcome, CreatedTicket::Outcome::kCreated);
}

// A player who queues and leaves in a loop must not fill the database with old tickets.
TYPED_TEST_P(TicketStoreContract, KeepsOneCancelledTicketPerPlayer) {
  NewTicket draft = this->Draft();
  std::vector<TicketId> tickets;
  for (int i = 0; i < 3; ++i) {
    draft.id = TicketId{this->entropy_.NewUuid()};
    draft.request_id = RequestId{this->entropy_.NewUuid()};
    const Ticket ticket = this->Create(draft);
    ASSERT_THAT(this->store_->Cancel(ticket.id, ticket.player), testkit::IsOk());
    tickets.push_back(ticket.id);
  }
  EXPECT_THAT(this->store_->Cancel(tickets[2], draft.player), testkit::IsOk()) << "a repeat";
  EXPECT_EQ(this->Get(tickets[2]).state, TicketState::kCancelled);
  for (const TicketId old : {tickets[0], tickets[1]}) {
    EXPECT_TRUE(absl::IsNotFound(this->store_->Cancel(old, draft.player).status()));
  }
}

TYPED_TEST_P(TicketStoreContract, CancelsOnlyWaitingTicketOfItsPlayer) {
  const Ticket ticket = this->Create(this->Draft());
  EXPECT_THAT(this->store_->Cancel(ticket.id, PlayerId{this->entropy_.NewUuid()}),
              testkit::StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(this->Get(ticket.id).state, TicketState::kWaiting);
  for (int twice = 0; twice < 2; ++twice) {
    const auto cancelled = this->store_->Cancel(ticket.id, ticket.player);
    ASSERT_THAT(cancelled, testkit::IsOk());
    EXPECT_EQ(cancelled->state, TicketState::kCancelled);
  }

  const Ticket placed = this->Create(this->Draft());
  const PlannedTable table = this->Plan({placed});
  ASSERT_TRUE(this->Place(table));
  const auto refused = this->store_->Cancel(placed.id, placed.player);
  ASSERT_THAT(refused, testkit::IsOk());
  EXPECT_EQ(refused->state, TicketState::kPlacing);
  EXPECT_EQ(refused->table, table.id);
}

TYPED_TEST_P(TicketStoreContract, ListsWaitingTicketsByAge) {
  const Ticket young = this->Create(this->Draft(/*age_seconds=*/1));
  const Ticket old = this->Create(this->Draft(/*age_seconds=*/9));
  const Ticket gone = this->Create(this->Draft(/*age_seconds=*/5));
  ASSERT_THAT(this->store_->Cancel(gone.id, gone.player), testkit::IsOk());
  EXPECT_THAT(this->Waiting(), testing::ElementsAre(old, young));
}

TYPED_TEST_P(TicketStoreContract, FollowsEveryChange) {
  WaitingTickets waiting(*this->store_);
  const auto expect_same = [&](const std::string& after) {
    ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
    EXPECT_EQ(waiting.Of(kQueue), this->Waiting()) << after;
    EXPECT_EQ(waiting.Count(kQueue), static_cast<int>(this->Waiting().size())) << after;
  };
  expect_same("an empty store");
  const Ticket a = this->Create(this->Draft(9)), b = this->Create(this->Draft(8));
  const Ticket c = this->Create(this->Draft(7)), d = this->Create(this->Draft(6));
  expect_same("new tickets");
  EXPECT_THAT(waiting.Of(kQueue), testing::ElementsAre(a, b, c, d));
  ASSERT_THAT(this->store_->Cancel(a.id, a.player), testkit::IsOk());
  expect_same("a cancellation");
  const PlannedTable refused = this->Plan({b, c}), made = this->Plan({d});
  ASSERT_TRUE(this->Place(refused) && this->Place(made));
  expect_same("tables");
  EXPECT_THAT(waiting.Of(kQueue), testing::IsEmpty());
  ASSERT_THAT(this->store_->Refuse({refused.id}), testkit::IsOk());
  ASSERT_THAT(this->store_->Confirm({made.id}), testkit::IsOk());
  expect_same("answers");
  EXPECT_THAT(waiting.Of(kQueue), testing::ElementsAre(b, c));
  Catalog casual_only = TestCatalog();
  casual_only.queues.erase(casual_only.queues.begin());
  ASSERT_THAT(this->store_->WriteCatalog(casual_only), testkit::IsOk());
  expect_same("a closed queue");
  EXPECT_THAT(waiting.Of(kQueue), testing::IsEmpty());
}

// The store deletes the older one of two cancelled tickets, so no change shows that this older
// ticket has ended.
TYPED_TEST_P(TicketStoreContract, NoticesATicketThatWasDeleted) {
  WaitingTickets waiting(*this->store_);
  NewTicket draft = this->Draft();
  const Ticket first = this->Create(draft);
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  ASSERT_THAT(this->store_->Cancel(first.id, first.player), testkit::IsOk());
  draft.queue = kOtherQueue;
  draft.id = TicketId{this->entropy_.NewUuid()};
  draft.request_id = RequestId{this->entropy_.NewUuid()};
  const Ticket second = this->Create(draft);
  ASSERT_THAT(this->store_->Cancel(second.id, second.player), testkit::IsOk());
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  EXPECT_EQ(waiting.Count(kQueue), 0);
}

TYPED_TEST_P(TicketStoreContract, KeepsTicketsThatDoNotChange) {
  WaitingTickets waiting(*this->store_);
  const Ticket ticket = this->Create(this->Draft());
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  EXPECT_THAT(waiting.Of(kQueue), testing::ElementsAre(ticket));
}

TYPED_TEST_P(TicketStoreContract, ListsLiveTicketsOfBots) {
  this->Create(this->Draft());
  NewTicket draft = this->Draft();
  draft.bot_level = "club";
  const Ticket bot = this->Create(draft);
  const PlannedTable table = this->Plan({bot});
  ASSERT_TRUE(this->Place(table));
  const auto live = this->store_->ListLiveBots();
  ASSERT_THAT(live, testkit::IsOk());
  ASSERT_THAT(*live, testing::SizeIs(1));
  EXPECT_EQ(live->at(0).id, bot.id);
  EXPECT_EQ(live->at(0).bot_level, "club");
  ASSERT_THAT(this->store_->Release({table.id}), testkit::IsOk());
  EXPECT_THAT(*this->store_->ListLiveBots(), testing::IsEmpty());
}

TYPED_TEST_P(TicketStoreContract, PlacesAllTicketsOrNone) {
  const Ticket a = this->Create(this->Draft()), b = this->Create(this->Draft());
  const Ticket gone = this->Create(this->Draft());
  ASSERT_THAT(this->store_->Cancel(gone.id, gone.player), testkit::IsOk());
  EXPECT_FALSE(this->Place(this->Plan({a, gone})));
  EXPECT_EQ(this->Get(a.id), a);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());

  PlannedTable table = this->Plan({b, a});
  table.seats.push_back({.player = PlayerId{this->entropy_.NewUuid()},
                         .display_name = "Papillon",
                         .bot_level = "novice"});
  EXPECT_TRUE(this->Place(table));
  EXPECT_EQ(this->Get(b.id).state, TicketState::kPlacing);
  EXPECT_EQ(this->Get(b.id).table, table.id);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::ElementsAre(table));
  EXPECT_FALSE(this->Place(this->Plan({a})));
}

TYPED_TEST_P(TicketStoreContract, JudgesEachTableOfABatchAlone) {
  std::vector<Ticket> tickets;
  for (int i = 0; i < 8; ++i) tickets.push_back(this->Create(this->Draft()));
  ASSERT_THAT(this->store_->Cancel(tickets[3].id, tickets[3].player), testkit::IsOk());
  std::vector<PlannedTable> tables;
  for (std::size_t i = 0; i < tickets.size(); i += 2) {
    tables.push_back(this->Plan({tickets[i], tickets[i + 1]}));
  }
  // One table has a custom rule set, and one table has a bot.
  tables[2].terms.rules = rules::FindRuleSet("fft")->rules;
  tables[3].seats.push_back(
      {.player = PlayerId{this->entropy_.NewUuid()}, .display_name = "P", .bot_level = "novice"});
  const auto placed = this->store_->Place(tables);
  ASSERT_THAT(placed, testkit::IsOk());
  EXPECT_THAT(*placed, testing::UnorderedElementsAre(tables[0].id, tables[2].id, tables[3].id));
  EXPECT_EQ(this->Get(tickets[2].id).state, TicketState::kWaiting);
  EXPECT_THAT(*this->store_->ListPlaced(),
              testing::UnorderedElementsAre(tables[0], tables[2], tables[3]));
  const std::vector<TableId> first = {tables[0].id, tables[1].id, tables[2].id};
  EXPECT_THAT(*this->store_->Confirm(first), testing::SizeIs(4));
  EXPECT_EQ(this->Get(tickets[0].id).state, TicketState::kMatched);
  EXPECT_EQ(this->Get(tickets[2].id).state, TicketState::kWaiting);
  const std::vector<TableId> all = {tables[0].id, tables[2].id, tables[3].id};
  EXPECT_THAT(*this->store_->Refuse(all), testing::SizeIs(2)) << "The others have an answer.";
  EXPECT_EQ(this->Get(tickets[4].id).state, TicketState::kMatched);
  EXPECT_EQ(this->Get(tickets[6].id).state, TicketState::kWaiting);
  EXPECT_THAT(*this->store_->Place({}), testing::IsEmpty());
}

// If a player has a live ticket, no table may seat this player without this ticket.
TYPED_TEST_P(TicketStoreContract, RefusesSeatWithoutTicketForBusyBot) {
  NewTicket draft = this->Draft();
  draft.bot_level = "strong";
  const Ticket bot = this->Create(draft);
  const Ticket person = this->Create(this->Draft());
  PlannedTable table = this->Plan({person});
  table.seats.push_back(
      {.player = bot.player, .display_name = bot.display_name, .bot_level = bot.bot_level});
  EXPECT_FALSE(this->Place(table));
  EXPECT_EQ(this->Get(person.id), person);
  const PlannedTable ranked = this->Plan({bot});
  ASSERT_TRUE(this->Place(ranked));
  EXPECT_FALSE(this->Place(table));
  ASSERT_THAT(this->store_->Release({ranked.id}), testkit::IsOk());
  EXPECT_TRUE(this->Place(table));
}

TYPED_TEST_P(TicketStoreContract, ConfirmsOnce) {
  const Ticket a = this->Create(this->Draft()), b = this->Create(this->Draft());
  const PlannedTable table = this->Plan({a, b});
  ASSERT_TRUE(this->Place(table));
  const auto matched = this->store_->Confirm({table.id});
  ASSERT_THAT(matched, testkit::IsOk());
  EXPECT_THAT(*matched, testing::UnorderedElementsAre(this->Get(a.id), this->Get(b.id)));
  EXPECT_EQ(this->Get(a.id).state, TicketState::kMatched);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm({table.id}), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Refuse({table.id}),
              // The refusal comes after the match has ended, so it changes nothing.
              testing::IsEmpty());
  EXPECT_EQ(this->Get(a.id).state, TicketState::kMatched);
}

TYPED_TEST_P(TicketStoreContract, RefusedTableReturnsTicketsWithTheirAge) {
  const Ticket a = this->Create(this->Draft(/*age_seconds=*/30));
  const PlannedTable table = this->Plan({a});
  ASSERT_TRUE(this->Place(table));
  const auto back = this->store_->Refuse({table.id});
  ASSERT_THAT(back, testkit::IsOk());
  EXPECT_THAT(*back, testing::ElementsAre(a));
  EXPECT_EQ(this->Get(a.id), a);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm({table.id}), testing::IsEmpty());
  EXPECT_TRUE(this->Place(this->Plan({a})));
}

TYPED_TEST_P(TicketStoreContract, ReleaseClosesTicketsAndRemembersTable) {
  const NewTicket draft = this->Draft(/*age_seconds=*/60);
  const Ticket first = this->Create(draft);
  const PlannedTable table = this->Plan({first});
  ASSERT_TRUE(this->Place(table));
  ASSERT_THAT(this->store_->Confirm({table.id}), testkit::IsOk());
  const auto closed = this->store_->Release({table.id});
  ASSERT_THAT(closed, testkit::IsOk());
  ASSERT_THAT(*closed, testing::SizeIs(1));
  EXPECT_EQ(closed->at(0).state, TicketState::kClosed);
  EXPECT_EQ(closed->at(0).table, table.id);
  EXPECT_THAT(*this->store_->Release({table.id}), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Release({TableId{this->entropy_.NewUuid()}}), testing::IsEmpty());

  NewTicket next = this->Draft();
  next.player = draft.player;
  EXPECT_EQ(this->Create(next).last_tables[0], table.id);
}

TYPED_TEST_P(TicketStoreContract, RemembersTheLastThreeTables) {
  const PlayerId player = this->Draft().player;
  std::vector<TableId> tables = {TableId(), TableId(), TableId()};  // Oldest first.
  for (int age_seconds = 60; age_seconds > 55; --age_seconds) {
    NewTicket draft = this->Draft(age_seconds);
    draft.player = player;
    const Ticket ticket = this->Create(draft);
    EXPECT_THAT(ticket.last_tables,
                testing::ElementsAre(tables.end()[-1], tables.end()[-2], tables.end()[-3]));
    EXPECT_EQ(this->Get(ticket.id).last_tables, ticket.last_tables);
    EXPECT_THAT(this->Waiting(), testing::Contains(ticket));
    const PlannedTable table = this->Plan({ticket});
    ASSERT_TRUE(this->Place(table));
    ASSERT_THAT(this->store_->Release({table.id}), testkit::IsOk());
    tables.push_back(table.id);
  }
}

TYPED_TEST_P(TicketStoreContract, ReleaseEndsTableWithoutConfirmation) {
  const Ticket a = this->Create(this->Draft());
  const PlannedTable table = this->Plan({a});
  ASSERT_TRUE(this->Place(table));
  EXPECT_THAT(*this->store_->Release({table.id}), testing::SizeIs(1));
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm({table.id}), testing::IsEmpty());
  EXPECT_EQ(this->Get(a.id).state, TicketState::kClosed);
}

TYPED_TEST_P(TicketStoreContract, KnowsTheNetworkOnlyWhileTheTicketWaits) {
  const auto create = [this] {
    NewTicket draft = this->Draft();
    draft.network = "0a00";
    const Ticket ticket = this->Create(draft);
    EXPECT_EQ(ticket.network, "0a00");
    return ticket;
  };
  const Ticket cancelled = create(), refused = create(), matched = create(), closed = create();
  EXPECT_THAT(this->Waiting(), testing::Each(testing::Field(&Ticket::network, "0a00")));
  EXPECT_EQ(this->store_->Cancel(cancelled.id, cancelled.player)->network, "");
  const PlannedTable first = this->Plan({refused});
  ASSERT_TRUE(this->Place(first));
  ASSERT_THAT(this->store_->Refuse({first.id}), testkit::IsOk());
  EXPECT_EQ(this->Get(refused.id).network, "0a00") << "It waits again.";
  const PlannedTable second = this->Plan({matched}), third = this->Plan({closed});
  ASSERT_TRUE(this->Place(second) && this->Place(third));
  ASSERT_THAT(this->store_->Confirm({second.id}), testkit::IsOk());
  EXPECT_EQ(this->Get(matched.id).network, "");
  ASSERT_THAT(this->store_->Release({third.id}), testkit::IsOk());
  EXPECT_EQ(this->Get(closed.id).network, "");
  Catalog casual_only = TestCatalog();
  casual_only.queues.erase(casual_only.queues.begin());
  ASSERT_THAT(this->store_->WriteCatalog(casual_only), testkit::IsOk());
  EXPECT_EQ(this->Get(refused.id).network, "");
}

TYPED_TEST_P(TicketStoreContract, KeepsRegionsAndRoundTrips) {
  NewTicket draft = this->Draft();
  draft.region = "eu-west";
  const Ticket ticket = this->Create(draft);
  EXPECT_EQ(ticket.region, "eu-west");
  EXPECT_EQ(this->Get(ticket.id).region, "eu-west");
  EXPECT_THAT(this->Waiting(), testing::Contains(ticket));
  Catalog catalog = TestCatalog();
  catalog.round_trips = {{"asia", "eu-west", 160}, {"eu-west", "us", 90}};
  ASSERT_THAT(this->store_->WriteCatalog(catalog), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadCatalog()->round_trips, catalog.round_trips);
  catalog.round_trips.pop_back();
  ASSERT_THAT(this->store_->WriteCatalog(catalog), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadCatalog()->round_trips, catalog.round_trips);
}

TYPED_TEST_P(TicketStoreContract, CountsAFinishedMatchOnceForEachPerson) {
  const Ticket a = this->Create(this->Draft()), b = this->Create(this->Draft());
  NewTicket draft = this->Draft();
  draft.bot_level = "strong";
  const Ticket bot = this->Create(draft);
  const PlannedTable table = this->Plan({a, b, bot});
  EXPECT_EQ(*this->store_->GetStanding(a.player), Standing());
  ASSERT_TRUE(this->Place(table));
  const FinishedMatch match{.table = table.id, .left = {b.player}, .time = this->now_};
  for (int twice = 0; twice < 2; ++twice) {
    ASSERT_THAT(this->store_->Release(match), testkit::IsOk());
    EXPECT_EQ(*this->store_->GetStanding(a.player),
              AfterMatch({}, EndOfMatch::kFinished, this->now_));
    EXPECT_EQ(*this->store_->GetStanding(b.player),
              AfterMatch({}, EndOfMatch::kLeftOthers, this->now_));
    EXPECT_EQ(*this->store_->GetStanding(bot.player), Standing());
  }
  const Standing first = *this->store_->GetStanding(b.player);
  NewTicket again = this->Draft();
  again.player = b.player;
  const PlannedTable second = this->Plan({this->Create(again)});
  ASSERT_TRUE(this->Place(second));
  ASSERT_THAT(this->store_->Release({.table = second.id, .left = {b.player}, .time = this->now_}),
              testkit::IsOk());
  EXPECT_EQ(*this->store_->GetStanding(b.player),
            AfterMatch(first, EndOfMatch::kLeftWithAll, this->now_));
}

TYPED_TEST_P(TicketStoreContract, AQueueStaysClosedUntilItIsOpened) {
  const Ticket waiting = this->Create(this->Draft());
  const PlannedTable table = this->Plan({this->Create(this->Draft())});
  ASSERT_TRUE(this->Place(table));
  EXPECT_EQ(this->store_->ListLive(waiting.player)->size(), 1u);
  EXPECT_EQ(this->store_->ListLive(table.seats[0].player)->at(0).state, TicketState::kPlacing);
  const auto cancelled = this->store_->SetQueueOpen(kQueue, false);
  ASSERT_THAT(cancelled, testkit::IsOk());
  ASSERT_EQ(cancelled->size(), 1u) << "A ticket with a table stays.";
  EXPECT_EQ(cancelled->front().id, waiting.id);
  EXPECT_EQ(this->Get(waiting.id).state, TicketState::kCancelled);
  EXPECT_TRUE(this->store_->ListLive(waiting.player)->empty());
  // WriteCatalog does not open the closed queue, so the second round finds the same state.
  for (int twice = 0; twice < 2; ++twice) {
    EXPECT_THAT(*this->store_->ListClosedQueues(), testing::ElementsAre(kQueue));
    ASSERT_EQ(this->store_->ReadCatalog()->queues.size(), 1u);
    EXPECT_EQ(this->store_->ReadCatalog()->queues[0].id, kOtherQueue);
    EXPECT_FALSE(this->store_->Create(this->Draft()).ok());
    ASSERT_THAT(this->store_->WriteCatalog(TestCatalog()), testkit::IsOk());
  }
  EXPECT_TRUE(this->store_->SetQueueOpen(kQueue, true)->empty());
  EXPECT_EQ(*this->store_->ReadCatalog(), TestCatalog());
  this->Create(this->Draft());
  EXPECT_TRUE(absl::IsNotFound(this->store_->SetQueueOpen("none", false).status()));

  // If the catalog leaves out a queue, the queue is removed. If a later catalog has the queue
  // again, it is a new queue and is open.
  ASSERT_THAT(this->store_->SetQueueOpen(kQueue, false), testkit::IsOk());
  Catalog casual_only = TestCatalog();
  casual_only.queues.erase(casual_only.queues.begin());
  ASSERT_THAT(this->store_->WriteCatalog(casual_only), testkit::IsOk());
  EXPECT_TRUE(absl::IsNotFound(this->store_->SetQueueOpen(kQueue, true).status()));
  ASSERT_THAT(this->store_->WriteCatalog(TestCatalog()), testkit::IsOk());
  EXPECT_EQ(*this->store_->ReadCatalog(), TestCatalog());
}

TYPED_TEST_P(TicketStoreContract, KeepsThePopulationWhenACatalogIsApplied) {
  EXPECT_FALSE(this->store_->ReadCatalog()->population);
  ASSERT_THAT(this->store_->SetPopulation(7), testkit::IsOk());
  ASSERT_THAT(this->store_->SetPopulation(5), testkit::IsOk());
  ASSERT_THAT(this->store_->WriteCatalog(TestCatalog()), testkit::IsOk());
  EXPECT_EQ(this->store_->ReadCatalog()->population, 5);
}

REGISTER_TYPED_TEST_SUITE_P(
    TicketStoreContract, AQueueStaysClosedUntilItIsOpened, KeepsThePopulationWhenACatalogIsApplied,
    ReadsTheCatalogThatWasWritten, ClosesQueueThatIsMissingInTheCatalog, PlacedTableKeepsItsTerms,
    CreatesAndReadsBack, ReturnsFirstTicketForRepeatedRequest, AllowsOneLiveTicketPerPlayerAndQueue,
    KeepsOneCancelledTicketPerPlayer, CancelsOnlyWaitingTicketOfItsPlayer, ListsWaitingTicketsByAge,
    FollowsEveryChange, NoticesATicketThatWasDeleted, KeepsTicketsThatDoNotChange,
    ListsLiveTicketsOfBots, PlacesAllTicketsOrNone, JudgesEachTableOfABatchAlone,
    RefusesSeatWithoutTicketForBusyBot, ConfirmsOnce, RefusedTableReturnsTicketsWithTheirAge,
    ReleaseClosesTicketsAndRemembersTable, RemembersTheLastThreeTables,
    ReleaseEndsTableWithoutConfirmation, CountsAFinishedMatchOnceForEachPerson,
    KnowsTheNetworkOnlyWhileTheTicketWaits, KeepsRegionsAndRoundTrips);

}  // namespace tarot::matchmaking_service
