// Compares the places in memory (libs/rating/ranks.h) with a sorted set of redis-server. Both
// servers are processes with one thread. They answer the same commands of the Redis protocol over a
// Unix socket to the same client: ZREVRANK for the place of a player, and then ZREVRANGE for the 21
// places around it. The client asks both servers in turn, so that other programs disturb both
// alike. Prints a JSON list. Usage: ranks_redis_bench [--players=N] [--redis=PATH]
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/rng.h"
#include "libs/rating/ranks.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, players, 10'000'000, "players with a place on the ladder");
ABSL_FLAG(std::string, redis, "redis-server", "the program of Redis");

namespace tarot::bench {
namespace {

constexpr int kSamples = 100'000;
constexpr int kSide = 10;  // The client reads this number of places above a player, and the same
                           // number below.
constexpr int kBatch = 1'000;
constexpr char kKey[] = "ladder";

std::string MemberOf(int number) {
  Rng rng(static_cast<std::uint64_t>(number) + 1);
  std::string member(16, '\0');
  for (std::size_t i = 0; i < member.size(); i += 8) {
    const std::uint64_t word = rng.Next();
    std::memcpy(&member[i], &word, sizeof word);
  }
  return member;
}

PlayerId PlayerOf(absl::string_view member) {
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), member.data(), bytes.size());
  return PlayerId{Uuid(bytes)};
}

