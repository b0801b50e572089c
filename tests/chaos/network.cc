#include "tests/chaos/network.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "libs/base/check.h"

namespace tarot::chaos {
namespace {

constexpr char kPrefix[] = "tchaos";  // The name of an interface has at most 15 bytes.
constexpr char kUnusedAddress[] = "02:00:00:00:00:99";
constexpr int kSecond = 100;  // A process's second address is its first address plus this number.

bool Do(const std::string& command) {
  return std::system(absl::StrCat(command, " >/dev/null 2>&1").c_str()) == 0;
}

bool Ip(const std::string& arguments) { return Do("ip " + arguments); }

// Runs the command and shows its error output. Stops the program if the command fails.
void Must(const std::string& command) {
  const bool ok = std::system(absl::StrCat(command, " >/dev/null").c_str()) == 0;
  if (!ok) std::fprintf(stderr, "failed: %s\n", command.c_str());
  TAROT_CHECK(ok);
}

void MustIp(const std::string& arguments) { Must("ip " + arguments); }

std::string ToUnusedAddress(const std::string& host, const std::string& device) {
  return absl::StrCat("neigh replace ", host, " lladdr ", kUnusedAddress, " dev ", device,
                      " nud permanent");
}

// The following functions return filters of tc for the bridge's end of a cable. "egress" packets go
// to the process, "ingress" packets come from it. The kernel may have no netem, so a small program
// in classic BPF decides about each packet. An instruction has four numbers: code, jump if true,
// jump if false, operand. The delay filter comes before the loss filter. In the other order, a
// delayed packet would pass the loss filter twice.
constexpr int kDelayFirst = 1, kThenLoss = 2;

std::string Filter(const char* verb, const std::string& veth, const char* way, int order) {
  return absl::StrCat("tc filter ", verb, " dev ", veth, " ", way, " prio ", order,
                      " protocol all");
}

// Returns a filter that drops `percent` of the packets: it draws a random number for each packet.
// The filter returns 2 to drop the packet, and -1 to pass it to the next filter.
std::string Losing(int percent) {
  constexpr unsigned kRandom = 0xffff'f038;
  const unsigned below =
      static_cast<unsigned>(0xffff'ffffULL * static_cast<unsigned>(percent) / 100);
  return absl::StrFormat(" bpf da bytecode '4,32 0 0 %u,53 0 1 %u,6 0 0 4294967295,6 0 0 2,'",
                         kRandom, below);
}

// Returns a filter that redirects packets to the delay line, except packets that the delay line has
// marked.
std::string Detour(const std::string& tap) {
  constexpr unsigned kMark = 0xffff'f014;
  return absl::StrFormat(
      " bpf bytecode '4,32 0 0 %u,21 0 1 %u,6 0 0 0,6 0 0 4294967295,' action mirred egress "
      "redirect dev %s",
      kMark, DelayLine::kMark, tap);
}

}  // namespace

// Namespaces have names of the form "tchaos-PID-NUMBER", and the bridge is called "tchaos-PID".
void Network::Sweep() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/run/netns", error)) {
    const std::string name = entry.path().filename();
    const std::vector<std::string> parts = absl::StrSplit(name, '-');
    pid_t pid = 0;
    if (parts.size() != 3 || parts[0] != kPrefix || !absl::SimpleAtoi(parts[1], &pid)) continue;
    if (kill(pid, 0) == 0) continue;
    Ip(absl::StrCat("netns del ", name));
    Ip(absl::StrCat("link del ", kPrefix, "-", pid));
  }
}

bool Network::Possible() {
  const std::string name = absl::StrCat(kPrefix, "-", getpid());
  const bool can = geteuid() == 0 && Ip(absl::StrCat("netns add ", name, "-try")) &&
                   Ip(absl::StrCat("link add ", name, " type bridge")) &&
                   Do(absl::StrCat("tc qdisc add dev ", name, " clsact")) &&
                   access("/dev/net/tun", R_OK | W_OK) == 0;
  Ip(absl::StrCat("link del ", name));
  Ip(absl::StrCat("netns del ", name, "-try"));
  return can;
}

