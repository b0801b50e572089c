#include "libs/rpc/trace.h"

#include <algorithm>

namespace tarot::rpc {
namespace {

// Version 00 has the form "00-", 32 digits of the trace, "-", 16 digits of the span, "-", 2 digits
// of flags.
constexpr std::size_t kSize = 55, kTraceAt = 3, kTraceSize = 32, kSpanAt = 36, kFlagsAt = 53;

bool IsDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

bool IsTraceParent(absl::string_view text) {
  if (text.size() != kSize || text.substr(0, kTraceAt) != "00-") return false;
  for (std::size_t i = kTraceAt; i < kSize; ++i) {
    const bool dash = i == kSpanAt - 1 || i == kFlagsAt - 1;
    if (dash ? text[i] != '-' : !IsDigit(text[i])) return false;
  }
  const absl::string_view trace = text.substr(kTraceAt, kTraceSize);
  return trace.find_first_not_of('0') != absl::string_view::npos;
}

std::string TraceIdOf(absl::string_view traceparent) {
  if (!IsTraceParent(traceparent)) return "";
  return std::string(traceparent.substr(kTraceAt, kTraceSize));
}

std::string TraceParentOf(const grpc::CallbackServerContext& context) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find(kTraceMetadata);
  if (found == metadata.end()) return "";
  const absl::string_view value(found->second.data(), found->second.size());
  return IsTraceParent(value) ? std::string(value) : "";
}

void PassTraceOn(absl::string_view traceparent, grpc::ClientContext& context) {
  if (!traceparent.empty()) context.AddMetadata(kTraceMetadata, std::string(traceparent));
}

}  // namespace tarot::rpc
