#include "libs/rpc/auth.h"

#include <prometheus/counter.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/obs/log.h"
#include "libs/rpc/permissions.h"
#include "libs/rpc/tls.h"
#include "libs/rpc/token.h"

namespace tarot::rpc {
namespace {

// Refusals for the same reason are logged at most once in this time.
constexpr absl::Duration kRefusalLogInterval = absl::Seconds(10);

absl::Status NotAllowed(const std::string& service, const std::string& method) {
  return Error(absl::StatusCode::kPermissionDenied, "SERVICE_NOT_ALLOWED",
               absl::StrCat("The service ", service, " may not call ", method, " in this way."),
               {{"service", service}, {"method", method}, {"why", "not allowed"}});
}

}  // namespace

// Counts refused tokens by reason, and logs some of them. Never logs a token.
class Authenticator::Refusals {
 public:
  explicit Refusals(prometheus::Registry& registry) {
    auto& family =
        prometheus::BuildCounter()
            .Name("tarot_rpc_tokens_refused_total")
            .Help("Calls that this service refused because of their token or certificate.")
            .Register(registry);
    for (Reason& reason : reasons_) reason.counter = &family.Add({{"why", reason.label}});
  }

  void Count(const grpc::CallbackServerContext& context, absl::string_view why, absl::Time now) {
    for (Reason& reason : reasons_) {
      if (why != reason.why) continue;
      reason.counter->Increment();
      std::int64_t count = 0;
      {
        const std::lock_guard lock(mutex_);
        ++reason.unlogged;
        // If the clock was set back, `reason.logged` is in the future, and this refusal is logged
        // too.
        if (now >= reason.logged && now < reason.logged + kRefusalLogInterval) return;
        reason.logged = now;
        count = std::exchange(reason.unlogged, 0);
      }
      obs::Log(obs::Level::kWarning, "token refused",
               {{"why", why}, {"from", context.peer()}, {"count", absl::StrCat(count)}});
    }
  }

 private:
  struct Reason {
    const char* why;
    const char* label;
    prometheus::Counter* counter = nullptr;
    absl::Time logged = absl::InfinitePast();
    std::int64_t unlogged = 0;  // Refusals since the last line.
  };

  std::mutex mutex_;  // Guards `logged` and `unlogged`.
  std::array<Reason, 6> reasons_ = {{{"missing", "missing"},
                                     {"malformed", "malformed"},
                                     {"forged", "forged"},
                                     {"ended", "expired"},
                                     {"of an unknown key", "unknown_key"},
                                     {"not allowed", "not_allowed"}}};
};

Authenticator::Authenticator(KeyRing keys, Clock& clock)
    : Authenticator(std::make_shared<ServiceKeys>(std::move(keys)), clock) {}

Authenticator::Authenticator(std::shared_ptr<ServiceKeys> keys, Clock& clock)
    : keys_(std::move(keys)), clock_(clock) {}

Authenticator::Authenticator(KeyRing keys, Clock& clock, prometheus::Registry& registry)
    : Authenticator(std::make_shared<ServiceKeys>(std::move(keys)), clock, registry) {}

Authenticator::Authenticator(std::shared_ptr<ServiceKeys> keys, Clock& clock,
                             prometheus::Registry& registry)
    : keys_(std::move(keys)), clock_(clock), refusals_(std::make_unique<Refusals>(registry)) {}

Authenticator::~Authenticator() = default;

absl::StatusOr<Caller> Authenticator::Authenticate(const grpc::CallbackServerContext& context,
                                                   const std::string& method, Access access) const {
  const absl::Time now = clock_.Now();
  absl::StatusOr<Caller> caller = Check(context, method, access, now);
  if (!caller.ok() && refusals_ != nullptr) {
    const auto details = GetErrorDetails(caller.status());
    const auto why = details.metadata.find("why");
    if (why != details.metadata.end()) refusals_->Count(context, why->second, now);
  }
  return caller;
}

absl::StatusOr<Caller> Authenticator::Check(const grpc::CallbackServerContext& context,
                                            const std::string& method, Access access,
                                            absl::Time now) const {
  const auto peer_may_call = [&](const std::string& peer) {
    if (access == Access::kEveryCaller || peer == keys_->service()) return true;
    return access == Access::kService ? ServiceMayCall(peer, method)
                                      : ServiceMayCallForPlayers(peer, method);
  };
  const std::optional<std::vector<std::string>> peers = PeerServices(context);
  if (peers && std::none_of(peers->begin(), peers->end(), peer_may_call)) {
    return NotAllowed(absl::StrJoin(*peers, ", "), method);
  }
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(kCallerMetadata);
  if (found == metadata.end()) {
    if (access == Access::kEveryCaller) return Caller{};
    return BadToken("missing");
  }
  TAROT_ASSIGN_OR_RETURN(
      ServiceKeys::Verified verified,
      keys_->Verify(absl::string_view(found->second.data(), found->second.size()), now));
  Caller& caller = verified.caller;
  if (access == Access::kService && caller.service.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "NOT_A_SERVICE",
                 "Only services may call this method.");
  }
  if (access == Access::kPlayer && caller.player.empty()) {
    return Error(absl::StatusCode::kPermissionDenied, "NOT_A_PLAYER",
                 "Only players may call this method.");
  }
  if (verified.issuer && *verified.issuer != keys_->service()) {
    const std::string& owner = caller.player.empty() ? caller.service : kPlayersService;
    if (*verified.issuer != owner) return NotAllowed(*verified.issuer, method);
  }
  // With TLS, a token without a player must come from the process of the service that it names.
  const bool from_replica = peers && std::count(peers->begin(), peers->end(), keys_->service()) > 0;
  if (peers && caller.player.empty() && !from_replica &&
      std::count(peers->begin(), peers->end(), caller.service) == 0) {
    return NotAllowed(absl::StrJoin(*peers, ", "), method);
  }
  if (access == Access::kService && !ServiceMayCall(caller.service, method)) {
    return NotAllowed(caller.service, method);
  }
  return std::move(caller);
}

void Authenticator::Sign(grpc::ClientContext& context, const Caller& caller) const {
  context.AddMetadata(kCallerMetadata, keys_->Sign(caller, clock_.Now()));
}

}  // namespace tarot::rpc
