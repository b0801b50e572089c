#include "services/matchmaking/app/population_job.h"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
PopulationJob::PopulationJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                             Report report, Hosts hosts, QueueCatalog& catalog)
    : clock_(clock),
      executor_(executor),
      entropy_(entropy),
      store_(store),
      report_(std::move(report)),
      hosts_(std::move(hosts)),
      catalog_(catalog) {}

void PopulationJob::ChooseMembers() {
  std::shared_ptr<const Catalog> catalog = catalog_.Get();
  if (catalog == chosen_from_) return;
  chosen_from_ = std::move(catalog);
  members_.clear();
  for (const Queue& queue : chosen_from_->queues) {
    if (!queue.terms.ranked) continue;
    for (const Bot& bot : Population(chosen_from_->bots, catalog_.population_size())) {
      members_[{bot.player, queue.id}] = {.bot = bot};
    }
  }
}

void PopulationJob::Start() {
  executor_.RunEvery(
      kPopulationLookEvery, [this] { Look(); }, [] {});
}

void PopulationJob::Look() {
  if (!hosts_(kPopulation)) return;
  ChooseMembers();
  const absl::StatusOr<std::vector<Ticket>> live = store_.ListLiveBots();
  if (!live.ok()) return report_("list tickets of bots", live.status());
  std::set<Place> busy;
  for (const Ticket& ticket : *live) {
    busy.emplace(ticket.player, ticket.queue);
    if (ticket.state == TicketState::kWaiting &&
        !members_.contains({ticket.player, ticket.queue})) {
      Dismiss(ticket);
    }
  }
  const absl::Time now = clock_.Now();
  for (auto& [place, member] : members_) {
    if (busy.contains(place)) {
      member.join_time = absl::InfinitePast();
    } else if (member.join_time == absl::InfinitePast()) {
      const int pause = Rng(entropy_.NewSeed()).Below(kPauseSecondsMax);
      member.join_time = now + absl::Seconds(pause);
    } else if (now >= member.join_time) {
      Join(place.second, member);
    }
  }
}

void PopulationJob::Dismiss(const Ticket& ticket) {
  const absl::StatusOr<Ticket> cancelled = store_.Cancel(ticket.id, ticket.player);
  if (!cancelled.ok()) report_("dismiss a bot", cancelled.status());
}

void PopulationJob::Join(const std::string& queue, Member& member) {
  member.join_time = absl::InfinitePast();
  const absl::StatusOr<CreatedTicket> created =
      store_.Create({.id = TicketId{entropy_.NewUuid()},
                     .queue = queue,
                     .player = member.bot.player,
                     .display_name = member.bot.display_name,
                     .bot_level = member.bot.level,
                     .request_id = RequestId{entropy_.NewUuid()},
                     .create_time = clock_.Now()});
  if (!created.ok()) report_("queue a bot", created.status());
}

}  // namespace tarot::matchmaking_service
