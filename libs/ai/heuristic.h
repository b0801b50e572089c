// Level `novice`: rules of thumb alone, at once.
#pragma once

#include "libs/ai/policy.h"

namespace tarot::ai {

class Novice final : public Policy {
 public:
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override;
};

}  // namespace tarot::ai
