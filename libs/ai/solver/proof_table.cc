#include "libs/ai/solver/proof_table.h"

namespace tarot::ai {
namespace {

constexpr std::size_t kBytesMin = std::size_t{1} << 16;

}  // namespace

ProofTable::ProofTable(std::size_t bytes) {
  heads.resize(std::max(bytes, kBytesMin) / (sizeof(Head) + kWays * sizeof(Proof)));
  proofs.resize(heads.size() * kWays);
}

void ProofTable::Prepare(const Setup& now) {
  Setup same = now;
  same.base = setup.base;  // Proofs are about points from the position on, whatever came before.
  if (same == setup) return;
  setup = now;
  leads = {};
  ++generation;
  if (generation >> 24 == 0) return;
  generation = 0;
  std::fill(heads.begin(), heads.end(), Head{});
}

}  // namespace tarot::ai
