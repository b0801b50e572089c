// Replays a deal with simple bots at all seats. If a seat has a high mean score over many replays,
// its cards are good (docs/luck.md).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/ai/fast_deal.h"
#include "libs/base/rng.h"

namespace tarot::ai {

// A bot of a replay. It plays cards as level `novice` does.
struct ReplayBot {
  // Before the bot bids, it adds two numbers to the value of its hand (HandValue()): `bid_shift`,
  // and a random number with mean 0 and the standard deviation `bid_noise`.
  double bid_shift = 0;
  double bid_noise = 5;
  // The bot plays a random legal card with the probability random_cards / 1000.
  int random_cards = 40;
};

// Returns a random number with mean 0 and standard deviation 1, nearly normal: the sum of twelve
// uniform numbers. The sum needs no function of libm, so it is the same on every machine.
double NearlyNormal(Rng& rng);

// Replays one deal many times. The class keeps the data that all replays of the deal share.
class Replayer {
 public:
  // `dealt` must be a deal as StartDeal() returned it, without any action.
  explicit Replayer(const rules::Deal& dealt);

  // Plays the deal to its end. `bots` is indexed by seat. Returns the score of each seat; all are
  // zero if every bot passes or a petit sec cancels the deal.
  std::array<int, rules::kPlayersMax> Play(absl::Span<const ReplayBot> bots, Rng& rng);

 private:
  // A deal after the auction, the call and the écart, before its first card.
  struct Start {
    rules::View view;
    World world;
    FastDeal deal;
  };

  rules::Deal HoldAuction(absl::Span<const ReplayBot> bots, Rng& rng) const;
  const Start& StartFor(const rules::Deal& after_auction);

  const rules::Deal dealt_;
  std::array<int, rules::kPlayersMax> value_{};  // HandValue() with distribution, by seat.
  std::array<int, rules::kPlayersMax> plain_{};  // HandValue() without distribution, by seat.
  // The `Start` of each taker and contract that a replay has needed so far. All replays with the
  // same taker and contract share one `Start`, because bots use no random numbers for the call and
  // the écart.
  std::array<std::array<std::optional<Start>, 5>, rules::kPlayersMax> starts_;
};

}  // namespace tarot::ai
