#include "tests/bench/gateway_load.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/clock.h"
#include "libs/wire/convert.h"
#include "tests/bench/figures.h"
#include "tests/bench/pace.h"

namespace tarot::bench {
namespace {

// The load measures message sizes only at every 16th revision.
constexpr int kSizeSample = 16;

// The mean size of messages. Thread-safe.
class Sizes {
 public:
  void Add(std::size_t bytes) {
    bytes_ += static_cast<long>(bytes);
    ++count_;
  }
  double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(bytes_) / static_cast<double>(count_);
  }

 private:
  std::atomic<long> bytes_ = 0, count_ = 0;
};

// The state that all players share: the measurements and the pace of moves.
class Shared {
 public:
  absl::Time Now() { return clock_.Now(); }

  void Answered(double ms) {
    if (!measuring) return;
    const std::lock_guard lock(mutex_);
    answer_ms.push_back(ms);
  }
  void Seen(double ms) {
    if (!measuring) return;
    const std::lock_guard lock(mutex_);
    watch_ms.push_back(ms);
  }

  std::atomic<bool> measuring = false;
  std::atomic<int> lost = 0;
  std::mutex mutex_;
  std::vector<double> answer_ms, watch_ms;
  Sizes request_bytes, answer_bytes, shared_bytes, own_bytes;
  Pace pace;

 private:
  RealClock clock_;
};

// Stores, for one table, when each move was sent and which players have seen it.
class Sightings {
 public:
  explicit Sightings(Shared& shared) : shared_(shared) {}

  void Sent(int revision) {
    const std::lock_guard lock(mutex_);
    open_.push_back({revision + 1, shared_.Now(), 0});
  }
  void Saw(int seat, int revision) {
    const std::lock_guard lock(mutex_);
    for (Open& open : open_) {
      if (open.revision <= revision) open.seen |= 1 << seat;
    }
    while (!open_.empty() && open_.front().seen == 15) {
      shared_.Seen(absl::ToDoubleMilliseconds(shared_.Now() - open_.front().sent));
      open_.pop_front();
    }
  }

 private:
  struct Open {
    int revision;
    absl::Time sent;
    int seen;
  };
  Shared& shared_;
  std::mutex mutex_;
  std::deque<Open> open_;
};

// One player, who watches a table and moves at each turn.
class Seat {
 public:
  Seat(std::unique_ptr<client::Client> client, Shared& shared)
      : client_(std::move(client)), shared_(shared) {}

  std::string player() const { return client_->session().player(); }

  void Watch(const std::string& table, Sightings& sightings) {
    sightings_ = &sightings;
    watch_ = client_->WatchTable(
        table, std::nullopt, [this](const rules::v1::Table& view) { Decide(view); },
        [](const absl::Status&) {});
  }
  void Leave() { watch_.reset(); }

 private:
  void Decide(const rules::v1::Table& table) {
    if (!table.has_viewer()) return;
    if (table.revision() % kSizeSample == 0) Measure(table);
    sightings_->Saw(static_cast<int>(table.viewer()), table.revision());
    if (table.state() != rules::v1::Table::PLAYING) return;
    if (!table.deal().has_turn() || table.deal().turn() != table.viewer()) return;
    // The server plays the last trick of a deal for all seats.
    if (table.deal().phase() == rules::v1::PLAYING && table.deal().hand_size() == 1) return;
    const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
    TAROT_CHECK(view.ok());
    rules::v1::SubmitActionRequest request;
    request.set_name(table.name());
    request.set_expected_revision(table.revision());
    request.set_request_id(client_->NewRequestId());
    wire::EncodeAction(policy_->Choose(*view, Rng(1), {}).action, request.mutable_action());
    shared_.pace.Release([this, request] { Submit(request); });
  }

  // Measures two parts of a view: the fields that only this player sees, and those that all players
  // see. services/rules/transport/table_views.h explains the two parts.
  void Measure(const rules::v1::Table& table) {
    rules::v1::Table own;
    own.set_viewer(table.viewer());
    if (table.has_deal()) {
      *own.mutable_deal()->mutable_hand() = table.deal().hand();
      if (table.deal().has_legal()) *own.mutable_deal()->mutable_legal() = table.deal().legal();
    }
    shared_.own_bytes.Add(own.ByteSizeLong());
    shared_.shared_bytes.Add(table.ByteSizeLong() - own.ByteSizeLong());
  }

