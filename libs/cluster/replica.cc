#include "libs/cluster/replica.h"

#include <prometheus/gauge.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/base/error.h"
#include "libs/cluster/rendezvous.h"
#include "libs/obs/log.h"
#include "libs/rpc/call.h"
#include "libs/rpc/pending_calls.h"
#include "libs/status/wire.h"
#include "tarot/cluster/v1/ping_service.grpc.pb.h"

namespace tarot::cluster {
namespace {

// The time limits for the answer to a ping. kJoinPingTimeout applies before this replica joins, and
// kPingTimeout applies afterwards. A dead machine that does not even refuse connections delays the
// start by kJoinPingTimeout.
constexpr absl::Duration kPingTimeout = absl::Seconds(2);
constexpr absl::Duration kJoinPingTimeout = absl::Seconds(1);

absl::Status AddressTaken(absl::string_view address) {
  return Error(absl::StatusCode::kUnavailable, "ADDRESS_TAKEN",
               absl::StrCat("Another process has the address ", address,
                            ". Give each replica its own --advertise_address."));
}

absl::Status TokenRefused(absl::string_view address, const absl::Status& refusal) {
  return Error(absl::StatusCode::kFailedPrecondition, "TOKEN_REFUSED",
               absl::StrCat("The replica at ", address,
                            " refuses the token of this replica: ", refusal.message(),
                            " Compare the key files and the clocks of the two replicas."));
}

prometheus::Gauge& ClockOffset(prometheus::Registry& registry) {
  return prometheus::BuildGauge()
      .Name("tarot_cluster_clock_offset_seconds")
      .Help("By how much this replica's clock is ahead of the database's clock.")
      .Register(registry)
      .Add({});
}

}  // namespace

// Sends pings to the other replicas, and answers their pings.
class Replica::Pings final : public v1::PingService::CallbackService {
 public:
  // Gets the result of a ping, and the incarnation of the process that answered.
  using Done = std::function<void(const absl::Status&, const std::string& incarnation)>;

  Pings(std::string service, const rpc::Authenticator& identity, const Uuid& incarnation)
      : service_(std::move(service)),
        identity_(identity),
        incarnation_(reinterpret_cast<const char*>(incarnation.bytes().data()),
                     incarnation.bytes().size()) {}
  ~Pings() override { Stop(); }

  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* context, const v1::PingRequest*,
                                 v1::PingResponse* response) override {
    const absl::StatusOr<rpc::Caller> caller = identity_.Authenticate(
        *context, "tarot.cluster.v1.PingService/Ping", rpc::Access::kService);
    response->set_incarnation(incarnation_);
    if (caller.ok()) pinged_ = true;
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(status::ToGrpc(caller.status()));
    return reactor;
  }

  // Pings the replica at `address` with this replica's token. Does not wait. Runs `done` once on a
  // thread of gRPC. If Stop() was called, `done` may never run.
  void Send(const std::string& address, absl::Duration timeout, Done done) {
    struct Flight {
      std::optional<grpc::ClientContext> context{std::in_place};
      v1::PingRequest request;
      v1::PingResponse response;
    };
    const auto flight = std::make_shared<Flight>();
    const std::lock_guard lock(mutex_);
    Upstream& upstream = upstreams_[address];
    if (upstream.stub == nullptr) {
      upstream.stub = v1::PingService::NewStub(rpc::MakeServiceChannel(service_, address));
    }
    identity_.Sign(*flight->context, {.service = service_});
    rpc::SetTimeout(*flight->context, timeout);
    if (!pending_.Add(flight->context)) return;
    ++*upstream.in_flight;
    upstream.stub->async()->Ping(&*flight->context, &flight->request, &flight->response,
                                 [this, flight, in_flight = upstream.in_flight,
                                  done = std::move(done)](const grpc::Status& status) {
                                   done(status::FromGrpc(status), flight->response.incarnation());
                                   pending_.Remove(flight->context);
                                   --*in_flight;  // From here on, `this` may be destroyed.
                                 });
  }

  // Pings this replica's own address and the addresses `others`, and waits for the answers.
  absl::Status MayJoin(const std::string& own_address, const NodeList& others) {
    struct Answers {
      std::mutex mutex;
      std::condition_variable changed;
      std::size_t missing = 0;
      bool accepted = false;
      absl::Status verdict;
    };
    const auto answers = std::make_shared<Answers>();
    answers->missing = others.size() + 1;
    const auto ask = [&](const std::string& address, const auto& judge) {
      Send(address, kJoinPingTimeout,
           [answers, address, judge](const absl::Status& status, const std::string& incarnation) {
             const std::lock_guard lock(answers->mutex);
             judge(*answers, address, status, incarnation);
             --answers->missing;
             answers->changed.notify_all();
           });
    };
    ask(own_address,
        [own = incarnation_](Answers& all, const std::string& address, const absl::Status& status,
                             const std::string& incarnation) {
          const bool refused = absl::IsUnauthenticated(status);
          if (refused || (status.ok() && incarnation != own)) all.verdict = AddressTaken(address);
        });
    for (const std::string& other : others) {
      ask(other, [](Answers& all, const std::string& address, const absl::Status& status,
                    const std::string&) {
        all.accepted |= status.ok();
        if (absl::IsUnauthenticated(status)) all.verdict.Update(TokenRefused(address, status));
      });
    }
    std::unique_lock lock(answers->mutex);
    answers->changed.wait(lock, [&] { return answers->missing == 0; });
    const bool refused = GetErrorDetails(answers->verdict).reason == "TOKEN_REFUSED";
    return refused && answers->accepted ? absl::OkStatus() : answers->verdict;
  }

  // Returns whether a ping with a good token has come since the last call.
  bool Pinged() { return pinged_.exchange(false); }

