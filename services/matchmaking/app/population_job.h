// Bots of the house that queue for ranked matches of their own accord, so that nobody waits alone.
#pragma once

#include <map>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "services/matchmaking/app/jobs.h"
#include "services/matchmaking/app/ticket_store.h"
#include "services/matchmaking/app/wave_job.h"

namespace tarot::matchmaking {

// Works on the background thread. The store remembers who queues and who plays, so a restart
// changes nothing but the pauses.
class PopulationJob {
 public:
  // `members` spread over the ranked queues in turn.
  PopulationJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store, WaveJob& waves,
                Report report, const std::vector<Queue>& queues, std::vector<Bot> members);

  // Takes bots that wait without being members (there were more before a restart) out of the
  // queues, then looks after the members for ever.
  void Start();

 private:
  struct Member {
    Bot bot;
    std::string queue;
    absl::Time join_time = absl::InfinitePast();  // Set while pausing.
  };

  void DismissOthers();
  void Look();
  void Join(Member& member);

  Clock& clock_;
  Jobs& jobs_;
  Entropy& entropy_;
  TicketStore& store_;
  WaveJob& waves_;
  const Report report_;
  std::map<PlayerId, Member> members_;
};

}  // namespace tarot::matchmaking
