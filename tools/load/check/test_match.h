// A match as the database stores it, and the history of its four players. Tests of the checker put
// faults into the match or into the history.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/rules/claim.h"
#include "libs/rules/codec.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/table_state.h"
#include "services/rules/transport/table_views.h"
#include "tools/load/check/checker.h"
#include "tools/load/history.h"

namespace tarot::check {

class TestMatch {
 public:
  // Plays the whole match, or its first `entries_max` entries. Client i has seat i. After the first
  // trick, a client claims all tricks as soon as it can prove that it wins them.
  explicit TestMatch(std::uint64_t seed, int entries_max = 1'000'000) : entropy_(seed), rng_(seed) {
    config_.id = TableId{entropy_.NewUuid()};
    config_.rule_set = "fft";
    config_.rules = rules::FindRuleSet("fft")->rules;
    config_.deal_count = 2;
    config_.move_limit = config_.time_bank = absl::Seconds(60);
    config_.ranked = true;
    config_.first_seed = NewSeed();
    for (int seat = 0; seat < 4; ++seat) {
      config_.seats.push_back({.player = PlayerId{entropy_.NewUuid()}, .display_name = "load"});
    }
    for (int client = 0; client < 4; ++client) {
      load::Event event = At(load::Event::Kind::kSeat, client);
      event.player = config_.seats[static_cast<std::size_t>(client)].player;
      history.push_back(event);
    }
    rules_service::StoredTable& stored = database.tables[config_.id];
    stored.config = config_;
    auto state = NewTable(std::make_shared<const rules_service::TableConfig>(config_));
    Watch(state);
    while (!state.match.Finished() && state.revision < entries_max)
      stored.log.push_back(Play(state));
    history.push_back(At(load::Event::Kind::kEnd, 0));
    if (state.match.Finished()) Rate(state);
  }

  TableId table() const { return config_.id; }
  rules_service::StoredTable& stored() { return database.tables.at(config_.id); }

  Database database;
  std::vector<load::Event> history;

 private:
  dealing::DealSeed NewSeed() {
    dealing::DealSeed seed;
    entropy_.Fill(absl::MakeSpan(seed));
    return seed;
  }

  // Each event comes a millisecond after the previous event.
  load::Event At(load::Event::Kind kind, int client) {
    return {.kind = kind, .time_us = now_us_ += 1000, .client = client, .table = config_.id};
  }

  rules_service::LogEntry Play(rules_service::TableState& state) {
    rules_service::LogEntry entry{.revision = state.revision + 1,
                                  .request = RequestId{entropy_.NewUuid()},
                                  .create_time = absl::FromUnixMicros(now_us_)};
    const bool deals = !state.match.DealRunning();
    const int client = state.match.deal.turn;
    if (deals) {
      entry.actor = rules_service::Actor::kServer;
      entry.body = rules_service::DealStarted{
          std::make_shared<const dealing::DealStart>(StartOf(state.match, *state.next, NewSeed()))};
    } else {
      entry.seat = client;
      const rules::ClaimProof proof = Prove(state.match.deal);
      const rules::Action action = RandomAction(state.match.deal, rng_);
      entry.body = action;
      if (proof.size > 0) {
        entry.body = rules_service::TricksClaimed{PlayOutClaim(state.match.deal, proof)};
      }
      load::Event call = At(load::Event::Kind::kCall, client);
      call.request = entry.request;
      call.attempt = 1;
      call.revision = state.revision;
      call.bytes = proof.size > 0 ? std::string(load::kClaimBytes) : rules::EncodeAction(action);
      history.push_back(call);
    }
    TAROT_CHECK(Advance(state, entry).ok());
    if (!deals) {
      load::Event ok = At(load::Event::Kind::kOk, client);
      ok.request = entry.request;
      ok.attempt = 1;
      ok.revision = entry.revision;
      history.push_back(ok);
    }
    Watch(state);
    return entry;
  }

  // Returns the proof of a claim of the seat whose turn it is. The proof has no cards if the seat
  // cannot prove a claim.
  static rules::ClaimProof Prove(const rules::Deal& deal) {
    if (deal.phase != rules::Phase::kPlaying || deal.trick_count == 1) return {};
    const rules::ClaimProof proof = ProveClaim(RememberedView(deal, deal.turn));
    return proof.proven() ? proof : rules::ClaimProof();
  }

  void Watch(const rules_service::TableState& state) {
    for (int client = 0; client < 4; ++client) {
      rules::v1::Table view;
      EncodeTable(MakeTableView(state, client), &view);
      load::Event event = At(load::Event::Kind::kView, client);
      event.stream = 1;
      event.revision = state.revision;
      event.bytes = view.SerializeAsString();
      history.push_back(event);
    }
  }

  void Rate(const rules_service::TableState& state) {
    FinishedMatch& match = database.finished[config_.id];
    match = {.ranked = true, .end = {.deals_scored = state.match.deals_scored}};
    database.ratings.rated.push_back(config_.id);
    for (std::size_t seat = 0; seat < 4; ++seat) {
      const int total = state.match.totals[seat];
      match.end.totals.push_back(total);
      const PlayerId player = config_.seats[seat].player;
      database.ratings.ledger.push_back({.sequence = 1,
                                         .table = config_.id,
                                         .player = player,
                                         .player_count = 4,
                                         .total = total,
                                         .mu_after = 0.5});
      database.ratings.ladder.push_back(
          {.player = player, .player_count = 4, .mu = 0.5, .match_count = 1});
    }
  }

  SeededEntropy entropy_;
  Rng rng_;
  std::int64_t now_us_ = 0;
  rules_service::TableConfig config_;
};

}  // namespace tarot::check
