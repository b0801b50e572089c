// A proxy before Postgres that can cut, delay and block connections. It accepts TCP connections and
// forwards them to the Unix socket of Postgres.
#pragma once

#include <atomic>
#include <list>
#include <string>
#include <thread>

namespace tarot::chaos {

class PgProxy {
 public:
  // Listens at `host` and a free port. `socket` is the path of Postgres's socket.
  PgProxy(const std::string& host, const std::string& socket);
  ~PgProxy();  // Ends every connection.

  int port() const { return port_; }

  // Delays each answer by `milliseconds`; 0 means no delay.
  void Delay(int milliseconds) { delay_ms_ = milliseconds; }
  // While the freeze is on, no byte passes in either direction, and no connection ends or begins.
  void Freeze(bool on) { frozen_ = on; }
  // While the cut is on, the proxy forwards each statement, and Postgres runs it. Then the proxy
  // drops the answer and ends the connection.
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
  std::list<Connection> connections_;  // Only the proxy's thread uses these members.
  std::thread thread_;
};

}  // namespace tarot::chaos
