// A table at one revision, as rules has encoded it for everybody: shared by all who watch it here.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"

namespace tarot::gateway {

struct Frame {
  struct Part {
    PlayerId player;
    std::string own;
  };

  int revision = 0;
  // Bytes of a rules.v1.Table; a player's are these, followed by those of the player's own part.
  std::string shared;
  std::vector<Part> parts;
  absl::Time arrive_time;
};

}  // namespace tarot::gateway
