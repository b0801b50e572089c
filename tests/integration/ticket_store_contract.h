// What every TicketStore promises: the same checks for the fake and for Postgres.
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
#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

// The seeded queue of people of every store under test, and a second one.
inline constexpr char kQueue[] = "ranked4";
inline constexpr char kOtherQueue[] = "casual4";

// `Factory::Make()` returns a new, empty store with the queues and bots of the first migration.
template <typename Factory>
class TicketStoreContract : public testing::Test {
 protected:
  using Outcome = CreatedTicket::Outcome;

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

TYPED_TEST_P(TicketStoreContract, HoldsTheQueuesAndTheRoster) {
  const auto queues = this->store_->ListQueues();
  ASSERT_THAT(queues, testkit::IsOk());
  const Queue ranked{.id = "ranked4",
                     .display_name = "Ranked, four players, 4 deals",
                     .player_count = 4,
                     .rule_set = "fft",
                     .deal_count = 4,
                     .move_limit = absl::Seconds(30),
                     .time_bank = absl::Seconds(120),
                     .ranked = true};
  const Queue casual{.id = "casual4",
                     .display_name = "Casual, four players, 2 deals",
                     .player_count = 4,
                     .rule_set = "fft",
                     .deal_count = 2,
                     .move_limit = absl::Seconds(30),
                     .time_bank = absl::Seconds(60),
                     .bot_fill_delay = absl::Seconds(8)};
  EXPECT_THAT(*queues, testing::ElementsAre(ranked, casual));

  const auto bots = this->store_->ListBots();
  ASSERT_THAT(bots, testkit::IsOk());
  ASSERT_THAT(*bots, testing::SizeIs(32));
  EXPECT_EQ(bots->at(0).display_name, "Papillon");
  std::set<PlayerId> players;
  for (const Bot& bot : *bots) players.insert(bot.player);
  EXPECT_THAT(players, testing::SizeIs(32));
  std::vector<std::string> levels;
  for (const Bot& bot : *bots) levels.push_back(bot.level);
  EXPECT_THAT(std::vector<std::string>(levels.begin(), levels.begin() + 8),
              testing::ElementsAre("strong", "strong", "club", "strong", "novice", "novice", "club",
                                   "strong"));
  for (int four = 8; four < 24; four += 4) {  // Any few of the first 24 are mixed.
    EXPECT_THAT(std::vector<std::string>(levels.begin() + four, levels.begin() + four + 4),
                testing::ElementsAre("novice", "strong", "club", "strong"));
  }
  EXPECT_THAT(std::vector<std::string>(levels.begin() + 24, levels.end()), testing::Each("strong"));
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

TYPED_TEST_P(TicketStoreContract, TheSameRequestAgainIsTheFirstTicket) {
  NewTicket draft = this->Draft();
  const Ticket first = this->Create(draft);
  draft.id = TicketId{this->entropy_.NewUuid()};
  const auto again = this->store_->Create(draft);
  ASSERT_THAT(again, testkit::IsOk());
  EXPECT_EQ(again->outcome, CreatedTicket::Outcome::kReplayed);
  EXPECT_EQ(again->ticket, first);
  ASSERT_THAT(this->store_->Cancel(first.id, draft.player), testkit::IsOk());
  const auto later = this->store_->Create(draft);  // Also when the ticket has ended.
  ASSERT_THAT(later, testkit::IsOk());
  EXPECT_EQ(later->outcome, CreatedTicket::Outcome::kReplayed);
  EXPECT_EQ(later->ticket.state, TicketState::kCancelled);
}

TYPED_TEST_P(TicketStoreContract, OneLiveTicketAPlayerAndQueue) {
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

TYPED_TEST_P(TicketStoreContract, CancelsOnlyOnesOwnWaitingTicket) {
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

// Whoever waits or plays under a ticket is not seated without one at another table.
TYPED_TEST_P(TicketStoreContract, ABusyBotFillsNoSeat) {
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
  EXPECT_THAT(*this->store_->Refuse(table.id), testing::IsEmpty());  // Too late.
  EXPECT_EQ(this->Get(a.id).state, TicketState::kMatched);
}

TYPED_TEST_P(TicketStoreContract, ARefusedTablesTicketsWaitAgainWithTheirAge) {
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

TYPED_TEST_P(TicketStoreContract, ReleasesAndRemembersTheLastTable) {
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
  EXPECT_EQ(this->Create(next).last_table, table.id);
}

TYPED_TEST_P(TicketStoreContract, ReleaseEndsATableWhoseAnswerWasLost) {
  const Ticket a = this->Create(this->Draft());
  const PlannedTable table = this->Plan({a});
  ASSERT_TRUE(*this->store_->Place(table));
  EXPECT_THAT(*this->store_->Release(table.id), testing::SizeIs(1));
  EXPECT_THAT(*this->store_->ListPlaced(), testing::IsEmpty());
  EXPECT_THAT(*this->store_->Confirm(table.id), testing::IsEmpty());
  EXPECT_EQ(this->Get(a.id).state, TicketState::kClosed);
}

REGISTER_TYPED_TEST_SUITE_P(TicketStoreContract, HoldsTheQueuesAndTheRoster, CreatesAndReadsBack,
                            TheSameRequestAgainIsTheFirstTicket, OneLiveTicketAPlayerAndQueue,
                            CancelsOnlyOnesOwnWaitingTicket, ListsWaitingTicketsByAge,
                            ListsLiveTicketsOfBots, PlacesAllTicketsOrNone, ABusyBotFillsNoSeat,
                            ConfirmsOnce, ARefusedTablesTicketsWaitAgainWithTheirAge,
                            ReleasesAndRemembersTheLastTable, ReleaseEndsATableWhoseAnswerWasLost);

}  // namespace tarot::matchmaking_service
