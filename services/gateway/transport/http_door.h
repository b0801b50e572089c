// The HTTP door: here browsers get the files of the page, and call the methods of players in
// gRPC-Web. In production, browsers reach it through HAProxy.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "services/gateway/metrics.h"
#include "services/gateway/transport/routes.h"

namespace tarot::gateway_service {

using ReportPage = std::function<void(const absl::StatusOr<std::size_t>& files)>;

// One thread serves all connections. It does not block: gRPC's threads make the calls, and the
// scheduler's thread reads the files.
class HttpDoor {
 public:
  // Listens on `address`, host:port or unix:PATH. `page_folder` has the files of the page; if it is
  // empty, the door serves calls only. Each call goes to the server behind `channel`, which must be
  // a channel inside this process. Returns UNAVAILABLE ADDRESS_TAKEN if the address cannot be used.
  // The door reads the page again when a file of it changes. `report_page` gets the result of each
  // reading: the number of files, or why the page cannot be served.
  // `ready` says whether /health answers 200 or 503.
  static absl::StatusOr<std::unique_ptr<HttpDoor>> Start(
      const std::string& address, const std::string& page_folder,
      std::shared_ptr<grpc::Channel> channel, const Routes& routes, Clock& clock,
      Scheduler& scheduler, Metrics& metrics, std::function<bool()> ready, ReportPage report_page);
  ~HttpDoor();

  // The port; 0 for unix:PATH.
  int port() const;

  // Accepts no more connections, and gives the requests five seconds to end. End the streams first.
  // Idempotent.
  void Shutdown();

 private:
  class Impl;

  explicit HttpDoor(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace tarot::gateway_service
