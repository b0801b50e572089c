// Plays one match for every named rule set and every number of players, with TableService and the
// fake store. The players act at random. Encodes the views and the records of each match.
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "services/rules/app/record_service.h"
#include "services/rules/app/table_service.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"
#include "services/rules/transport/convert.h"
#include "services/rules/transport/record_service.h"
#include "services/rules/transport/referee_service.h"
#include "services/rules/transport/table_admin_service.h"
#include "services/rules/transport/table_views.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class PresetsTest : public testing::Test {
 protected:
  PresetsTest() {
    tables.set_on_changed([](const std::shared_ptr<const TableState>&) {});
    tables.set_on_commit_unknown([](TableId) {});
  }

  v1::CreateTableRequest Request(int players) {
    v1::CreateTableRequest request;
    request.set_name(TableName(TableId{entropy.NewUuid()}));
    request.set_deal_count(3);
    request.mutable_clocks()->mutable_move_limit()->set_seconds(10);
    for (int i = 0; i < players; ++i) {
      v1::Seat* seat = request.add_seats();
      seat->set_player(PlayerName(PlayerId{entropy.NewUuid()}));
      seat->set_display_name("P");
    }
    return request;
  }

  absl::StatusOr<TableId> Create(const v1::CreateTableRequest& request) {
    TAROT_ASSIGN_OR_RETURN(const TableId table, ParseTableName(request.name(), "name"));
    TAROT_ASSIGN_OR_RETURN(TableConfig config, Decode(table, request));
    const TableId id = config.id;
    TAROT_RETURN_IF_ERROR(tables.Create(std::move(config)).status());
    return id;
  }

  std::shared_ptr<const TableState> State(TableId table) {
    return (*memory.Get(table))->Snapshot();
  }

  // Checks the messages for every view of the table. No view may contain a seed that is still
  // secret, and wire::DecodeView must accept the deal of every view.
  void CheckViews(const TableState& state) {
    for (rules::Seat viewer = rules::kNoSeat; viewer < state.match.players; ++viewer) {
      v1::Table table;
      EncodeTable(MakeTableView(state, viewer), &table);
      const std::string bytes = table.SerializeAsString();
      const auto tells = [&](const dealing::DealSeed& seed) {
        return absl::StrContains(bytes, std::string(seed.begin(), seed.begin() + 8));
      };
      EXPECT_FALSE(tells(state.next->seed));
      EXPECT_FALSE(state.start != nullptr && tells(state.start->provenance.seed));
      if (!table.has_deal()) continue;
      EXPECT_THAT(wire::DecodeView(table.deal()).status(), IsOk());
    }
  }

  void Play(TableId id, Rng& rng) {
    for (auto state = State(id); !state->match.Finished(); state = State(id)) {
      absl::Status status = absl::UnknownError("no answer");
      const auto done = [&](const absl::StatusOr<SeatView>& view) { status = view.status(); };
      if (!state->match.DealRunning()) {
        AddNonce(*state, rng.Below(state->match.players));
        tables.DealNext(id, State(id)->revision, done);
      } else {
        tables.SubmitForSeat({.table = id,
                              .expected_revision = state->revision,
                              .seat = state->match.deal.turn,
                              .action = rules::RandomAction(state->match.deal, rng)},
                             done);
      }
      ASSERT_THAT(status, IsOk());
      if (rng.Below(8) == 0) CheckViews(*State(id));
    }
    CheckViews(*State(id));
  }

  void AddNonce(const TableState& state, int seat) {
    absl::Status status = absl::UnknownError("no answer");
    const PlayerId player = state.config->seats[static_cast<std::size_t>(seat)].player;
    tables.AddNonce({.caller = {.player = player}, .table = state.config->id},
                    {.request = RequestId{entropy.NewUuid()},
                     .deal_number = state.match.deals_dealt + 1,
                     .nonce = "nonce of the seat"},
                    [&](const auto& view) { status = view.status(); });
    ASSERT_THAT(status, IsOk());
  }

  // A replay of only the log must give the same table, and VerifyRecord must accept every record of
  // the table.
  void CheckStored(TableId id) {
    const auto stored = store.Load(id);
    ASSERT_THAT(stored.status(), IsOk());
    const auto again = Replay(std::make_shared<TableConfig>(stored->config), stored->log);
    ASSERT_THAT(again.status(), IsOk());
    const std::shared_ptr<const TableState> live = State(id);
    EXPECT_EQ(again->match.totals, live->match.totals);
    EXPECT_EQ(again->match.deals_dealt, live->match.deals_dealt);
    EXPECT_EQ(again->match.deal.dealt, live->match.deal.dealt);
    EXPECT_EQ(*again->start, *live->start);
    const std::string next(live->next->seed.begin(), live->next->seed.end());
    RecordService records(store);
    for (int number = 1; number <= live->match.deals_dealt; ++number) {
      const auto record = records.Get(id, number);
      ASSERT_THAT(record.status(), IsOk());
      v1::VerifyRecordRequest request;
      EncodeRecord(*record, request.mutable_record());
      EXPECT_FALSE(absl::StrContains(request.SerializeAsString(), next));
      EXPECT_EQ(request.record().nonces_size(), live->match.players);
      v1::VerifyRecordResponse response;
      ASSERT_THAT(VerifyRecord(request, &response), IsOk());
      EXPECT_TRUE(response.valid()) << number << ": " << response.ShortDebugString();
    }
  }

  testkit::ManualTime time;
  SeededEntropy entropy{41};
  FakeTableStore store;
  prometheus::Registry registry;
  Metrics metrics{registry};
  TableRegistry memory{store, 1000, time};
  HostsAll hosting;
  ScopedScheduler scheduler{time};
  InlineWorkerPool workers;
  GroupAppender appender{store, workers, time, scheduler, metrics, {}};
  TableService tables{store, appender, memory, hosting, workers, time, scheduler, entropy, metrics};
};

