// Computes the cards that each seat may look at, from the deal and the actions. This file shares no
// code with rules::MakeView, which makes the views. So a leak of hidden cards stays unnoticed only
// if this file and MakeView have the same fault.
#pragma once

#include <array>
#include <vector>

#include "libs/rules/deal.h"

namespace tarot::check {

class KnownCards {
 public:
  // Call Deal when a deal has begun, Act after each action, and Void when an operator has cancelled
  // the deal. `deal` is the state just after that event.
  void Deal(const rules::Deal& deal);
  void Act(const rules::Deal& deal, const rules::Action& action);
  void Void(const rules::Deal& deal) { Update(deal); }

  // Returns the cards that `seat` may look at. kNoSeat means a watcher.
  rules::CardSet Of(rules::Seat seat) const {
    return seat == rules::kNoSeat ? public_ : own_[static_cast<std::size_t>(seat)] | public_;
  }

 private:
  void Update(const rules::Deal& deal);
  rules::CardSet OpenTricks(const rules::Deal& deal) const;

  std::array<rules::CardSet, rules::kPlayersMax> own_;
  rules::CardSet public_;
  std::vector<rules::Card> played_;  // In the order of play.
  rules::CardSet handfuls_;
  bool dog_shown_ = false;
  rules::CardSet forced_;  // The trumps of the écart that the taker had to show.
};

}  // namespace tarot::check