  // Closes the connections to replicas that have left the list.
  void Forget(const NodeList& nodes) {
    const std::lock_guard lock(mutex_);
    // Does not close a channel while a ping is in flight. If it did, a thread of gRPC could hold
    // the last reference to the channel. This thread would then destroy the channel, and wait for
    // itself.
    std::erase_if(upstreams_, [&](const auto& upstream) {
      return *upstream.second.in_flight == 0 &&
             !std::binary_search(nodes.begin(), nodes.end(), upstream.first);
    });
  }

  // Cancels the pings in flight and waits until they have ended.
  void Stop() { pending_.Stop(); }

 private:
  struct Upstream {
    std::unique_ptr<v1::PingService::Stub> stub;
    std::shared_ptr<std::atomic<int>> in_flight = std::make_shared<std::atomic<int>>(0);
  };

  const std::string service_;
  const rpc::Authenticator& identity_;
  const std::string incarnation_;
  std::atomic<bool> pinged_ = false;
  rpc::PendingCalls pending_;
  std::mutex mutex_;  // Guards the member below.
  std::map<std::string, Upstream> upstreams_;
};

Replica::Replica(const std::string& service, const std::string& dsn,
                 const rpc::Authenticator& identity, const rpc::Environment& environment,
                 Callbacks callbacks)
    : callbacks_(std::move(callbacks)),
      stop_(environment.stop),
      clock_(environment.clock),
      incarnation_(environment.entropy.NewUuid()),
      clock_offset_seconds_(ClockOffset(*environment.registry)),
      pings_(std::make_unique<Pings>(service, identity, incarnation_)),
      reachability_([this](const std::string& address, std::function<void()> answered) {
        pings_->Send(
            address, kPingTimeout,
            [answered = std::move(answered)](const absl::Status& status, const std::string&) {
              // A replica of an older release does not have the method Ping and answers
              // UNIMPLEMENTED. This error also proves that this replica reaches the replica of the
              // older release.
              if (status.ok() || absl::IsUnimplemented(status)) answered();
            });
      }),
      store_(dsn, service, *environment.registry),
      worker_(1, 4),
      scheduler_(environment.scheduler) {}

Replica::~Replica() { Stop(); }

grpc::Service& Replica::ping_service() { return *pings_; }

const Membership& Replica::UseAddress(std::string address) {
  members_.emplace(store_, worker_, clock_, scheduler_, std::move(address), incarnation_,
                   Membership::Callbacks{
                       .on_heartbeat = [this](const HeartbeatNews& news) { OnHeartbeat(news); },
                       .on_failed = callbacks_.on_failed,
                       .reachable =
                           [this] {
                             const bool pinged = pings_->Pinged();
                             const bool heard = callbacks_.heard && callbacks_.heard();
                             const bool reached = reachability_.Reached(
                                 heard || pinged, *members_->Current(), members_->address());
                             return reached && !draining_;
                           },
                       .may_join =
                           [this](const NodeList& others) {
                             return pings_->MayJoin(members_->address(), others);
                           },
                       .on_address_taken =
                           [this] {
                             if (stop_) stop_(AddressTaken(members_->address()));
                           }});
  return *members_;
}

absl::Status Replica::Join(rpc::Server& server) {
  server_ = &server;
  return members_->Start();
}

void Replica::OnHeartbeat(const HeartbeatNews& news) {
  const double offset = absl::ToDoubleSeconds(news.clock_offset);
  clock_offset_seconds_.Set(offset);
  const std::string seconds = absl::StrCat(std::round(offset * 1000) / 1000);
  if (news.clock_wrong != std::exchange(clock_was_wrong_, news.clock_wrong)) {
    obs::Log(news.clock_wrong ? obs::Level::kError : obs::Level::kInfo,
             news.clock_wrong ? "clock is wrong" : "clock is right again",
             {{"seconds_ahead_of_database", seconds}});
  }
  if (news.listed != std::exchange(was_listed_, news.listed)) {
    obs::Log(news.listed || leaving_ || draining_ ? obs::Level::kInfo : obs::Level::kError,
             news.listed ? "joined the list of replicas" : "left the list of replicas",
             {{"address", members_->address()},
              {"why", news.listed           ? ""
                      : leaving_            ? "it stops"
                      : draining_           ? "an operator drains it"
                      : news.clock_wrong    ? "its clock is wrong"
                      : news.address_shared ? "another process has its address"
                                            : "no other process reaches it"},
              {"seconds_ahead_of_database", seconds}});
  } else if (news.address_shared) {
    obs::Log(obs::Level::kError, "another process has the address of this replica",
             {{"address", members_->address()}});
  }
  server_->SetListed(news.listed);
  pings_->Forget(*news.nodes);
  callbacks_.on_heartbeat(news);
}

bool Replica::Hosts(const std::string& key) const {
  return members_->Fresh() && HostOf(key, *members_->Current()) == members_->address();
}

absl::Status Replica::SetDraining(bool draining) {
  const std::shared_ptr<const NodeList> nodes = members_->Current();
  const bool others = std::any_of(nodes->begin(), nodes->end(), [this](const std::string& node) {
    return node != members_->address();
  });
  if (draining && !others) {
    return Error(absl::StatusCode::kFailedPrecondition, "LAST_REPLICA",
                 "No other replica could take the work of this one.");
  }
  draining_ = draining;
  return absl::OkStatus();
}

bool Replica::Fresh() const { return members_ && members_->Fresh(); }

std::shared_ptr<const NodeList> Replica::Leave() {
  leaving_ = true;
  return members_->Leave();
}

void Replica::Stop() {
  scheduler_.Stop();
  worker_.Stop();
  pings_->Stop();
}

}  // namespace tarot::cluster
