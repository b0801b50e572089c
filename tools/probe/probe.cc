#include "tools/probe/probe.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/client/client.h"
#include "libs/obs/log.h"
#include "libs/rpc/call.h"
#include "libs/wire/convert.h"

namespace tarot::probe {
namespace {

namespace mv = ::tarot::matchmaking::v1;
namespace rv = ::tarot::rules::v1;

constexpr int kPlayers = 4;
constexpr std::chrono::milliseconds kLook(200);  // The interval at which the probe checks whether
                                                 // the round must end.
constexpr char kBotLevel[] = "novice";           // This level of bots costs the least CPU time.

const char* NameOf(Step step) {
  switch (step) {
    case Step::kSignIn:
      return "sign_in";
    case Step::kRoom:
      return "room";
    case Step::kTable:
      return "table";
    case Step::kDeal:
      return "deal";
  }
  return "unknown";
}

std::size_t IndexOf(Step step) { return static_cast<std::size_t>(step); }

const prometheus::Histogram::BucketBoundaries& StepBuckets() {
  static const prometheus::Histogram::BucketBoundaries buckets = {.01, .03, .1, .3,  1,  3,
                                                                  10,  30,  60, 120, 300};
  return buckets;
}

const prometheus::Histogram::BucketBoundaries& MoveBuckets() {
  static const prometheus::Histogram::BucketBoundaries buckets = {.001, .003, .01, .03, .05, .1,
                                                                  .25,  .5,   1,   3,   10};
  return buckets;
}

// Returns whether the viewer must act now. The server plays the last trick of a deal for all seats.
bool MustAct(const rv::Table& table) {
  const rv::DealView& deal = table.deal();
  if (table.state() != rv::Table::PLAYING || !table.has_viewer()) return false;
  if (!deal.has_turn() || deal.turn() != table.viewer()) return false;
  return deal.phase() != rv::PLAYING || deal.hand_size() > 1;
}

// One round, from the sign-in to the end of the match.
class Round {
 public:
  explicit Round(const Environment& environment)
      : environment_(environment),
        client_(rpc::MakeChannel(environment.address, /*own_connection=*/true), {},
                environment.scheduler, environment.entropy) {}

  absl::Status Do(Step step) {
    switch (step) {
      case Step::kSignIn:
        return client_.SignInAsGuest("probe");
      case Step::kRoom:
        return OpenRoom();
      case Step::kTable:
        return StartMatch();
      case Step::kDeal:
        return PlayMatch();
    }
    return absl::OkStatus();
  }

 private:
  absl::Status OpenRoom() {
    mv::CreateRoomRequest request;
    mv::RoomTerms& terms = *request.mutable_terms();
    terms.set_rule_set("fft");
    terms.set_player_count(kPlayers);
    terms.set_deal_count(1);
    terms.mutable_move_limit()->set_seconds(30);
    request.set_visibility(mv::Room::PRIVATE);
    request.set_request_id(client_.NewRequestId());
    TAROT_ASSIGN_OR_RETURN(const auto made, client_.Call(&client::Rooms::CreateRoom, request));
    room_ = made.room().name();
    for (int seat = 1; seat < kPlayers; ++seat) {
      mv::SetBotRequest bot;
      bot.set_name(room_);
      bot.set_seat(static_cast<std::uint32_t>(seat));
      bot.set_bot_level(kBotLevel);
      TAROT_RETURN_IF_ERROR(client_.Call(&client::Rooms::SetBot, bot).status());
    }
    return absl::OkStatus();
  }

  absl::Status StartMatch() {
    mv::StartMatchRequest start;
    start.set_name(room_);
    start.set_request_id(client_.NewRequestId());
    TAROT_RETURN_IF_ERROR(client_.Call(&client::Rooms::StartMatch, start).status());
    mv::GetRoomRequest look;
    look.set_name(room_);
    while (true) {
      TAROT_ASSIGN_OR_RETURN(const auto seen, client_.Call(&client::Rooms::GetRoom, look));
      if (seen.room().start_refused()) {
        return absl::UnavailableError("The rules service has refused the match.");
      }
      if (seen.room().state() == mv::Room::PLAYING) {
        table_ = seen.room().table();
        return absl::OkStatus();
      }
      TAROT_RETURN_IF_ERROR(Wait([] { return false; }));
    }
  }

