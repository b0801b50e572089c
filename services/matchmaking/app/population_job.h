// The population consists of bots of the house that queue for ranked matches. With them, a person
// who queues alone still gets a match.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/executor.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// Works on the background thread, at the replica that hosts the key kPopulation. The store knows
// which bots wait and which play. So a restart or a new host changes only the pauses.
class PopulationJob {
 public:
  PopulationJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                Report report, Hosts hosts, QueueCatalog& catalog);

  // Starts the job, which runs every kPopulationLookEvery. A member that neither waits nor plays
  // gets a random pause and then queues. If a waiting bot is not a member, its ticket is cancelled.
  // Such bots exist after the population has become smaller.
  void Start();

 private:
  struct Member {
    Bot bot;
    std::string queue;
    // The end of the pause; InfinitePast if the bot has no pause.
    absl::Time join_time = absl::InfinitePast();
  };

  void Look();
  // Makes members of the first bots of the catalog. The first member joins the first ranked queue,
  // the second member the second one, and so on. After the last queue comes the first one again.
  void ChooseMembers();
  void Dismiss(const Ticket& ticket);
  void Join(Member& member);

  Clock& clock_;
  Executor& executor_;
  Entropy& entropy_;
  TicketStore& store_;
  const Report report_;
  const Hosts hosts_;
  QueueCatalog& catalog_;
  std::shared_ptr<const Catalog> chosen_from_;
  std::map<PlayerId, Member> members_;
};

}  // namespace tarot::matchmaking_service