TEST_F(PresetsTest, EveryNamedRuleSetPlaysAMatchThatReplaysAndProves) {
  Rng rng(42);
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      SCOPED_TRACE(testing::Message() << std::string(named.name) << " for " << n);
      v1::CreateTableRequest request = Request(n);
      request.set_rule_set(std::string(named.name));
      const auto id = Create(request);
      ASSERT_THAT(id.status(), IsOk());
      ASSERT_NO_FATAL_FAILURE(Play(*id, rng));
      EXPECT_EQ(State(*id)->match.rules, named.rules);
      CheckStored(*id);
    }
  }
}

TEST_F(PresetsTest, ACustomRuleSetPlaysAndShowsItsValues) {
  Rng rng(43);
  v1::CreateTableRequest request = Request(5);
  request.mutable_rules()->set_preset("webguide");
  request.mutable_rules()->set_shuffle(v1::RuleSet::SHUFFLE_NONE_BETWEEN_DEALS);
  request.mutable_rules()->set_cut_min(20);
  request.clear_deal_count();  // The rule set's default number of deals applies.
  const auto id = Create(request);
  ASSERT_THAT(id.status(), IsOk());
  v1::Table table;
  EncodeTable(MakeTableView(*State(*id), 0), &table);
  EXPECT_EQ(table.deal_count(), 1u);
  EXPECT_EQ(table.rules().cut_min(), 20u);
  EXPECT_EQ(*rules::ParseRuleSet(table.rule_set()), State(*id)->match.rules);
  EXPECT_EQ(table.next_deal().deal_number(), 1u);
  EXPECT_EQ(table.next_deal().seed_commitment().size(), 32u);
  ASSERT_NO_FATAL_FAILURE(Play(*id, rng));
  CheckStored(*id);
}

TEST_F(PresetsTest, RefusesATableWhoseRulesContradictEachOther) {
  v1::CreateTableRequest request = Request(4);
  request.mutable_rules()->mutable_deal_packet()->set_four(5);
  const absl::Status status = Create(request).status();
  EXPECT_THAT(status, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(status).metadata["field"], "rules.deal_packet");
  EXPECT_EQ(GetErrorDetails(status).metadata["other_field"], "rules.hand");
  request = Request(4);
  request.set_rule_set("bridge");
  EXPECT_THAT(Create(request).status(), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::rules_service