  absl::Status PlayMatch() {
    const auto watch = client_.WatchTable(
        table_, std::nullopt,
        [this](const rv::Table& table) {
          const std::lock_guard lock(mutex_);
          newest_ = table;
          changed_.notify_one();
        },
        [this](const absl::Status& status) {
          const std::lock_guard lock(mutex_);
          end_ = status;
          changed_.notify_one();
        });
    while (true) {
      TAROT_RETURN_IF_ERROR(Wait([this] { return newest_ || end_; }));
      std::optional<rv::Table> table;
      {
        const std::lock_guard lock(mutex_);
        if (!newest_ && end_) return *end_;
        table = std::exchange(newest_, std::nullopt);
      }
      if (table && MustAct(*table)) TAROT_RETURN_IF_ERROR(Act(*table));
    }
  }

  absl::Status Act(const rv::Table& table) {
    TAROT_ASSIGN_OR_RETURN(const rules::View view, wire::DecodeView(table.deal()));
    rv::SubmitActionRequest request;
    request.set_name(table_);
    request.set_expected_revision(table.revision());
    request.set_request_id(client_.NewRequestId());
    wire::EncodeAction(ai::FindPolicy("novice")->Choose(view, Rng(1), {}).action,
                       request.mutable_action());
    const Stopwatch stopwatch;
    const absl::Status status = client_.Call(&client::Tables::SubmitAction, request).status();
    environment_.metrics.move_seconds.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
    // The table has changed since this view. The watch brings the newer view.
    if (absl::IsAborted(status)) return absl::OkStatus();
    return status;
  }

  // Waits until `done` returns true, but at most kLook. Returns an error if the round must end.
  template <typename Condition>
  absl::Status Wait(Condition done) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLook, done);
    if (environment_.stopping()) return absl::CancelledError("The probe stops.");
    if (stopwatch_.Elapsed() > kRoundMax) {
      return absl::DeadlineExceededError("The round took too long.");
    }
    return absl::OkStatus();
  }

  const Environment& environment_;
  const Stopwatch stopwatch_;
  client::Client client_;
  std::string room_;
  std::string table_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<rv::Table> newest_;  // The newest view that the probe has not looked at.
  std::optional<absl::Status> end_;  // The end of the watch.
};

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : rounds_ok(obs::Counter(registry, "tarot_probe_rounds_total",
                             "Rounds of the probe that played a deal to its end.")),
      failures(),
      seconds(),
      move_seconds(obs::Histogram(registry, "tarot_probe_move_seconds",
                                  "Time from a move of the probe to its answer.", MoveBuckets())),
      last_success(obs::Gauge(registry, "tarot_probe_last_success_time_seconds",
                              "When the last good round of the probe ended; the start of the probe "
                              "if there was none.")) {
  for (const Step step : kSteps) {
    failures[IndexOf(step)] = &obs::Counter(
        registry, "tarot_probe_failures_total",
        "Rounds of the probe that failed, by the step that failed.", {{"step", NameOf(step)}});
    seconds[IndexOf(step)] =
        &obs::Histogram(registry, "tarot_probe_step_seconds",
                        "Time of each step of a round: sign_in, room, table, deal.", StepBuckets(),
                        {{"step", NameOf(step)}});
  }
}

absl::Status PlayRound(const Environment& environment) {
  Metrics& metrics = environment.metrics;
  Round round(environment);
  for (const Step step : kSteps) {
    const Stopwatch stopwatch;
    const absl::Status status = round.Do(step);
    if (!status.ok()) {
      if (environment.stopping()) return absl::CancelledError("The probe stops.");
      metrics.failures[IndexOf(step)]->Increment();
      obs::Log(obs::Level::kWarning, "the probe failed",
               {{"step", NameOf(step)},
                {"code", absl::StatusCodeToString(status.code())},
                {"reason", GetErrorDetails(status).reason},
                {"why", obs::LoggableMessage(status)},
                {"trace_id", client::TraceOf(status)}});
      return status;
    }
    metrics.seconds[IndexOf(step)]->Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
  }
  metrics.rounds_ok.Increment();
  metrics.last_success.Set(absl::ToDoubleSeconds(environment.clock.Now() - absl::UnixEpoch()));
  return absl::OkStatus();
}

}  // namespace tarot::probe
