// Compiled for AVX-512 (F, BW, BITALG, VBMI); see lockstep_engine.h for what may be included here.
#if defined(__x86_64__)
#include <immintrin.h>

#include "libs/rules/lockstep_engine.h"

namespace tarot::rules {
namespace {

// Place of the n-th bit of a nibble, for byte `nibble << 2 | n`, as the bit itself.
struct alignas(64) NibbleTable {
  unsigned char byte[64];
};
constexpr NibbleTable kNthOfNibble = [] {
  NibbleTable table{};
  for (int nibble = 0; nibble < 16; ++nibble) {
    int n = 0;
    for (int bit = 0; bit < 4; ++bit) {
      if ((nibble >> bit & 1) != 0)
        table.byte[nibble << 2 | n++] = static_cast<unsigned char>(1 << bit);
    }
  }
  return table;
}();

struct Lanes {
  using V = __m512i;
  using M = __mmask32;
  static constexpr int kLanes = 32;

  static V Load(const std::uint16_t* from) { return _mm512_load_si512(from); }
  static void Store(std::uint16_t* to, V v) { _mm512_store_si512(to, v); }
  static V Zero() { return _mm512_setzero_si512(); }
  static V Set(std::uint16_t x) { return _mm512_set1_epi16(static_cast<short>(x)); }

  static V And(V a, V b) { return _mm512_and_si512(a, b); }
  static V Or(V a, V b) { return _mm512_or_si512(a, b); }
  static V Xor(V a, V b) { return _mm512_xor_si512(a, b); }
  static V Add(V a, V b) { return _mm512_add_epi16(a, b); }
  static V Sub(V a, V b) { return _mm512_sub_epi16(a, b); }
  static V Add64(V a, V b) { return _mm512_add_epi64(a, b); }
  static V MulHigh(V a, V b) { return _mm512_mulhi_epu16(a, b); }
  static V Count(V a) { return _mm512_popcnt_epi16(a); }
  template <int kBits>
  static V Rotate64(V a) {
    return _mm512_rol_epi64(a, kBits);
  }
  template <int kBits>
  static V Shift64(V a) {
    return _mm512_slli_epi64(a, kBits);
  }

  // The third argument of vpternlog is its truth table.
  static V Except(V a, V b) { return _mm512_andnot_si512(b, a); }
  static V Or3(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0xFE); }
  static V OrAnd(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0xF8); }
  static V AndOr(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0xE0); }
  static V XorAnd(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0x78); }
  static V Max(V a, V b) { return _mm512_max_epu16(a, b); }

  static M Some(V a) { return _mm512_test_epi16_mask(a, a); }
  static M NoneOf(V a) { return _mm512_testn_epi16_mask(a, a); }
  static M NotLess(V a, V b) { return _mm512_cmpge_epu16_mask(a, b); }
  static M Differ(V a, V b) { return _mm512_cmpneq_epu16_mask(a, b); }
  static M AndNot(M a, M b) { return _kandn_mask32(b, a); }

  static V Full(M m) { return _mm512_movm_epi16(m); }
  static V Blend(M m, V no, V yes) { return _mm512_mask_blend_epi16(m, no, yes); }
  static V Keep(M m, V a) { return _mm512_maskz_mov_epi16(m, a); }
  static V Drop(M m, V a) { return _mm512_maskz_mov_epi16(_knot_mask32(m), a); }
  static V AddIf(M m, V a, V b) { return _mm512_mask_add_epi16(a, m, a, b); }
  static V OrIf(M m, V a, V b) { return Or(a, Keep(m, b)); }

  // The set bit number `n` of `word`.
  static V Select(V word, V n) {
    const V low_byte = Count(And(word, Set(0xFF)));
    const M high = NotLess(n, low_byte);
    n = _mm512_mask_sub_epi16(n, high, n, low_byte);
    word = _mm512_mask_srli_epi16(word, high, word, 8);
    const V low_nibble = Count(And(word, Set(0xF)));
    const M upper = NotLess(n, low_nibble);
    n = _mm512_mask_sub_epi16(n, upper, n, low_nibble);
    word = _mm512_mask_srli_epi16(word, upper, word, 4);
    // vpermb looks at six bits: four of the nibble, two of n.
    const V index = Or(_mm512_slli_epi16(word, 2), n);
    V bit = _mm512_permutexvar_epi8(index, _mm512_load_si512(kNthOfNibble.byte));
    bit = And(bit, Set(0xF));
    bit = _mm512_mask_slli_epi16(bit, upper, bit, 4);
    return _mm512_mask_slli_epi16(bit, high, bit, 8);
  }
};

}  // namespace

void LockstepAvx512(LockstepState& state, int players, LockstepRecord* record) {
  if (record != nullptr) return RunLockstep<PairLanes<Lanes>, true>(state, players, record);
  RunLockstep<PairLanes<Lanes>, false>(state, players, nullptr);
}

}  // namespace tarot::rules
#endif
