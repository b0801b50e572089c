// One player of a load: signs in, plays at one table after another, thinks, acts, loses the
// connection at random, and repeats requests that got no answer. Uses no thread of its own.
#pragma once

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
#include "libs/client/client.h"
#include "tools/load/history.h"
#include "tools/load/options.h"

namespace tarot::load {

// A connection carries at most 256 calls and streams, and each player has a few (docs/door.md).
inline constexpr int kPlayersPerConnection = 50;

struct Counters {
  std::atomic<long> moves = 0, refused = 0, unknown = 0, views = 0, matches = 0, odd = 0;
};

// The objects that all players of a load share.
struct Shared {
  const Options& options;
  // For each group of kPlayersPerConnection players: one channel to each address in
  // options.gateways.
  std::vector<std::vector<std::shared_ptr<grpc::Channel>>> gateways;
  HistoryWriter& history;
  Scheduler& scheduler;
  Entropy& entropy;
  Counters counters;
  std::atomic<bool> stopping = false;
  std::atomic<int> running = 0;  // Number of calls and timers whose callbacks have not run yet.
};

class Player {
 public:
  Player(Shared& shared, int number);
  ~Player();  // When the destructor runs, no call or timer of this player may be running.

  // Waits for a session. If there is none after half a minute, returns the gateway's error.
  absl::Status SignIn();
  const std::string& name() const { return name_; }  // Returns players/{uuid}.

  // Plays the match of tables/{uuid}. `done` runs once, when the match is over. Play one match at a
  // time.
  void Sit(const std::string& table, std::function<void()> done);

  // Joins the queue of the options, plays the match, and joins again.
  void Queue();

  // Ends the watch and the running call. After all players were stopped, Shared::running goes to 0.
  void Stop();

 private:
  // One attempt of a request.
  struct Attempt {
    std::string table, request_id;
    int number = 0;
    std::size_t gateway = 0;
    std::function<void()> cancel;
    bool claims = false;
    bool answered = false;
  };
  // An action or a claim that the player wants, with all its attempts.
  struct Intent {
    // The request. It has no action if the player claims all tricks.
    rules::v1::SubmitActionRequest request;
    std::string action;  // The bytes of rules::EncodeAction, or kClaimBytes.
    bool claims() const { return !request.has_action(); }
    int attempts = 0;
  };
  using TicketAnswer = absl::StatusOr<matchmaking::v1::Ticket>;

  // Hold mutex_ when you call these functions. OnView, OnWatchEnd, OnAnswer and OnTicket are
  // exceptions: they lock mutex_ themselves.
  void Open();
  void Close();
  void OnView(int watch, const rules::v1::Table& table);
  void OnWatchEnd(int watch, const absl::Status& status);
  void See(const rules::v1::Table& table, int stream);
  void Consider(absl::Duration wait);
  void Decide();
  void Send();
  std::function<void()> Start(const std::shared_ptr<Attempt>& attempt);
  void OnAnswer(Attempt& attempt, const absl::StatusOr<const rules::v1::Table*>& answer);
  void OnUnknownOutcome();
  void BeginAnew();
  void Odd(const absl::Status& status);
  void CreateTicket();
  void OnTicket(const TicketAnswer& answer);
  void PollTicket();
  bool Chance(double probability);
  // Returns a random time with an exponential distribution and mean `mean`, at most five times the
  // mean.
  absl::Duration Around(absl::Duration mean);
  void After(absl::Duration wait, void (Player::*then)());
  std::size_t ChooseGateway();  // Returns an index of clients_.
  client::Client& AnyGateway() { return *clients_[ChooseGateway()]; }
  Event At(Event::Kind kind) const;

  Shared& shared_;
  const int number_;
  std::string name_;
  // One client for each gateway that this player may use. The player repeats calls itself, and the
  // clients do not, so that the history has each attempt.
  std::vector<std::unique_ptr<client::Client>> clients_;

  std::mutex mutex_;
  Rng rng_;
  std::string table_;  // Empty between matches.
  TableId table_id_;
  std::function<void()> done_;
  // Number of watches opened so far. Callbacks of an earlier watch are ignored.
  int watches_ = 0;
  bool watching_ = false;  // True if the newest watch is open.
  // This number changes when the client sits down at a table, and when it starts anew. Then the
  // client knows no revision.
  int stream_ = 0;
  // The newest revision that the client has seen on a watch since `stream_` changed.
  std::optional<int> seen_;
  std::optional<std::size_t> avoided_;  // The gateway where the last call was lost.
  std::optional<rules::v1::Table> newest_;
  bool thinking_ = false;
  // True if the player has given up its last action or claim, and now chooses another action.
  bool other_choice_ = false;
  std::optional<Intent> intent_;
  std::shared_ptr<Attempt> attempt_;
  std::string ticket_request_, ticket_;  // Empty when not in use.
  std::unique_ptr<client::Watch> watch_;
};

}  // namespace tarot::load