// Returns a skill. The skills of players with the numbers 0 to N have nearly a normal distribution.
double MuOf(int number) {
  Rng rng(static_cast<std::uint64_t>(number) * 2 + 1);
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += rng.Below(1'000'000) / 1e6 - .5;
  return 18 * sum;
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  TAROT_CHECK(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// One connection; our server and the client both use this class.
class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(absl::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::write(fd_, text.data(), text.size());
      TAROT_CHECK(sent > 0);
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Returns false if the other side has closed the connection.
  bool ReadLine(absl::string_view& line) {
    for (;;) {
      const std::size_t end = buffer_.find("\r\n", at_);
      if (end != std::string::npos) {
        line = absl::string_view(buffer_).substr(at_, end - at_);
        at_ = end + 2;
        return true;
      }
      if (!Fill()) return false;
    }
  }

  absl::string_view ReadBytes(std::size_t count) {
    while (buffer_.size() < at_ + count + 2) TAROT_CHECK(Fill());
    const absl::string_view bytes = absl::string_view(buffer_).substr(at_, count);
    at_ += count + 2;
    return bytes;
  }

 private:
  bool Fill() {
    // The string_views that earlier reads returned become invalid here.
    if (at_ == buffer_.size()) {
      buffer_.clear();
      at_ = 0;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + (1 << 16));
    const ssize_t got = ::read(fd_, buffer_.data() + size, 1 << 16);
    buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
  }

  const int fd_;
  std::string buffer_;
  std::size_t at_ = 0;
};

int NumberIn(absl::string_view line) {
  int number = 0;
  TAROT_CHECK(absl::SimpleAtoi(line.substr(1), &number));
  return number;
}

// Answers ZREVRANK and ZREVRANGE of one client until it closes the connection.
void Serve(int listener, int players) {
  rating::Ranks ranks;
  for (int i = 0; i < players; ++i) {
    ranks.Set({.mu = MuOf(i), .player = PlayerOf(MemberOf(i))}, 2'000'000'000);
  }
  Connection client(::accept(listener, nullptr, nullptr));
  std::string answer;
  absl::string_view line;
  while (client.ReadLine(line)) {
    std::vector<std::string> words;
    for (int left = NumberIn(line); left > 0; --left) {
      TAROT_CHECK(client.ReadLine(line));
      words.emplace_back(client.ReadBytes(static_cast<std::size_t>(NumberIn(line))));
    }
    answer.clear();
    if (words[0] == "ZREVRANK") {
      absl::StrAppend(&answer, ":", ranks.CountAbove(*ranks.Find(PlayerOf(words[2]))), "\r\n");
    } else {
      const auto places =
          ranks.Range(std::atoi(words[2].c_str()) + 1, std::atoi(words[3].c_str()) + 1);
      absl::StrAppend(&answer, "*", 2 * places.size(), "\r\n");
      for (const auto& place : places) {
        const auto& bytes = place.key.player.uuid.bytes();
        const std::string mu = absl::StrFormat("%.17g", place.key.mu);
        absl::StrAppend(&answer, "$16\r\n",
                        absl::string_view(reinterpret_cast<const char*>(bytes.data()), 16), "\r\n$",
                        mu.size(), "\r\n", mu, "\r\n");
      }
    }
    client.Send(answer);
  }
}

void AppendCommand(const std::vector<std::string>& words, std::string& out) {
  absl::StrAppend(&out, "*", words.size(), "\r\n");
  for (const std::string& word : words)
    absl::StrAppend(&out, "$", word.size(), "\r\n", word, "\r\n");
}

// A server process and the client's connection to it.
class Server {
 public:
  Server(pid_t pid, const std::string& path) : pid_(pid), connection_(Connect(path)) {}
  ~Server() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  Connection& connection() { return connection_; }

  // Returns the number of players above `member`.
  int Rank(const std::string& member) {
    std::string command;
    AppendCommand({"ZREVRANK", kKey, member}, command);
    connection_.Send(command);
    absl::string_view line;
    TAROT_CHECK(connection_.ReadLine(line) && line[0] == ':');
    return NumberIn(line);
  }

  // Returns the members around the player with this rank, best first.
  std::vector<std::string> Around(int rank) {
    std::string command;
    AppendCommand({"ZREVRANGE", kKey, absl::StrCat(std::max(0, rank - kSide)),
                   absl::StrCat(rank + kSide), "WITHSCORES"},
                  command);
    connection_.Send(command);
    absl::string_view line;
    TAROT_CHECK(connection_.ReadLine(line) && line[0] == '*');
    std::vector<std::string> members;
    for (int left = NumberIn(line); left > 0; --left) {
      TAROT_CHECK(connection_.ReadLine(line));
      const absl::string_view word =
          connection_.ReadBytes(static_cast<std::size_t>(NumberIn(line)));
      if (left % 2 == 0) members.emplace_back(word);
    }
    return members;
  }

 private:
  // Tries until the server accepts.
  static int Connect(const std::string& path) {
    const sockaddr_un address = AddressOf(path);
    for (;;) {
      const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
      if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        return fd;
      }
      ::close(fd);
      ::usleep(10'000);
    }
  }

  const pid_t pid_;
  Connection connection_;
};

pid_t StartRedis(const std::string& path) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const std::string program = absl::GetFlag(FLAGS_redis);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execlp(program.c_str(), program.c_str(), "--port", "0", "--unixsocket", path.c_str(), "--save",
           "", "--appendonly", "no", static_cast<char*>(nullptr));
  std::perror(program.c_str());
  std::_Exit(1);
}

pid_t StartOurs(const std::string& path, int players) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un address = AddressOf(path);
  TAROT_CHECK(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  TAROT_CHECK(::listen(listener, 1) == 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    Serve(listener, players);
    std::_Exit(0);
  }
  ::close(listener);
  return pid;
}

void Fill(Server& redis, int players) {
  for (int first = 0; first < players; first += kBatch) {
    const int last = std::min(first + kBatch, players);
    std::vector<std::string> words{"ZADD", kKey};
    for (int i = first; i < last; ++i) {
      words.push_back(absl::StrFormat("%.17g", MuOf(i)));
      words.push_back(MemberOf(i));
    }
    std::string command;
    AppendCommand(words, command);
    redis.connection().Send(command);
    absl::string_view line;
    TAROT_CHECK(redis.connection().ReadLine(line) && NumberIn(line) == last - first);
  }
}

int Main() {
  char folder[] = "/tmp/ranks_redis_XXXXXX";
  TAROT_CHECK(::mkdtemp(folder) != nullptr);
  const int players = absl::GetFlag(FLAGS_players);
  const std::string ours_path = absl::StrCat(folder, "/ours");
  const std::string redis_path = absl::StrCat(folder, "/redis");
  Server ours(StartOurs(ours_path, players), ours_path);
  Server redis(StartRedis(redis_path), redis_path);
  Fill(redis, players);
  ours.Rank(MemberOf(0));  // Waits until our server has all players.

  std::vector<double> my[2];
  std::vector<double> around[2];
  Rng rng(1);
  for (int i = 0; i < kSamples; ++i) {
    const std::string member = MemberOf(rng.Below(players));
    int ranks[2];
    std::vector<std::string> members[2];
    for (const int which : {i % 2, 1 - i % 2}) {
      Server& server = which == 0 ? ours : redis;
      const Stopwatch watch;
      ranks[which] = server.Rank(member);
      my[which].push_back(absl::ToDoubleMicroseconds(watch.Elapsed()));
      members[which] = server.Around(ranks[which]);
      around[which].push_back(absl::ToDoubleMicroseconds(watch.Elapsed()));
    }
    // The two servers may put players with the same skill in different orders.
    TAROT_CHECK(std::abs(ranks[0] - ranks[1]) <= 2 && members[0].size() == members[1].size());
  }
  Figures figures;
  const auto add = [&](const std::string& name, const std::vector<double>* times) {
    for (const int percent : {50, 99}) {
      const double mine = Quantile(times[0], percent / 100.0);
      const double theirs = Quantile(times[1], percent / 100.0);
      figures.Add(absl::StrCat(name, "_p", percent, "_ratio_redis"), mine / theirs,
                  "of redis-server");
      figures.Add(absl::StrCat(name, "_p", percent, "_us/redis"), theirs, "us");
    }
  };
  add("rank_my", my);
  add("rank_around", around);
  figures.Add("rank_redis_players", players, "players");
  figures.Print();
  ::unlink(ours_path.c_str());
  ::unlink(redis_path.c_str());
  ::rmdir(folder);
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
