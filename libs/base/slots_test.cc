#include "libs/base/slots.h"

#include <gtest/gtest.h>

#include "libs/base/entropy.h"

namespace tarot {
namespace {

using enum SlotAnswer;

TEST(SlotsTest, LimitsEachPlayerEachAddressAndAllTogether) {
  SeededEntropy entropy(1);
  const SlotHolder anna{PlayerId{entropy.NewUuid()}, "1"};
  const SlotHolder bela{PlayerId{entropy.NewUuid()}, "1"};
  const SlotHolder carl{PlayerId{entropy.NewUuid()}, "2"};
  const SlotHolder dora{PlayerId{entropy.NewUuid()}, "3"};
  Slots slots({.per_player = 2, .per_address = 3, .per_network = 4, .all = 4});
  EXPECT_EQ(slots.Acquire(anna), kTaken);
  EXPECT_EQ(slots.Acquire(anna), kTaken);
  EXPECT_EQ(slots.Acquire(anna), kPlayerFull);
  EXPECT_EQ(slots.Acquire(bela), kTaken);
  EXPECT_EQ(slots.Acquire(bela), kAddressFull);
  EXPECT_EQ(slots.Acquire(carl), kTaken);
  EXPECT_EQ(slots.Acquire(dora), kAllFull);
  slots.Release(anna);
  EXPECT_EQ(slots.Acquire(dora), kTaken);
  slots.Release(dora);
  EXPECT_EQ(slots.Acquire(bela), kTaken);
  EXPECT_EQ(slots.Acquire(anna), kAddressFull);
}

TEST(SlotsTest, LimitsTheAddressesOfOneNetworkTogether) {
  SeededEntropy entropy(1);
  Slots slots({.per_player = 9, .per_address = 2, .per_network = 3, .all = 9});
  const auto holder = [&](const char* address, const char* network) {
    return SlotHolder{PlayerId{entropy.NewUuid()}, address, network};
  };
  const SlotHolder first = holder("a", "net");
  EXPECT_EQ(slots.Acquire(first), kTaken);
  EXPECT_EQ(slots.Acquire(holder("b", "net")), kTaken);
  EXPECT_EQ(slots.Acquire(holder("c", "net")), kTaken);
  EXPECT_EQ(slots.Acquire(holder("d", "net")), kAddressFull);
  EXPECT_EQ(slots.Acquire(holder("e", "other")), kTaken);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(slots.Acquire(holder("f", "")), i < 2 ? kTaken : kAddressFull) << "no network: IPv4";
  }
  slots.Release(first);
  EXPECT_EQ(slots.Acquire(holder("d", "net")), kTaken);
}

TEST(SlotsTest, ALowerLimitKeepsTheSlotsThatAreTaken) {
  SeededEntropy entropy(1);
  const SlotHolder anna{PlayerId{entropy.NewUuid()}, "1"};
  Slots slots({.per_player = 3, .per_address = 9, .per_network = 9, .all = 9});
  EXPECT_EQ(slots.Acquire(anna), kTaken);
  EXPECT_EQ(slots.Acquire(anna), kTaken);
  slots.SetLimit({.per_player = 1, .per_address = 9, .per_network = 9, .all = 9});
  slots.Release(anna);
  EXPECT_EQ(slots.Acquire(anna), kPlayerFull) << "One slot is still taken.";
  slots.Release(anna);
  EXPECT_EQ(slots.Acquire(anna), kTaken);
  slots.SetLimit({.per_player = 2, .per_address = 9, .per_network = 9, .all = 9});
  EXPECT_EQ(slots.Acquire(anna), kTaken);
}

}  // namespace
}  // namespace tarot
