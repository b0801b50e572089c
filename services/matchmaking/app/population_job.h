// The population: bots of the house that queue for ranked matches. Thanks to them, a person who
// queues alone still gets a match.
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

// Works on the background thread of the replica that hosts the population. The store knows which
// bots queue and which play, so after a restart or a change of host only the pauses differ.
class PopulationJob {
 public:
  PopulationJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                Report report, Hosts hosts, QueueCatalog& catalog);

  // Every second, queues the members that neither wait nor play. Takes waiting bots that are not
  // members any more out of the queues; this happens after the population became smaller.
  void Start();

 private:
  struct Member {
    Bot bot;
    std::string queue;
    absl::Time join_time = absl::InfinitePast();  // Set during the pause before the next match.
  };

  void Look();
  // Makes the members from the first bots of the catalog, spread over the ranked queues in turn.
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
