#include "libs/base/error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tarot {
namespace {

// The type of the payload in which a Status carries its reason and metadata. The payload consists
// of fields, and each field ends with a NUL byte. The first field is the reason. Then each key of
// the metadata is followed by its value.
constexpr char kTypeUrl[] = "tarot/error";

void AppendField(std::string& out, absl::string_view field) {
  for (const char c : field) {
    if (c != '\0') out += c;
  }
  out += '\0';
}

}  // namespace

absl::Status Error(absl::StatusCode code, absl::string_view reason, absl::string_view message,
                   const ErrorMetadata& metadata) {
  std::string payload;
  AppendField(payload, reason);
  for (const auto& [key, value] : metadata) {
    AppendField(payload, key);
    AppendField(payload, value);
  }
  absl::Status status(code, message);
  status.SetPayload(kTypeUrl, absl::Cord(payload));
  return status;
}

absl::Status BadRequest(absl::string_view field, absl::string_view description) {
  return Error(absl::StatusCode::kInvalidArgument, "BAD_REQUEST",
               absl::StrCat(field, ": ", description),
               {{"field", std::string(field)}, {"description", std::string(description)}});
}

ErrorDetails GetErrorDetails(const absl::Status& status) {
  ErrorDetails details;
  const auto payload = status.GetPayload(kTypeUrl);
  if (!payload) return details;
  const std::vector<std::string> fields = absl::StrSplit(std::string(*payload), '\0');
  details.reason = fields[0];
  for (std::size_t i = 1; i + 1 < fields.size(); i += 2)
    details.metadata[fields[i]] = fields[i + 1];
  return details;
}

}  // namespace tarot
