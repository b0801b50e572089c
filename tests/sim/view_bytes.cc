#include "tests/sim/view_bytes.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace tarot::sim {
namespace {

using rules::CardSet;

void Add(std::string& out, CardSet cards) {
  for (const rules::Card card : cards) out.push_back(static_cast<char>(rules::Index(card)));
  out.push_back('|');
}

template <typename... Numbers>
void Add(std::string& out, Numbers... numbers) {
  ((out.append(std::to_string(static_cast<long long>(numbers))), out.push_back(',')), ...);
}

void Add(std::string& out, const rules::LegalActions& legal) {
  for (const bool bid : legal.bids) Add(out, bid);
  for (const bool level : legal.handful_levels) Add(out, level);
  Add(out, legal.call_nobody, legal.discard_count, legal.discard_trump_count, legal.slam);
  Add(out, legal.calls);
  Add(out, legal.discards);
  Add(out, legal.handful_cards);
  Add(out, legal.cards);
}

void Add(std::string& out, const rules::DealResult& result) {
  Add(out, result.outcome, result.attack_half_points, result.bouts, result.honours,
      result.petit_au_bout, result.slam, result.score.unit, result.score.taker);
  for (const int score : result.scores) Add(out, score);
  Add(out, result.petit_sec_seat);
  Add(out, result.petit_sec_hand);
}

void Add(std::string& out, const rules::View& view) {
  Add(out, view.players, view.playing, view.sits_out, view.dealer, view.phase, view.turn,
      view.viewer, view.bid_count, view.taker, view.contract, rules::Index(view.called_card),
      view.partner, view.slam_announced, view.handful_count, view.trick_count);
  for (const CardSet cards : {view.hand, view.dog, view.discard, view.discard_shown}) {
    Add(out, cards);
  }
  for (const int count : view.hand_counts) Add(out, count);
  for (const rules::Contract bid : view.bids) Add(out, bid);
  for (int i = 0; i < view.handful_count; ++i) {
    const rules::ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
    Add(out, shown.seat, shown.level);
    Add(out, shown.cards);
  }
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    Add(out, trick.leader, trick.winner, trick.size);
    for (int k = 0; k < trick.size; ++k) {
      Add(out, rules::Index(trick.cards[static_cast<std::size_t>(k)]));
    }
  }
  Add(out, view.legal);
  Add(out, view.result);
}

}  // namespace

std::string ViewBytes(const rules_service::TableView& view) {
  std::string out = view.config->id.ToString();
  Add(out, view.revision, view.phase, view.viewer, view.deals_scored, view.deal_number);
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    Add(out, view.totals[seat], absl::ToInt64Microseconds(view.seats[seat].time_bank),
        view.seats[seat].strikes);
    absl::StrAppend(&out, view.next_nonces[seat], ";");
  }
  out.append(view.commitment.begin(), view.commitment.end());
  if (view.next_commitment) {
    out.append(view.next_commitment->begin(), view.next_commitment->end());
  }
  if (view.deal) Add(out, *view.deal);
  out.append(view.void_reason);
  Add(out, view.claim.seat, view.claim.trick);
  Add(out, view.take_back, view.proposal.has_value(), view.break_expire_time.has_value());
  if (view.proposal) {
    Add(out, view.proposal->kind, view.proposal->seat, view.proposal->revision,
        absl::ToUnixMicros(view.proposal->expire_time));
  }
  for (const rules::Seat seat : view.pending) Add(out, seat);
  if (view.break_expire_time) Add(out, absl::ToUnixMicros(*view.break_expire_time));
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    Add(out, view.muted[seat], view.phrases[seat].has_value());
    if (!view.phrases[seat]) continue;
    Add(out, view.phrases[seat]->phrase, absl::ToUnixMicros(view.phrases[seat]->time));
  }
  return out;
}

}  // namespace tarot::sim
