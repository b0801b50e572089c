#include "libs/rpc/call_metrics.h"

#include <google/protobuf/descriptor.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <array>
#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/obs/metrics.h"

namespace tarot::rpc {
namespace {

// The names of gRPC's status codes in go-grpc-middleware, in the order of the codes' numbers.
constexpr std::array kCodes = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

prometheus::Histogram::BucketBoundaries Buckets() {
  return {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
}

const char* TypeOf(const google::protobuf::MethodDescriptor& method) {
  if (method.client_streaming()) return method.server_streaming() ? "bidi_stream" : "client_stream";
  return method.server_streaming() ? "server_stream" : "unary";
}

}  // namespace

// Counts the calls that end with UNAVAILABLE, by the reason of the error.
class UnavailableReasons {
 public:
  explicit UnavailableReasons(prometheus::Registry& registry)
      : family_(prometheus::BuildCounter()
                    .Name("tarot_rpc_unavailable_total")
                    .Help("Calls that ended with UNAVAILABLE, by the reason of the error.")
                    .Register(registry)) {
    // The series of these reasons exist from the start, with the value zero (docs/metrics.md).
    for (const char* reason : {"OVERLOADED", "SERVICE_AWAY", "STORAGE_AWAY", kNone}) Find(reason);
  }

  void Count(const std::string& reason) { Find(reason.empty() ? kNone : reason).Increment(); }

 private:
  static constexpr char kNone[] = "none";    // The error has no reason.
  static constexpr char kOther[] = "other";  // There are already kReasonsMax reasons.
  static constexpr std::size_t kReasonsMax = 40;

  prometheus::Counter& Find(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    const auto found = counters_.find(reason);
    if (found != counters_.end()) return *found->second;
    const std::string& label = counters_.size() < kReasonsMax ? reason : kOther;
    return *counters_.emplace(label, &family_.Add({{"reason", label}})).first->second;
  }

  prometheus::Family<prometheus::Counter>& family_;
  std::mutex mutex_;
  std::map<std::string, prometheus::Counter*> counters_;
};

struct MethodMetrics::Series {
  prometheus::Counter* started;
  prometheus::Counter* received;
  prometheus::Counter* sent;
  prometheus::Histogram* seconds;
  std::array<prometheus::Counter*, kCodes.size()> handled;
  UnavailableReasons* reasons;  // Null at a client.
};

void MethodMetrics::Started() const { series_->started->Increment(); }
void MethodMetrics::MessageReceived() const { series_->received->Increment(); }
void MethodMetrics::MessageSent() const { series_->sent->Increment(); }

void MethodMetrics::Handled(absl::StatusCode code, absl::Duration elapsed) const {
  const auto number = static_cast<std::size_t>(code);
  series_->handled[number < kCodes.size() ? number : 2]->Increment();  // Number 2 is Unknown.
  series_->seconds->Observe(absl::ToDoubleSeconds(elapsed));
}

void MethodMetrics::Handled(const absl::Status& status, absl::Duration elapsed) const {
  Handled(status.code(), elapsed);
  if (absl::IsUnavailable(status) && series_->reasons != nullptr) {
    series_->reasons->Count(GetErrorDetails(status).reason);
  }
}

// The series of a server that show its overload.
struct OverloadMetrics {
  explicit OverloadMetrics(prometheus::Registry& registry)
      : reasons(registry),
        waiting(obs::Gauge(registry, "tarot_rpc_calls_waiting",
                           "Calls that wait for a worker thread.")),
        waiting_capacity(obs::Gauge(registry, "tarot_rpc_calls_waiting_capacity",
                                    "The most calls that may wait for a worker thread.")) {}

  UnavailableReasons reasons;
  prometheus::Gauge& waiting;
  prometheus::Gauge& waiting_capacity;
};

struct CallMetrics::State {
  State(const std::string& prefix, prometheus::Registry& registry)
      : started(Counter(prefix + "started_total", "RPCs started.", registry)),
        received(Counter(prefix + "msg_received_total", "Messages received.", registry)),
        sent(Counter(prefix + "msg_sent_total", "Messages sent.", registry)),
        handled(Counter(prefix + "handled_total", "RPCs completed, by code.", registry)),
        seconds(prometheus::BuildHistogram()
                    .Name(prefix + "handling_seconds")
                    .Help("Time from the start of an RPC to its end.")
                    .Register(registry)) {}

  static prometheus::Family<prometheus::Counter>& Counter(const std::string& name,
                                                          const std::string& help,
                                                          prometheus::Registry& registry) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }

  std::shared_ptr<MethodMetrics::Series> Add(const std::string& method, const char* type) {
    const std::size_t slash = method.find('/');
    std::map<std::string, std::string> labels = {{"grpc_type", type},
                                                 {"grpc_service", method.substr(0, slash)},
                                                 {"grpc_method", method.substr(slash + 1)}};
    auto series = std::make_shared<MethodMetrics::Series>();
    series->started = &started.Add(labels);
    series->received = &received.Add(labels);
    series->sent = &sent.Add(labels);
    series->seconds = &seconds.Add(labels, Buckets());
    series->reasons = overload ? &overload->reasons : nullptr;
    for (std::size_t code = 0; code < kCodes.size(); ++code) {
      labels["grpc_code"] = kCodes[code];
      series->handled[code] = &handled.Add(labels);
    }
    return series;
  }

  prometheus::Family<prometheus::Counter>& started;
  prometheus::Family<prometheus::Counter>& received;
  prometheus::Family<prometheus::Counter>& sent;
  prometheus::Family<prometheus::Counter>& handled;
  prometheus::Family<prometheus::Histogram>& seconds;
  std::unique_ptr<OverloadMetrics> overload;  // Null at a client.
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<MethodMetrics::Series>> methods;
};

CallMetrics::CallMetrics(Side side, prometheus::Registry& registry)
    : state_(std::make_unique<State>(side == Side::kServer ? "grpc_server_" : "grpc_client_",
                                     registry)) {
  if (side == Side::kServer) state_->overload = std::make_unique<OverloadMetrics>(registry);
}

CallMetrics::~CallMetrics() = default;

void CallMetrics::Register(const google::protobuf::ServiceDescriptor& service) {
  const std::lock_guard lock(state_->mutex);
  for (int i = 0; i < service.method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *service.method(i);
    const std::string name = absl::StrCat(service.full_name(), "/", method.name());
    state_->methods.emplace(name, state_->Add(name, TypeOf(method)));
  }
}

void CallMetrics::Register(std::initializer_list<const char*> services) {
  for (const char* name : services) {
    const google::protobuf::ServiceDescriptor* const service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    TAROT_CHECK(service != nullptr);
    Register(*service);
  }
}

MethodMetrics CallMetrics::Method(const std::string& method) {
  const std::lock_guard lock(state_->mutex);
  auto found = state_->methods.find(method);
  if (found == state_->methods.end()) {
    found = state_->methods.emplace(method, state_->Add(method, "unary")).first;
  }
  return MethodMetrics(found->second);
}

void CallMetrics::AddWaitingCapacity(int calls) {
  state_->overload->waiting_capacity.Increment(calls);
}

void CallMetrics::AddWaiting(int calls) { state_->overload->waiting.Increment(calls); }

}  // namespace tarot::rpc