  void Submit(const rules::v1::SubmitActionRequest& request) {
    shared_.request_bytes.Add(request.ByteSizeLong());
    sightings_->Sent(request.expected_revision());
    const absl::Time start = shared_.Now();
    client_->Start(
        &client::Tables::SubmitAction, request,
        [this, start](const absl::StatusOr<const rules::v1::SubmitActionResponse*>& answer) {
          if (!answer.ok()) {
            // The rules service may refuse a move that comes too late. A refusal counts as an
            // answer.
            const absl::Status& status = answer.status();
            if (!absl::IsFailedPrecondition(status) && !absl::IsAborted(status)) {
              if (shared_.lost++ == 0)
                std::fprintf(stderr, "lost: %s\n", status.ToString().c_str());
            }
            return;
          }
          shared_.answer_bytes.Add((*answer)->ByteSizeLong());
          shared_.Answered(absl::ToDoubleMilliseconds(shared_.Now() - start));
        });
  }

  std::unique_ptr<client::Client> client_;
  Shared& shared_;
  Sightings* sightings_ = nullptr;
  const ai::Policy* policy_ = ai::FindPolicy("novice");
  std::unique_ptr<client::Watch> watch_;
};

}  // namespace

struct GatewayLoad::State {
  explicit State(e2e::Cluster& c) : cluster(c) {}

  e2e::Cluster& cluster;
  Shared shared;
  std::deque<Sightings> sightings;
  std::vector<std::unique_ptr<Seat>> seats;
};

GatewayLoad::GatewayLoad(e2e::Cluster& cluster, int tables, const std::string& address,
                         bool own_connections)
    : state_(std::make_unique<State>(cluster)) {
  OsEntropy entropy;
  for (int i = 0; i < tables; ++i) {
    std::vector<std::string> players;
    for (int seat = 0; seat < 4; ++seat) {
      state_->seats.push_back(std::make_unique<Seat>(
          cluster.SignInAt(address.empty() ? cluster.AddressOf("gateway") : address, "load",
                           own_connections),
          state_->shared));
      players.push_back(state_->seats.back()->player());
    }
    const std::string name = absl::StrCat("tables/", entropy.NewUuid().ToString());
    CreateTable(cluster, name, players);
    Sightings& sightings = state_->sightings.emplace_back(state_->shared);
    for (std::size_t seat = 0; seat < 4; ++seat) {
      state_->seats[state_->seats.size() - 4 + seat]->Watch(name, sightings);
    }
  }
}

GatewayLoad::~GatewayLoad() {
  for (auto& seat : state_->seats) seat->Leave();
}

void GatewayLoad::Pause() { state_->shared.pace.Pause(); }

GatewayResult GatewayLoad::Run(double seconds, double moves_per_s_max) {
  Shared& shared = state_->shared;
  std::thread pace([&] { shared.pace.Run(seconds + 1, moves_per_s_max); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  {
    const std::lock_guard lock(shared.mutex_);
    shared.answer_ms.clear();
    shared.watch_ms.clear();
  }
  const Cpu before = CpuOf(state_->cluster);
  const Stopwatch watch;
  shared.measuring = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  shared.measuring = false;
  const double elapsed = absl::ToDoubleSeconds(watch.Elapsed());
  GatewayResult result;
  {
    const std::lock_guard lock(shared.mutex_);
    const auto moves = static_cast<double>(shared.answer_ms.size());
    // If no answer came, all players waited during the whole run. Then the length of the run counts
    // as the time of an answer.
    if (shared.answer_ms.empty()) shared.answer_ms.push_back(elapsed * 1e3);
    if (shared.watch_ms.empty()) shared.watch_ms.push_back(elapsed * 1e3);
    result = {.moves_per_s = moves / elapsed,
              .answer_p50_ms = Quantile(shared.answer_ms, 0.5),
              .answer_p99_ms = Quantile(shared.answer_ms, 0.99),
              .watch_p99_ms = Quantile(shared.watch_ms, 0.99),
              .lost = shared.lost.exchange(0),
              .cpu_us_per_move = CpuPerMove(state_->cluster, before, moves),
              .bytes = {.request = shared.request_bytes.mean(),
                        .answer = shared.answer_bytes.mean(),
                        .shared = shared.shared_bytes.mean(),
                        .own = shared.own_bytes.mean()}};
  }
  pace.join();
  return result;
}

}  // namespace tarot::bench
