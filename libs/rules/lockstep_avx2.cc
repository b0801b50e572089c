// Compiled for AVX2; see lockstep_engine.h for what may be included here.
#if defined(__x86_64__)
#include <immintrin.h>

#include "libs/rules/lockstep_vectors.h"

namespace tarot::rules {
namespace {

struct Ops {
  typedef std::uint16_t V __attribute__((vector_size(32)));
  typedef std::int16_t Signed __attribute__((vector_size(32)));

  static V MulHigh(V a, V b) { return Of(_mm256_mulhi_epu16(Raw(a), Raw(b))); }
  static V Max(V a, V b) { return Of(_mm256_max_epu16(Raw(a), Raw(b))); }
  static V Choose(V m, V no, V yes) { return Of(_mm256_blendv_epi8(Raw(no), Raw(yes), Raw(m))); }
  static V Count(V a) {
    const __m256i of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                               1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i nibble = _mm256_set1_epi8(0xF);
    const __m256i low = _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(Raw(a), nibble));
    const __m256i high =
        _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16(Raw(a), 4), nibble));
    return Of(_mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1)));
  }

 private:
  static __m256i Raw(V v) { return reinterpret_cast<__m256i>(v); }
  static V Of(__m256i v) { return reinterpret_cast<V>(v); }
};

}  // namespace

void LockstepAvx2(LockstepState& state, int players, LockstepRecord* record) {
  if (record != nullptr)
    return RunLockstep<PairLanes<VectorLanes<Ops>>, true>(state, players, record);
  RunLockstep<PairLanes<VectorLanes<Ops>>, false>(state, players, nullptr);
}

}  // namespace tarot::rules
#endif
