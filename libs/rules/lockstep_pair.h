// Two vectors at a time for lockstep_engine.h, under the same rule: templates on the lanes alone.
#pragma once

#include <cstdint>

namespace tarot::rules {

// The lanes of `L` twice: each operation on two vectors that do not wait for each other, for a card
// is one long chain of operations, and a processor has time for two of them.
template <typename L>
struct PairLanes {
  struct V {
    typename L::V a, b;
  };
  struct M {
    typename L::M a, b;
  };
  static constexpr int kLanes = 2 * L::kLanes;

  static V Load(const std::uint16_t* from) { return {L::Load(from), L::Load(from + L::kLanes)}; }
  static void Store(std::uint16_t* to, V v) {
    L::Store(to, v.a);
    L::Store(to + L::kLanes, v.b);
  }
  static V Zero() { return {L::Zero(), L::Zero()}; }
  static V Set(std::uint16_t x) { return {L::Set(x), L::Set(x)}; }
#define TAROT_PAIR(Result, Name, Left, Right) \
  static Result Name(Left x, Right y) { return {L::Name(x.a, y.a), L::Name(x.b, y.b)}; }
  TAROT_PAIR(V, And, V, V)
  TAROT_PAIR(V, Except, V, V)
  TAROT_PAIR(V, Or, V, V)
  TAROT_PAIR(V, Xor, V, V)
  TAROT_PAIR(V, Add, V, V)
  TAROT_PAIR(V, Sub, V, V)
  TAROT_PAIR(V, Add64, V, V)
  TAROT_PAIR(V, MulHigh, V, V)
  TAROT_PAIR(M, NotLess, V, V)
  TAROT_PAIR(M, Differ, V, V)
  TAROT_PAIR(V, Max, V, V)
  TAROT_PAIR(M, AndNot, M, M)
  TAROT_PAIR(V, Keep, M, V)
  TAROT_PAIR(V, Drop, M, V)
  TAROT_PAIR(V, Select, V, V)
#undef TAROT_PAIR
  static V Count(V v) { return {L::Count(v.a), L::Count(v.b)}; }
  static M Some(V v) { return {L::Some(v.a), L::Some(v.b)}; }
  static M NoneOf(V v) { return {L::NoneOf(v.a), L::NoneOf(v.b)}; }
  static V Full(M m) { return {L::Full(m.a), L::Full(m.b)}; }
  template <int kBits>
  static V Rotate64(V v) {
    return {L::template Rotate64<kBits>(v.a), L::template Rotate64<kBits>(v.b)};
  }
  template <int kBits>
  static V Shift64(V v) {
    return {L::template Shift64<kBits>(v.a), L::template Shift64<kBits>(v.b)};
  }
#define TAROT_TRIPLE(Name, First) \
  static V Name(First x, V y, V z) { return {L::Name(x.a, y.a, z.a), L::Name(x.b, y.b, z.b)}; }
  TAROT_TRIPLE(Or3, V)
  TAROT_TRIPLE(OrAnd, V)
  TAROT_TRIPLE(AndOr, V)
  TAROT_TRIPLE(XorAnd, V)
  TAROT_TRIPLE(Blend, M)
  TAROT_TRIPLE(AddIf, M)
  TAROT_TRIPLE(OrIf, M)
#undef TAROT_TRIPLE
};

}  // namespace tarot::rules
