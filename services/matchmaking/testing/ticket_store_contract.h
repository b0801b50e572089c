// The contract test of TicketStore. The fake store and the store on Postgres pass the same tests.
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

  Ticket Get(TicketId id) {
    const absl::StatusOr<std::vector<Ticket>> tickets = store_->Get({id});
    EXPECT_THAT(tickets, testkit::IsOk());
    return tickets.ok() && tickets->size() == 1 ? tickets->front() : Ticket();
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
  ASSERT_TRUE(*this->store_->Place(table));
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
  ASSERT_TRUE(*this->store_->Place(table));
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
  // The ticket has ended, but the request is still known.
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

// Otherwise a player who queues and leaves in a loop would fill the database.
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
  ASSERT_TRUE(*this->store_->Place(table));
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
  const auto waiting = this->store_->ListWaiting();
  ASSERT_THAT(waiting, testkit::IsOk());
  EXPECT_THAT(*waiting, testing::ElementsAre(old, young));
  const auto counts = this->store_->CountWaiting();
  ASSERT_THAT(counts, testkit::IsOk());
  EXPECT_EQ(*counts, (std::map<std::string, int>{{kQueue, 2}}));
}

TYPED_TEST_P(TicketStoreContract, ListsLiveTicketsOfBots) {
  this->Create(this->Draft());
  NewTicket draft = this->Draft();
  draft.bot_level = "club";
  const Ticket bot = this->Create(draft);
  const PlannedTable table = this->Plan({bot});
  ASSERT_TRUE(*this->store_->Place(table));
  const auto live = this->store_->ListLiveBots();
  ASSERT_THAT(live, testkit::IsOk());
  ASSERT_THAT(*live, testing::SizeIs(1));
  EXPECT_EQ(live->at(0).id, bot.id);
  EXPECT_EQ(live->at(0).bot_level, "club");
  ASSERT_THAT(this->store_->Release(table.id), testkit::IsOk());
  EXPECT_THAT(*this->store_->ListLiveBots(), testing::IsEmpty());
}

TYPED_TEST_P(TicketStoreContract, PlacesAllTicketsOrNone) {
  const Ticket a = this->Create(this->Draft()), b = this->Create(this->Draft());
  const Ticket gone = this->Create(this->Draft());
  ASSERT_THAT(this->store_->Cancel(gone.id, gone.player), testkit::IsOk());
  const auto impossible = this->store_->Place(this->Plan({a, gone}));
  ASSERT_THAT(impossible, testkit::IsOk());
  EXPECT_FALSE(*impossible);
  EXPECT_EQ(this->Get(a.id), a);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());

  PlannedTable table = this->Plan({b, a});
  table.seats.push_back({.player = PlayerId{this->entropy_.NewUuid()},
                         .display_name = "Papillon",
                         .bot_level = "novice"});
  const auto placed = this->store_->Place(table);
  ASSERT_THAT(placed, testkit::IsOk());
  EXPECT_TRUE(*placed);
  EXPECT_EQ(this->Get(b.id).state, TicketState::kPlacing);
  EXPECT_EQ(this->Get(b.id).table, table.id);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::ElementsAre(table));
  const auto again = this->store_->Place(this->Plan({a}));
  ASSERT_THAT(again, testkit::IsOk());
  EXPECT_FALSE(*again);
}

// If a player has a live ticket, no table may seat the player without that ticket.
TYPED_TEST_P(TicketStoreContract, RefusesSeatWithoutTicketForBusyBot) {
  NewTicket draft = this->Draft();
  draft.bot_level = "strong";
  const Ticket bot = this->Create(draft);
  const Ticket person = this->Create(this->Draft());
  PlannedTable table = this->Plan({person});
  table.seats.push_back(
      {.player = bot.player, .display_name = bot.display_name, .bot_level = bot.bot_level});
  EXPECT_FALSE(*this->store_->Place(table));
  EXPECT_EQ(this->Get(person.id), person);
  const PlannedTable ranked = this->Plan({bot});
  ASSERT_TRUE(*this->store_->Place(ranked));
  EXPECT_FALSE(*this->store_->Place(table));
  ASSERT_THAT(this->store_->Release(ranked.id), testkit::IsOk());
  EXPECT_TRUE(*this->store_->Place(table));
}

