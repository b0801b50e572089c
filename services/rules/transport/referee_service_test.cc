#include "services/rules/transport/referee_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "libs/dealing/shuffle.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "services/rules/transport/record_service.h"

namespace tarot::rules_service {
namespace {

using ::testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

// Returns the record of a whole deal that was played by random legal actions. Every byte of its
// seed is `seed_byte`.
DealRecord Played(std::uint8_t seed_byte, const std::string& rule_set = "fft", int players = 4) {
  DealRecord record;
  record.config.rule_set = rule_set;
  record.config.rules = rules::FindRuleSet(rule_set)->rules;
  for (int i = 0; i < players; ++i) record.config.seats.push_back({.display_name = "P"});
  record.key.number = 1;
  dealing::Provenance& from = record.origin.provenance;
  from.seed.fill(seed_byte);
  if (seed_byte % 2 == 0) {
    // The cards of a deal with this procedure do not depend on nonces.
    from.procedure = dealing::Procedure::kSeedAlone;
  } else if (seed_byte % 3 == 0) {
    from.nonces[2] = "mine";
  }
  const rules::RuleSet& rules = record.config.rules;
  record.origin.dealer = FirstDealerOf(rules, players, from);
  if (rules.taker_by == rules::TakerBy::kBoard) record.origin.taker = seed_byte % players;
  record.deal = *ReplayDeal(rules, players, record.origin, {});
  Rng rng(seed_byte);
  while (record.deal.phase != rules::Phase::kDone) {
    const rules::Action action = rules::RandomAction(record.deal, rng);
    record.entries.push_back({.seat = record.deal.turn, .action = action});
    EXPECT_TRUE(Apply(record.deal, record.deal.turn, action).ok());
  }
  return record;
}

v1::DealRecord Encoded(const DealRecord& record) {
  v1::DealRecord out;
  EncodeRecord(record, &out);
  return out;
}

v1::VerifyRecordResponse Verify(const v1::DealRecord& record) {
  v1::VerifyRecordRequest request;
  *request.mutable_record() = record;
  v1::VerifyRecordResponse response;
  EXPECT_THAT(VerifyRecord(request, &response), IsOk());
  return response;
}

// Writes `document` in the binary form and as TDN, and reads both texts. Checks that
// notation::Untruth finds no error in what was read.
void ExpectTrueInEveryForm(const notation::Document& document) {
  EXPECT_EQ(notation::Untruth(document), "");
  const absl::StatusOr<std::string> bytes = notation::EncodeRecord(document.record);
  ASSERT_THAT(bytes, IsOk());
  const absl::StatusOr<notation::Document> unpacked = notation::DecodeRecord(*bytes);
  ASSERT_THAT(unpacked, IsOk());
  EXPECT_EQ(notation::Untruth(*unpacked), "");
  EXPECT_EQ(unpacked->record.entries, document.record.entries);
  const absl::StatusOr<std::string> tdn = notation::WriteTdn(document.record);
  ASSERT_THAT(tdn, IsOk());
  const auto read = notation::ParseTdn(*tdn);
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(notation::Untruth(read->front()), "");
  EXPECT_EQ(read->front().record.entries, document.record.entries);
}

TEST(VerifyRecordTest, EveryRuleSetAndSizeIsTrueInEveryForm) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint8_t seed = 1; seed < 13; ++seed) {
        SCOPED_TRACE(testing::Message() << named.name << ", " << players << ", " << int{seed});
        const v1::DealRecord record = Encoded(Played(seed, std::string(named.name), players));
        EXPECT_TRUE(Verify(record).valid());
        if (named.rules.teams == rules::Teams::kEveryoneAlone) {
          EXPECT_FALSE(record.result().has_taker());
          EXPECT_EQ(record.result().scores_size(), players);
        }
        const absl::StatusOr<notation::Document> document = wire::DecodeRecord(record, "record");
        ASSERT_THAT(document, IsOk());
        ExpectTrueInEveryForm(*document);
      }
    }
  }
}

