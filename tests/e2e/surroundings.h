// Declares the surroundings of a cluster's processes: their network, and their route to Postgres.
// By default, the network is loopback and the route is a Unix socket. A test that breaks the
// network or the route provides its own.
#pragma once

#include <string>

namespace tarot::e2e {

class Surroundings {
 public:
  virtual ~Surroundings() = default;

  // Returns the IPv4 address at which a process listens. The test process must reach it too.
  virtual std::string HostOf(const std::string& process) {
    (void)process;
    return "127.0.0.1";
  }

  // Returns the address at which a gateway listens: its own address, or 0.0.0.0 (all addresses).
  virtual std::string GatewayListensAt(const std::string& process) { return HostOf(process); }

  // The new process calls this function before its program starts.
  virtual void Enter(const std::string& process) { (void)process; }

  // Returns the processes' DSN for Postgres; `dsn` names its Unix socket. Called once, before the
  // first process starts.
  virtual std::string DsnOf(const std::string& dsn) { return dsn; }
};

}  // namespace tarot::e2e
