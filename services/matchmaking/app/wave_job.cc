#include "services/matchmaking/app/wave_job.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "libs/base/cell.h"
#include "libs/base/check.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

// Returns a planned table in `cell` with the tickets of `table`, and the seats in random order.
// Bots of `bots` take the free seats and play at kCasualBotLevel. `bots` must have at least as many
// bots as there are free seats.
PlannedTable PlanTable(const Queue& queue, absl::Span<const Ticket> tickets,
                       const matching::MatchedTable& table, absl::Span<const Bot> bots, int cell,
                       absl::Time now, Entropy& entropy) {
  PlannedTable planned{.id = TableId{NewTableUuid(entropy, now, cell)},
                       .queue = queue.id,
                       .terms = queue.terms,
                       .rating_spread = table.spread,
                       .create_time = now};
  for (const std::size_t i : table.tickets) {
    const Ticket& ticket = tickets[i];
    planned.seats.push_back({.player = ticket.player,
                             .display_name = ticket.display_name,
                             .bot_level = ticket.bot_level,
                             .ticket = ticket.id});
  }
  Rng rng(entropy.NewSeed());
  std::vector<Bot> fillers(bots.begin(), bots.end());
  rng.Shuffle(fillers);
  const auto seats = static_cast<std::size_t>(queue.player_count);
  TAROT_CHECK(fillers.size() >= seats - planned.seats.size());
  for (std::size_t i = 0; planned.seats.size() < seats; ++i) {
    planned.seats.push_back({.player = fillers[i].player,
                             .display_name = fillers[i].display_name,
                             .bot_level = kCasualBotLevel});
  }
  rng.Shuffle(planned.seats);
  return planned;
}

}  // namespace

WaveJob::WaveJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                 RatingClient& ratings, TablePlacer& placer, CellChooser& cells, Lobby& lobby,
                 Metrics& metrics, Report report, Hosts hosts, QueueCatalog& catalog)
    : clock_(clock),
      executor_(executor),
      entropy_(entropy),
      store_(store),
      ratings_(ratings),
      placer_(placer),
      cells_(cells),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)),
      catalog_(catalog),
      waiting_(store) {}

void WaveJob::KeepGauges(const std::vector<Queue>& queues) {
  std::map<std::string, bool> ranked;
  for (const Queue& queue : queues) ranked[queue.id] = queue.terms.ranked;
  std::erase_if(gauges_, [&](const auto& entry) {
    const auto& [id, gauges] = entry;
    const auto queue = ranked.find(id);
    if (queue != ranked.end() && queue->second == gauges.ranked) return false;
    metrics_.queue_active.Remove(gauges.active);
    metrics_.tickets_waiting.Remove(gauges.tickets_waiting);
    return true;
  });
  for (const auto& [id, is_ranked] : ranked) {
    if (gauges_.contains(id)) continue;
    gauges_[id] = {.ranked = is_ranked,
                   .active = &metrics_.queue_active.Add({{"queue", id}}),
                   .tickets_waiting = &metrics_.tickets_waiting.Add(
                       {{"queue", id}, {"kind", is_ranked ? "ranked" : "casual"}})};
    metrics_.AddQueue(id);
  }
}

void WaveJob::Start() {
  KeepGauges(catalog_.Get()->queues);
  executor_.RunEvery(
      kWaveEvery,
      [this] {
        if (wave_) return metrics_.waves_missed.Increment();
        Begin();
      },
      [this] { metrics_.waves_missed.Increment(); });
  executor_.RunEvery(
      kLookEvery, [this] { Look(); }, [] {});
}

