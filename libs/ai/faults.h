// Names decisions that club players call faults. The search makes such a decision only for a clear
// gain, because play-outs with open hands do not see why it is bad.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/strings/string_view.h"
#include "libs/ai/knowledge.h"
#include "libs/rules/view.h"

namespace tarot::ai {

enum class Fault {
  // The seat plays the Petit to a trick that its camp loses for sure, although it may play another
  // trump.
  kPetitThrown,
  // A defender leads the Petit while the taker may hold the 21.
  kPetitLed,
  // In the first half of the deal a defender leads the 21, or leads the 20 while the 21 is out. A
  // partner's 21 would fall on the 20. A defender with many trumps may do so.
  kTopTrumpLed,
  // The seat plays a court card to a trick that its camp loses for sure, although it may play a
  // card without points.
  kHonourThrown,
  // The taker leads a Knight or a Queen while an opponent may hold a higher card of the suit. It is
  // no fault if the taker holds the next lower court card too, or has no other card to lead.
  kHonourLed,
  // In the first quarter of the deal, the seat plays the 21 to a trick without Petit, King and
  // Queen, although it may play another trump than the Petit. It is also a fault if the taker or
  // the partner, with few trumps, leads the 21 then.
  kTwentyOneSpent,
  // With five players, the seat bids Garde sans or Garde contre with at most four trumps, although
  // it may bid Garde.
  kBareSans,
  // The taker calls the King of a suit without the Queen, although a longer suit has the Queen.
  kShortCall,
  kCount
};
inline constexpr std::size_t kFaultCount = static_cast<std::size_t>(Fault::kCount);

// Returns a name such as "petit_thrown".
absl::string_view FaultName(Fault fault);
std::optional<Fault> ParseFaultName(absl::string_view name);

// Returns the fault that the viewer commits with `action`, if any. The viewer must be in turn,
// `action` must be legal, and `knowledge` must be Know(view).
std::optional<Fault> FaultOf(const rules::View& view, const Knowledge& knowledge,
                             const rules::Action& action);

}  // namespace tarot::ai
