#include "services/ratings/app/player_admin.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/base/gateway_limits.h"
#include "libs/rating/rating.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

// A page token contains the key of the last name on the previous page.
std::string EncodeToken(const RankedName& last) {
  return absl::StrCat(absl::ToUnixMicros(last.update_time), " ", last.player.ToString(), " ",
                      last.player_count);
}

// Refuses a token with a time that is later than `latest`.
absl::StatusOr<RankedName> DecodeToken(const std::string& token, absl::Time latest) {
  RankedName after;
  if (token.empty()) return after;
  const std::vector<std::string> fields = absl::StrSplit(token, ' ');
  std::int64_t micros = 0;
  const std::optional<PlayerId> player =
      fields.size() == 3 ? PlayerId::Parse(fields[1]) : std::nullopt;
  if (!player || !absl::SimpleAtoi(fields[0], &micros) ||
      !absl::SimpleAtoi(fields[2], &after.player_count)) {
    return error::PageTokenInvalid();
  }
  after.update_time = absl::FromUnixMicros(micros);
  if (micros < 0 || after.update_time > latest || after.player_count < rating::kPlayersMin ||
      after.player_count > rating::kPlayersMax) {
    return error::PageTokenInvalid();
  }
  after.player = *player;
  return after;
}

}  // namespace

absl::Status PlayerAdmin::Revoke(const Revocation& revocation) {
  const absl::Time now = clock_.Now();
  if (revocation.expire_time > now + kRevocationLifeMax) return error::RevocationTooLong();
  if (revocation.expire_time <= now) return absl::OkStatus();
  TAROT_ASSIGN_OR_RETURN(const bool stored, store_.Revoke(revocation, kRevocationsMax));
  return stored ? absl::OkStatus() : error::TooManyRevocations();
}

absl::StatusOr<RevocationPage> PlayerAdmin::ListRevocations(std::int64_t after, int page_size) {
  if (after < 0) return error::SequenceNegative();
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kRevocationPageMax : std::min(page_size, kRevocationPageMax);
  return store_.ListRevocations(after, limit);
}

absl::StatusOr<NamePage> PlayerAdmin::ListRankedNames(int page_size,
                                                      const std::string& page_token) {
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kNamePageMax : std::min(page_size, kNamePageMax);
  TAROT_ASSIGN_OR_RETURN(const RankedName after,
                         DecodeToken(page_token, clock_.Now() + kClockSkewMax));
  TAROT_ASSIGN_OR_RETURN(const std::vector<RankedName> ranked,
                         store_.ListRankedNames(after, clock_.Now() - kRankedNameLife, limit));
  NamePage page;
  for (const RankedName& each : ranked) page.names.push_back(each.display_name);
  if (static_cast<int>(ranked.size()) == limit) {
    page.next_page_token = EncodeToken(ranked.back());
  }
  return page;
}

absl::Status PlayerAdmin::SetBan(Ban ban) {
  ban.create_time = clock_.Now();
  if (ban.end_time > ban.create_time + kBanLifeMax) return error::BanTooLong();
  const bool control = std::any_of(ban.message.begin(), ban.message.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control || ban.message.size() > kBanMessageBytesMax) return error::BanMessageInvalid();
  return store_.SetBan(ban);
}

absl::StatusOr<BanPage> PlayerAdmin::ListBans(int page_size, const std::string& page_token) {
  if (page_size < 0) return error::PageSizeNegative();
  const int limit = page_size == 0 ? kBanPageMax : std::min(page_size, kBanPageMax);
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!page_token.empty() && !absl::SimpleAtoi(page_token, &before)) {
    return error::PageTokenInvalid();
  }
  BanPage page;
  TAROT_ASSIGN_OR_RETURN(page.bans, store_.ListBans(clock_.Now(), before, limit));
  if (static_cast<int>(page.bans.size()) == limit) {
    page.next_page_token = absl::StrCat(page.bans.back().sequence);
  }
  return page;
}

absl::Status PlayerAdmin::SetGatewayLimits(const std::vector<std::pair<std::string, double>>& set,
                                           const std::vector<std::string>& reset) {
  LimitValues values;
  for (const auto& [name, value] : set) {
    const GatewayLimit* const limit = FindGatewayLimit(name);
    if (limit == nullptr) return error::LimitUnknown(name);
    if (!limit->Accepts(value)) return error::LimitOutOfRange(*limit);
    if (!values.emplace(name, value).second) return error::LimitTwice(name);
  }
  for (const std::string& name : reset) {
    if (FindGatewayLimit(name) == nullptr) return error::LimitUnknown(name);
    if (values.contains(name)) return error::LimitTwice(name);
  }
  if (set.empty() && reset.empty()) return absl::OkStatus();
  return store_.SetGatewayLimits(values, reset);
}

absl::Status PlayerAdmin::Delete(PlayerId player) {
  const absl::Time now = clock_.Now();
  TAROT_RETURN_IF_ERROR(Revoke({.subject = player.uuid,
                                .latest_sign_in_time = now,
                                .expire_time = now + kRevocationLifeMax}));
  return store_.DeletePlayer(player, now);
}

absl::Status PlayerAdmin::RemoveExpired() {
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const int removed,
                           store_.RemoveRevocations(clock_.Now(), kRevocationsPerRemoval));
    if (removed < kRevocationsPerRemoval) return absl::OkStatus();
  }
}

}  // namespace tarot::ratings_service
