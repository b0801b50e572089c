#include "libs/rpc/trace.h"

#include <gtest/gtest.h>

namespace tarot::rpc {
namespace {

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceTest, ReturnsTheTraceIdOfATraceParent) {
  EXPECT_TRUE(IsTraceParent(kParent));
  EXPECT_EQ(TraceIdOf(kParent), "4bf92f3577b34da6a3ce929d0e0e4736");
}

// A caller may send any text, but only a well-formed traceparent may be passed on or logged.
TEST(TraceTest, RefusesMalformedTraceParents) {
  const std::string parent = kParent;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    std::string other = parent;
    other[i] = other[i] == '-' ? '0' : '-';
    EXPECT_FALSE(IsTraceParent(other)) << other;
    other[i] = 'G';
    EXPECT_FALSE(IsTraceParent(other)) << other;
    EXPECT_EQ(TraceIdOf(other), "");
  }
  EXPECT_FALSE(IsTraceParent(""));
  EXPECT_FALSE(IsTraceParent(parent + "-"));
  EXPECT_FALSE(IsTraceParent("00-" + std::string(32, '0') + parent.substr(35))) << "No trace.";
}

TEST(TraceTest, ANewTraceParentKeepsTheIdOfAWellFormedOne) {
  SeededEntropy entropy(1);
  const std::string kept = NewTraceParent(kParent, false, entropy);
  EXPECT_TRUE(IsTraceParent(kept)) << kept;
  EXPECT_EQ(TraceIdOf(kept), TraceIdOf(kParent));
  EXPECT_NE(kept.substr(36, 16), std::string(kParent).substr(36, 16)) << "The span is new.";
  const std::string fresh = NewTraceParent("x", true, entropy);
  EXPECT_TRUE(IsTraceParent(fresh)) << fresh;
  EXPECT_NE(TraceIdOf(fresh), TraceIdOf(NewTraceParent("", true, entropy)));
}

TEST(TraceTest, ReadsTheFlagSampled) {
  SeededEntropy entropy(1);
  EXPECT_TRUE(IsSampled(kParent));
  EXPECT_TRUE(IsSampled(NewTraceParent("", true, entropy)));
  EXPECT_FALSE(IsSampled(NewTraceParent(kParent, false, entropy)));
  EXPECT_FALSE(IsSampled(""));
}

}  // namespace
}  // namespace tarot::rpc