// Look does not report this failure. The next wave reads the same data and reports the failure.
void WaveJob::Look() {
  if (wave_) return;
  if (absl::StatusOr<std::vector<Ticket>> tickets = Watched(); tickets.ok()) {
    // Leaves out waiting tickets, because a wave shows them with their new positions at its end.
    std::erase_if(*tickets, [](const Ticket& t) { return t.state == TicketState::kWaiting; });
    lobby_.Show(*tickets);
  }
  if (!waiting_.Refresh().ok()) return;
  const std::shared_ptr<const Catalog> catalog = catalog_.Get();
  for (const Queue& queue : catalog->queues) {
    const int count = waiting_.Count(queue.id);
    if (count < queue.player_count || !hosts_(queue.id)) continue;
    if (count > left_over_[queue.id]) return Begin();
  }
}

void WaveJob::Begin() {
  placer_.RetryStored();
  if (const absl::Status status = catalog_.Refresh(); !status.ok()) report_("read queues", status);
  if (const absl::Status status = waiting_.Refresh(); !status.ok()) {
    return report_("read tickets", status);
  }
  wave_ = Wave{.number = ++wave_count_, .start_time = clock_.Now(), .catalog = catalog_.Get()};
  KeepGauges(wave_->catalog->queues);
  for (const Queue& queue : wave_->catalog->queues) {
    wave_->tickets[queue.id] = waiting_.Of(queue.id);
  }
  AskRatings();
}

void WaveJob::AskRatings() {
  const std::uint64_t number = wave_->number;
  struct Question {
    int player_count;
    std::vector<PlayerId> players;
    std::vector<Ticket> tickets;
  };
  std::vector<Question> questions;
  for (const Queue& queue : wave_->catalog->queues) {
    std::vector<Ticket>& tickets = wave_->tickets[queue.id];
    std::vector<PlayerId> players = book_.Missing(tickets, queue.player_count);
    if (!players.empty()) questions.push_back({queue.player_count, std::move(players), tickets});
  }
  wave_->answers_missing = static_cast<int>(questions.size());
  if (questions.empty()) return Finish(number);
  executor_.RunAfter(kRatingsWaitMax, [this, number] { Finish(number); });
  for (Question& question : questions) {
    const int player_count = question.player_count;
    ratings_.GetRatings(
        question.players, player_count,
        [this, &executor = executor_, number, player_count,
         tickets = std::move(question.tickets)](absl::StatusOr<Ratings> ratings) {
          executor.Run([this, number, player_count, tickets, ratings = std::move(ratings)] {
            Rated(number, player_count, ratings, tickets);
          });
        });
  }
}

void WaveJob::Rated(std::uint64_t wave, int player_count, const absl::StatusOr<Ratings>& ratings,
                    const std::vector<Ticket>& tickets) {
  if (ratings.ok()) {
    book_.Learn(tickets, *ratings, player_count);
  } else {
    report_("get ratings", ratings.status());
  }
  if (wave_ && wave_->number == wave && --wave_->answers_missing == 0) Finish(wave);
}

void WaveJob::Finish(std::uint64_t wave) {
  if (!wave_ || wave_->number != wave) return;  // This wave has already ended.
  Wave finished = *std::exchange(wave_, std::nullopt);
  for (const Queue& queue : finished.catalog->queues) {
    MatchQueue(queue, *finished.catalog, std::move(finished.tickets.at(queue.id)));
    gauges_.at(queue.id).tickets_waiting->Set(lobby_.WaitingCount(queue.id));
  }
  metrics_.wave_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - finished.start_time));
  const absl::StatusOr<std::vector<Ticket>> watched = Watched();
  if (!watched.ok()) return report_("get watched tickets", watched.status());
  lobby_.Show(*watched);
}

void WaveJob::MatchQueue(const Queue& queue, const Catalog& catalog, std::vector<Ticket> tickets) {
  const auto wave = std::make_shared<const QueueWave>(
      queue, std::move(tickets), book_, waiting_.blocks(), catalog.round_trips, clock_.Now());
  const bool hosted = hosts_(queue.id);
  gauges_.at(queue.id).active->Set(hosted ? 1 : 0);
  if (hosted) {
    CountLongWaits(queue, wave->tickets());
    Place(queue, catalog.bots, wave->tickets(), wave->result().tables);
  } else {
    hosted_waves_.erase(queue.id);
  }
  lobby_.SetWave(wave);
  left_over_[queue.id] = static_cast<int>(wave->result().waiting.size());
}

