#include "libs/notation/record_bytes_form.h"

#include <algorithm>

namespace tarot::notation {

unsigned FlagsOf(const Document& document) {
  const Record& r = document.record;
  const auto said = [](const std::string& text) { return text != "?"; };
  const auto named = [](const std::string& name) { return !name.empty(); };
  unsigned flags = 0;
  const auto set = [&](bool on, Flag flag) { flags |= on ? static_cast<unsigned>(flag) : 0u; };
  set(said(r.event) || said(r.site) || said(r.date) || said(r.round), kTexts);
  set(std::any_of(r.names.begin(), r.names.end(), named), kNames);
  set(!r.tags.empty(), kTags);
  set(r.board_taker != rules::kNoSeat, kBoardTaker);
  set(r.seed.has_value(), kSeed);
  set(r.commitment.has_value(), kCommitment);
  set(r.procedure != dealing::Procedure::kSeedAlone, kProvenance);
  set(r.gathered.has_value(), kGathered);
  set(r.abandoned_by != rules::kNoSeat, kAbandonedBy);
  set(document.claims.attack_half_points && document.claims.bouts, kCardPoints);
  set(document.claims.scores.has_value(), kScores);
  return flags;
}

std::uint32_t Checksum(absl::string_view bytes) {
  std::uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

void PutNumber(std::string& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void PutText(std::string& out, absl::string_view text) {
  PutNumber(out, static_cast<std::uint32_t>(text.size()));
  out.append(text.data(), text.size());
}

}  // namespace tarot::notation
