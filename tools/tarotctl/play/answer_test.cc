#include "tools/tarotctl/play/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/wire/convert.h"
#include "tools/cli/testing/sample_deal.h"

namespace tarot::tarotctl {
namespace {

using rules::Card;
using rules::Phase;
using rules::v1::Action;
using rules::v1::DealView;
using ::testing::HasSubstr;
using ::testing::Not;

DealView ViewIn(Phase phase, int players = 4) {
  rules::Deal deal = cli::SampleDeal(players);
  cli::PlayUntil(deal, phase);
  return cli::SampleTable(deal, deal.turn).deal();
}

// Parses a line that a player has typed, and returns the action.
rules::Action Meaning(const DealView& deal, const char* line) {
  const Typed typed = ParseTyped(deal, line);
  EXPECT_TRUE(typed.action.has_value()) << line << ": " << typed.problem;
  const auto action = wire::DecodeAction(typed.action.value_or(Action()), "action");
  EXPECT_TRUE(action.ok()) << line << ": " << action.status();
  return action.ok() ? *action : rules::Action();
}

void AllowHandful(DealView& deal, rules::CardSet cards, std::uint32_t size) {
  wire::EncodeCards(cards, deal.mutable_legal()->mutable_handful_cards());
  deal.mutable_legal()->add_handful_sizes(size);
}

TEST(SimplestActionTest, BidsWhereTheRulesForbidToPass) {
  DealView deal = ViewIn(Phase::kBidding);
  deal.clear_hand();
  EXPECT_EQ(SimplestAction(deal).bid().contract(), rules::v1::PASS);
  deal.mutable_legal()->clear_bids();
  for (const auto bid : {rules::v1::GARDE, rules::v1::GARDE_SANS})
    deal.mutable_legal()->add_bids(bid);
  EXPECT_EQ(SimplestAction(deal).bid().contract(), rules::v1::GARDE);
}

TEST(TypedTest, ParsesBids) {
  const DealView deal = ViewIn(Phase::kBidding);
  EXPECT_EQ(Meaning(deal, "pass"), rules::Action::Bid(rules::Contract::kPass));
  EXPECT_EQ(Meaning(deal, " Garde "), rules::Action::Bid(rules::Contract::kGarde));
  EXPECT_EQ(Meaning(deal, "garde sans"), rules::Action::Bid(rules::Contract::kGardeSans));
  EXPECT_EQ(Meaning(deal, "contre"), rules::Action::Bid(rules::Contract::kGardeContre));
  EXPECT_THAT(ParseTyped(deal, "slam").problem, HasSubstr("is not a bid"));
  EXPECT_THAT(ParseTyped(deal, "").problem, HasSubstr("is not a bid"));
}

TEST(TypedTest, CallsACard) {
  const DealView deal = ViewIn(Phase::kCalling, 5);
  EXPECT_EQ(Meaning(deal, "hr"), rules::Action::Call(rules::SuitCard(rules::Suit::kHearts, 14)));
  EXPECT_THAT(ParseTyped(deal, "king").problem, HasSubstr("is no card"));
}

TEST(TypedTest, CallsNoCardWhereTheRulesAllowIt) {
  DealView deal = ViewIn(Phase::kCalling, 5);
  EXPECT_THAT(ParseTyped(deal, "nobody").problem, HasSubstr("ask for a call"));
  EXPECT_THAT(PromptText(deal, cli::TextStyle(false)), Not(HasSubstr("no card")));
  deal.mutable_legal()->set_call_nobody(true);
  EXPECT_EQ(Meaning(deal, "nobody"), rules::Action::Call(rules::kNoCard));
  EXPECT_EQ(Meaning(deal, "no card"), rules::Action::Call(rules::kNoCard));
  EXPECT_THAT(PromptText(deal, cli::TextStyle(false)), HasSubstr(", or no card: "));
  EXPECT_THAT(HelpText(deal), HasSubstr("no card: you play alone"));
}

// Prompts and help follow the rule set of the view.
TEST(PromptTest, TextsFollowTheRuleSet) {
  const cli::TextStyle plain(false);
  DealView deal = ViewIn(Phase::kDiscarding);
  EXPECT_THAT(HelpText(deal), HasSubstr("only when nothing else is left"));
  deal.set_rule_set("webguide");
  EXPECT_THAT(HelpText(deal), HasSubstr("other trumps may go, and no other player sees them"));
  deal.set_phase(rules::v1::SLAM);
  deal.set_rule_set("fft");
  EXPECT_EQ(PromptText(deal, plain), "Announce a slam, every trick? [y/N] ");
  EXPECT_THAT(HelpText(deal), HasSubstr("every trick: +400 made, -200 failed"));
  deal.set_rule_set("booklet");
  EXPECT_EQ(PromptText(deal, plain), "Announce a slam, every trick except one? [y/N] ");
  deal.set_phase(rules::v1::BIDDING);
  deal.set_rule_set("fft_teams");
  EXPECT_THAT(HelpText(deal), HasSubstr("Bids: garde (g), sans (s), contre (c);"));
  DealView five = ViewIn(Phase::kCalling, 5);
  EXPECT_THAT(HelpText(five), HasSubstr("Call a King"));
  five.set_rule_set("shogix_free5");
  EXPECT_THAT(HelpText(five), HasSubstr("Call any card"));
}

TEST(TypedTest, ParsesTheEcartAsAListOfCards) {
  const DealView deal = ViewIn(Phase::kDiscarding);
  EXPECT_EQ(Meaning(deal, "s4, s5 h8"),
            rules::Action::Discard({rules::SuitCard(rules::Suit::kSpades, 4),
                                    rules::SuitCard(rules::Suit::kSpades, 5),
                                    rules::SuitCard(rules::Suit::kHearts, 8)}));
  EXPECT_THAT(ParseTyped(deal, "s4 x9").problem, HasSubstr("'x9' is no card"));
  EXPECT_FALSE(ParseTyped(deal, "  ").action.has_value());
}

TEST(TypedTest, AnnouncesASlamOnlyOnAClearAnswer) {
  const DealView deal = ViewIn(Phase::kSlam);
  EXPECT_EQ(Meaning(deal, ""), rules::Action::Slam(false));
  EXPECT_EQ(Meaning(deal, "n"), rules::Action::Slam(false));
  EXPECT_EQ(Meaning(deal, "yes"), rules::Action::Slam(true));
  EXPECT_FALSE(ParseTyped(deal, "s4").action.has_value());
}

TEST(TypedTest, PlaysOnEnterOnlyASingleLegalCard) {
  DealView deal = ViewIn(Phase::kPlaying);
  EXPECT_FALSE(ParseTyped(deal, "").action.has_value());
  deal.mutable_legal()->mutable_cards()->Clear();
  deal.mutable_legal()->add_cards(57);
  EXPECT_EQ(Meaning(deal, ""), rules::Action::Play(rules::Trump(2)));
  EXPECT_FALSE(ParseTyped(deal, "t2 t3").action.has_value());
}

TEST(TypedTest, ShowsTheLowestTrumpsInAHandful) {
  DealView deal = ViewIn(Phase::kPlaying);
  EXPECT_THAT(ParseTyped(deal, "handful").problem, HasSubstr("cannot show"));
  rules::CardSet trumps = {rules::kExcuse};
  for (int rank = 5; rank <= 15; ++rank) trumps.Insert(rules::Trump(rank));
  AllowHandful(deal, trumps, 10);
  rules::CardSet shown = trumps;
  shown.Erase(rules::kExcuse);
  shown.Erase(rules::Trump(15));
  EXPECT_EQ(Meaning(deal, "handful"), rules::Action::Handful(shown));
  EXPECT_EQ(Meaning(deal, "handful 10"), rules::Action::Handful(shown));
  EXPECT_EQ(Meaning(deal, "handful t5 ex"),
            rules::Action::Handful({rules::Trump(5), rules::kExcuse}));
}

TEST(TypedTest, HelpNamesAHandfulOnlyWhenThePlayerMayShowOne) {
  DealView deal = ViewIn(Phase::kPlaying);
  EXPECT_THAT(HelpText(deal), Not(HasSubstr("handful")));
  AllowHandful(deal, rules::CardSet::AllTrumps(), 10);
  EXPECT_THAT(HelpText(deal), HasSubstr("handful 10"));
}

TEST(TypedTest, PromptsForEveryPhase) {
  const cli::TextStyle plain(false);
  EXPECT_EQ(PromptText(ViewIn(Phase::kBidding), plain),
            "Your bid (pass, prise, garde, garde sans, garde contre): ");
  EXPECT_EQ(PromptText(ViewIn(Phase::kDiscarding), plain),
            "Your écart, 6 of the cards in brackets: ");
  DealView forced = ViewIn(Phase::kDiscarding);
  forced.mutable_legal()->set_discard_trump_count(2);
  EXPECT_THAT(PromptText(forced, plain), HasSubstr("2 trumps must go and are shown to all"));
}

}  // namespace
}  // namespace tarot::tarotctl
