// Gives each process its own network namespace with its own address. One bridge connects all of
// them and this process. Faults can stop the packets between two processes, and lose or delay the
// packets of one process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/chaos/delay_line.h"

namespace tarot::chaos {

// Needs root, and a kernel with network namespaces, veth, bridges, TAP devices and BPF filters.
class Network {
 public:
  // Returns false if the kernel or our permissions do not allow such networks.
  static bool Possible();
  // Removes the networks of processes that were killed.
  static void Sweep();

  explicit Network(const std::vector<std::string>& processes);
  ~Network();  // Removes all namespaces, cables and the bridge.
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::string& HostOf(const std::string& process) const {
    return namespaces_.at(process).host;
  }
  // Returns the address of this process. The other processes also use this address to reach
  // Postgres.
  const std::string& own_host() const { return own_host_; }
  // Returns the second address of `process`. When the test connects to that address, it connects
  // from the test's own second address.
  std::string SecondHostOf(const std::string& process) const;

  // Returns all processes, including those that do not run now.
  std::vector<std::string> processes() const;

  // Moves the calling process into the namespace of `process`. Call this function after the fork.
  void Enter(const std::string& process) const;

  // Redirects packets between the two processes to an unused Ethernet address. The packets of both
  // directions then vanish without an error. An empty `other` means this process.
  void Cut(const std::string& process, const std::string& other);
  void Heal(const std::string& process, const std::string& other);

  // Cuts or heals the path between the second addresses of this process and of `process`.
  void CutSecond(const std::string& process);
  void HealSecond(const std::string& process);

  // Loses `percent` of the packets to and from the process, for all its connections.
  void Lose(const std::string& process, int percent);
  void LoseNothing(const std::string& process);

  // Delays all packets to the process, but not the packets from it.
  void Delay(const std::string& process, absl::Duration delay);
  void DelayNothing(const std::string& process);

 private:
  struct Namespace {
    std::string name;  // The namespace.
    std::string host, second_host;
    std::string veth;                       // The bridge's end of the process's cable.
    std::unique_ptr<DelayLine> delay_line;  // Made by the first Delay.
  };

  std::string bridge_, own_host_, own_second_host_;
  std::map<std::string, Namespace> namespaces_;
};

}  // namespace tarot::chaos
