#include "services/ratings/app/match_recorder.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/app/ledger_fold.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

absl::Status CheckPlayers(const MatchResult& match) {
  const std::vector<MatchPlayer>& players = match.players;
  std::set<PlayerId> seen;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < players.size(); ++i) {
    const MatchPlayer& player = players[i];
    const std::string field = absl::StrCat("players[", i, "]");
    if (player.player.empty()) return error::FieldMissing(field + ".player");
    if (!seen.insert(player.player).second) return error::PlayerTwice(field + ".player");
    if (player.display_name.size() > kDisplayNameBytesMax ||
        player.display_name.find('\0') != std::string::npos) {
      return error::DisplayNameInvalid(field + ".display_name");
    }
    sum += player.total;
  }
  // The scores of practice games do not have the sum zero. But practice games are never rated.
  if (match.rated && sum != 0) return error::TotalsDoNotSumToZero();
  return absl::OkStatus();
}

absl::Status CheckMatch(const MatchResult& match, absl::Time now) {
  if (match.table.empty()) return error::FieldMissing("table");
  if (match.deal_count < 1 || match.deal_count > kDealCountMax) {
    return error::DealCountOutOfRange();
  }
  if (match.player_count() < rating::kPlayersMin || match.player_count() > rating::kPlayersMax) {
    return error::MatchSizeOutOfRange();
  }
  TAROT_RETURN_IF_ERROR(CheckPlayers(match));
  if (match.match_time <= absl::UnixEpoch() || match.match_time > now + kClockSkewMax) {
    return error::MatchTimeOutOfRange();
  }
  if (match.deals.empty()) return absl::OkStatus();
  if (!match.rated) return error::DealsOfCasualMatch();
  std::vector<int> totals;
  for (const MatchPlayer& player : match.players) totals.push_back(player.total);
  return CheckDeals(match.rule_values, totals, match.deal_count, match.deals);
}

}  // namespace

MatchRecorder::MatchRecorder(RatingStore& store, SeasonCache& seasons, Clock& clock,
                             Metrics& metrics, std::function<void()> on_rated)
    : store_(store),
      seasons_(seasons),
      clock_(clock),
      metrics_(metrics),
      on_rated_(std::move(on_rated)) {}

void MatchRecorder::Record(MatchResult match, Done done) {
  const Stopwatch stopwatch;
  const absl::Status checked = CheckMatch(match, clock_.Now());
  if (!checked.ok()) return done(checked);
  Prepare(match);
  TakeLuck(match);
  {
    std::unique_lock lock(mutex_);
    if (waiting_.size() >= kMatchesWaitingMax) {
      lock.unlock();
      return done(error::TooManyMatches());
    }
    waiting_.push_back(
        {.match = std::move(match), .done = std::move(done), .stopwatch = stopwatch});
    if (recording_) return;  // Another thread is recording already. It takes this match, too.
    recording_ = true;
  }
  RecordWaiting();
}

void MatchRecorder::Prepare(MatchResult& match) {
  match.match_time = absl::FromUnixMicros(absl::ToUnixMicros(match.match_time));
  match.seats.clear();
  for (const MatchPlayer& player : match.players) match.seats.push_back(player.player);
  for (std::size_t seat = 0; seat < match.players.size(); ++seat) {
    match.players[seat].left =
        !match.players[seat].bot && LeftMatch(match.deals, static_cast<int>(seat));
  }
  std::sort(match.players.begin(), match.players.end(),
            [](const MatchPlayer& a, const MatchPlayer& b) { return a.player < b.player; });
}

void MatchRecorder::TakeLuck(MatchResult& match) {
  if (!match.rated) return;
  const std::shared_ptr<const Seasons> seasons = seasons_.Recent();
  const Season* const newest = NewestSeason(*seasons, match.player_count());
  if (newest == nullptr || newest->number == match.newest_season) return;
  TakeLuckOut(*newest, match);
  match.newest_season = newest->number;
}

