// Which cards each seat may know, from the cards as they were dealt and what was done with them.
// Shares nothing with rules::MakeView, which decides what a seat is shown: each would have to be
// wrong in the same way for a card to slip through.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::check {

class KnownCards {
 public:
  // After the deal, and after every action: `deal` as it is then.
  void Deal(const rules::Deal& deal);
  void Act(const rules::Deal& deal, const rules::Action& action);

  // kNoSeat: a watcher.
  rules::CardSet Of(rules::Seat seat) const {
    return seat == rules::kNoSeat ? public_ : own_[static_cast<std::size_t>(seat)] | public_;
  }

 private:
  void Update(const rules::Deal& deal);

  std::array<rules::CardSet, rules::kPlayersMax> own_;
  rules::CardSet public_;
};

}  // namespace tarot::check
