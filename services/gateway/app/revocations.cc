#include "services/gateway/app/revocations.h"

#include <algorithm>
#include <mutex>

#include "services/gateway/app/errors.h"

namespace tarot::gateway_service {

void Revocations::Add(const Revocation& revocation) {
  const std::lock_guard lock(mutex_);
  ++add_count_;
  const absl::Time latest = revocation.latest_sign_in_time.value_or(absl::InfinitePast());
  const auto [entry, fresh] = entries_.try_emplace(
      revocation.subject,
      Entry{.latest_sign_in_time = latest, .expire_time = revocation.expire_time});
  if (fresh) return;
  entry->second.latest_sign_in_time = std::max(entry->second.latest_sign_in_time, latest);
  entry->second.expire_time = std::max(entry->second.expire_time, revocation.expire_time);
}

void Revocations::Add(const Ban& ban) {
  const std::lock_guard lock(mutex_);
  ++add_count_;
  bans_[ban.player.uuid] = ban;
}

absl::Status Revocations::Check(PlayerId player, const TokenInfo& token, absl::Time now) const {
  {
    const std::shared_lock lock(mutex_);
    const auto ban = bans_.find(player.uuid);
    if (ban != bans_.end() && ban->second.end_time > now) {
      return Banned(ban->second.end_time, ban->second.message);
    }
  }
  return Covers(player, token) ? RevokedToken() : absl::OkStatus();
}

bool Revocations::Covers(PlayerId player, const TokenInfo& token) const {
  const std::shared_lock lock(mutex_);
  if (entries_.empty()) return false;
  if (!token.id.empty() && entries_.contains(token.id)) return true;
  const auto all = entries_.find(player.uuid);
  return all != entries_.end() && token.sign_in_time <= all->second.latest_sign_in_time;
}

absl::Time Revocations::LatestSignIn(PlayerId player) const {
  const std::shared_lock lock(mutex_);
  const auto all = entries_.find(player.uuid);
  return all == entries_.end() ? absl::InfinitePast() : all->second.latest_sign_in_time;
}

void Revocations::RemoveExpired(absl::Time now) {
  const std::lock_guard lock(mutex_);
  absl::erase_if(entries_, [&](const auto& entry) { return entry.second.expire_time <= now; });
  absl::erase_if(bans_, [&](const auto& ban) { return ban.second.end_time <= now; });
}

std::size_t Revocations::size() const {
  const std::shared_lock lock(mutex_);
  return entries_.size();
}

std::size_t Revocations::ban_count() const {
  const std::shared_lock lock(mutex_);
  return bans_.size();
}

std::uint64_t Revocations::add_count() const {
  const std::shared_lock lock(mutex_);
  return add_count_;
}

}  // namespace tarot::gateway_service
