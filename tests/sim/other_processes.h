// Simulated processes of matchmaking, ratings and bot, with their application layers.
#pragma once

#include <prometheus/registry.h>

#include <optional>
#include <vector>

#include "libs/cluster/membership.h"
#include "services/bot/app/chooser.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/ratings/app/rating_service.h"
#include "tests/sim/cluster.h"
#include "tests/sim/pool.h"

namespace tarot::sim {

struct BotProcess {
  explicit BotProcess(Life& life) : workers(life, 2, 64, Pool::Dead::kDrop) {}

  prometheus::Registry registry;
  bot_service::Metrics metrics{registry};
  bot_service::Chooser chooser{metrics};
  Pool workers;
};

struct RatingsProcess {
  RatingsProcess(Life& life, Cluster& cluster);

  prometheus::Registry registry;
  ratings_service::Metrics metrics{registry};
  Pool workers;
  ratings_service::SeasonCache seasons;
  ratings_service::RatingService service;
};

class SimTableClient final : public matchmaking_service::TableClient {
 public:
  SimTableClient(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void CreateTables(const std::vector<matchmaking_service::PlannedTable>& tables,
                    Done done) override;

 private:
  void CreateTable(const matchmaking_service::PlannedTable& table, const Done& done);

  Life& life_;
  Cluster& cluster_;
};

class SimRatingClient final : public matchmaking_service::RatingClient {
 public:
  SimRatingClient(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

class SimMatchEnds final : public matchmaking_service::MatchEnds {
 public:
  SimMatchEnds(Life& life, Cluster& cluster) : life_(life), cluster_(cluster) {}
  absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId table) override;

 private:
  Life& life_;
  Cluster& cluster_;
};

struct MatchmakingProcess {
  MatchmakingProcess(Life& life, Cluster& cluster);

  prometheus::Registry registry;
  matchmaking_service::Metrics metrics{registry};
  matchmaking_service::TicketStore& store;
  SimTableClient tables;
  SimRatingClient ratings;
  SimMatchEnds match_ends;
  Pool heartbeats;
  cluster::Membership members;
  const matchmaking_service::Hosts hosts;
  Pool background;
  Pool workers;
  matchmaking_service::Executor executor;
  matchmaking_service::QueueCatalog catalog;
  matchmaking_service::Lobby lobby;
  matchmaking_service::CellChooser cells{{0}, metrics};
  matchmaking_service::TablePlacer placer;
  matchmaking_service::WaveJob waves;
  matchmaking_service::PopulationJob population;
  matchmaking_service::TicketService tickets;
};

}  // namespace tarot::sim
