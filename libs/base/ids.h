// Defines strong types for 128-bit ids, and the verified identity of the player or service that
// makes a call.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tarot {

// On the wire and as a parameter of SQL, an id is lower-case UUID text.
class Uuid {
 public:
  constexpr Uuid() = default;  // The empty id: all bytes are zero.
  explicit constexpr Uuid(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}

  // Accepts the 36-character form in either case. Returns nullopt for any other text.
  static std::optional<Uuid> Parse(absl::string_view text);
  std::string ToString() const;

  constexpr const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  constexpr bool empty() const { return *this == Uuid(); }

  friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Uuid& id) {
    return H::combine(std::move(h), id.bytes_);
  }

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// A Uuid for one kind of thing. It does not convert to an id of another kind.
template <typename Tag>
struct Id {
  Uuid uuid;

  static std::optional<Id> Parse(absl::string_view text) {
    const std::optional<Uuid> parsed = Uuid::Parse(text);
    if (!parsed) return std::nullopt;
    return Id{*parsed};
  }
  std::string ToString() const { return uuid.ToString(); }
  constexpr bool empty() const { return uuid.empty(); }

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Id& id) {
    return H::combine(std::move(h), id.uuid);
  }
};

using TableId = Id<struct TableTag>;  // A table has one match, so this id also names the match.
using PlayerId = Id<struct PlayerTag>;
using RequestId = Id<struct RequestTag>;
using TicketId = Id<struct TicketTag>;

// The identity of a caller. It comes from verified credentials, never from a request.
struct Caller {
  PlayerId player;           // Empty for a service.
  std::string display_name;  // The player's name; empty for a service.
  std::string service;       // The service's name, for example "matchmaking"; empty for a player.
};

}  // namespace tarot
