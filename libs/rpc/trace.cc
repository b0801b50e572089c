#include "libs/rpc/trace.h"

#include <array>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tarot::rpc {
namespace {

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

bool IsSampled(absl::string_view traceparent) {
  // The flag "sampled" is the lowest bit, so it is set if the last digit is odd.
  constexpr absl::string_view kOdd = "13579bdf";
  return IsTraceParent(traceparent) && absl::StrContains(kOdd, traceparent.back());
}

std::string NewTraceParent(absl::string_view traceparent, bool sampled, Entropy& entropy) {
  std::array<std::uint8_t, 24> random;
  entropy.Fill(absl::MakeSpan(random));
  random[0] |= 1;   // The trace's id must not be zero.
  random[16] |= 1;  // The span must not be zero.
  const std::string digits = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(random.data()), random.size()));
  const std::string known = TraceIdOf(traceparent);
  const absl::string_view fresh = absl::string_view(digits).substr(0, kTraceSize);
  return absl::StrCat("00-", known.empty() ? fresh : known, "-", digits.substr(kTraceSize), "-",
                      sampled ? "01" : "00");
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
