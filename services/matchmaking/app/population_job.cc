#include "services/matchmaking/app/population_job.h"

#include <cstddef>
#include <set>
#include <utility>

namespace tarot::matchmaking_service {
namespace {

constexpr absl::Duration kLookEvery = absl::Seconds(1);
// Random, so that the players of one match do not all come back at once.
constexpr int kPauseSecondsMax = 6;

}  // namespace

PopulationJob::PopulationJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store,
                             Report report, Hosts hosts, const std::vector<Queue>& queues,
                             std::vector<Bot> members)
    : clock_(clock),
      jobs_(jobs),
      entropy_(entropy),
      store_(store),
      report_(std::move(report)),
      hosts_(std::move(hosts)) {
  std::vector<std::string> ranked;
  for (const Queue& queue : queues) {
    if (queue.ranked) ranked.push_back(queue.id);
  }
  if (ranked.empty()) return;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PlayerId player = members[i].player;
    members_[player] = {.bot = std::move(members[i]), .queue = ranked[i % ranked.size()]};
  }
}

void PopulationJob::Start() {
  jobs_.RunEvery(
      kLookEvery, [this] { Look(); }, [] {});
}

void PopulationJob::Look() {
  if (!hosts_(kPopulation)) return;
  const absl::StatusOr<std::vector<Ticket>> live = store_.ListLiveBots();
  if (!live.ok()) return report_("list tickets of bots", live.status());
  std::set<std::pair<PlayerId, std::string>> busy;
  for (const Ticket& ticket : *live) {
    busy.emplace(ticket.player, ticket.queue);
    if (ticket.state == TicketState::kWaiting && !members_.contains(ticket.player)) Dismiss(ticket);
  }
  const absl::Time now = clock_.Now();
  for (auto& [player, member] : members_) {
    if (busy.contains({player, member.queue})) {
      member.join_time = absl::InfinitePast();
    } else if (member.join_time == absl::InfinitePast()) {
      const int pause = Rng(entropy_.NewSeed()).Below(kPauseSecondsMax);
      member.join_time = now + absl::Seconds(pause);
    } else if (now >= member.join_time) {
      Join(member);
    }
  }
}

void PopulationJob::Dismiss(const Ticket& ticket) {
  const absl::StatusOr<Ticket> cancelled = store_.Cancel(ticket.id, ticket.player);
  if (!cancelled.ok()) report_("dismiss a bot", cancelled.status());
}

void PopulationJob::Join(Member& member) {
  member.join_time = absl::InfinitePast();
  const absl::StatusOr<CreatedTicket> created =
      store_.Create({.id = TicketId{entropy_.NewUuid()},
                     .queue = member.queue,
                     .player = member.bot.player,
                     .display_name = member.bot.display_name,
                     .bot_level = member.bot.level,
                     .request_id = RequestId{entropy_.NewUuid()},
                     .create_time = clock_.Now()});
  if (!created.ok()) report_("queue a bot", created.status());
}

}  // namespace tarot::matchmaking_service
