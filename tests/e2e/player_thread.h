// A person at a table, who uses the client library. The person watches, decides by heuristic,
// submits, and remembers every acknowledged action.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libs/client/client.h"

namespace tarot::e2e {

class PlayerThread {
 public:
  PlayerThread(std::unique_ptr<client::Client> client, std::string name)
      : client_(std::move(client)), name_(std::move(name)) {}
  ~PlayerThread();

  // Joins the queue and plays one match until it is over, in a thread of its own.
  void Play(const std::string& queue);
  // Plays the match at a table where the person has a seat, until it is over, in a thread of its
  // own. Waits first until an earlier thread has ended (Join).
  void PlayAt(const std::string& table);
  void Join();

  bool finished() const { return finished_; }
  const std::string& name() const { return name_; }
  std::string id() const { return client_->session().player(); }
  client::Client& client() { return *client_; }

  // Returns the table of the match. Returns an empty text before there is one.
  std::string table();
  // Returns the ids of the requests that got the answer OK.
  std::vector<std::string> acknowledged();
  // Returns the first error, or an empty text.
  std::string error();

 private:
  void Run(const std::string& queue);
  std::string WaitForTable(const std::string& queue);
  void PlayMatch(const std::string& table);
  void Decide(const rules::v1::Table& table);
  void Fail(const std::string& what);

  std::unique_ptr<client::Client> client_;
  const std::string name_;
  std::thread thread_;
  std::atomic<bool> finished_ = false;
  std::mutex mutex_;
  std::string table_;
  std::string error_;
  std::vector<std::string> acknowledged_;
};

}  // namespace tarot::e2e
