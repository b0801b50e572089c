// The lanes of lockstep_engine.h in the compiler's own vectors, for processors whose masks are
// vectors too.
#pragma once

#include <cstdint>

#include "libs/rules/lockstep_engine.h"

namespace tarot::rules {

// `Ops` has V, a vector of kLanes numbers of 16 bits, and the operations that
// the compiler does not find by itself: Count(), MulHigh(), Max(), Choose().
template <typename Ops>
struct VectorLanes : Ops {
  using V = typename Ops::V;
  using M = V;  // All bits of a lane set, or none.
  static constexpr int kLanes = sizeof(V) / sizeof(std::uint16_t);
  typedef std::uint64_t V64 __attribute__((vector_size(sizeof(V))));

  static V Load(const std::uint16_t* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(V));
    return v;
  }
  static void Store(std::uint16_t* to, V v) { __builtin_memcpy(to, &v, sizeof(V)); }
  static V Zero() { return V{}; }
  static V Set(std::uint16_t x) { return V{} + x; }

  static V And(V a, V b) { return a & b; }
  static V Or(V a, V b) { return a | b; }
  static V Xor(V a, V b) { return a ^ b; }
  static V Add(V a, V b) { return a + b; }
  static V Sub(V a, V b) { return a - b; }
  static V Add64(V a, V b) { return As<V>(As<V64>(a) + As<V64>(b)); }
  template <int kBits>
  static V Rotate64(V a) {
    return As<V>(As<V64>(a) << kBits | As<V64>(a) >> (64 - kBits));
  }
  template <int kBits>
  static V Shift64(V a) {
    return As<V>(As<V64>(a) << kBits);
  }

  static V Except(V a, V b) { return a & ~b; }
  static V Or3(V a, V b, V c) { return a | b | c; }
  static V OrAnd(V a, V b, V c) { return a | (b & c); }
  static V AndOr(V a, V b, V c) { return a & (b | c); }
  static V XorAnd(V a, V b, V c) { return a ^ (b & c); }

  static M Some(V a) { return As<M>(a != V{}); }
  static M NoneOf(V a) { return As<M>(a == V{}); }
  // Both are below 2^15: as signed numbers they compare faster.
  static M NotLess(V a, V b) {
    return ~As<M>(As<typename Ops::Signed>(b) > As<typename Ops::Signed>(a));
  }
  static M Differ(V a, V b) { return As<M>(a != b); }
  static M AndNot(M a, M b) { return a & ~b; }

  static V Full(M m) { return m; }
  static V Blend(M m, V no, V yes) { return Ops::Choose(m, no, yes); }
  static V Keep(M m, V a) { return a & m; }
  static V Drop(M m, V a) { return a & ~m; }
  static V AddIf(M m, V a, V b) { return a + (b & m); }
  static V OrIf(M m, V a, V b) { return a | (b & m); }

  // The set bit number `n` of `word`: halves of halves.
  static V Select(V word, V n) {
    V bit = Set(1);
    Halve<8>(word, n, bit);
    Halve<4>(word, n, bit);
    Halve<2>(word, n, bit);
    const V second = NotLess(n, And(word, Set(1)));
    return bit + (bit & second);
  }

 private:
  // The same bits as another vector.
  template <typename To, typename From>
  static To As(From v) {
    return reinterpret_cast<To>(v);
  }
  template <int kBits>
  static void Halve(V& word, V& n, V& bit) {
    const V low = Ops::Count(word & Set((1 << kBits) - 1));
    const M high = NotLess(n, low);
    n -= low & high;
    word = Blend(high, word, word >> kBits);
    bit = Blend(high, bit, bit << kBits);
  }
};

}  // namespace tarot::rules
