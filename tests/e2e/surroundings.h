// What lies around and between the processes of a cluster: loopback and a Unix socket to Postgres,
// unless a test brings something that it can break.
#pragma once

#include <string>

namespace tarot::e2e {

class Surroundings {
 public:
  virtual ~Surroundings() = default;

  // The IPv4 address that a process listens at; this one must reach it, too.
  virtual std::string HostOf(const std::string& process) {
    (void)process;
    return "127.0.0.1";
  }

  // Where a gateway listens: at one address, or at all that it has.
  virtual std::string GatewayListensAt(const std::string& process) { return HostOf(process); }

  // Runs in the new process, before its program.
  virtual void Enter(const std::string& process) { (void)process; }

  // How the processes come to Postgres; `dsn` is by its Unix socket. Called once, before the first
  // of them starts.
  virtual std::string DsnOf(const std::string& dsn) { return dsn; }
};

}  // namespace tarot::e2e