// An operator cancelled the deal. In a document, such a deal looks like a deal that is not over.
TEST(VerifyRecordTest, AVoidDealIsTrueInEveryForm) {
  DealRecord record = Played(1);
  record.entries.resize(5);
  record.deal = *ReplayDeal(record.config.rules, 4, record.origin, record.entries);
  VoidDeal(record.deal);
  record.void_reason = "a power cut";
  const v1::DealRecord encoded = Encoded(record);
  EXPECT_EQ(encoded.result().outcome(), v1::DealResult::VOIDED);
  EXPECT_EQ(encoded.result().void_reason(), "a power cut");
  EXPECT_TRUE(Verify(encoded).valid()) << Verify(encoded).ShortDebugString();
  const absl::StatusOr<notation::Document> document = wire::DecodeRecord(encoded, "record");
  ASSERT_THAT(document, IsOk());
  ExpectTrueInEveryForm(*document);
  v1::DealRecord whole = Encoded(Played(1));
  whole.mutable_result()->set_outcome(v1::DealResult::VOIDED);
  EXPECT_FALSE(Verify(whole).valid()) << "this deal was played to its end";
}

// A seat ended the deal by a claim: it must have won every trick that it claimed.
TEST(VerifyRecordTest, AClaimIsTrueIfItsSeatWonTheTricks) {
  int claims = 0;
  for (std::uint8_t seed = 1; seed < 40; ++seed) {
    DealRecord record = Played(seed);
    const rules::Deal& deal = record.deal;
    if (deal.result.outcome != rules::Outcome::kScored) continue;
    int first = deal.trick_count;
    const auto winner = [&](int trick) {
      return deal.tricks[static_cast<std::size_t>(trick - 1)].winner;
    };
    while (first > 2 && winner(first - 1) == winner(deal.trick_count)) --first;
    record.claim = {.seat = winner(deal.trick_count), .trick = first};
    const v1::DealRecord encoded = Encoded(record);
    EXPECT_TRUE(Verify(encoded).valid()) << Verify(encoded).ShortDebugString();
    const std::vector<std::function<void(v1::DealResult&)>> lies = {
        [](v1::DealResult& r) { r.set_claim_seat((r.claim_seat() + 1) % 4); },
        [](v1::DealResult& r) { r.set_claim_seat(4'000'000'000); },
        [](v1::DealResult& r) { r.set_claim_trick(r.claim_trick() - 1); },
        [](v1::DealResult& r) { r.set_claim_trick(19); },
        [](v1::DealResult& r) { r.set_claim_trick(0); },
        [](v1::DealResult& r) { r.clear_claim_seat(); },
        [](v1::DealResult& r) { r.clear_claim_trick(); }};
    for (const auto& lie : lies) {
      v1::DealRecord forged = encoded;
      lie(*forged.mutable_result());
      EXPECT_FALSE(Verify(forged).valid()) << forged.result().ShortDebugString();
    }
    ++claims;
  }
  EXPECT_GT(claims, 10);
}

TEST(VerifyRecordTest, AcceptsOlderRecordsWithoutTheLinesOfTheScore) {
  int found = 0;
  for (std::uint8_t seed = 1; seed < 40; ++seed) {
    v1::DealRecord record = Encoded(Played(seed));
    if (record.result().unit_lines().empty()) continue;
    ++found;
    EXPECT_TRUE(Verify(record).valid());
    v1::DealRecord lie = record;
    lie.mutable_result()->mutable_unit_lines(0)->set_points(0);
    EXPECT_FALSE(Verify(lie).valid());
    lie = record;
    lie.mutable_result()->clear_shares();
    EXPECT_FALSE(Verify(lie).valid());
    record.mutable_result()->clear_card_points();
    record.mutable_result()->clear_unit_lines();
    record.mutable_result()->clear_shares();
    EXPECT_TRUE(Verify(record).valid());
  }
  EXPECT_GT(found, 10);
}

TEST(VerifyRecordTest, AcceptsOlderRecordsWithoutTheHandOfAPetitSec) {
  int found = 0;
  for (const char* rule_set : {"fft", "preneur", "shogix", "pagat"}) {
    for (int seed = 0; seed < 256; ++seed) {
      v1::DealRecord record = Encoded(Played(static_cast<std::uint8_t>(seed), rule_set, 5));
      if (record.result().outcome() != v1::DealResult::PETIT_SEC) continue;
      ++found;
      EXPECT_TRUE(record.result().has_petit_sec_seat());
      EXPECT_TRUE(Verify(record).valid());
      EXPECT_EQ(notation::Untruth(*wire::DecodeRecord(record, "record")), "");
      v1::DealRecord lie = record;
      lie.mutable_result()->set_petit_sec_seat((record.result().petit_sec_seat() + 1) % 5);
      EXPECT_THAT(notation::Untruth(*wire::DecodeRecord(lie, "record")), HasSubstr("ending"));
      lie = record;
      lie.mutable_result()->mutable_petit_sec_hand()->RemoveLast();
      EXPECT_THAT(notation::Untruth(*wire::DecodeRecord(lie, "record")), HasSubstr("ending"));
      record.mutable_result()->clear_petit_sec_seat();
      record.mutable_result()->clear_petit_sec_hand();
      EXPECT_TRUE(Verify(record).valid());
      EXPECT_EQ(notation::Untruth(*wire::DecodeRecord(record, "record")), "");
    }
  }
  EXPECT_GT(found, 0);
}

TEST(EncodeRecordTest, SaysWhichActionsABotMadeForAPerson) {
  DealRecord record = Played(1);
  DealRecord::Entry& entry = record.entries.at(5);
  entry.stand_in = true;
  const v1::DealRecord encoded = Encoded(record);
  for (int i = 0; i < encoded.entries_size(); ++i) {
    EXPECT_EQ(encoded.entries(i).stand_in(), i == 5) << i;
  }
  for (int seat = 0; seat < encoded.players_size(); ++seat) {
    EXPECT_EQ(encoded.players(seat).stand_in_actions(), seat == entry.seat ? 1u : 0u) << seat;
  }
}

TEST(VerifyRecordTest, AcceptsTrueRecordsAndFindsEveryFalseClaim) {
  for (std::uint8_t seed = 1; seed < 20; ++seed) {
    const v1::DealRecord good = Encoded(Played(seed));
    EXPECT_TRUE(Verify(good).valid()) << Verify(good).ShortDebugString();
    const std::vector<std::function<void(v1::DealRecord&)>> lies = {
        [](v1::DealRecord& r) { r.mutable_seed()->front() ^= 1; },
        [](v1::DealRecord& r) { r.mutable_seed_commitment()->back() ^= 1; },
        [](v1::DealRecord& r) { r.mutable_hands(0)->mutable_cards()->SwapElements(0, 1); },
        [](v1::DealRecord& r) { r.clear_dog(); },
        [](v1::DealRecord& r) { r.mutable_entries()->RemoveLast(); },
        [](v1::DealRecord& r) { r.mutable_entries(0)->set_seat((r.entries(0).seat() + 1) % 4); },
        [](v1::DealRecord& r) { r.mutable_result()->set_unit(r.result().unit() + 1); },
        [](v1::DealRecord& r) { r.mutable_result()->clear_outcome(); },
        [](v1::DealRecord& r) { r.set_dealer((r.dealer() + 1) % 4); },
        [](v1::DealRecord& r) { r.mutable_rules()->mutable_deal_packet()->set_four(2); },
        [](v1::DealRecord& r) { r.set_procedure(r.procedure() == 2 ? 1 : 2); },
        [](v1::DealRecord& r) {
          while (r.nonces_size() < 4) r.add_nonces();
          r.mutable_nonces(1)->push_back('x');
          r.set_procedure(2);
        }};
    for (std::size_t i = 0; i < lies.size(); ++i) {
      v1::DealRecord bad = good;
      lies[i](bad);
      EXPECT_FALSE(Verify(bad).valid()) << "lie " << i;
    }
  }
}

TEST(VerifyRecordTest, RefusesAMalformedRecord) {
  const v1::DealRecord good = Encoded(Played(1));
  const auto refuses = [&](auto spoil) {
    v1::VerifyRecordRequest request;
    *request.mutable_record() = good;
    spoil(*request.mutable_record());
    v1::VerifyRecordResponse response;
    return VerifyRecord(request, &response);
  };
  EXPECT_THAT(refuses([](v1::DealRecord& r) { r.set_rule_set("bridge"); }),
              HasReason("RULE_SET_NOT_FOUND"));
  EXPECT_THAT(refuses([](v1::DealRecord& r) { r.set_seed("short"); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealRecord& r) { r.clear_players(); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealRecord& r) { r.set_dealer(4); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealRecord& r) { r.mutable_entries(0)->clear_action(); }),
              HasReason("BAD_REQUEST"));
}

v1::DealHistory HistoryOf(const v1::DealRecord& record, int entries) {
  v1::DealHistory history;
  history.set_rule_set("fft");
  history.set_player_count(4);
  history.set_dealer(record.dealer());
  *history.mutable_hands() = record.hands();
  *history.mutable_dog() = record.dog();
  for (int i = 0; i < entries; ++i) *history.add_entries() = record.entries(i);
  return history;
}

// Before each card of a record, the legal cards must contain this card.
TEST(ListLegalActionsTest, FollowsADealToItsEnd) {
  const v1::DealRecord record = Encoded(Played(4));
  for (int i = 0; i <= record.entries_size(); ++i) {
    v1::ListLegalActionsRequest request;
    *request.mutable_deal() = HistoryOf(record, i);
    v1::ListLegalActionsResponse response;
    ASSERT_THAT(ListLegalActions(request, &response), IsOk());
    EXPECT_EQ(response.has_turn(), i < record.entries_size());
    if (i == record.entries_size()) break;
    EXPECT_EQ(response.turn(), record.entries(i).seat());
    const v1::Action& next = record.entries(i).action();
    if (!next.has_play()) continue;
    const auto& cards = response.legal().cards();
    EXPECT_NE(std::find(cards.begin(), cards.end(), next.play().card()), cards.end());
  }
}

TEST(ApplyActionTest, AppliesAnEntryOrNamesTheIllegalOne) {
  const v1::DealRecord record = Encoded(Played(4));
  v1::ApplyActionRequest request;
  *request.mutable_deal() = HistoryOf(record, record.entries_size() - 1);
  *request.mutable_entry() = record.entries(record.entries_size() - 1);
  v1::ApplyActionResponse response;
  ASSERT_THAT(ApplyAction(request, &response), IsOk());
  EXPECT_EQ(response.deal().result().unit(), record.result().unit());

  request.mutable_deal()->mutable_entries(2)->set_seat(0);
  const absl::Status refused = ApplyAction(request, &response);
  EXPECT_THAT(refused, HasReason("NOT_YOUR_TURN"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("entry"), "2");
}

TEST(ScoreDealTest, ASeatThatSitsOutPaysNothing) {
  v1::ScoreDealRequest request;
  request.set_rule_set("fft_dead5");
  request.set_player_count(5);
  request.set_contract(v1::GARDE);
  request.set_bouts(2);
  request.set_attack_half_points(82);  // The attack has 41 points: exactly the threshold.
  v1::ScoreDealResponse response;
  ASSERT_THAT(ScoreDeal(request, &response), IsOk());
  EXPECT_THAT(response.result().scores(), testing::ElementsAre(150, -50, -50, -50, 0));
  request.set_has_partner(true);
  EXPECT_THAT(ScoreDeal(request, &response), HasReason("BAD_REQUEST"));
}

TEST(ScoreDealTest, RefusesARuleSetWithoutATaker) {
  v1::ScoreDealRequest request;
  request.set_rule_set("booklet_practice1");
  request.set_player_count(4);
  request.set_contract(v1::GARDE);
  v1::ScoreDealResponse response;
  EXPECT_THAT(ScoreDeal(request, &response), HasReason("BAD_REQUEST"));
}

// With two bouts the taker needs eight honours: court cards and bouts together. Only the taker gets
// points, and every honour of the taker counts.
TEST(ScoreDealTest, CountsHonoursInTheSecondPracticeGame) {
  v1::ScoreDealRequest request;
  request.set_rule_set("booklet_practice2");
  request.set_player_count(4);
  request.set_contract(v1::GARDE);
  request.set_bouts(2);
  request.set_honours(11);
  v1::ScoreDealResponse response;
  ASSERT_THAT(ScoreDeal(request, &response), IsOk());
  EXPECT_THAT(response.result().scores(), testing::ElementsAre(22, 0, 0, 0));
  EXPECT_EQ(response.result().honours(), 11U);
  request.set_honours(7);
  response.Clear();
  ASSERT_THAT(ScoreDeal(request, &response), IsOk());
  EXPECT_THAT(response.result().scores(), testing::ElementsAre(-14, 0, 0, 0));
  for (const std::uint32_t honours : {1, 19}) {
    request.set_honours(honours);
    EXPECT_THAT(ScoreDeal(request, &response), HasReason("BAD_REQUEST")) << honours;
  }
}

TEST(ScoreDealTest, NamesTheFieldOfAnImpossibleSheet) {
  v1::ScoreDealRequest request;
  request.set_rule_set("fft");
  request.set_player_count(4);
  request.set_contract(v1::GARDE);
  request.set_bouts(2);
  request.set_attack_half_points(83);
  v1::ScoreDealResponse response;
  const absl::Status refused = ScoreDeal(request, &response);
  EXPECT_THAT(refused, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "attack_half_points");
}

TEST(ScorePlayTest, ReadsNoTakerWhereEachSeatPlaysAlone) {
  for (int players = 3; players <= 5; ++players) {
    Rng rng(static_cast<std::uint64_t>(players));
    rules::Deal deal =
        rules::RandomDeal(rules::FindRuleSet("booklet_practice1")->rules, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      ASSERT_TRUE(Apply(deal, deal.turn, rules::RandomAction(deal, rng)).ok());
    }
    v1::ScorePlayRequest request;
    request.set_rule_set("booklet_practice1");
    request.set_player_count(static_cast<std::uint32_t>(players));
    request.set_contract(v1::PASS);
    wire::EncodeCards(deal.dog, request.mutable_counted_apart());
    for (std::size_t seat = 0; seat < static_cast<std::size_t>(players); ++seat) {
      wire::EncodeCards(deal.dealt[seat], request.add_hands()->mutable_cards());
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(deal.trick_count); ++i) {
      const rules::Trick& trick = deal.tricks[i];
      v1::Trick* out = request.add_tricks();
      out->set_leader(static_cast<std::uint32_t>(trick.leader));
      for (std::size_t c = 0; c < static_cast<std::size_t>(trick.size); ++c) {
        out->add_cards(static_cast<std::uint32_t>(rules::Index(trick.cards[c])));
      }
    }
    for (const std::uint32_t taker : {0U, 2U, 4294967295U}) {
      request.set_taker(taker);
      v1::ScorePlayResponse response;
      ASSERT_THAT(ScorePlay(request, &response), IsOk());
      for (int seat = 0; seat < players; ++seat) {
        EXPECT_EQ(response.result().scores(seat),
                  deal.result.scores[static_cast<std::size_t>(seat)]);
      }
    }
  }
}

TEST(DealHistoryTest, RefusesHandsThatAreNotThePack) {
  const v1::DealRecord record = Encoded(Played(4));
  const auto refuses = [&](auto spoil) {
    v1::ListLegalActionsRequest request;
    *request.mutable_deal() = HistoryOf(record, 0);
    spoil(*request.mutable_deal());
    v1::ListLegalActionsResponse response;
    return ListLegalActions(request, &response);
  };
  EXPECT_THAT(refuses([](v1::DealHistory& d) { d.clear_dog(); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealHistory& d) { d.mutable_hands()->RemoveLast(); }),
              HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealHistory& d) { *d.mutable_hands(0) = d.hands(1); }),
              HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealHistory& d) { d.set_dealer(7); }), HasReason("BAD_REQUEST"));
  EXPECT_THAT(refuses([](v1::DealHistory& d) { d.set_player_count(2); }), HasReason("BAD_REQUEST"));
}

