#include "tools/tarotctl/vectors/check.h"
#include "tools/tarotctl/vectors/compare.h"
#include "tools/tarotctl/vectors/fields.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::ScorePlayRequest;

constexpr char kRuleSet[] = "fft";  // The format knows no other.

std::uint32_t Unsigned(int value) { return static_cast<std::uint32_t>(value); }

void AddTricks(Fields& fields, ScorePlayRequest& request) {
  for (Fields& trick : fields.Objects("tricks")) {
    rules::v1::Trick* out = request.add_tricks();
    out->set_leader(Unsigned(trick.Int("leader")));
    for (const int card : trick.Cards("cards")) out->add_cards(Unsigned(card));
    fields.Join(trick);
  }
}

ScorePlayRequest Request(Fields& fields) {
  ScorePlayRequest request;
  request.set_rule_set(kRuleSet);
  request.set_player_count(Unsigned(fields.Int("n")));
  request.set_taker(Unsigned(fields.Int("taker")));
  if (const int partner = fields.Int("partner"); partner != -1) {
    request.set_partner(Unsigned(partner));
  }
  if (fields.Has("called")) request.set_called_card(Unsigned(fields.Card("called")));
  request.set_contract(fields.Contract("contract"));
  for (const int card : fields.Cards("counted_apart")) request.add_counted_apart(Unsigned(card));
  for (const std::vector<int>& hand : fields.CardLists("hands_at_play")) {
    auto* out = request.add_hands();
    for (const int card : hand) out->add_cards(Unsigned(card));
  }
  AddTricks(fields, request);
  request.set_slam_announced(fields.Bool("slam_announced"));
  for (Fields& handful : fields.Objects("handles")) {
    auto* out = request.add_handfuls();
    out->set_seat(Unsigned(handful.Int("seat")));
    out->set_level(Unsigned(handful.Int("level")));
    fields.Join(handful);
  }
  return request;
}

// Reads every expectation and compares it with `response`.
void Compare(Fields& expect, const rules::v1::ScorePlayResponse& response, Comparison& comparison) {
  const rules::v1::DealResult& result = response.result();
  comparison.Equal("taker_camp_half_points", expect.Int("taker_camp_half_points"),
                   result.attack_half_points());
  comparison.Equal("bouts", expect.Int("bouts"), result.bouts());
  comparison.Equal("need", expect.Halves("need"), result.needed_half_points());
  comparison.Equal("won", expect.Bool("won"), result.won());
  comparison.Equal("diff_points", expect.Int("diff_points"), result.difference());
  comparison.Equal("petit_au_bout", expect.Int("petit_au_bout"), result.petit_au_bout());
  comparison.Equal("slam_bonus", expect.Int("slam_bonus"), result.slam_points());
  comparison.Equal("unit", expect.Int("unit"), result.unit());
  comparison.Equal("scores", expect.Ints("scores"), result.scores());
  comparison.Equal("trick_winners", expect.Ints("trick_winners"), response.trick_winners());
}

}  // namespace

Checked CheckPlay(const google::protobuf::Struct& entry, Referee& referee) {
  Fields fields(entry);
  Checked checked{.id = fields.Has("id") ? fields.Text("id") : ""};
  const ScorePlayRequest request = Request(fields);
  const auto expect = entry.fields().find("expect");
  if (expect == entry.fields().end() || !expect->second.has_struct_value()) {
    fields.Fail("expect", "is missing");
  }
  if (!fields.status().ok()) {
    checked.problems.push_back(std::string(fields.status().message()));
    return checked;
  }
  const auto response = referee.ScorePlay(request);
  if (!response.ok()) {
    checked.problems.push_back(std::string(response.status().message()));
    return checked;
  }
  Comparison comparison;
  Fields expected(expect->second.struct_value(), "expect.");
  Compare(expected, *response, comparison);
  checked.problems = comparison.Take();
  if (!expected.status().ok()) {
    checked.problems.push_back(std::string(expected.status().message()));
  }
  return checked;
}

}  // namespace tarot::tarotctl