TYPED_TEST_P(TicketStoreContract, ConfirmsOnce) {
  const Ticket a = this->Create(this->Draft()), b = this->Create(this->Draft());
  const PlannedTable table = this->Plan({a, b});
  ASSERT_TRUE(*this->store_->Place(table));
  const auto matched = this->store_->Confirm(table.id);
  ASSERT_THAT(matched, testkit::IsOk());
  EXPECT_THAT(*matched, testing::UnorderedElementsAre(this->Get(a.id), this->Get(b.id)));
  EXPECT_EQ(this->Get(a.id).state, TicketState::kMatched);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm(table.id), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Refuse(table.id), testing::IsEmpty());  // The refusal comes too late.
  EXPECT_EQ(this->Get(a.id).state, TicketState::kMatched);
}

TYPED_TEST_P(TicketStoreContract, RefusedTableReturnsTicketsWithTheirAge) {
  const Ticket a = this->Create(this->Draft(/*age_seconds=*/30));
  const PlannedTable table = this->Plan({a});
  ASSERT_TRUE(*this->store_->Place(table));
  const auto back = this->store_->Refuse(table.id);
  ASSERT_THAT(back, testkit::IsOk());
  EXPECT_THAT(*back, testing::ElementsAre(a));
  EXPECT_EQ(this->Get(a.id), a);
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm(table.id), testing::IsEmpty());
  EXPECT_TRUE(*this->store_->Place(this->Plan({a})));
}

TYPED_TEST_P(TicketStoreContract, ReleaseClosesTicketsAndRemembersTable) {
  const NewTicket draft = this->Draft(/*age_seconds=*/60);
  const Ticket first = this->Create(draft);
  const PlannedTable table = this->Plan({first});
  ASSERT_TRUE(*this->store_->Place(table));
  ASSERT_THAT(this->store_->Confirm(table.id), testkit::IsOk());
  const auto closed = this->store_->Release(table.id);
  ASSERT_THAT(closed, testkit::IsOk());
  ASSERT_THAT(*closed, testing::SizeIs(1));
  EXPECT_EQ(closed->at(0).state, TicketState::kClosed);
  EXPECT_EQ(closed->at(0).table, table.id);
  EXPECT_THAT(*this->store_->Release(table.id), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Release(TableId{this->entropy_.NewUuid()}), testing::IsEmpty());

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
    const absl::StatusOr<std::vector<Ticket>> waiting = this->store_->ListWaiting();
    ASSERT_THAT(waiting, testkit::IsOk());
    EXPECT_THAT(*waiting, testing::Contains(ticket));
    const PlannedTable table = this->Plan({ticket});
    ASSERT_TRUE(*this->store_->Place(table));
    ASSERT_THAT(this->store_->Release(table.id), testkit::IsOk());
    tables.push_back(table.id);
  }
}

TYPED_TEST_P(TicketStoreContract, ReleaseEndsTableWithoutConfirmation) {
  const Ticket a = this->Create(this->Draft());
  const PlannedTable table = this->Plan({a});
  ASSERT_TRUE(*this->store_->Place(table));
  EXPECT_THAT(*this->store_->Release(table.id), testing::SizeIs(1));
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm(table.id), testing::IsEmpty());
  EXPECT_EQ(this->Get(a.id).state, TicketState::kClosed);
}

REGISTER_TYPED_TEST_SUITE_P(TicketStoreContract, ReadsTheCatalogThatWasWritten,
                            ClosesQueueThatIsMissingInTheCatalog, PlacedTableKeepsItsTerms,
                            CreatesAndReadsBack, ReturnsFirstTicketForRepeatedRequest,
                            AllowsOneLiveTicketPerPlayerAndQueue, KeepsOneCancelledTicketPerPlayer,
                            CancelsOnlyWaitingTicketOfItsPlayer, ListsWaitingTicketsByAge,
                            ListsLiveTicketsOfBots, PlacesAllTicketsOrNone,
                            RefusesSeatWithoutTicketForBusyBot, ConfirmsOnce,
                            RefusedTableReturnsTicketsWithTheirAge,
                            ReleaseClosesTicketsAndRemembersTable, RemembersTheLastThreeTables,
                            ReleaseEndsTableWithoutConfirmation);

}  // namespace tarot::matchmaking_service
