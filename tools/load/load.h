// Plays many tables at once through the gateways, as clients do, on few threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/load/player.h"
#include "tools/load/table_maker.h"

namespace tarot::load {

class Load {
 public:
  // All arguments must outlive the load. Returns NOT_FOUND if the key for CreateTable is missing.
  static absl::StatusOr<std::unique_ptr<Load>> Create(const Options& options, Clock& clock,
                                                      Scheduler& scheduler, Entropy& entropy,
                                                      HistoryWriter& history);
  ~Load();  // Stops the load.

  // Signs all players in and seats them. Returns when the last player sits or has queued. If no
  // further table can be made for half a minute, returns the error of the rules service. If a
  // player cannot sign in for half a minute, returns the error of the gateway.
  absl::Status Start();

  // Ends all play and writes the end of the history. Then waits until no call and no timer of a
  // player is running. A timer, for example the timer of Options::think, runs at most five times as
  // long as its mean.
  void Stop();

  const Counters& counters() const { return shared_.counters; }

 private:
  // The players of one table; they stay together.
  struct Group {
    std::vector<Player*> players;
    std::string rule_set, table;
    int sitting = 0;
  };

  Load(const Options& options, Scheduler& scheduler, Entropy& entropy, HistoryWriter& history)
      : options_(options), shared_{options, {}, history, scheduler, entropy} {}

  void Left(Group& group);
  void MakeTables();  // Waits for CreateTable, so it runs on a thread of its own.
  void Seat(Group& group);

  const Options& options_;
  Shared shared_;
  std::unique_ptr<TableMaker> maker_;
  std::vector<std::unique_ptr<Player>> players_;
  std::deque<Group> groups_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Group*> without_table_;
  absl::Status maker_error_;  // The last error.
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace tarot::load