void WaveJob::CountLongWaits(const Queue& queue, const std::vector<Ticket>& tickets) {
  const absl::Time now = clock_.Now();
  const auto last = hosted_waves_.try_emplace(queue.id, now).first;
  for (const Ticket& ticket : tickets) {
    if (WaitBecomesLong(ticket, last->second, now)) {
      metrics_.Of(queue.terms.ranked).long_waits.Increment();
    }
  }
  last->second = now;
}

void WaveJob::Place(const Queue& queue, const std::vector<Bot>& bots,
                    const std::vector<Ticket>& tickets,
                    const std::vector<matching::MatchedTable>& tables) {
  std::optional<std::vector<Bot>> fillers;
  std::vector<PlannedTable> batch;
  std::map<int, std::size_t> planned;  // The number of tables of `batch` in each cell.
  const auto has_room = [&](int cell) { return planned[cell] < placer_.Room(cell); };
  for (const matching::MatchedTable& table : tables) {
    const std::size_t free_seats =
        static_cast<std::size_t>(queue.player_count) - table.tickets.size();
    if (free_seats > 0 && !fillers) fillers = FreeFillers(bots);
    if (free_seats > 0 && fillers->size() < free_seats) {
      report_("fill a table", absl::ResourceExhaustedError("Too few bots are free."));
      continue;
    }
    // The tickets of the remaining tables keep waiting. Look begins the next wave soon.
    const std::optional<int> cell = cells_.Choose(entropy_, has_room);
    if (!cell) break;
    ++planned[*cell];
    batch.push_back(PlanTable(queue, tickets, table, fillers.value_or(std::vector<Bot>()), *cell,
                              clock_.Now(), entropy_));
    if (batch.size() < kTablesPerBatch) continue;
    planned.clear();
    if (!PlaceBatch(std::exchange(batch, {}))) return;
  }
  if (!batch.empty()) PlaceBatch(std::move(batch));
}

bool WaveJob::PlaceBatch(std::vector<PlannedTable> batch) {
  const absl::StatusOr<std::set<TableId>> placed = store_.Place(batch);
  // It is unknown whether the tables are stored. If the tables are stored, RetryStored requests
  // them later.
  if (!placed.ok()) {
    report_("place tables", placed.status());
    return false;
  }
  // The store leaves out a table in three cases: a ticket was cancelled, another replica has placed
  // a ticket, or a bot for a free seat has a live ticket. The next wave tries again.
  std::vector<TicketId> doubtful;
  std::erase_if(batch, [&](const PlannedTable& table) {
    if (placed->contains(table.id)) return false;
    for (const PlannedSeat& seat : table.seats) {
      if (!seat.ticket.empty()) doubtful.push_back(seat.ticket);
    }
    return true;
  });
  // A failure does not matter. The next wave tries to place these tickets again, and then the store
  // checks them again.
  waiting_.Check(doubtful).IgnoreError();
  placer_.Ask(batch);
  return true;
}

std::vector<Bot> WaveJob::FreeFillers(const std::vector<Bot>& bots) {
  const absl::StatusOr<std::vector<Ticket>> busy = store_.ListLiveBots();
  if (!busy.ok()) {
    report_("list tickets of bots", busy.status());
    return {};
  }
  std::vector<Bot> free = Fillers(bots, catalog_.population_size());
  std::erase_if(free, [&](const Bot& bot) {
    return std::any_of(busy->begin(), busy->end(),
                       [&](const Ticket& ticket) { return ticket.player == bot.player; });
  });
  return free;
}

absl::StatusOr<std::vector<Ticket>> WaveJob::Watched() {
  const std::vector<TicketId> watched = lobby_.Watched();
  if (watched.empty()) return std::vector<Ticket>();
  return store_.Get(watched);
}

}  // namespace tarot::matchmaking_service
