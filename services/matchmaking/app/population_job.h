// Bots of the house that queue for ranked matches of their own accord, so that nobody waits alone.
#pragma once

#include <map>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/jobs.h"
#include "services/matchmaking/app/table_placer.h"
#include "services/matchmaking/app/ticket_store.h"

namespace tarot::matchmaking_service {

// Works on the background thread, for the replica that hosts the population. The store remembers
// who queues and who plays, so a restart or a new host changes nothing but the pauses.
class PopulationJob {
 public:
  // `members` spread over the ranked queues in turn.
  PopulationJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store, Report report,
                Hosts hosts, const std::vector<Queue>& queues, std::vector<Bot> members);

  // For ever: queues members that neither wait nor play, and takes bots that wait without being
  // members (there were more before a restart) out of the queues.
  void Start();

 private:
  struct Member {
    Bot bot;
    std::string queue;
    absl::Time join_time = absl::InfinitePast();  // Set while pausing.
  };

  void Look();
  void Dismiss(const Ticket& ticket);
  void Join(Member& member);

  Clock& clock_;
  Jobs& jobs_;
  Entropy& entropy_;
  TicketStore& store_;
  const Report report_;
  const Hosts hosts_;
  std::map<PlayerId, Member> members_;
};

}  // namespace tarot::matchmaking_service
