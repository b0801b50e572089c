#include "tools/tarotctl/arena/match.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "libs/base/status_macros.h"
#include "libs/notation/action_name.h"
#include "libs/notation/card_names.h"
#include "libs/rules/deck.h"
#include "libs/rules/refusal.h"

namespace tarot::tarotctl {
namespace {

// A deal that is played: petit sec is dealt again. The last seat deals, as everywhere in TDN.
rules::Deal RandomDeal(const MatchSettings& settings, Rng& rng) {
  rules::PackOrder order;
  for (int i = 0; i < rules::kCardCount; ++i) order[static_cast<std::size_t>(i)] = rules::CardAt(i);
  const rules::RuleSet& rules = settings.rules;
  const rules::Seat dealer = settings.players - 1;
  for (;;) {
    rng.Shuffle(order);
    const rules::DealtCards dealt = DealOut(rules, settings.players, dealer, order);
    const bool board = rules.taker_by == rules::TakerBy::kBoard;
    const rules::Seat taker = board ? rng.Below(rules.Playing(settings.players)) : rules::kNoSeat;
    rules::Deal deal = StartDeal(rules, settings.players, dealer, dealt.hands, dealt.dog, taker);
    if (deal.phase != rules::Phase::kDone) return deal;
  }
}

absl::Status Blame(rules::Seat seat, const std::string& name, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("seat ", notation::SeatName(seat), ", ", name, ": ", what));
}

}  // namespace

absl::StatusOr<Player*> MatchTable::At(rules::Seat seat, bool one) {
  std::unique_ptr<Player>& player = one ? one_ : rest_[static_cast<std::size_t>(seat)];
  if (player == nullptr) {
    const std::string& name = one ? settings_.one : settings_.rest;
    TAROT_ASSIGN_OR_RETURN(player, MakePlayer(name, settings_.node_budget, settings_.patience));
  }
  return player.get();
}

absl::StatusOr<int> MatchTable::PlayGame(rules::Deal deal, rules::Seat seat_of_one, Rng rng) {
  const auto name = [&](rules::Seat seat) -> const std::string& {
    return seat == seat_of_one ? settings_.one : settings_.rest;
  };
  std::array<Player*, rules::kPlayersMax> players{};
  for (rules::Seat seat = 0; seat < deal.playing; ++seat) {
    const auto player = At(seat, seat == seat_of_one);
    if (!player.ok()) return Blame(seat, name(seat), player.status().message());
    players[static_cast<std::size_t>(seat)] = *player;
    const absl::Status begun = (*player)->NewDeal(MakeView(deal, seat), rng.Next());
    if (!begun.ok()) return Blame(seat, name(seat), begun.message());
  }
  while (deal.phase != rules::Phase::kDone) {
    const rules::Seat seat = deal.turn;
    const auto action = players[static_cast<std::size_t>(seat)]->Decide(MakeView(deal, seat));
    if (!action.ok()) return Blame(seat, name(seat), action.status().message());
    const rules::Verdict verdict = Apply(deal, seat, *action);
    if (verdict.ok()) continue;
    return Blame(seat, name(seat),
                 absl::StrCat("\"", notation::ActionName(*action),
                              "\": ", rules::RefusalStatus(*action, verdict).message()));
  }
  return deal.result.scores[static_cast<std::size_t>(seat_of_one)];
}

absl::StatusOr<std::vector<int>> MatchTable::Play(int deal) {
  Rng rng(Rng(settings_.seed).Next() + static_cast<std::uint64_t>(deal));
  const rules::Deal start = RandomDeal(settings_, rng);
  std::vector<int> points;
  for (rules::Seat seat = 0; seat < start.playing; ++seat) {
    const auto game = PlayGame(start, seat, Rng(rng.Next()));
    if (!game.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("deal ", deal, ", ", game.status().message()));
    }
    points.push_back(*game);
  }
  return points;
}

MatchSummary Summarize(const std::vector<std::vector<int>>& points) {
  constexpr int kResamples = 2000;
  MatchSummary summary{.deals = static_cast<int>(points.size())};
  summary.by_seat.resize(points[0].size());
  std::vector<double> means;
  for (const std::vector<int>& deal : points) {
    const auto seats = static_cast<double>(deal.size());
    means.push_back(std::accumulate(deal.begin(), deal.end(), 0) / seats);
    for (std::size_t seat = 0; seat < deal.size(); ++seat) {
      summary.by_seat[seat] += deal[seat] / static_cast<double>(points.size());
    }
  }
  const auto count = static_cast<double>(means.size());
  summary.points = std::accumulate(means.begin(), means.end(), 0.0) / count;
  Rng rng(1);
  std::vector<double> resampled;
  for (int i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < means.size(); ++k) {
      sum += means[static_cast<std::size_t>(rng.Below(summary.deals))];
    }
    resampled.push_back(sum / count);
  }
  std::sort(resampled.begin(), resampled.end());
  summary.low95 = resampled[kResamples / 40];
  summary.high95 = resampled[kResamples - 1 - kResamples / 40];
  return summary;
}

}  // namespace tarot::tarotctl
