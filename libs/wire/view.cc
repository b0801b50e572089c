// Converts between rules::View and v1::DealView.
#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/score_lines.h"
#include "libs/wire/convert.h"
#include "libs/wire/rule_set.h"

namespace tarot::wire {
namespace {

std::uint32_t Number(int n) { return static_cast<std::uint32_t>(n); }

absl::StatusOr<rules::Seat> DecodeSeat(std::uint32_t seat, int players, absl::string_view field) {
  if (seat >= Number(players)) return BadRequest(field, "no such seat");
  return static_cast<rules::Seat>(seat);
}

void EncodeTrick(const rules::View& view, const rules::Trick& trick, v1::Trick* out) {
  out->set_leader(Number(trick.leader));
  out->mutable_cards()->Reserve(trick.size);
  for (int i = 0; i < trick.size; ++i) {
    out->add_cards(Number(rules::Index(trick.cards[static_cast<std::size_t>(i)])));
  }
  if (trick.winner != rules::kNoSeat) {
    out->set_winner(Number(trick.winner));
  } else if (trick.size > 0) {
    const int position = rules::WinningPosition(
        absl::MakeConstSpan(trick.cards.data(), static_cast<std::size_t>(trick.size)));
    out->set_winning(Number(view.After(trick.leader, position)));
  }
}

void EncodeRefused(const rules::RefusedCards& refused, v1::RefusedCards* out) {
  const rules::Verdict& verdict = refused.verdict;
  out->set_why(std::string(rules::ReasonName(verdict.reason)));
  EncodeCards(refused.cards, out->mutable_cards());
  if (verdict.suit != rules::Suit::kNone) out->set_suit(Number(static_cast<int>(verdict.suit)));
  if (verdict.number != 0) out->set_number(Number(verdict.number));
  if (verdict.card != rules::kNoCard) out->set_card(Number(rules::Index(verdict.card)));
}

void EncodeHandful(const rules::ShownHandful& handful, v1::Handful* out) {
  out->set_seat(Number(handful.seat));
  out->set_level(Number(handful.level));
  EncodeCards(handful.cards, out->mutable_cards());
}

absl::Status DecodeTrick(const v1::Trick& in, const rules::View& view, rules::Trick* trick) {
  const int players = view.players;
  if (in.cards_size() > view.playing)
    return BadRequest("deal.tricks.cards", "must be at most one for each player");
  TAROT_ASSIGN_OR_RETURN(trick->leader, DecodeSeat(in.leader(), players, "deal.tricks.leader"));
  for (const std::uint32_t number : in.cards()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Card card, DecodeCard(number, "deal.tricks.cards"));
    trick->cards[static_cast<std::size_t>(trick->size++)] = card;
  }
  // If the viewer may no longer look at a trick, the trick has a winner and no cards.
  const bool closed = in.has_winner() && trick->size == 0;
  if (in.has_winner() != (trick->size == view.playing) && !closed) {
    return BadRequest("deal.tricks.winner", "must be set if the trick is complete, and only then");
  }
  if (in.has_winner()) {
    TAROT_ASSIGN_OR_RETURN(trick->winner, DecodeSeat(in.winner(), players, "deal.tricks.winner"));
  }
  return absl::OkStatus();
}

absl::Status DecodeTricks(const v1::DealView& in, rules::View* view) {
  if (in.tricks_size() > view->rules.HandSize(view->players)) {
    return BadRequest("deal.tricks", "more tricks than the deal has");
  }
  for (const v1::Trick& trick : in.tricks()) {
    rules::Trick& out = view->tricks[static_cast<std::size_t>(view->trick_count)];
    TAROT_RETURN_IF_ERROR(DecodeTrick(trick, *view, &out));
    const bool last = ++view->trick_count == in.tricks_size();
    if (!last && out.winner == rules::kNoSeat) {
      return BadRequest("deal.tricks", "only the last trick may be in play");
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeHandfuls(const v1::DealView& in, rules::View* view) {
  if (in.handfuls_size() > view->players)
    return BadRequest("deal.handfuls", "must be at most one for each seat");
  for (const v1::Handful& handful : in.handfuls()) {
    rules::ShownHandful& out = view->handfuls[static_cast<std::size_t>(view->handful_count++)];
    TAROT_ASSIGN_OR_RETURN(out.seat,
                           DecodeSeat(handful.seat(), view->players, "deal.handfuls.seat"));
    TAROT_ASSIGN_OR_RETURN(out.cards, DecodeCards(handful.cards(), "deal.handfuls.cards"));
    if (handful.level() < 1 || handful.level() > 3) {
      return BadRequest("deal.handfuls.level", "1, 2 or 3");
    }
    out.level = static_cast<int>(handful.level());
  }
  return absl::OkStatus();
}

absl::Status DecodeLegal(const v1::LegalActions& in, int players, rules::View* view) {
  rules::LegalActions& legal = view->legal;
  for (const int bid : in.bids()) {
    TAROT_ASSIGN_OR_RETURN(const rules::Contract contract,
                           DecodeContract(static_cast<v1::Contract>(bid), "deal.legal.bids"));
    legal.bids[static_cast<std::size_t>(contract)] = true;
  }
  TAROT_ASSIGN_OR_RETURN(legal.calls, DecodeCards(in.calls(), "deal.legal.calls"));
  TAROT_ASSIGN_OR_RETURN(legal.discards, DecodeCards(in.discards(), "deal.legal.discards"));
  TAROT_ASSIGN_OR_RETURN(legal.handful_cards,
                         DecodeCards(in.handful_cards(), "deal.legal.handful_cards"));
  TAROT_ASSIGN_OR_RETURN(legal.cards, DecodeCards(in.cards(), "deal.legal.cards"));
  if (in.discard_count() > Number(view->rules.DogSize(players)) ||
      in.discard_trump_count() > in.discard_count()) {
    return BadRequest("deal.legal.discard_count", "more cards than a dog has");
  }
  legal.call_nobody = in.call_nobody();
  legal.discard_count = static_cast<int>(in.discard_count());
  legal.discard_trump_count = static_cast<int>(in.discard_trump_count());
  legal.slam = in.slam();
  for (int level = 1; level <= 3; ++level) {
    const auto& sizes = in.handful_sizes();
    legal.handful_levels[static_cast<std::size_t>(level)] =
        std::count(sizes.begin(), sizes.end(), Number(view->rules.HandfulSize(players, level))) > 0;
  }
  return absl::OkStatus();
}

// Decodes the seats (dealer, turn, viewer, taker, partner), the bids, the contract and the called
// card.
absl::Status DecodeSeats(const v1::DealView& in, rules::View* view) {
  const int n = view->players;
  TAROT_ASSIGN_OR_RETURN(view->dealer, DecodeSeat(in.dealer(), n, "deal.dealer"));
  view->playing = view->rules.Playing(n);
  if (view->playing < n) view->sits_out = view->dealer;
  if (in.has_turn()) {
    TAROT_ASSIGN_OR_RETURN(view->turn, DecodeSeat(in.turn(), n, "deal.turn"));
  }
  if (in.has_viewer()) {
    TAROT_ASSIGN_OR_RETURN(view->viewer, DecodeSeat(in.viewer(), n, "deal.viewer"));
  }
  if (in.has_taker()) {
    TAROT_ASSIGN_OR_RETURN(view->taker, DecodeSeat(in.taker(), n, "deal.taker"));
    TAROT_ASSIGN_OR_RETURN(view->contract, DecodeContract(in.contract(), "deal.contract"));
  }
  if (in.has_partner()) {
    TAROT_ASSIGN_OR_RETURN(view->partner, DecodeSeat(in.partner(), n, "deal.partner"));
  }
  if (in.has_called_card()) {
    TAROT_ASSIGN_OR_RETURN(view->called_card, DecodeCard(in.called_card(), "deal.called_card"));
  }
  if (in.bids_size() > n) return BadRequest("deal.bids", "must be at most one for each seat");
  for (const int bid : in.bids()) {
    TAROT_ASSIGN_OR_RETURN(view->bids[static_cast<std::size_t>(view->bid_count++)],
                           DecodeContract(static_cast<v1::Contract>(bid), "deal.bids"));
  }
  return absl::OkStatus();
}

absl::Status DecodeCardsOfView(const v1::DealView& in, rules::View* view) {
  TAROT_ASSIGN_OR_RETURN(view->hand, DecodeCards(in.hand(), "deal.hand"));
  TAROT_ASSIGN_OR_RETURN(view->dog, DecodeCards(in.dog(), "deal.dog"));
  TAROT_ASSIGN_OR_RETURN(view->discard, DecodeCards(in.discard(), "deal.discard"));
  TAROT_ASSIGN_OR_RETURN(view->discard_shown,
                         DecodeCards(in.discard_shown(), "deal.discard_shown"));
  if (in.hand_counts_size() != view->players)
    return BadRequest("deal.hand_counts", "must be one for each seat");
  for (int seat = 0; seat < view->players; ++seat) {
    if (in.hand_counts(seat) > rules::kCardCount)
      return BadRequest("deal.hand_counts", "more cards than the pack has");
    view->hand_counts[static_cast<std::size_t>(seat)] = static_cast<int>(in.hand_counts(seat));
  }
  return absl::OkStatus();
}

}  // namespace

void EncodeLegal(const rules::RuleSet& rules, int players, const rules::LegalActions& legal,
                 v1::LegalActions* out) {
  for (std::size_t c = 0; c < legal.bids.size(); ++c) {
    if (legal.bids[c]) out->add_bids(EncodeContract(static_cast<rules::Contract>(c)));
  }
  EncodeCards(legal.calls, out->mutable_calls());
  out->set_call_nobody(legal.call_nobody);
  EncodeCards(legal.discards, out->mutable_discards());
  out->set_discard_count(Number(legal.discard_count));
  out->set_discard_trump_count(Number(legal.discard_trump_count));
  out->set_slam(legal.slam);
  for (int level = 1; level <= 3; ++level) {
    if (!legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    out->add_handful_sizes(Number(rules.HandfulSize(players, level)));
  }
  EncodeCards(legal.handful_cards, out->mutable_handful_cards());
  EncodeCards(legal.cards, out->mutable_cards());
}

namespace {

void EncodeLines(const rules::View& view, v1::DealResult* out) {
  const std::optional<rules::ScoreLines> known = rules::LinesOf(view);
  if (!known) return;
  const rules::ScoreLines& lines = *known;
  for (const rules::CardPointsLine& line : lines.card_points) {
    v1::CardPointsLine& added = *out->add_card_points();
    // The enums of the proto and of rules have the same numbers.
    added.set_source(static_cast<v1::CardPointsLine::Source>(line.source));
    added.set_half_points(line.half_points);
    added.set_tricks(Number(line.tricks));
  }
  for (const rules::UnitLine& line : lines.unit) {
    v1::UnitLine& added = *out->add_unit_lines();
    added.set_kind(static_cast<v1::UnitLine::Kind>(line.kind));
    added.set_points(line.points);
    added.set_base(Number(line.base));
    added.set_difference(Number(line.difference));
    added.set_multiplier(Number(line.multiplier));
    if (line.seat != rules::kNoSeat) added.set_seat(Number(line.seat));
    added.set_level(Number(line.level));
  }
  for (int seat = 0; seat < view.players; ++seat) {
    out->add_shares(lines.shares[static_cast<std::size_t>(seat)]);
  }
}

}  // namespace

void EncodeResult(const rules::View& view, v1::DealResult* out) {
  const rules::DealResult& result = view.result;
  // v1::DealResult::Outcome and rules::Outcome have the same numbers.
  out->set_outcome(static_cast<v1::DealResult::Outcome>(result.outcome));
  if (result.outcome == rules::Outcome::kPetitSec) {
    out->set_petit_sec_seat(Number(result.petit_sec_seat));
    EncodeCards(result.petit_sec_hand, out->mutable_petit_sec_hand());
  }
  if (result.outcome != rules::Outcome::kScored) return;
  for (int seat = 0; seat < view.players; ++seat) {
    out->add_scores(result.scores[static_cast<std::size_t>(seat)]);
  }
  if (view.taker == rules::kNoSeat) return;
  out->set_taker(Number(view.taker));
  if (view.partner != rules::kNoSeat) out->set_partner(Number(view.partner));
  out->set_contract(EncodeContract(view.contract));
  out->set_attack_half_points(Number(result.attack_half_points));
  out->set_needed_half_points(Number(result.score.needed_half_points));
  out->set_bouts(Number(result.bouts));
  out->set_won(result.score.won);
  out->set_difference(Number(result.score.difference));
  out->set_petit_au_bout(result.petit_au_bout);
  out->set_slam_points(result.score.slam_points);
  out->set_handful_points(result.score.handful_points);
  out->set_unit(result.score.unit);
  if (view.rules.scoring != rules::Scoring::kNormal) out->set_honours(Number(result.honours));
  EncodeLines(view, out);
}

void EncodeOwnView(const rules::View& view, bool discard, v1::DealView* out) {
  if (view.viewer != rules::kNoSeat) out->set_viewer(Number(view.viewer));
  EncodeCards(view.hand, out->mutable_hand());
  if (view.partner != rules::kNoSeat) out->set_partner(Number(view.partner));
  if (discard) EncodeCards(view.discard, out->mutable_discard());
  if (view.viewer != rules::kNoSeat && view.viewer == view.turn) {
    EncodeLegal(view.rules, view.players, view.legal, out->mutable_legal());
    for (const rules::RefusedCards& refused : rules::ListRefused(view)) {
      EncodeRefused(refused, out->mutable_legal()->add_refused());
    }
  }
}

void EncodeView(const rules::View& view, absl::string_view rule_set, v1::DealView* out) {
  EncodeRuleSetOf(rule_set, view.rules, out);
  out->set_player_count(Number(view.players));
  out->set_dealer(Number(view.dealer));
  // v1::Phase and rules::Phase have the same order, but v1::Phase counts from 1.
  out->set_phase(static_cast<v1::Phase>(static_cast<int>(view.phase) + 1));
  if (view.turn != rules::kNoSeat) out->set_turn(Number(view.turn));
  EncodeOwnView(view, true, out);
  out->mutable_hand_counts()->Reserve(view.players);
  for (int seat = 0; seat < view.players; ++seat) {
    out->add_hand_counts(Number(view.hand_counts[static_cast<std::size_t>(seat)]));
  }
  for (int i = 0; i < view.bid_count; ++i) {
    out->add_bids(EncodeContract(view.bids[static_cast<std::size_t>(i)]));
  }
  if (view.taker != rules::kNoSeat) {
    out->set_taker(Number(view.taker));
    out->set_contract(EncodeContract(view.contract));
  }
  if (view.called_card != rules::kNoCard) {
    out->set_called_card(Number(rules::Index(view.called_card)));
  }
  EncodeCards(view.dog, out->mutable_dog());
  EncodeCards(view.discard_shown, out->mutable_discard_shown());
  out->set_slam_announced(view.slam_announced);
  for (int i = 0; i < view.handful_count; ++i) {
    EncodeHandful(view.handfuls[static_cast<std::size_t>(i)], out->add_handfuls());
  }
  out->mutable_tricks()->Reserve(view.trick_count);
  for (int i = 0; i < view.trick_count; ++i) {
    EncodeTrick(view, view.tricks[static_cast<std::size_t>(i)], out->add_tricks());
  }
  if (view.phase == rules::Phase::kDone) EncodeResult(view, out->mutable_result());
}

absl::StatusOr<rules::View> DecodeView(const v1::DealView& in) {
  rules::View view;
  if (!in.has_rules() && rules::FindRuleSet(in.rule_set()) == nullptr) {
    return BadRequest("deal.rule_set", "unknown");
  }
  TAROT_ASSIGN_OR_RETURN(view.rules, RuleSetOf(in, "deal.rules"));
  if (in.player_count() < view.rules.players_min || in.player_count() > view.rules.players_max) {
    return BadRequest("deal.player_count", "the rule set does not allow this number of players");
  }
  view.players = static_cast<int>(in.player_count());
  if (in.phase() < v1::BIDDING || in.phase() > v1::DONE) {
    return BadRequest("deal.phase", "required");
  }
  view.phase = static_cast<rules::Phase>(in.phase() - 1);
  TAROT_RETURN_IF_ERROR(DecodeSeats(in, &view));
  TAROT_RETURN_IF_ERROR(DecodeCardsOfView(in, &view));
  TAROT_RETURN_IF_ERROR(DecodeTricks(in, &view));
  TAROT_RETURN_IF_ERROR(DecodeHandfuls(in, &view));
  TAROT_RETURN_IF_ERROR(DecodeLegal(in.legal(), view.players, &view));
  view.slam_announced = in.slam_announced();
  return view;
}

}  // namespace tarot::wire