Network::Network(const std::vector<std::string>& processes) {
  Sweep();
  bridge_ = absl::StrCat(kPrefix, "-", getpid());
  const std::string net = absl::StrCat("10.231.", getpid() % 250, ".");
  own_host_ = net + "254";
  own_second_host_ = net + "253";
  MustIp(absl::StrCat("link add ", bridge_, " type bridge"));
  MustIp(absl::StrCat("addr add ", own_host_, "/24 dev ", bridge_));
  MustIp(absl::StrCat("addr add ", own_second_host_, "/24 dev ", bridge_));
  MustIp(absl::StrCat("link set ", bridge_, " up"));
  int number = 0;
  for (const std::string& process : processes) {
    const std::string name = absl::StrCat(bridge_, "-", ++number);
    const std::string veth = absl::StrCat("tc", getpid(), ".", number);
    Namespace& space = namespaces_[process];
    space.name = name;
    space.host = absl::StrCat(net, number);
    space.second_host = absl::StrCat(net, kSecond + number);
    space.veth = veth;
    MustIp(absl::StrCat("netns add ", name));
    MustIp(absl::StrCat("link add ", veth, " type veth peer name eth0 netns ", name));
    MustIp(absl::StrCat("link set ", veth, " master ", bridge_, " up"));
    Must(absl::StrCat("tc qdisc add dev ", veth, " clsact"));
    MustIp(absl::StrCat("-n ", name, " addr add ", space.host, "/24 dev eth0"));
    MustIp(absl::StrCat("-n ", name, " addr add ", space.second_host, "/24 dev eth0"));
    MustIp(absl::StrCat("-n ", name, " link set eth0 up"));
    MustIp(absl::StrCat("-n ", name, " link set lo up"));
    MustIp(absl::StrCat("route add ", space.second_host, "/32 dev ", bridge_, " src ",
                        own_second_host_));
  }
}

// Removes the bridge first. If this process is killed in the middle, Sweep then still finds the
// other parts by the names of the namespaces. Removes each cable explicitly, because a namespace
// removes its cable only some time after "netns del" returns. Until then the next network could not
// use the name.
Network::~Network() {
  Ip(absl::StrCat("link del ", bridge_));
  for (const auto& [process, space] : namespaces_) {
    Ip(absl::StrCat("link del ", space.veth));
    Ip(absl::StrCat("netns del ", space.name));
  }
}

std::vector<std::string> Network::processes() const {
  std::vector<std::string> all;
  for (const auto& [process, space] : namespaces_) all.push_back(process);
  return all;
}

void Network::Enter(const std::string& process) const {
  const std::string path = absl::StrCat("/run/netns/", namespaces_.at(process).name);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  TAROT_CHECK(fd >= 0 && setns(fd, CLONE_NEWNET) == 0);
}

std::string Network::SecondHostOf(const std::string& process) const {
  return namespaces_.at(process).second_host;
}

void Network::Cut(const std::string& process, const std::string& other) {
  const Namespace& space = namespaces_.at(process);
  const std::string host = other.empty() ? own_host_ : HostOf(other);
  MustIp(absl::StrCat("-n ", space.name, " ", ToUnusedAddress(host, "eth0")));
  if (other.empty()) {
    MustIp(ToUnusedAddress(space.host, bridge_));
  } else {
    MustIp(
        absl::StrCat("-n ", namespaces_.at(other).name, " ", ToUnusedAddress(space.host, "eth0")));
  }
}

void Network::Heal(const std::string& process, const std::string& other) {
  const Namespace& space = namespaces_.at(process);
  // The commands may fail: if another fault ended before, its end has healed the connection
  // already.
  if (other.empty()) {
    Ip(absl::StrCat("-n ", space.name, " neigh del ", own_host_, " dev eth0"));
    Ip(absl::StrCat("neigh del ", space.host, " dev ", bridge_));
  } else {
    Ip(absl::StrCat("-n ", space.name, " neigh del ", HostOf(other), " dev eth0"));
    Ip(absl::StrCat("-n ", namespaces_.at(other).name, " neigh del ", space.host, " dev eth0"));
  }
}

void Network::CutSecond(const std::string& process) {
  const Namespace& space = namespaces_.at(process);
  MustIp(ToUnusedAddress(space.second_host, bridge_));
  MustIp(absl::StrCat("-n ", space.name, " ", ToUnusedAddress(own_second_host_, "eth0")));
}

void Network::HealSecond(const std::string& process) {
  const Namespace& space = namespaces_.at(process);
  Ip(absl::StrCat("neigh del ", space.second_host, " dev ", bridge_));
  Ip(absl::StrCat("-n ", space.name, " neigh del ", own_second_host_, " dev eth0"));
}

void Network::Lose(const std::string& process, int percent) {
  LoseNothing(process);  // If two faults overlap, the fault that began later applies.
  for (const char* way : {"egress", "ingress"}) {
    Must(Filter("add", namespaces_.at(process).veth, way, kThenLoss) + Losing(percent));
  }
}

void Network::LoseNothing(const std::string& process) {
  for (const char* way : {"egress", "ingress"}) {
    Do(Filter("del", namespaces_.at(process).veth, way, kThenLoss));
  }
}

void Network::Delay(const std::string& process, absl::Duration delay) {
  DelayNothing(process);
  Namespace& space = namespaces_.at(process);
  const std::string tap = space.veth + "d";
  if (space.delay_line == nullptr) {
    space.delay_line = std::make_unique<DelayLine>(space.veth, tap);
    MustIp(absl::StrCat("link set ", tap, " up"));
  }
  space.delay_line->set_delay(delay);
  Must(Filter("add", space.veth, "egress", kDelayFirst) + Detour(tap));
}

void Network::DelayNothing(const std::string& process) {
  Do(Filter("del", namespaces_.at(process).veth, "egress", kDelayFirst));
}

}  // namespace tarot::chaos
