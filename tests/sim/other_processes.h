// Simulated processes of matchmaking, ratings and bot, with their application layers.
#pragma once

#include <prometheus/registry.h>

#include "libs/cluster/membership.h"
#include "services/bot/app/chooser.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/ratings/app/rating_service.h"
#include "tests/sim/cluster.h"
#include "tests/sim/pool.h"
#include "tests/sim/stores.h"

namespace tarot::sim {

struct BotProcess {
  explicit BotProcess(Life& life) : workers(life, 2, 64, Pool::Dead::kDrop) {}

  prometheus::Registry registry;
  bot::Metrics metrics{registry};
  bot::Chooser chooser{metrics};
  Pool workers;
};

struct RatingsProcess {
  RatingsProcess(Life& life, Cluster& cluster);

  prometheus::Registry registry;
  ratings::Metrics metrics{registry};
  SimRatingStore store;
  Pool workers;
  ratings::RatingService service;
};

class SimTableClient final : public matchmaking::TableClient {
 public:
  SimTableClient(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void CreateTable(const matchmaking::Queue& queue, const matchmaking::PlannedTable& table,
                   Done done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

class SimRatingClient final : public matchmaking::RatingClient {
 public:
  SimRatingClient(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

struct MatchmakingProcess {
  MatchmakingProcess(Life& life, Cluster& cluster);

  prometheus::Registry registry;
  matchmaking::Metrics metrics{registry};
  SimTicketStore store;
  SimTableClient tables;
  SimRatingClient ratings;
  SimMemberStore member_store;
  Pool beats;
  cluster::Membership members;
  const matchmaking::Hosts hosts;
  Pool background;
  Pool workers;
  matchmaking::Jobs jobs;
  matchmaking::Lobby lobby;
  matchmaking::TablePlacer placer;
  matchmaking::WaveJob waves;
  matchmaking::PopulationJob population;
  matchmaking::TicketService tickets;
};

}  // namespace tarot::sim
