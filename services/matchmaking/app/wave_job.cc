#include "services/matchmaking/app/wave_job.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "libs/base/check.h"
#include "services/matchmaking/app/casual_tables.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

// The tickets of one queue for the matcher.
struct MatcherInput {
  std::vector<matching::MatchTicket> tickets;  // In the order of the tickets of the queue.
  std::vector<std::uint32_t> blocked;          // The lists of blocks of all tickets.
};

// A player has one ticket in a queue, so the place of the ticket in `tickets` is the number of the
// ticket and of its player.
MatcherInput ForMatcher(const std::vector<Ticket>& tickets, int player_count,
                        const RatingBook& book, const BlockLists& blocks) {
  MatcherInput input;
  absl::flat_hash_map<PlayerId, std::uint32_t> numbers;
  absl::flat_hash_map<TableId, std::uint32_t> tables;  // The numbers of the last tables, from 1.
  for (const Ticket& ticket : tickets) {
    const auto number = static_cast<std::uint32_t>(input.tickets.size());
    if (!blocks.empty()) numbers[ticket.player] = number;
    static_assert(kLastTables == matching::kLastTables);
    std::array<std::uint32_t, kLastTables> last_tables{};
    for (std::size_t i = 0; i < kLastTables; ++i) {
      const TableId& table = ticket.last_tables[i];
      if (table.empty()) continue;
      const auto next = static_cast<std::uint32_t>(tables.size() + 1);
      last_tables[i] = tables.try_emplace(table, next).first->second;
    }
    input.tickets.push_back({.id = number,
                             .player = number,
                             .rating = book.Of(ticket.player, player_count),
                             .create_time = ticket.create_time,
                             .bot = !ticket.bot_level.empty(),
                             .bots_only = !SitsWithPeople(ticket.bot_level),
                             .last_tables = last_tables});
  }
  std::vector<std::size_t> ends;  // The end of each ticket's list in `input.blocked`.
  for (const Ticket& ticket : tickets) {
    const std::size_t begin = input.blocked.size();
    if (const auto blocked = blocks.find(ticket.player); blocked != blocks.end()) {
      for (const PlayerId& player : blocked->second) {
        const auto number = numbers.find(player);
        if (number != numbers.end()) input.blocked.push_back(number->second);
      }
      std::sort(input.blocked.begin() + static_cast<std::ptrdiff_t>(begin), input.blocked.end());
    }
    ends.push_back(input.blocked.size());
  }
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    input.tickets[i].blocked = absl::MakeConstSpan(input.blocked).subspan(begin, ends[i] - begin);
  }
  return input;
}

