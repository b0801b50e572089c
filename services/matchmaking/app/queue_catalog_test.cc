#include "services/matchmaking/app/queue_catalog.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testkit::HasReason;
using testkit::IsOk;

class QueueCatalogTest : public testing::Test {
 protected:
  FakeTicketStore store_{Catalog()};
  QueueCatalog catalog_{store_, /*population_size=*/24};
};

TEST_F(QueueCatalogTest, AppliesOnceAndReportsNoChangeTheSecondTime) {
  EXPECT_THAT(catalog_.Apply(TestCatalog()).value(), testing::SizeIs(2 + 32));
  EXPECT_EQ(*catalog_.Get(), TestCatalog());
  EXPECT_EQ(store_.ReadCatalog().value(), TestCatalog());
  EXPECT_THAT(catalog_.Apply(TestCatalog()).value(), IsEmpty());
}

TEST_F(QueueCatalogTest, DescribesEachChange) {
  ASSERT_THAT(catalog_.Apply(TestCatalog()), IsOk());
  Catalog changed = TestCatalog();
  changed.queues[0].terms.move_limit = absl::Seconds(20);
  changed.queues.pop_back();
  changed.bots[2].level = "strong";
  changed.round_trips = {{"us", "eu", 90}};
  EXPECT_THAT(
      catalog_.Apply(changed).value(),
      ElementsAre(testing::AllOf(HasSubstr("queues/ranked4"), HasSubstr("30s"),
                                 HasSubstr("move limit 20s")),
                  "queues/casual4: removed", testing::AllOf(HasSubstr("club"), HasSubstr("strong")),
                  "round trip eu us: new: 90 ms"));
  EXPECT_EQ(store_.ReadCatalog()->round_trips, changed.round_trips);
}

TEST_F(QueueCatalogTest, SaysWhyAQueueCannotHaveACustomRuleSet) {
  Catalog catalog = TestCatalog();
  catalog.queues[0].terms.rule_set = "fft +mult=1,2,3,4";
  EXPECT_EQ(GetErrorDetails(catalog_.Apply(catalog).status()).metadata["description"],
            "\"fft +mult=1,2,3,4\" is a custom rule set; a queue takes only the name of a rule "
            "set, but a room may have a custom one");
  catalog.queues[0].terms.rule_set = "fft +mutl=1,2,3,4";
  EXPECT_EQ(GetErrorDetails(catalog_.Apply(catalog).status()).metadata["description"],
            "\"fft +mutl=1,2,3,4\" is not a rule set");
}

