#include <gmock/gmock.h>

#include <memory>

#include "libs/dealing/deal_start.h"
#include "libs/notation/names.h"
#include "services/rules/transport/table_admin_service.h"

namespace tarot::rules_service {
namespace {

using rules::Action;
using testing::HasSubstr;
using testing::Not;

rules::CardSet Six() {
  rules::CardSet six;
  for (int card = 0; card < 6; ++card) six.Insert(rules::CardAt(card));
  return six;
}

TEST(TableLogTest, NamesTheCardsThatAllWatchersHaveSeen) {
  const rules::Card king = *notation::ParseCardName("HK");
  EXPECT_THAT(LogText({.body = Action::Play(king)}), HasSubstr("HK"));
  EXPECT_THAT(LogText({.body = Action::Call(king)}), HasSubstr("HK"));
  EXPECT_THAT(LogText({.body = TricksClaimed{{king}}}), HasSubstr("HK"));
  EXPECT_THAT(LogText({.body = DealVoided{.reason = "a fault", .ends_match = true}}),
              HasSubstr("ends the match: a fault"));
}

TEST(TableLogTest, LeavesOutTheEcartAndTheSeed) {
  const std::string ecart = LogText({.body = Action::Discard(Six())});
  for (const rules::Card card : Six()) {
    EXPECT_THAT(ecart, Not(HasSubstr(notation::CardName(card))));
  }
  dealing::DealStart start{.dealer = 2};
  start.provenance.seed.fill('s');
  start.next_seed.fill('s');
  const std::string dealt =
      LogText({.body = DealStarted{std::make_shared<const dealing::DealStart>(start)}});
  EXPECT_EQ(dealt, "deals the cards; the dealer is seat 2");
  EXPECT_THAT(LogText({.body = NonceAdded{"nonce"}}), Not(HasSubstr("nonce\"")));
}

TEST(TableLogTest, AnEntryOfTheServerHasNoSeat) {
  tarot::rules::v1::TableLogEntry out;
  EncodeLogEntry({.revision = 7,
                  .actor = Actor::kServer,
                  .body = BreakEnded(),
                  .create_time = absl::UnixEpoch() + absl::Seconds(5)},
                 &out);
  EXPECT_EQ(out.revision(), 7u);
  EXPECT_EQ(out.actor(), tarot::rules::v1::TableLogEntry::SERVER);
  EXPECT_FALSE(out.has_seat());
  EXPECT_EQ(out.create_time().seconds(), 5);
  EXPECT_EQ(out.text(), "ends the break");
}

}  // namespace
}  // namespace tarot::rules_service
