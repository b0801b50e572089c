#include "libs/rpc/call_metrics.h"

#include <google/protobuf/descriptor.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <array>
#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"

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

struct MethodMetrics::Series {
  prometheus::Counter* started;
  prometheus::Counter* received;
  prometheus::Counter* sent;
  prometheus::Histogram* seconds;
  std::array<prometheus::Counter*, kCodes.size()> handled;
};

void MethodMetrics::Started() const { series_->started->Increment(); }
void MethodMetrics::MessageReceived() const { series_->received->Increment(); }
void MethodMetrics::MessageSent() const { series_->sent->Increment(); }

void MethodMetrics::Handled(absl::StatusCode code, absl::Duration elapsed) const {
  const auto number = static_cast<std::size_t>(code);
  series_->handled[number < kCodes.size() ? number : 2]->Increment();  // Number 2 is Unknown.
  series_->seconds->Observe(absl::ToDoubleSeconds(elapsed));
}

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
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<MethodMetrics::Series>> methods;
};

CallMetrics::CallMetrics(Side side, prometheus::Registry& registry)
    : state_(std::make_unique<State>(side == Side::kServer ? "grpc_server_" : "grpc_client_",
                                     registry)) {}

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

}  // namespace tarot::rpc
