// A road to Postgres that can be cut, slowed and blocked: connections come in over TCP and go on to
// its Unix socket.
#pragma once

#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace tarot::chaos {

class PgProxy {
 public:
  // Listens at `host` and a free port. `socket` is Postgres' own.
  PgProxy(const std::string& host, const std::string& socket);
  ~PgProxy();  // Ends every connection.

  int port() const { return port_; }

  // Each answer comes so much later. 0 for a clear road.
  void Delay(int milliseconds) { delay_ms_ = milliseconds; }
  // No byte passes in either direction, and no connection ends or begins.
  void Freeze(bool on) { frozen_ = on; }
  // While on, an answer is swallowed and its connection ends: what was sent has been done.
  void Cut(bool on) { cutting_ = on; }

 private:
  struct Connection;

  void Run();
  void Accept();
  void Read(Connection& connection, bool from_client);
  void Write(Connection& connection);

  const std::string socket_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> delay_ms_ = 0;
  std::atomic<bool> frozen_ = false, cutting_ = false, stopping_ = false;
  std::list<Connection> connections_;  // Of the thread.
  std::thread thread_;
};

}  // namespace tarot::chaos
