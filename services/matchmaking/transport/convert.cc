#include "services/matchmaking/transport/convert.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "libs/wire/values.h"
#include "services/matchmaking/app/errors.h"

namespace tarot::matchmaking_service {

int DecodeCount(std::uint32_t count) {
  constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(count, kMax));
}

absl::StatusOr<absl::Duration> DecodeClock(const google::protobuf::Duration& duration,
                                           const std::string& field) {
  if (duration.nanos() != 0) return error::FieldInvalid(field, "must be whole seconds");
  // The clamp keeps the number small. No invalid time becomes valid, because -1 and kSecondsMax are
  // outside the limits, too. CheckTerms() refuses both values with an error that names the limits.
  constexpr std::int64_t kSecondsMax = 1'000'000;
  return absl::Seconds(std::clamp(duration.seconds(), std::int64_t{-1}, kSecondsMax));
}

absl::StatusOr<RequestId> DecodeRequestId(absl::string_view text) {
  const std::optional<RequestId> id = RequestId::Parse(text);
  if (!id || id->empty()) return error::FieldInvalid("request_id", "must be a UUID");
  return *id;
}

absl::StatusOr<PlayerId> DecodePlayerName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<PlayerId>(name, "players/", field);
}

}  // namespace tarot::matchmaking_service
