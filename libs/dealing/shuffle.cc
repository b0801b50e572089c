#include "libs/dealing/shuffle.h"

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <utility>

#include "libs/base/check.h"

namespace tarot::dealing {
namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// The length of the first output: three blocks of SHAKE256. A shuffle and a cut need 312 bytes, and
// 4 more bytes for each number that is rejected. Fewer than one number in fifty million is
// rejected. A longer output begins with the same bytes.
constexpr std::size_t kFewBytes = 408;
// The probability that a shuffle and a cut need more than kManyBytes is below 2^-1000.
constexpr std::size_t kManyBytes = 4 * 512;

// Fetches the algorithm once, because OpenSSL takes longer to fetch it than to compute the digest.
const EVP_MD* Shake256() {
  static const EVP_MD* const digest = EVP_MD_fetch(nullptr, "SHAKE256", nullptr);
  TAROT_CHECK(digest != nullptr);
  return digest;
}

}  // namespace

Draws::Draws(absl::string_view material) : material_(material) { Expand(kFewBytes); }

void Draws::Expand(std::size_t size) {
  stream_.resize(size);
  auto* const out = reinterpret_cast<unsigned char*>(stream_.data());
  const Digest digest(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  TAROT_CHECK(digest != nullptr && EVP_DigestInit_ex2(digest.get(), Shake256(), nullptr) == 1);
  TAROT_CHECK(EVP_DigestUpdate(digest.get(), material_.data(), material_.size()) == 1);
  TAROT_CHECK(EVP_DigestFinalXOF(digest.get(), out, size) == 1);
}

int Draws::Below(int bound) {
  const auto n = static_cast<std::uint32_t>(bound);
  const std::uint32_t limit = UINT32_MAX - UINT32_MAX % n;
  for (;;) {
    if (at_ + 4 > stream_.size()) {
      TAROT_CHECK(stream_.size() < kManyBytes);
      Expand(kManyBytes);
    }
    std::uint32_t draw = 0;
    for (int byte = 3; byte >= 0; --byte) {
      draw = draw << 8 | static_cast<std::uint8_t>(stream_[at_ + static_cast<std::size_t>(byte)]);
    }
    at_ += 4;
    if (draw < limit) return static_cast<int>(draw % n);
  }
}

rules::PackOrder Shuffle(Draws& draws) {
  rules::PackOrder order = rules::OrderedPack();
  for (int left = rules::kCardCount; left > 1; --left) {
    std::swap(order[static_cast<std::size_t>(left - 1)],
              order[static_cast<std::size_t>(draws.Below(left))]);
  }
  return order;
}

rules::PackOrder ShuffledPack(const DealSeed& seed) {
  Draws draws(std::string(seed.begin(), seed.end()));
  return Shuffle(draws);
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