std::string Example() {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/data/notation/example.tdn", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

absl::Status Import(const std::string& tdn, v1::ImportRecordsResponse* response) {
  v1::ImportRecordsRequest request;
  request.set_tdn(tdn);
  return ImportRecords(request, response);
}

TEST(ImportRecordsTest, ReturnsEveryRecordProven) {
  v1::ImportRecordsResponse response;
  ASSERT_THAT(Import(Example() + Example(), &response), IsOk());
  ASSERT_EQ(response.records_size(), 2);
  const v1::DealRecord& record = response.records(1);
  EXPECT_EQ(record.rule_set(), "fft");
  EXPECT_FALSE(record.has_rules());
  EXPECT_EQ(record.dealer(), 3u);
  EXPECT_EQ(record.players(1).display_name(), "bot:papillon-2");
  EXPECT_EQ(record.hands_size(), 4);
  EXPECT_EQ(record.entries_size(), 79);
  EXPECT_EQ(record.result().scores(2), -216);
  EXPECT_TRUE(record.seed().empty());
}

TEST(ImportRecordsTest, NamesLineAndColumnOfAnError) {
  v1::ImportRecordsResponse response;
  const absl::Status status =
      Import(absl::StrReplaceAll(Example(), {{"3. C: S1 SQ", "3. C: S1 T9"}}), &response);
  EXPECT_THAT(status, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(status).metadata.at("line"), "25");
  EXPECT_EQ(GetErrorDetails(status).metadata.at("column"), "10");
  EXPECT_THAT(Import("", &response), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Import(std::string(100'001, ' '), &response), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::rules_service
