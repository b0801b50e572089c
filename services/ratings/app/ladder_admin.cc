#include "services/ratings/app/ladder_admin.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

absl::Status CheckText(const std::string& field, const std::string& text, std::size_t bytes_max) {
  if (text.empty()) return error::FieldMissing(field);
  if (text.size() > bytes_max || text.find('\0') != text.npos) {
    return error::TextInvalid(field, bytes_max);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LadderAdmin::StartSeasons(std::vector<Season> seasons) {
  std::set<int> ladders;
  for (std::size_t i = 0; i < seasons.size(); ++i) {
    const std::string path = absl::StrCat("ladders[", i, "].");
    TAROT_RETURN_IF_ERROR(CheckSeason(seasons[i], path));
    if (!ladders.insert(seasons[i].numbers.player_count).second) {
      return error::LadderTwice(path + "player_count");
    }
  }
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<const Seasons> known, seasons_.Read());
  std::vector<std::string> changes;
  for (Season& season : seasons) {
    const int player_count = season.numbers.player_count;
    const Season* const newest = NewestSeason(*known, player_count);
    if (newest != nullptr && SameNumbers(*newest, season)) continue;
    season.number = newest == nullptr ? 1 : newest->number + 1;
    season.start_time = absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now()));
    const absl::Status added = store_.AddSeason(season);
    if (absl::IsAborted(added)) return error::SeasonStartedMeanwhile();
    TAROT_RETURN_IF_ERROR(added);
    changes.push_back(absl::StrCat("ladder of ", player_count, " players: season ", season.number,
                                   " begins, ", season.provenance));
  }
  TAROT_RETURN_IF_ERROR(seasons_.Read().status());
  return changes;
}

absl::StatusOr<int> LadderAdmin::Void(const ResultVoid& added) {
  TAROT_RETURN_IF_ERROR(CheckText("operator", added.operator_name, kOperatorBytesMax));
  TAROT_RETURN_IF_ERROR(CheckText("reason", added.reason, kVoidReasonBytesMax));
  if (added.player && (added.since <= absl::UnixEpoch() || added.since > clock_.Now())) {
    return error::SinceOutOfRange();
  }
  TAROT_ASSIGN_OR_RETURN(const VoidCount count, store_.AddVoid(added));
  if (!count.found) return added.player ? error::PlayerUnknown() : error::MatchUnknown();
  if (count.rated == 0) return added.player ? error::NoMatchSince() : error::MatchNotRated();
  if (count.voided == 0) return error::AlreadyVoided();
  return count.voided;
}

absl::StatusOr<RecomputeReport> LadderAdmin::Recompute() {
  const absl::StatusOr<std::unique_ptr<Recomputation>> begun = store_.BeginRecomputation();
  if (absl::IsAborted(begun.status())) return error::RecomputationRuns();
  TAROT_RETURN_IF_ERROR(begun.status());
  Recomputation& recomputation = **begun;
  LedgerFold fold;
  RecomputeReport report;
  // The first round rates all stored matches and takes a long time. Each later round rates only the
  // matches that were recorded during the previous round. Only the last round runs after
  // BlockRecording(), so new matches must wait only during this short round.
  for (int round = 0; round < kCatchUpRounds; ++round) {
    TAROT_RETURN_IF_ERROR(CatchUp(recomputation, fold, report));
  }
  absl::Status blocked = recomputation.BlockRecording();
  for (int attempt = 1; absl::IsAborted(blocked) && attempt < kBlockAttemptsMax; ++attempt) {
    TAROT_RETURN_IF_ERROR(CatchUp(recomputation, fold, report));
    blocked = recomputation.BlockRecording();
  }
  if (absl::IsAborted(blocked)) return error::RecordingNotBlocked();
  TAROT_RETURN_IF_ERROR(blocked);
  const Stopwatch stopwatch;
  TAROT_RETURN_IF_ERROR(CatchUp(recomputation, fold, report));
  TAROT_RETURN_IF_ERROR(recomputation.Finish());
  report.blocked = stopwatch.Elapsed();
  return report;
}

absl::Status LadderAdmin::CatchUp(Recomputation& recomputation, LedgerFold& fold,
                                  RecomputeReport& report) {
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LedgerMatch> matches,
                           recomputation.ReadMatches(kMatchesPerRead));
    if (matches.empty()) break;
    // Read the seasons after the matches, so that `seasons` has the season of each match.
    TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<const Seasons> seasons, seasons_.Read());
    std::vector<RecomputedResult> different;
    for (const LedgerMatch& match : matches) {
      TAROT_RETURN_IF_ERROR(fold.Apply(match, *seasons, different));
      ++report.match_count;
      report.void_count += match.voided ? 1 : 0;
    }
    report.different_count += static_cast<std::int64_t>(different.size());
    TAROT_RETURN_IF_ERROR(recomputation.AddResults(different));
  }
  return recomputation.SetStandings(fold.TakeChanged());
}

}  // namespace tarot::ratings_service
