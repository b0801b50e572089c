#include "services/gateway/app/sessions.h"

#include <cstdint>
#include <optional>

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

// Removes the first character and returns it. Returns nullopt if it is not well-formed UTF-8.
std::optional<std::uint32_t> TakeCharacter(absl::string_view& text) {
  const auto byte = [&text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint32_t lead = byte(0);
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  constexpr std::uint32_t kLeadMask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if ((lead >= 0x80 && lead < 0xC0) || lead >= 0xF8 || text.size() < size) return std::nullopt;
  std::uint32_t character = lead & kLeadMask[size];
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    character = character << 6 | (byte(i) & 0x3F);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (character < kSmallest[size] || character > 0x10FFFF || surrogate) return std::nullopt;
  text.remove_prefix(size);
  return character;
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// These are control characters, blanks other than the plain space, and characters that are
// invisible or change the direction of the text.
constexpr Range kNotPrintable[] = {
    {0x00, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},     {0x034F, 0x034F}, {0x061C, 0x061C},
    {0x115F, 0x1160},   {0x1680, 0x1680},   {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x2000, 0x200F},
    {0x2028, 0x202F},   {0x205F, 0x206F},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},
    {0xE000, 0xF8FF},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFF},
    {0x1D173, 0x1D17A}, {0xE0000, 0x10FFFF}};

bool Printable(std::uint32_t character) {
  for (const Range& range : kNotPrintable) {
    if (character >= range.first && character <= range.last) return false;
  }
  return true;
}

}  // namespace

absl::Status CheckDisplayName(absl::string_view name) {
  if (name.empty()) return BadRequest("display_name", "required");
  if (name.front() == ' ' || name.back() == ' ' || absl::StrContains(name, "  ")) {
    return BadRequest("display_name", "no space at either end, no two together");
  }
  int characters = 0;
  for (absl::string_view rest = name; !rest.empty();) {
    const std::optional<std::uint32_t> character = TakeCharacter(rest);
    if (!character || !Printable(*character)) {
      return BadRequest("display_name", "printable characters only");
    }
    if (++characters > kDisplayNameCharactersMax)
      return BadRequest("display_name", "at most 32 characters");
  }
  return absl::OkStatus();
}

absl::StatusOr<Session> Sessions::CreateGuest(absl::string_view display_name) {
  TAROT_RETURN_IF_ERROR(CheckDisplayName(display_name));
  return Refresh({.id = {entropy_.NewUuid()}, .display_name = std::string(display_name)});
}

Session Sessions::Refresh(const SignedInPlayer& player) const {
  // A token counts whole seconds, and the end that the answer states must not be later than the
  // token's.
  const absl::Time end = absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now() + token_life_));
  return {.player = player, .token = signer_.Sign(player, end), .expire_time = end};
}

absl::StatusOr<SignedInPlayer> Sessions::Check(absl::string_view token) const {
  return signer_.Verify(token, clock_.Now());
}

}  // namespace tarot::gateway_service
