// Makes the channels of calls between processes, and sets the time limits of these calls.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "libs/rpc/tls.h"

namespace tarot::rpc {

// Makes a channel without TLS, or to HAProxy with TLS. `target` has one of these forms:
// - host:port, where the host may have several addresses;
// - unix:path;
// - several ip:port, separated by commas;
// - https://host:port for HAProxy with TLS.
// All addresses must belong to replicas of one service, which get the calls in turn.
//
// The channel connects by itself, and again within about 1 s after a loss. A replica whose
// connection is lost gets no calls. If a replica stops answering while calls wait, the channel
// closes the connection to this replica after about 8 s. The channel never repeats a call, because
// only the outermost client repeats calls. If `own_connection` is false, all channels of one
// process to the same address share a connection.
//
// With TLS, the channel trusts the certificate authorities of the system. If the environment
// variable SSL_CERT_FILE names a file, the channel trusts the authorities in this file instead.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, bool own_connection = false);

// Makes a channel from one service to replicas of `service`, for example "rules". `target` has one
// of the forms of MakeChannel, except https://. If `security` has TLS, the channel shows the
// certificate of this process, and accepts only servers whose certificate names `service`. So the
// address of a server is not in its certificate. Connections to a Unix socket have no TLS.
std::shared_ptr<grpc::Channel> MakeServiceChannel(
    absl::string_view service, const std::string& target,
    const TransportSecurity& security = ProcessTransportSecurity());

// Returns true if `target` has one of the forms that MakeChannel accepts, except https://. gRPC
// itself would take any word as a host name, and would read port 65537 as port 1.
bool IsTarget(absl::string_view target);

// Makes the call end with DEADLINE_EXCEEDED when `timeout` has passed.
void SetTimeout(grpc::ClientContext& context, absl::Duration timeout);

}  // namespace tarot::rpc