// Returns a planned table with the tickets of `table` and the seats in random order. Some of `bots`
// take the free seats, with the level of casual play; there must be enough bots.
PlannedTable PlanTable(const Queue& queue, absl::Span<const Ticket> tickets,
                       const matching::MatchedTable& table, absl::Span<const Bot> bots,
                       absl::Time now, Entropy& entropy) {
  PlannedTable planned{.id = TableId{entropy.NewUuid()},
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

std::vector<PlayerId> RatingBook::Missing(absl::Span<const Ticket> tickets,
                                          int player_count) const {
  std::vector<PlayerId> missing;
  for (const Ticket& ticket : tickets) {
    if (!asked_.contains(ticket.id) || !known_.contains({ticket.player, player_count})) {
      missing.push_back(ticket.player);
    }
  }
  return missing;
}

void RatingBook::Learn(absl::Span<const Ticket> tickets, const Ratings& ratings, int player_count) {
  if (known_.size() > kRatingsKnownMax || asked_.size() > kRatingsKnownMax) {
    known_.clear();
    asked_.clear();
  }
  for (const auto& [player, rating] : ratings) known_[{player, player_count}] = rating;
  for (const Ticket& ticket : tickets) {
    if (ratings.contains(ticket.player)) asked_.insert(ticket.id);
  }
}

int RatingBook::Of(PlayerId player, int player_count) const {
  const auto found = known_.find({player, player_count});
  return found == known_.end() ? kPriorRating : found->second;
}

WaveJob::WaveJob(Clock& clock, Executor& executor, Entropy& entropy, TicketStore& store,
                 RatingClient& ratings, TablePlacer& placer, Lobby& lobby, Metrics& metrics,
                 Report report, Hosts hosts, QueueCatalog& catalog)
    : clock_(clock),
      executor_(executor),
      entropy_(entropy),
      store_(store),
      ratings_(ratings),
      placer_(placer),
      lobby_(lobby),
      metrics_(metrics),
      report_(std::move(report)),
      hosts_(std::move(hosts)),
      catalog_(catalog) {}

void WaveJob::KeepGauges(const std::vector<Queue>& queues) {
  std::set<std::string> open;
  for (const Queue& queue : queues) {
    open.insert(queue.id);
    if (active_.contains(queue.id)) continue;
    active_[queue.id] = &metrics_.queue_active.Add({{"queue", queue.id}});
  }
  std::erase_if(active_, [&](const auto& gauge) {
    if (open.contains(gauge.first)) return false;
    metrics_.queue_active.Remove(gauge.second);
    return true;
  });
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

void WaveJob::Look() {  // Ignores failures, because the next wave reports them.
  if (wave_) return;
  if (absl::StatusOr<std::vector<Ticket>> tickets = Watched(); tickets.ok()) {
    // Waiting tickets are shown after the next wave, because that wave may change their positions.
    std::erase_if(*tickets, [](const Ticket& t) { return t.state == TicketState::kWaiting; });
    lobby_.Show(*tickets);
  }
  const absl::StatusOr<std::map<std::string, int>> counts = store_.CountWaiting();
  if (!counts.ok()) return;
  const std::shared_ptr<const Catalog> catalog = catalog_.Get();
  for (const Queue& queue : catalog->queues) {
    const auto count = counts->find(queue.id);
    if (count == counts->end() || count->second < queue.player_count || !hosts_(queue.id)) continue;
    if (count->second > waiting_[queue.id]) return Begin();
  }
}

void WaveJob::Begin() {
  placer_.RetryStored();
  if (const absl::Status status = catalog_.Refresh(); !status.ok()) report_("read queues", status);
  absl::StatusOr<std::vector<Ticket>> waiting = store_.ListWaiting();
  if (!waiting.ok()) return report_("list waiting tickets", waiting.status());
  const auto blocks = store_.ListBlocks();
  if (!blocks.ok()) return report_("list blocks", blocks.status());
  wave_ = Wave{.number = ++wave_count_, .start_time = clock_.Now(), .catalog = catalog_.Get()};
  for (const auto& [player, blocked] : *blocks) wave_->blocks[player].push_back(blocked);
  KeepGauges(wave_->catalog->queues);
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
  if (!wave_ || wave_->number != wave) return;  // This wave is finished already.
  const Wave finished = *std::exchange(wave_, std::nullopt);
  std::map<bool, int> waiting;  // The key is true for ranked queues.
  for (const Queue& queue : finished.catalog->queues) {
    MatchQueue(queue, finished.catalog->bots, finished.tickets.at(queue.id), finished.blocks);
    waiting[queue.terms.ranked] += lobby_.WaitingCount(queue.id);
  }
  for (const bool ranked : {false, true}) {
    metrics_.Of(ranked).tickets_waiting.Set(waiting[ranked]);
  }
  metrics_.wave_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - finished.start_time));
  const absl::StatusOr<std::vector<Ticket>> watched = Watched();
  if (!watched.ok()) return report_("get watched tickets", watched.status());
  lobby_.Show(*watched);
}

void WaveJob::MatchQueue(const Queue& queue, const std::vector<Bot>& bots,
                         const std::vector<Ticket>& tickets, const BlockLists& blocks) {
  const absl::Time now = clock_.Now();
  const MatcherInput input = ForMatcher(tickets, queue.player_count, book_, blocks);
  const matching::MatchWave wave =
      queue.terms.ranked ? matching::MakeTables(input.tickets, queue.player_count, now, kBlockWait)
                         : MakeCasualTables(queue, tickets, input.tickets, now);
  const bool hosted = hosts_(queue.id);
  active_[queue.id]->Set(hosted ? 1 : 0);
  if (hosted) Place(queue, bots, tickets, wave.tables);
  lobby_.SetWaiting(queue.id, tickets, wave.waiting);
  waiting_[queue.id] = static_cast<int>(wave.waiting.size());
}

void WaveJob::Place(const Queue& queue, const std::vector<Bot>& bots,
                    const std::vector<Ticket>& tickets,
                    const std::vector<matching::MatchedTable>& tables) {
  std::optional<std::vector<Bot>> fillers;
  for (const matching::MatchedTable& table : tables) {
    const std::size_t free_seats =
        static_cast<std::size_t>(queue.player_count) - table.tickets.size();
    if (free_seats > 0 && !fillers) fillers = FreeFillers(bots);
    if (free_seats > 0 && fillers->size() < free_seats) {
      report_("fill a table", absl::ResourceExhaustedError("Too few bots are free."));
      continue;
    }
    const PlannedTable planned = PlanTable(
        queue, tickets, table, fillers.value_or(std::vector<Bot>()), clock_.Now(), entropy_);
    const absl::StatusOr<bool> placed = store_.Place(planned);
    if (!placed.ok()) {  // The table may or may not be stored, so the next wave reads the store.
      report_("place a table", placed.status());
      break;
    }
    // If the store has placed nothing, a player cancelled, another replica was first, or a bot has
    // got a live ticket. The next wave tries again.
    if (*placed) placer_.Ask(planned);
  }
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
