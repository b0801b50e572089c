// Declares the job that runs the population: bots of the house that queue for ranked matches. With
// these bots, a person who queues alone still gets a match. Each bot joins every ranked queue, so
// it may play at one table of each queue at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// The job runs on the background thread of the replica that hosts the key kPopulation. The store
// knows which bots wait and which bots play. So after a restart or a change of the host, only the
// pauses of bots are lost.
class PopulationJob {
 public:
  PopulationJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                Report report, Hosts hosts, QueueCatalog& catalog);

  // Starts the job, which runs every kPopulationLookEvery. If a bot of the population has no live
  // ticket in a ranked queue, it gets a random pause and then joins the queue. If the population
  // becomes smaller, the job cancels the waiting tickets of bots that no longer belong to it.
  void Start();

 private:
  using Place = std::pair<PlayerId, std::string>;  // A bot and a queue.
  struct Member {
    Bot bot;
    // The end of the pause. It is InfinitePast if the bot has no pause.
    absl::Time join_time = absl::InfinitePast();
  };

  void Look();
  // If the catalog has changed, fills members_ again. Each bot of the population gets one element
  // for each ranked queue.
  void ChooseMembers();
  void Dismiss(const Ticket& ticket);
  void Join(const std::string& queue, Member& member);

  Clock& clock_;
  Executor& executor_;
  Entropy& entropy_;
  TicketStore& store_;
  const Report report_;
  const Hosts hosts_;
  QueueCatalog& catalog_;
  std::shared_ptr<const Catalog> chosen_from_;
  std::map<Place, Member> members_;
};

}  // namespace tarot::matchmaking_service