void MatchRecorder::RecordWaiting() {
  while (true) {
    std::vector<Waiting> batch = TakeBatch();
    if (batch.empty()) return;
    RecordBatch(std::move(batch));
  }
}

std::vector<MatchRecorder::Waiting> MatchRecorder::TakeBatch() {
  const std::lock_guard lock(mutex_);
  std::vector<Waiting> batch;
  std::vector<Waiting> later;
  std::set<TableId> tables;
  for (Waiting& waiting : waiting_) {
    const bool fits = batch.size() < kMatchesPerBatch && tables.insert(waiting.match.table).second;
    (fits ? batch : later).push_back(std::move(waiting));
  }
  waiting_ = std::move(later);
  if (batch.empty()) recording_ = false;
  return batch;
}

void MatchRecorder::RecordBatch(std::vector<Waiting> batch) {
  std::vector<MatchResult> matches;
  for (Waiting& waiting : batch) {
    ++waiting.attempts;
    matches.push_back(waiting.match);
  }
  std::vector<std::optional<RatedMatch>> rated;
  const absl::StatusOr<std::vector<Recorded>> recorded = Attempt(matches, rated);
  if (recorded.ok()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if ((*recorded)[i] == Recorded::kLeftOut) {
        TryAgain(std::move(batch[i]));
      } else {
        Finish(batch[i], (*recorded)[i], rated[i]);
      }
    }
    return;
  }
  const absl::Status failure = absl::IsAborted(recorded.status()) ? error::TooManyConflicts()
                                                                  : absl::Status(recorded.status());
  if (batch.size() == 1 || absl::IsUnavailable(failure)) {
    for (Waiting& waiting : batch) waiting.done(failure);
    return;
  }
  // Stores each match in a transaction of its own, so that a match with a fault does not stop the
  // other matches.
  for (Waiting& waiting : batch) {
    std::vector<Waiting> one;
    one.push_back(std::move(waiting));
    RecordBatch(std::move(one));
  }
}

absl::StatusOr<std::vector<Recorded>> MatchRecorder::Attempt(
    const std::vector<MatchResult>& matches, std::vector<std::optional<RatedMatch>>& rated) {
  absl::Status last;
  for (int attempt = 0; attempt < kRecordAttemptsMax; ++attempt) {
    const auto result = std::make_shared<std::vector<std::optional<RatedMatch>>>();
    const RateBatch rate = [result, seasons = seasons_.Recent()](
                               const std::vector<MatchResult>& batch, const BatchState& state) {
      return *result = RateAll(batch, state, *seasons);
    };
    absl::StatusOr<std::vector<Recorded>> recorded = store_.RecordBatch(matches, rate);
    if (recorded.ok()) rated = *result;
    if (!absl::IsAborted(recorded.status())) return recorded;
    last = recorded.status();
  }
  return last;
}

void MatchRecorder::Finish(Waiting& waiting, Recorded recorded,
                           const std::optional<RatedMatch>& rated) {
  if (recorded == Recorded::kBefore) {
    metrics_.matches_replayed.Increment();
    return waiting.done(true);
  }
  if (rated) {
    on_rated_();
    metrics_.matches_rated.Increment();
    metrics_.ObserveSurprises(waiting.match.season, rated->surprises);
  } else {
    metrics_.matches_unrated.Increment();
  }
  metrics_.record_seconds.Observe(absl::ToDoubleSeconds(waiting.stopwatch.Elapsed()));
  metrics_.result_lag_seconds.Observe(
      absl::ToDoubleSeconds(clock_.Now() - waiting.match.match_time));
  waiting.done(false);
}

void MatchRecorder::TryAgain(Waiting waiting) {
  if (waiting.attempts >= kRecordAttemptsMax) return waiting.done(error::TooManyConflicts());
  if (const auto read = seasons_.Read(); !read.ok()) return waiting.done(read.status());
  TakeLuck(waiting.match);
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(waiting));
}

}  // namespace tarot::ratings_service
