#include "services/gateway/transport/http_door.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/base/scoped_scheduler.h"
#include "services/gateway/limits.h"
#include "services/gateway/transport/http_connection.h"
#include "services/gateway/transport/page_files.h"

namespace tarot::gateway_service {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol>;

// Returns the endpoint of host:port or unix:PATH, or nullopt for any other text.
std::optional<Protocol::endpoint> EndpointOf(const std::string& address) {
  absl::string_view rest = address;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    if (rest.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
    return asio::local::stream_protocol::endpoint(std::string(rest));
  }
  const std::size_t colon = rest.rfind(':');
  std::uint32_t port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(colon + 1), &port) ||
      port > 65'535) {
    return std::nullopt;
  }
  std::string host(rest.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  if (absl::StartsWith(host, "[") && absl::EndsWith(host, "]")) {
    host = host.substr(1, host.size() - 2);
  }
  error_code error;
  const asio::ip::address ip = asio::ip::make_address(host, error);
  if (error) return std::nullopt;
  return asio::ip::tcp::endpoint(ip, static_cast<std::uint16_t>(port));
}

// Returns the address of `endpoint` without its port, or an empty text for a Unix socket.
std::string HostOf(const Protocol::endpoint& endpoint) {
  char text[INET6_ADDRSTRLEN] = "";
  const sockaddr* const address = endpoint.data();
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
              sizeof text);
  }
  return text;
}

// Returns a text that changes when a file below `folder` appears, vanishes or changes.
std::string FingerprintOf(const std::string& folder) {
  namespace fs = std::filesystem;
  std::string text;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const auto changed = at->last_write_time(error).time_since_epoch().count();
    absl::StrAppend(&text, at->path().string(), " ", changed, "\n");
  }
  return text;
}

}  // namespace

class HttpDoor::Impl {
 public:
  Impl(const std::string& address, const std::string& page_folder,
       std::shared_ptr<grpc::Channel> channel, const Routes& routes, Clock& clock,
       Scheduler& scheduler, Metrics& metrics, std::function<bool()> ready, ReportPage report_page)
      : page_folder_(page_folder),
        report_page_(std::move(report_page)),
        scheduler_(scheduler),
        stub_(std::move(channel)),
        acceptor_(io_),
        drain_timer_(io_),
        shared_{.stub = stub_,
                .routes = routes,
                .clock = clock,
                .metrics = metrics,
                // Each copy of this function has a copy of `work`. So the thread ends only after
                // all copies are destroyed.
                .post = [this, work = asio::make_work_guard(io_)](
                            absl::AnyInvocable<void()> task) { asio::post(io_, std::move(task)); },
                .ready = std::move(ready),
                .forget = [this](HttpConnection& each) { Forget(each); }} {
    if (absl::string_view path = address; absl::ConsumePrefix(&path, "unix:"))
      path_ = std::string(path);
  }
  ~Impl() { Shutdown(); }

  absl::Status Listen(const std::string& address) {
    const absl::Status taken =
        Error(absl::StatusCode::kUnavailable, "ADDRESS_TAKEN",
              absl::StrCat("Cannot listen on ", address,
                           ": it is in use, or it is not an address of this machine."));
    const std::optional<Protocol::endpoint> endpoint = EndpointOf(address);
    if (!endpoint) return taken;
    error_code error;
    if (!path_.empty()) {
      asio::local::stream_protocol::socket probe(io_);
      probe.connect(asio::local::stream_protocol::endpoint(path_), error);
      if (!error) return taken;
      ::unlink(path_.c_str());  // Perhaps an earlier gateway died and left this file.
      error.clear();
    }
    acceptor_.open(endpoint->protocol(), error);
    if (!error && path_.empty()) acceptor_.set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(*endpoint, error);
    if (!error) acceptor_.listen(kHttpBacklog, error);
    if (error) return taken;
    if (path_.empty()) {
      asio::ip::tcp::endpoint local;
      const Protocol::endpoint bound = acceptor_.local_endpoint(error);
      if (error || bound.size() > local.capacity()) return taken;
      local.resize(bound.size());
      std::copy_n(static_cast<const char*>(static_cast<const void*>(bound.data())), bound.size(),
                  static_cast<char*>(static_cast<void*>(local.data())));
      port_ = local.port();
    }
    return absl::OkStatus();
  }

  void Run() {
    ReadPage();
    Accept();
    KeepSweeping();
    KeepReadingPage();
    thread_ = std::thread([this] { io_.run(); });
  }

  int port() const { return port_; }

