// Defines random finished matches. They contain everything that a log can have: nonces, bots in
// seats of persons, claims, cards that are taken back, breaks, phrases, mutes, and deals that an
// operator cancels.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/base/rng.h"
#include "libs/rules/claim.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/table_state.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class RandomMatch {
 public:
  // `table` has the rule set, the number of deals and the time. The match gets seats; the last
  // `bots` seats are for bots. If `table` has no id, the match gets an id that begins with the time
  // of `table`. If `nonce_bytes` is positive, each person adds a nonce of this size to each deal,
  // as the page does. If not, a third of the seats add nonces of random sizes.
  RandomMatch(TableConfig table, int players, int bots, Entropy& entropy, int nonce_bytes = 0)
      : entropy_(entropy), rng_(entropy.NewSeed()), bots_(bots), nonce_bytes_(nonce_bytes) {
    if (table.id == TableId{}) table.id = TableId{entropy.NewTimeOrderedUuid(table.create_time)};
    table.rules = rules::FindRuleSet(table.rule_set)->rules;
    table.move_limit = absl::Seconds(30);
    table.time_bank = absl::Seconds(60);
    table.take_back = table.breaks = !table.ranked;
    for (int i = 0; i < players; ++i) {
      table.seats.push_back({.player = PlayerId{entropy.NewUuid()},
                             .display_name = "P",
                             .bot_level = i < players - bots ? "" : "novice"});
    }
    entropy.Fill(absl::MakeSpan(table.first_seed.emplace()));
    time_ = table.create_time;
    state_ = NewTable(std::make_shared<const TableConfig>(std::move(table)));
    while (!state_.match.Finished()) Step();
  }

  const TableConfig& config() const { return *state_.config; }
  const std::vector<NewEntry>& entries() const { return entries_; }

  // Returns the match in the form that a store returns.
  StoredTable stored() const {
    StoredTable stored{.config = config(), .end = MatchEnd{}};
    for (const NewEntry& entry : entries_) stored.log.push_back(entry.entry);
    stored.end->deals_scored = state_.match.deals_scored;
    stored.end->totals = entries_.back().progress->totals;
    return stored;
  }

 private:
  bool OneIn(int n) { return rng_.Below(n) == 0; }
  rules::Seat AnyPerson() { return rng_.Below(state_.match.players - bots_); }
  bool HasPersons() const { return bots_ < state_.match.players; }

  void Add(Actor actor, rules::Seat seat, EntryBody body) {
    time_ += absl::Microseconds(500'000 + rng_.Below(3'000'000));
    NewEntry& added = entries_.emplace_back();
    added.table = config().id;
    added.entry = {.revision = state_.revision + 1,
                   .request = RequestId{entropy_.NewUuid()},
                   .actor = actor,
                   .seat = seat,
                   .body = std::move(body),
                   .elapsed = absl::Microseconds(rng_.Below(9'000'000)),
                   .create_time = time_};
    const bool begins = std::holds_alternative<DealStarted>(added.entry.body);
    const bool ran = begins || state_.match.DealRunning();
    const absl::Status advanced = Advance(state_, added.entry);
    TAROT_CHECK(advanced.ok());
    const rules::Match& match = state_.match;
    if (!ran || match.DealRunning()) return;
    added.progress =
        MatchProgress{.match_over = match.Finished(),
                      .deals_dealt = match.deals_dealt,
                      .deals_scored = match.deals_scored,
                      .totals = {match.totals.begin(), match.totals.begin() + match.players}};
    added.deal_revision = state_.deal_revision;
    for (const SeatConfig& one : config().seats) added.players.push_back(one.player);
    added.revealed = RevealedBy(state_);
  }

  void Deal() {
    for (rules::Seat seat = 0; seat < state_.match.players; ++seat) {
      const bool adds = nonce_bytes_ > 0 ? seat < state_.match.players - bots_ : OneIn(3);
      if (!adds) continue;
      const int size = nonce_bytes_ > 0 ? nonce_bytes_ : 1 + rng_.Below(32);
      std::string nonce(static_cast<std::size_t>(size), '\0');
      for (char& byte : nonce) byte = static_cast<char>(rng_.Below(256));
      Add(Actor::kPlayer, seat, NonceAdded{nonce});
    }
    dealing::DealSeed seed;
    entropy_.Fill(absl::MakeSpan(seed));
    Add(Actor::kServer, rules::kNoSeat,
        DealStarted{
            std::make_shared<const dealing::DealStart>(StartOf(state_.match, *state_.next, seed))});
  }

  // Takes the last card back. All persons agree.
  void TakeBack(rules::Seat seat) {
    Proposed proposed{.kind = ProposalKind::kTakeBack};
    proposed.asked.emplace();
    std::vector<rules::Seat> others = state_.AskedFor(ProposalKind::kTakeBack);
    std::erase(others, seat);
    for (const rules::Seat other : others)
      (*proposed.asked)[static_cast<std::size_t>(other)] = true;
    proposed.granted = others.empty();
    Add(Actor::kPlayer, seat, proposed);
    if (!others.empty() && OneIn(4)) {
      return Add(Actor::kPlayer, others[0], ProposalAnswered{.kind = ProposalKind::kTakeBack});
    }
    for (const rules::Seat other : others) {
      Add(Actor::kPlayer, other,
          ProposalAnswered{
              .kind = ProposalKind::kTakeBack, .agrees = true, .granted = other == others.back()});
    }
  }

  // Returns false if no claim can be proven by the seat whose turn it is.
  bool Claim() {
    const rules::Deal& deal = state_.match.deal;
    if (deal.phase != rules::Phase::kPlaying || deal.trick_count < 2) return false;
    const rules::ClaimProof proof = rules::ProveClaim(rules::RememberedView(deal, deal.turn));
    if (!proof.proven()) return false;
    Add(Actor::kPlayer, deal.turn, TricksClaimed{rules::PlayOutClaim(deal, proof)});
    return true;
  }

  void Step() {
    if (!state_.match.DealRunning()) return Deal();
    if (HasPersons() && OneIn(60)) return Add(Actor::kPlayer, AnyPerson(), PhraseSaid{});
    if (HasPersons() && OneIn(200))
      return Add(Actor::kPlayer, AnyPerson(), SeatMuted{.seat = 0, .muted = true});
    if (OneIn(1'000)) return Add(Actor::kServer, rules::kNoSeat, DealVoided{.reason = "a fault"});
    const rules::Seat back = state_.TakeBackSeat();
    if (back != rules::kNoSeat && OneIn(20)) return TakeBack(back);
    const rules::Seat seat = state_.match.deal.turn;
    const SeatConfig& config_of_seat = config().seats[static_cast<std::size_t>(seat)];
    const bool held = state_.seats[static_cast<std::size_t>(seat)].held();
    if (held && OneIn(5)) return Add(Actor::kPlayer, seat, SeatResumed{});
    const bool bot = config_of_seat.bot() || held;
    if (!bot && state_.match.deal.trick_count > 10 && Claim()) return;
    const Actor actor = state_.InLastTrick() ? Actor::kServer
                        : bot                ? Actor::kBot
                        : OneIn(30)          ? Actor::kClock
                                             : Actor::kPlayer;
    Add(actor, seat, rules::RandomAction(state_.match.deal, rng_));
  }

  Entropy& entropy_;
  Rng rng_;
  const int bots_;
  const int nonce_bytes_;
  absl::Time time_;
  TableState state_;
  std::vector<NewEntry> entries_;
};

}  // namespace tarot::rules_service