TEST_F(QueueCatalogTest, RefusesInvalidFieldByNameAndChangesNothing) {
  ASSERT_THAT(catalog_.Apply(TestCatalog()), IsOk());
  const std::vector<std::pair<std::string, std::function<void(Catalog&)>>> mistakes = {
      {"queues", [](Catalog& c) { c.queues.clear(); }},
      {"queues[0].name", [](Catalog& c) { c.queues[0].id = "Ranked"; }},
      {"queues[0].name", [](Catalog& c) { c.queues[0].id = ""; }},
      {"queues[1].name", [](Catalog& c) { c.queues[1].id = c.queues[0].id; }},
      {"queues[0].display_name", [](Catalog& c) { c.queues[0].display_name = ""; }},
      {"queues[0].rule_set", [](Catalog& c) { c.queues[0].terms.rule_set = "fftt"; }},
      {"queues[0].player_count", [](Catalog& c) { c.queues[0].player_count = 6; }},
      {"queues[0].deal_count", [](Catalog& c) { c.queues[0].terms.deal_count = 0; }},
      {"queues[0].deal_count", [](Catalog& c) { c.queues[0].terms.deal_count = 101; }},
      {"queues[0].move_limit",
       [](Catalog& c) { c.queues[0].terms.move_limit = absl::ZeroDuration(); }},
      {"queues[0].move_limit",
       [](Catalog& c) { c.queues[0].terms.move_limit = absl::Milliseconds(1500); }},
      {"queues[1].time_bank", [](Catalog& c) { c.queues[1].terms.time_bank = absl::Hours(25); }},
      {"queues[0].ranked", [](Catalog& c) { c.queues[0].terms.rule_set = "booklet_practice1"; }},
      {"queues[0].bot_fill_delay",
       [](Catalog& c) { c.queues[0].bot_fill_delay = absl::Seconds(8); }},
      {"queues[1].bot_fill_delay", [](Catalog& c) { c.bots.resize(26); }},
      {"bots", [](Catalog& c) { c.bots.resize(23); }},
      {"bots[3].player", [](Catalog& c) { c.bots[3].player = c.bots[2].player; }},
      {"bots[3].display_name", [](Catalog& c) { c.bots[3].display_name = c.bots[2].display_name; }},
      {"bots[3].level", [](Catalog& c) { c.bots[3].level = "expert"; }},
      {"round_trips[0].region",
       [](Catalog& c) {
         c.round_trips = {{"EU", "us", 90}};
       }},
      {"round_trips[0].region",
       [](Catalog& c) {
         c.round_trips = {{"", "us", 90}};
       }},
      {"round_trips[0].other_region",
       [](Catalog& c) {
         c.round_trips = {{"eu", "eu", 90}};
       }},
      {"round_trips[0].other_region",
       [](Catalog& c) {
         c.round_trips = {{"eu", std::string(17, 'u'), 90}};
       }},
      {"round_trips[1]",
       [](Catalog& c) {
         c.round_trips = {{"eu", "us", 90}, {"us", "eu", 80}};
       }},
      {"round_trips[0].milliseconds",
       [](Catalog& c) {
         c.round_trips = {{"eu", "us", 0}};
       }},
      {"round_trips[0].milliseconds", [](Catalog& c) {
         c.round_trips = {{"eu", "us", 1'001}};
       }}};
  for (const auto& [field, spoil] : mistakes) {
    SCOPED_TRACE(field);
    Catalog catalog = TestCatalog();
    spoil(catalog);
    const absl::Status status = catalog_.Apply(catalog).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    EXPECT_EQ(GetErrorDetails(status).metadata["field"], field);
  }
  EXPECT_EQ(store_.ReadCatalog().value(), TestCatalog());
  EXPECT_EQ(*catalog_.Get(), TestCatalog());
}

TEST_F(QueueCatalogTest, RefreshKeepsLastCatalogWhenStoreIsAwayOrInvalid) {
  EXPECT_THAT(catalog_.Refresh(), IsOk()) << "an empty store is valid";
  ASSERT_THAT(catalog_.Apply(TestCatalog()), IsOk());
  store_.set_failure(absl::UnavailableError("away"));
  EXPECT_FALSE(catalog_.Refresh().ok());
  store_.set_failure(absl::OkStatus());
  Catalog unknown_rules = TestCatalog();
  unknown_rules.queues[0].terms.rule_set = "unknown";
  ASSERT_THAT(store_.WriteCatalog(unknown_rules), IsOk());
  EXPECT_THAT(catalog_.Refresh(), HasReason("BAD_REQUEST"));
  EXPECT_EQ(*catalog_.Get(), TestCatalog());
}

TEST_F(QueueCatalogTest, FillersAreStrongBotsOutsideOfPopulation) {
  const std::vector<Bot> bots = TestCatalog().bots;
  EXPECT_EQ(Fillers(bots, 24), std::vector<Bot>(bots.begin() + 24, bots.end()));
  EXPECT_EQ(Population(bots, 2), std::vector<Bot>(bots.begin(), bots.begin() + 2));
  EXPECT_THAT(Fillers(bots, 40), IsEmpty());
  EXPECT_EQ(Population(bots, 40), bots);
}

}  // namespace
}  // namespace tarot::matchmaking_service