  void Shutdown() {
    if (!thread_.joinable()) return;
    scheduler_.Stop();
    asio::post(io_, [this] { Drain(); });
    thread_.join();
    if (!path_.empty()) ::unlink(path_.c_str());
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](error_code error, HttpConnection::Socket socket) {
      if (shared_.draining) return;
      accepting_ = !error;
      if (error) return;  // The process has no free file descriptor. KeepSweeping() tries again.
      Accept();
      Add(std::move(socket));
    });
  }

  void Add(HttpConnection::Socket socket) {
    if (connections_.size() >= kHttpConnectionsMax) {
      shared_.metrics.http_connections_refused.Increment();
      return;
    }
    error_code error;
    std::string address;
    if (path_.empty()) {
      socket.set_option(asio::ip::tcp::no_delay(true), error);
      address = HostOf(socket.remote_endpoint(error));
      if (error) return;
    }
    const auto connection =
        std::make_shared<HttpConnection>(std::move(socket), std::move(address), shared_);
    connections_[connection.get()] = connection;
    connection->Start();
  }

  void Forget(HttpConnection& connection) {
    connections_.erase(&connection);
    if (shared_.draining && connections_.empty()) LetThreadEnd();
  }

  // Calls `what` for each connection. `what` may end connections.
  template <typename What>
  void ForEach(What what) {
    std::vector<std::shared_ptr<HttpConnection>> all;
    all.reserve(connections_.size());
    for (const auto& [key, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) what(*connection);
  }

  void KeepSweeping() {
    scheduler_.After(kHttpSweepInterval, [this] {
      asio::post(io_, [this] {
        const absl::Time now = shared_.clock.Now();
        ForEach([now](HttpConnection& each) { each.Sweep(now); });
        if (!shared_.draining && !std::exchange(accepting_, true)) Accept();
      });
      KeepSweeping();
    });
  }

  void ReadPage() {
    if (page_folder_.empty()) return;
    std::string fingerprint = FingerprintOf(page_folder_);
    if (fingerprint == page_fingerprint_) return;
    page_fingerprint_ = std::move(fingerprint);
    absl::StatusOr<std::shared_ptr<const PageFiles>> page = PageFiles::Read(page_folder_);
    if (!page.ok()) return report_page_(page.status());
    report_page_((*page)->count());
    asio::post(io_, [this, page = *page] { shared_.page = page; });
  }

  void KeepReadingPage() {
    scheduler_.After(kPageCheckInterval, [this] {
      ReadPage();
      KeepReadingPage();
    });
  }

  void Drain() {
    shared_.draining = true;
    error_code ignored;
    acceptor_.close(ignored);
    ForEach([](HttpConnection& each) { each.Drain(); });
    if (connections_.empty()) return LetThreadEnd();
    drain_timer_.expires_after(std::chrono::seconds(absl::ToInt64Seconds(kHttpDrainTimeout)));
    drain_timer_.async_wait([this](error_code error) {
      if (!error) ForEach([](HttpConnection& each) { each.Cut(); });
    });
  }

  // The thread ends when the last call has destroyed its copy of `post`.
  void LetThreadEnd() {
    drain_timer_.cancel();
    shared_.post = nullptr;
  }

  const std::string page_folder_;
  const ReportPage report_page_;
  std::string path_;  // The path of the Unix socket; empty if the door listens on a port.
  std::string page_fingerprint_ = "never read";
  int port_ = 0;
  ScopedScheduler scheduler_;
  asio::io_context io_{1};
  grpc::GenericStub stub_;
  Acceptor acceptor_;
  bool accepting_ = true;
  asio::steady_timer drain_timer_;
  HttpShared shared_;
  absl::flat_hash_map<HttpConnection*, std::shared_ptr<HttpConnection>> connections_;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<HttpDoor>> HttpDoor::Start(
    const std::string& address, const std::string& page_folder,
    std::shared_ptr<grpc::Channel> channel, const Routes& routes, Clock& clock,
    Scheduler& scheduler, Metrics& metrics, std::function<bool()> ready, ReportPage report_page) {
  auto impl = std::make_unique<Impl>(address, page_folder, std::move(channel), routes, clock,
                                     scheduler, metrics, std::move(ready), std::move(report_page));
  TAROT_RETURN_IF_ERROR(impl->Listen(address));
  impl->Run();
  return std::unique_ptr<HttpDoor>(new HttpDoor(std::move(impl)));
}

HttpDoor::HttpDoor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpDoor::~HttpDoor() = default;

int HttpDoor::port() const { return impl_->port(); }
void HttpDoor::Shutdown() { impl_->Shutdown(); }

}  // namespace tarot::gateway_service
