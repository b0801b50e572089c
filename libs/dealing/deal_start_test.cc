#include "libs/dealing/deal_start.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "libs/base/rng.h"

namespace tarot::dealing {
namespace {

DealStart Sample() {
  DealStart start{.dealer = 2};
  start.provenance.seed[0] = 0x11;
  start.provenance.nonces[1] = "ab";
  start.next_seed[63] = 0x22;
  return start;
}

TEST(DealStartTest, ComesBackFromItsBytes) {
  DealStart start = Sample();
  EXPECT_EQ(DecodeDealStart(EncodeDealStart(start), 4, 9), start);
  start.provenance.gathered = ShuffledPack(start.next_seed);
  start.taker = 4;
  start.provenance.nonces[4] = std::string(kNonceBytesMax, '\0');
  EXPECT_EQ(DecodeDealStart(EncodeDealStart(start), 5, 1), start);
}

TEST(DealStartTest, KeepsThePilesOfADrawnGathering) {
  DealStart start = Sample();
  start.provenance.procedure = Procedure::kDrawnGathering;
  const std::string shuffled = EncodeDealStart(start);
  EXPECT_EQ(DecodeDealStart(shuffled, 4, 9), start) << "after a deal without a score";
  start.provenance.gathered = ShuffledPack(start.next_seed);
  start.provenance.piles = {{6, 30}, {1, 1, 40}};
  const std::string bytes = EncodeDealStart(start);
  EXPECT_EQ(DecodeDealStart(bytes, 4, 9), start);
  // Never change these bytes.
  EXPECT_EQ(bytes[0], 3);
  EXPECT_EQ(absl::BytesToHexString(bytes.substr(bytes.size() - 7)), "02061e03010128");
  for (std::size_t size = shuffled.size() + 1; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeDealStart(bytes.substr(0, size), 4, 9).has_value()) << size;
  }
  std::string other = bytes;
  other.back() = 39;
  EXPECT_FALSE(DecodeDealStart(other, 4, 9).has_value()) << "not the whole pack";
}

TEST(DealStartTest, StoredBytesStayReadable) {  // Never change these bytes.
  const std::string zeros(126, '0');
  const std::string bytes = absl::HexStringToBytes(
      "02"
      "02"
      "ff"
      "11" +
      zeros + zeros +
      "22"
      "00"
      "026162"
      "00"
      "00"
      "00");
  EXPECT_EQ(EncodeDealStart(Sample()), bytes);
  EXPECT_EQ(DecodeDealStart(bytes, 4, 1), Sample());
}

TEST(DealStartTest, ReadsTheSeedsOfOldLogs) {
  const std::string seed(64, '\x33');
  const auto first = DecodeDealStart(seed, 4, 1);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->provenance.procedure, Procedure::kSeedAlone);
  EXPECT_EQ(first->provenance.seed[63], 0x33);
  EXPECT_EQ(first->dealer, 3) << "the last seat dealt first";
  EXPECT_EQ(DecodeDealStart(seed, 4, 2)->dealer, 0);
  EXPECT_EQ(DecodeDealStart(seed, 5, 7)->dealer, 0);
}

TEST(DealStartTest, RefusesBytesThatItNeverWrites) {
  DealStart start = Sample();
  start.provenance.gathered = ShuffledPack(start.next_seed);
  const std::string good = EncodeDealStart(start);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const bool whole = size == good.size() - rules::kCardCount || size == 64;
    EXPECT_EQ(DecodeDealStart(good.substr(0, size), 4, 1).has_value(), whole) << size;
  }
  EXPECT_FALSE(DecodeDealStart(good + "x", 4, 1).has_value());
  EXPECT_FALSE(DecodeDealStart(good, 2, 1).has_value()) << "no such dealer";
  start.taker = 4;
  EXPECT_FALSE(DecodeDealStart(EncodeDealStart(start), 4, 1).has_value()) << "no such taker";
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    bytes[static_cast<std::size_t>(rng.Below(static_cast<int>(good.size())))] =
        static_cast<char>(rng.Below(256));
    const auto read = DecodeDealStart(bytes, 4, 1);
    if (read) {
      EXPECT_EQ(EncodeDealStart(*read), bytes);
    }
  }
}

}  // namespace
}  // namespace tarot::dealing
