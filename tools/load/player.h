// One player of a load: signs in, sits at one table after another, watches, thinks, acts, loses the
// connection at random, and repeats what was not answered. Holds no thread.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/rng.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"
#include "tools/load/history.h"
#include "tools/load/options.h"

namespace tarot::load {

// A way in. Thread-safe.
struct Gateway {
  explicit Gateway(const std::shared_ptr<grpc::Channel>& channel)
      : sessions(channel), matchmaking(channel), tables(channel) {}

  gateway::v1::SessionService::Stub sessions;
  matchmaking::v1::MatchmakingService::Stub matchmaking;
  rules::v1::TableService::Stub tables;
};

struct Counters {
  std::atomic<long> moves = 0, refused = 0, unknown = 0, views = 0, matches = 0, odd = 0;
};

// What all players of a load share.
struct Shared {
  const Options& options;
  std::vector<std::unique_ptr<Gateway>> gateways;
  HistoryWriter& history;
  Scheduler& scheduler;
  Entropy& entropy;
  Counters counters;
  std::atomic<bool> stopping = false;
  std::atomic<int> running = 0;  // Calls, watches and timers that will still come back.
};

class Player {
 public:
  Player(Shared& shared, int number);
  ~Player();  // Nothing of it may run any more.

  // Waits for a session. Errors: the gateway's, when it has given none for half a minute.
  absl::Status SignIn();
  const std::string& name() const { return name_; }  // players/{uuid}

  // Plays the match of tables/{uuid}; `done` runs once, when it is over. One at a time.
  void Sit(const std::string& table, std::function<void()> done);

  // Queues, plays the match, and so on.
  void Queue();

  // Ends what runs. Afterwards Shared::running goes to 0.
  void Stop();

 private:
  class Watch;
  struct Attempt;
  // What it wants done, through all attempts.
  struct Intent {
    rules::v1::SubmitActionRequest request;
    std::string action;  // rules::EncodeAction
    int attempts = 0;
  };

  // With mutex_ held, all of these but those that a timer or gRPC calls.
  void Open();
  void OnView(Watch* watch, const rules::v1::Table& table);
  void OnWatchEnd(Watch* watch, const grpc::Status& status);
  void See(const rules::v1::Table& table, int stream);
  void Consider(absl::Duration wait);
  void Decide();
  void Send();
  void OnAnswer(const std::shared_ptr<Attempt>& attempt, const grpc::Status& status);
  void Doubt();
  void BeginAnew();
  void Odd(const grpc::Status& status);
  void CreateTicket();
  void OnTicket(const grpc::Status& status, const matchmaking::v1::Ticket& ticket);
  void PollTicket();
  bool Chance(double probability);
  absl::Duration Around(absl::Duration mean);  // Exponential, at most five times as long.
  void After(absl::Duration wait, void (Player::*then)());
  int ChooseGateway();  // Its place in Shared::gateways.
  Gateway& AnyGateway() { return GatewayAt(ChooseGateway()); }
  Gateway& GatewayAt(int place) { return *shared_.gateways[static_cast<std::size_t>(place)]; }
  void Prepare(grpc::ClientContext& context) const;
  Event At(Event::Kind kind) const;

  Shared& shared_;
  const int number_;
  std::string name_, token_;

  std::mutex mutex_;
  Rng rng_;
  std::string table_;  // Empty between matches.
  TableId table_id_;
  std::function<void()> done_;
  Watch* watch_ = nullptr;   // gRPC's while it runs.
  int stream_ = 0;           // The client's life: a new one knows no revision.
  std::optional<int> seen_;  // The newest revision of this life.
  int avoided_ = -1;         // The gateway where the last call was lost.
  std::optional<rules::v1::Table> newest_;
  bool thinking_ = false;
  bool other_choice_ = false;  // An intent was given up: decide something else.
  std::optional<Intent> intent_;
  std::shared_ptr<Attempt> attempt_;
  std::string ticket_request_, ticket_;  // Empty while not in use.
};

}  // namespace tarot::load
