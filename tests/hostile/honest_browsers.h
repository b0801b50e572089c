// Honest players in browsers: each calls in gRPC-Web on a connection of its own, through HAProxy.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "libs/testkit/http_client.h"
#include "tests/e2e/cluster.h"

namespace tarot::hostile {

struct BrowserResult {
  int moves = 0;
  double answer_p99_ms = 0;  // The time from a move to its answer, with all repetitions.
  int lost = 0;  // Calls and files without an answer, although the browser repeated them.
};

// Plays at tables of four players under fft, and gets a file of the page each second.
class HonestBrowsers {
 public:
  HonestBrowsers(e2e::Cluster& cluster, int tables);

  // Each table makes about `moves_per_s` moves.
  BrowserResult Run(double seconds, double moves_per_s);

 private:
  struct Player {
    std::unique_ptr<testkit::HttpClient> client;
    std::string token;
    std::string name;  // players/{uuid}
  };
  struct Table {
    std::string name;
    std::array<Player, 4> players;
    std::size_t turn = 0;  // The seat whose turn it was last.
  };
  struct Answered;

  // Returns the bytes of the answer. Repeats the call on a new connection, as the page does, if no
  // answer comes or if the server is busy. Returns an empty text if all repetitions fail. `refused`
  // says whether the answer was another error.
  std::string Call(Player& player, const std::string& method, const std::string& request,
                   bool& refused);
  void Play(Table& table, double seconds, double moves_per_s, Answered& answered);
  void GetFiles(double seconds, Answered& answered);

  e2e::Cluster& cluster_;
  const std::string address_;
  std::vector<Table> tables_;
  std::unique_ptr<testkit::HttpClient> files_;  // The connection for files.
};

}  // namespace tarot::hostile
