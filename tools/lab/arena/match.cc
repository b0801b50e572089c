#include "tools/lab/arena/match.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/rules/action.h"
#include "libs/rules/deck.h"

namespace tarot::lab {
namespace {

// Returns a random deal at its beginning. Deals again while the rule set cancels the deal because
// of a petit sec. The last seat is the dealer, as always in TDN.
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

Role RoleOf(const rules::Deal& deal, rules::Seat seat) {
  if (deal.taker == rules::kNoSeat) return Role::kNone;
  if (seat == deal.taker) return Role::kTaker;
  return seat == deal.partner ? Role::kPartner : Role::kDefender;
}

absl::Status Blame(rules::Seat seat, const std::string& name, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat("seat ", notation::SeatName(seat), ", ", name, ": ", what));
}

}  // namespace

absl::StatusOr<ArenaPlayer*> MatchTable::At(rules::Seat seat, bool one) {
  std::unique_ptr<ArenaPlayer>& player = one ? one_ : rest_[static_cast<std::size_t>(seat)];
  if (player == nullptr) {
    const std::string& name = one ? settings_.one : settings_.rest;
    TAROT_ASSIGN_OR_RETURN(player, MakePlayer(name, settings_.node_budget, settings_.patience));
  }
  return player.get();
}

absl::StatusOr<rules::Deal> MatchTable::PlayGame(rules::Deal deal, rules::Seat seat_of_one,
                                                 rules::Seat taker, Rng rng) {
  const auto name = [&](rules::Seat seat) -> const std::string& {
    return seat == seat_of_one ? settings_.one : settings_.rest;
  };
  std::array<ArenaPlayer*, rules::kPlayersMax> players{};
  for (rules::Seat seat = 0; seat < deal.playing; ++seat) {
    const auto player = At(seat, seat == seat_of_one);
    if (!player.ok()) return Blame(seat, name(seat), player.status().message());
    players[static_cast<std::size_t>(seat)] = *player;
    const absl::Status begun = (*player)->NewDeal(RememberedView(deal, seat), rng.Next());
    if (!begun.ok()) return Blame(seat, name(seat), begun.message());
  }
  while (deal.phase != rules::Phase::kDone) {
    const rules::Seat seat = deal.turn;
    if (settings_.contract && deal.phase == rules::Phase::kBidding) {
      const auto bid = seat == taker ? *settings_.contract : rules::Contract::kPass;
      if (Apply(deal, seat, rules::Action::Bid(bid)).ok()) continue;
      return absl::FailedPreconditionError("the rule set does not allow this contract");
    }
    const auto action = players[static_cast<std::size_t>(seat)]->Decide(RememberedView(deal, seat));
    if (!action.ok()) return Blame(seat, name(seat), action.status().message());
    const rules::Verdict verdict = Apply(deal, seat, *action);
    if (verdict.ok()) continue;
    return Blame(seat, name(seat),
                 absl::StrCat("\"", notation::ActionName(*action),
                              "\": ", rules::RefusalStatus(*action, verdict).message()));
  }
  return deal;
}

absl::StatusOr<std::vector<SeatResult>> MatchTable::Play(int deal) {
  Rng rng(Rng(settings_.seed).Next() + static_cast<std::uint64_t>(deal));
  const rules::Deal start = RandomDeal(settings_, rng);
  const rules::Seat taker = settings_.contract ? rng.Below(start.playing) : rules::kNoSeat;
  // Every game gets a copy of these random numbers, so the games differ only by the decisions of
  // `one`.
  const Rng luck(rng.Next());
  const auto play = [&](rules::Seat seat_of_one) -> absl::StatusOr<rules::Deal> {
    auto game = PlayGame(start, seat_of_one, taker, luck);
    if (game.ok()) return game;
    return absl::FailedPreconditionError(
        absl::StrCat("deal ", deal, ", ", game.status().message()));
  };
  TAROT_ASSIGN_OR_RETURN(const rules::Deal without, play(rules::kNoSeat));
  std::vector<SeatResult> games;
  for (rules::Seat seat = 0; seat < start.playing; ++seat) {
    TAROT_ASSIGN_OR_RETURN(const rules::Deal end, play(seat));
    const auto at = static_cast<std::size_t>(seat);
    games.push_back(
        {.points = end.result.scores[at] - without.result.scores[at], .role = RoleOf(end, seat)});
  }
  return games;
}

namespace {

// The games of one deal that count in a mean: all games of the deal, or only those of one seat or
// one role.
struct Share {
  int points = 0;
  int games = 0;
};

// Returns the mean of all games with its bootstrap interval. `deals` also has the deals without a
// game, because the bootstrap draws from all deals of the match.
Mean MeanOf(const std::vector<Share>& deals) {
  constexpr int kResamples = 2000;
  const auto ratio = [](long points, long games) {
    return games == 0 ? 0 : static_cast<double>(points) / static_cast<double>(games);
  };
  long points = 0, games = 0;
  for (const Share& share : deals) {
    points += share.points;
    games += share.games;
  }
  Mean mean{.games = static_cast<int>(games), .points = ratio(points, games)};
  Rng rng(1);
  std::vector<double> resampled;
  for (int i = 0; i < kResamples; ++i) {
    long p = 0, g = 0;
    for (std::size_t k = 0; k < deals.size(); ++k) {
      const Share& share =
          deals[static_cast<std::size_t>(rng.Below(static_cast<int>(deals.size())))];
      p += share.points;
      g += share.games;
    }
    resampled.push_back(ratio(p, g));
  }
  std::sort(resampled.begin(), resampled.end());
  mean.low95 = resampled[kResamples / 40];
  mean.high95 = resampled[kResamples - 1 - kResamples / 40];
  return mean;
}

template <typename Counts>
Mean MeanWhere(const std::vector<std::vector<SeatResult>>& deals, Counts counts) {
  std::vector<Share> shares;
  for (const std::vector<SeatResult>& deal : deals) {
    Share share;
    for (std::size_t seat = 0; seat < deal.size(); ++seat) {
      if (!counts(seat, deal[seat])) continue;
      share.points += deal[seat].points;
      ++share.games;
    }
    shares.push_back(share);
  }
  return MeanOf(shares);
}

}  // namespace

MatchSummary Summarize(const std::vector<std::vector<SeatResult>>& deals) {
  MatchSummary summary{.deals = static_cast<int>(deals.size())};
  summary.all = MeanWhere(deals, [](std::size_t, const SeatResult&) { return true; });
  for (std::size_t seat = 0; seat < deals[0].size(); ++seat) {
    summary.by_seat.push_back(
        MeanWhere(deals, [seat](std::size_t at, const SeatResult&) { return at == seat; }));
  }
  for (const Role role : {Role::kTaker, Role::kPartner, Role::kDefender}) {
    const Mean mean = MeanWhere(
        deals, [role](std::size_t, const SeatResult& result) { return result.role == role; });
    if (mean.games > 0) summary.by_role[role] = mean;
  }
  return summary;
}

}  // namespace tarot::lab
