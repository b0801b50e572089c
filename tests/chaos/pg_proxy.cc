#include "tests/chaos/pg_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <vector>

#include "libs/base/check.h"
#include "tools/load/history.h"

namespace tarot::chaos {
namespace {

using load::NowMicros;

// At this interval, the proxy looks for answers whose delay is over, and for a changed mode.
constexpr int kTickMs = 2;
constexpr std::size_t kHeldBytesMax = 1 << 20;

struct Piece {
  std::int64_t due_us = 0;
  std::string bytes;
};

// The bytes that are in transit in one direction.
struct Lane {
  std::deque<Piece> pieces;
  std::size_t held = 0;

  bool full() const { return held >= kHeldBytesMax; }
  bool due() const { return !pieces.empty() && pieces.front().due_us <= NowMicros(); }
};

void MakeNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// Returns -1 if Postgres does not listen.
int ConnectTo(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Returns false if the receiver has closed the connection.
bool Send(int fd, Lane& lane) {
  while (lane.due()) {
    std::string& bytes = lane.pieces.front().bytes;
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    lane.held -= static_cast<std::size_t>(sent);
    bytes.erase(0, static_cast<std::size_t>(sent));
    if (!bytes.empty()) return true;
    lane.pieces.pop_front();
  }
  return true;
}

}  // namespace

struct PgProxy::Connection {
  ~Connection() {
    close(client);
    close(server);
  }

  int client = -1, server = -1;
  Lane to_client, to_server;
  bool over = false;
};

PgProxy::PgProxy(const std::string& host, const std::string& socket_path) : socket_(socket_path) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, host.c_str(), &address.sin_addr);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  TAROT_CHECK(bind(listener_, any, size) == 0 && listen(listener_, 512) == 0 &&
              getsockname(listener_, any, &size) == 0);
  port_ = ntohs(address.sin_port);
  MakeNonBlocking(listener_);
  thread_ = std::thread([this] { Run(); });
}

PgProxy::~PgProxy() {
  stopping_ = true;
  thread_.join();
  close(listener_);
}

void PgProxy::Accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  const int server = ConnectTo(socket_);
  if (server < 0) {
    close(client);
    return;
  }
  const int on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  MakeNonBlocking(server);
  Connection& connection = connections_.emplace_back();
  connection.client = client;
  connection.server = server;
}

void PgProxy::Read(Connection& connection, bool from_client) {
  std::array<char, 1 << 14> buffer;
  const int fd = from_client ? connection.client : connection.server;
  const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0 || (cutting_ && !from_client)) {
    connection.over = true;
    return;
  }
  Lane& lane = from_client ? connection.to_server : connection.to_client;
  const std::int64_t delay_us = from_client ? 0 : std::int64_t{1000} * delay_ms_;
  lane.held += static_cast<std::size_t>(size);
  lane.pieces.push_back(
      {NowMicros() + delay_us, std::string(buffer.data(), static_cast<std::size_t>(size))});
}

void PgProxy::Write(Connection& connection) {
  if (!Send(connection.server, connection.to_server) ||
      !Send(connection.client, connection.to_client)) {
    connection.over = true;
  }
}

void PgProxy::Run() {
  std::vector<pollfd> polls;
  while (!stopping_) {
    if (frozen_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kTickMs));
      continue;
    }
    polls.assign(1, {listener_, POLLIN, 0});
    for (const Connection& connection : connections_) {
      const auto reads = [](const Lane& lane) { return lane.full() ? short{0} : short{POLLIN}; };
      polls.push_back({connection.client, reads(connection.to_server), 0});
      polls.push_back({connection.server, reads(connection.to_client), 0});
    }
    poll(polls.data(), polls.size(), kTickMs);
    std::size_t at = 1;
    for (Connection& connection : connections_) {
      if (polls[at++].revents != 0) Read(connection, true);
      if (polls[at++].revents != 0 && !connection.over) Read(connection, false);
      Write(connection);
    }
    connections_.remove_if([](const Connection& connection) { return connection.over; });
    if (polls[0].revents != 0) Accept();
  }
  connections_.clear();
}

}  // namespace tarot::chaos
