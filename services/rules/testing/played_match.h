// Defines a match that is played by random actions. It returns the entries that the service would
// store.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/base/rng.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/table_state.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class PlayedMatch {
 public:
  PlayedMatch(const std::string& rule_set, int players, int deal_count, Entropy& entropy)
      : entropy_(entropy), rng_(entropy.NewSeed()) {
    TableConfig config{.id = TableId{entropy.NewUuid()},
                       .rule_set = rule_set,
                       .rules = rules::FindRuleSet(rule_set)->rules,
                       .deal_count = deal_count,
                       .move_limit = absl::Seconds(30),
                       .create_time = absl::FromUnixSeconds(1'800'000'000)};
    for (int i = 0; i < players; ++i) {
      config.seats.push_back({.player = PlayerId{entropy.NewUuid()}});
    }
    entropy.Fill(absl::MakeSpan(config.first_seed.emplace()));
    state_ = NewTable(std::make_shared<const TableConfig>(std::move(config)));
  }

  const TableConfig& config() const { return *state_.config; }
  const TableState& state() const { return state_; }

  // Returns the next entry: the start of a deal, or a random legal action.
  NewEntry Next() {
    NewEntry next{.table = config().id};
    next.entry = {.revision = state_.revision + 1,
                  .request = RequestId{entropy_.NewUuid()},
                  .create_time = config().create_time};
    if (state_.match.DealRunning()) {
      next.entry.seat = state_.match.deal.turn;
      next.entry.body = rules::RandomAction(state_.match.deal, rng_);
    } else {
      dealing::DealSeed seed;
      entropy_.Fill(absl::MakeSpan(seed));
      next.entry.actor = Actor::kServer;
      next.entry.body = DealStarted{
          std::make_shared<const dealing::DealStart>(StartOf(state_.match, *state_.next, seed))};
    }
    TAROT_CHECK(Advance(state_, next.entry).ok());
    if (!state_.match.DealRunning()) AddEnd(next);
    return next;
  }

 private:
  void AddEnd(NewEntry& entry) const {
    const rules::Match& match = state_.match;
    entry.progress =
        MatchProgress{.match_over = match.Finished(),
                      .deals_dealt = match.deals_dealt,
                      .deals_scored = match.deals_scored,
                      .totals = {match.totals.begin(), match.totals.begin() + match.players}};
    entry.deal_revision = state_.deal_revision;
    entry.revealed = RevealedBy(state_);
  }

  Entropy& entropy_;
  Rng rng_;
  TableState state_;
};

}  // namespace tarot::rules_service
