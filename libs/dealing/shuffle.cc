#include "libs/dealing/shuffle.h"

#include <openssl/evp.h>

#include <memory>
#include <utility>

#include "libs/base/check.h"

namespace tarot::dealing {
namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Enough for 77 draws of four bytes with rejections to spare: running out has a chance below
// 2^-1000.
constexpr std::size_t kStreamBytes = 4 * 512;
using Stream = std::array<std::uint8_t, kStreamBytes>;

Stream Expand(const DealSeed& seed) {
  Stream stream;
  const Digest digest(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  TAROT_CHECK(digest != nullptr && EVP_DigestInit_ex(digest.get(), EVP_shake256(), nullptr) == 1);
  TAROT_CHECK(EVP_DigestUpdate(digest.get(), seed.data(), seed.size()) == 1);
  TAROT_CHECK(EVP_DigestFinalXOF(digest.get(), stream.data(), stream.size()) == 1);
  return stream;
}

}  // namespace

rules::PackOrder ShuffledPack(const DealSeed& seed) {
  rules::PackOrder order;
  for (int i = 0; i < rules::kCardCount; ++i) order[static_cast<std::size_t>(i)] = rules::CardAt(i);
  const Stream stream = Expand(seed);
  std::size_t at = 0;
  for (std::uint32_t left = rules::kCardCount; left > 1; --left) {
    // Fisher-Yates from the top, with numbers below a multiple of `left` only: no bias.
    const std::uint32_t limit = UINT32_MAX - UINT32_MAX % left;
    std::uint32_t draw = limit;
    while (draw >= limit) {
      TAROT_CHECK(at + 4 <= stream.size());
      draw = std::uint32_t{stream[at]} | std::uint32_t{stream[at + 1]} << 8 |
             std::uint32_t{stream[at + 2]} << 16 | std::uint32_t{stream[at + 3]} << 24;
      at += 4;
    }
    std::swap(order[left - 1], order[draw % left]);
  }
  return order;
}

Commitment Commit(const DealSeed& seed) {
  Commitment commitment;
  unsigned int size = 0;
  TAROT_CHECK(
      EVP_Digest(seed.data(), seed.size(), commitment.data(), &size, EVP_sha256(), nullptr) == 1);
  TAROT_CHECK(size == commitment.size());
  return commitment;
}

}  // namespace tarot::dealing
