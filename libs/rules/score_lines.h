// Explains the score of a deal line by line: the card points of the attack, and the unit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "libs/rules/deal.h"
#include "libs/rules/view.h"

namespace tarot::rules {

// A part of DealResult::attack_half_points. Each kind has the same number as in the proto.
struct CardPointsLine {
  enum class Source : std::uint8_t { kTricks = 1, kDiscard = 2, kDog = 3, kExcuseMoved = 4 };
  Source source = Source::kTricks;
  int half_points = 0;
  int tricks = 0;  // With kTricks: the number of tricks.
};

// A part of Score::unit. Each kind has the same number as in the proto.
struct UnitLine {
  enum class Kind : std::uint8_t {
    kContract = 1,     // (base + difference) * multiplier
    kHonours = 2,      // difference * multiplier
    kPetitAuBout = 3,  // base * multiplier
    kHandful = 4,
    kSlam = 5,
    kRounding = 6
  };
  Kind kind = Kind::kContract;
  int points = 0;  // Positive if the attack gets the points.
  int base = 0;
  int difference = 0;
  int multiplier = 0;
  // With kHandful: the seat that showed the handful, and the level of the handful.
  Seat seat = kNoSeat;
  int level = 0;
};

struct ScoreLines {
  std::vector<CardPointsLine> card_points;  // Add up to attack_half_points.
  std::vector<UnitLine> unit;               // Add up to unit.
  // The score of a seat is the unit times its share.
  std::array<int, kPlayersMax> shares{};
};

// Returns the lines of a scored deal with a taker. Lines without points are left out. Returns
// nullopt for any other deal, and if the result comes from a score sheet that has only numbers.
std::optional<ScoreLines> LinesOf(const View& view);

}  // namespace tarot::rules
