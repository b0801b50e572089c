#include "services/matchmaking/app/wave_job.h"

#include <algorithm>
#include <utility>

#include "libs/matching/matcher.h"
#include "services/matchmaking/app/seating.h"

namespace tarot::matchmaking_service {
namespace {

constexpr absl::Duration kWaveEvery = absl::Seconds(2);
// How soon an extra wave follows a ticket: friends who press the button together are seen together.
constexpr absl::Duration kLookEvery = absl::Milliseconds(200);
// Matching goes on without fresh ratings after this.
constexpr absl::Duration kRatingsMax = absl::Seconds(1);

std::vector<matching::MatchTicket> ForMatcher(const std::vector<Ticket>& tickets, int player_count,
                                              const RatingBook& book) {
  std::vector<matching::MatchTicket> result;
  for (const Ticket& ticket : tickets) {
    result.push_back({.id = ticket.id,
                      .player = ticket.player,
                      .rating = book.Of(ticket.player, player_count),
                      .create_time = ticket.create_time,
                      .bot = !ticket.bot_level.empty(),
                      .bots_only = !SitsWithPeople(ticket.bot_level),
                      .last_table = ticket.last_table});
  }
  return result;
}

}  // namespace

WaveJob::WaveJob(Clock& clock, Jobs& jobs, Entropy& entropy, TicketStore& store,
                 RatingClient& ratings, TablePlacer& placer, Lobby& lobby, Metrics& metrics,
                 Report report, Hosts hosts, std::vector<Queue> queues, std::vector<Bot> fillers)
    : clock_(clock),
      jobs_(jobs),
      entropy_(entropy),
      store_(store),
      ratings_(ratings),
      placer_(placer),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)),
      queues_(std::move(queues)),
      fillers_(std::move(fillers)) {
  for (const Queue& queue : queues_) {
    active_[queue.id] = &metrics.queue_active.Add({{"queue", queue.id}});
  }
}

void WaveJob::Start() {
  jobs_.RunEvery(
      kWaveEvery,
      [this] {
        if (wave_) return metrics_.waves_missed.Increment();
        Begin();
      },
      [this] { metrics_.waves_missed.Increment(); });
  jobs_.RunEvery(
      kLookEvery, [this] { Look(); }, [] {});
}

void WaveJob::Look() {  // What fails here, the next wave reports.
  if (wave_) return;
  if (absl::StatusOr<std::vector<Ticket>> tickets = Watched(); tickets.ok()) {
    // Those that wait are shown after the next wave, which may have changed their places.
    std::erase_if(*tickets, [](const Ticket& t) { return t.state == TicketState::kWaiting; });
    lobby_.Show(*tickets);
  }
  const absl::StatusOr<std::map<std::string, int>> counts = store_.CountWaiting();
  if (!counts.ok()) return;
  for (const Queue& queue : queues_) {
    const auto count = counts->find(queue.id);
    if (count == counts->end() || count->second < queue.player_count || !hosts_(queue.id)) continue;
    if (count->second > waiting_[queue.id]) return Begin();
  }
}

void WaveJob::Begin() {
  placer_.RetryStored();
  absl::StatusOr<std::vector<Ticket>> waiting = store_.ListWaiting();
  if (!waiting.ok()) return report_("list waiting tickets", waiting.status());
  wave_ = Wave{.number = ++wave_count_, .start_time = clock_.Now()};
  for (Ticket& ticket : *waiting) wave_->tickets[ticket.queue].push_back(std::move(ticket));
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
  for (const Queue& queue : queues_) {
    std::vector<Ticket>& tickets = wave_->tickets[queue.id];
    std::vector<PlayerId> players = book_.Missing(tickets, queue.player_count);
    if (!players.empty()) questions.push_back({queue.player_count, std::move(players), tickets});
  }
  wave_->answers_missing = static_cast<int>(questions.size());
  if (questions.empty()) return Finish(number);
  jobs_.RunAfter(kRatingsMax, [this, number] { Finish(number); });
  for (Question& question : questions) {
    const int player_count = question.player_count;
    ratings_.GetRatings(
        question.players, player_count,
        [this, &jobs = jobs_, number, player_count,
         tickets = std::move(question.tickets)](absl::StatusOr<Ratings> ratings) {
          jobs.Run([this, number, player_count, tickets, ratings = std::move(ratings)] {
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
  if (!wave_ || wave_->number != wave) return;  // The other of answer and time limit was first.
  const Wave finished = *std::exchange(wave_, std::nullopt);
  std::map<bool, int> waiting;  // By ranked.
  for (const Queue& queue : queues_) {
    MatchQueue(queue, finished.tickets.at(queue.id));
    waiting[queue.ranked] += lobby_.WaitingCount(queue.id);
  }
  for (const bool ranked : {false, true}) {
    metrics_.Of(ranked).tickets_waiting.Set(waiting[ranked]);
  }
  metrics_.wave_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - finished.start_time));
  const absl::StatusOr<std::vector<Ticket>> watched = Watched();
  if (!watched.ok()) return report_("get watched tickets", watched.status());
  lobby_.Show(*watched);
}

void WaveJob::MatchQueue(const Queue& queue, const std::vector<Ticket>& tickets) {
  const absl::Time now = clock_.Now();
  const std::vector<matching::MatchTicket> candidates =
      ForMatcher(tickets, queue.player_count, book_);
  matching::MatchWave wave = matching::MakeTables(candidates, queue.player_count, now);
  FillFromWaiting(queue, candidates, now, wave);
  const bool hosted = hosts_(queue.id);
  active_[queue.id]->Set(hosted ? 1 : 0);
  if (hosted) Place(queue, tickets, wave.tables);
  lobby_.SetWaiting(queue.id, tickets, wave.waiting);
  waiting_[queue.id] = static_cast<int>(wave.waiting.size());
}

void WaveJob::Place(const Queue& queue, const std::vector<Ticket>& tickets,
                    const std::vector<matching::MatchedTable>& tables) {
  std::optional<std::vector<Bot>> fillers;
  for (const matching::MatchedTable& table : tables) {
    const std::size_t free_seats =
        static_cast<std::size_t>(queue.player_count) - table.tickets.size();
    if (free_seats > 0 && !fillers) fillers = FreeFillers();
    if (free_seats > 0 && fillers->size() < free_seats) {
      report_("fill a table", absl::ResourceExhaustedError("Too few bots are free."));
      continue;
    }
    const PlannedTable planned = PlanTable(
        queue, tickets, table, fillers.value_or(std::vector<Bot>()), clock_.Now(), entropy_);
    const absl::StatusOr<bool> placed = store_.Place(planned);
    if (!placed.ok()) {  // Stored or not: the next wave reads what is true.
      report_("place a table", placed.status());
      break;
    }
    // Not placed: somebody cancelled meanwhile, or another replica was first. The next wave helps.
    if (*placed) placer_.Ask(planned);
  }
}

std::vector<Bot> WaveJob::FreeFillers() {
  const absl::StatusOr<std::vector<Ticket>> busy = store_.ListLiveBots();
  if (!busy.ok()) {
    report_("list tickets of bots", busy.status());
    return {};
  }
  std::vector<Bot> free = fillers_;
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
