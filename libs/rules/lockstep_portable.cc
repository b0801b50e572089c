#include "libs/rules/lockstep_vectors.h"

namespace tarot::rules {
namespace {

struct Ops {
  typedef std::uint16_t V __attribute__((vector_size(16)));
  typedef std::int16_t Signed __attribute__((vector_size(16)));
  static V MulHigh(V a, V b) {
    typedef std::uint32_t Wide __attribute__((vector_size(32)));
    const Wide product = __builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide);
    return __builtin_convertvector(product >> 16, V);
  }
  static V Max(V a, V b) { return a > b ? a : b; }
  static V Choose(V m, V no, V yes) { return no ^ ((no ^ yes) & m); }
  static V Count(V a) {
    a = a - (a >> 1 & 0x5555);
    a = (a & 0x3333) + (a >> 2 & 0x3333);
    a = (a + (a >> 4)) & 0x0F0F;
    return (a + (a >> 8)) & 0x1F;
  }
};

}  // namespace

void LockstepPortable(LockstepState& state, int players, LockstepRecord* record) {
  if (record != nullptr) return RunLockstep<VectorLanes<Ops>, true>(state, players, record);
  RunLockstep<VectorLanes<Ops>, false>(state, players, nullptr);
}

}  // namespace tarot::rules
