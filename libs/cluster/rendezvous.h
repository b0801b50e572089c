// Chooses the host of a key by highest-random-weight ("rendezvous") hashing (Thaler and Ravishankar
// 1998). All processes with the same list of nodes choose the same host. If a node leaves the list,
// only the keys of this node get another host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/base/ids.h"

namespace tarot::cluster {

namespace internal {

// Mix() is the finalizer of SplitMix64. StableHash() is FNV-1a followed by Mix(), because FNV-1a
// alone mixes the last bytes badly. Unlike absl::Hash, StableHash() gives the same value in every
// process and version.
inline std::uint64_t Mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}
inline std::uint64_t StableHash(absl::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return Mix(hash);
}

}  // namespace internal

// Returns the host of `key`: one of `nodes`, or an empty string if `nodes` is empty. `nodes` may
// have any order, and may contain a node twice.
inline std::string HostOf(absl::string_view key, const std::vector<std::string>& nodes) {
  const std::uint64_t hash = internal::StableHash(key);
  const std::string* host = nullptr;
  std::uint64_t highest = 0;
  for (const std::string& node : nodes) {
    const std::uint64_t weight = internal::Mix(hash ^ internal::StableHash(node));
    const bool higher = weight > highest || (weight == highest && host != nullptr && node > *host);
    if (host != nullptr && !higher) continue;
    highest = weight;
    host = &node;
  }
  return host == nullptr ? std::string() : *host;
}

// Returns the host of an id. The key is the 16 bytes of the id.
inline std::string HostOf(const Uuid& id, const std::vector<std::string>& nodes) {
  const auto& bytes = id.bytes();
  return HostOf(absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                nodes);
}

}  // namespace tarot::cluster
