// A network of its own for every process: a namespace with one address, all of them on one bridge,
// which this process reaches, too. What passes between any two can be stopped, and what comes to
// and from one be lost or late.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/chaos/late_line.h"

namespace tarot::chaos {

// Needs root, and a kernel with network namespaces, veth, bridges, TAP devices and BPF filters.
class Network {
 public:
  // False where the kernel, or who we are, does not let us.
  static bool Possible();
  // Takes down what processes have left behind that were killed.
  static void Sweep();

  explicit Network(const std::vector<std::string>& processes);
  ~Network();  // Takes all of it down.
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::string& HostOf(const std::string& process) const { return places_.at(process).host; }
  // The address of this process, which also stands for Postgres.
  const std::string& own_host() const { return own_host_; }
  // Every process has a second address, which this one reaches from a second address of its own.
  std::string SecondHostOf(const std::string& process) const;

  // All of them, also those that do not run now.
  std::vector<std::string> processes() const;

  // In the process itself, after the fork.
  void Enter(const std::string& process) const;

  // Packets to the other side go to an Ethernet address that nobody has: they vanish, in both
  // directions, and nobody is told. An empty `other` is this process.
  void Cut(const std::string& process, const std::string& other);
  void Heal(const std::string& process, const std::string& other);

  // The same between the second addresses.
  void CutSecond(const std::string& process);
  void HealSecond(const std::string& process);

  // So many of a hundred packets to and from the process are lost, whoever is at the other end.
  void Lose(const std::string& process, int percent);
  void LoseNothing(const std::string& process);

  // Packets to the process come later, whoever sends them; those from it do not.
  void Delay(const std::string& process, absl::Duration delay);
  void DelayNothing(const std::string& process);

 private:
  struct Place {
    std::string name;  // Of the namespace.
    std::string host, second_host;
    std::string veth;                     // The end of its cable that is at the bridge.
    std::unique_ptr<LateLine> late_line;  // Once it has been asked for.
  };

  std::string bridge_, own_host_, own_second_host_;
  std::map<std::string, Place> places_;
};

}  // namespace tarot::chaos
