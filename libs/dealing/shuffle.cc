#include "libs/dealing/shuffle.h"

#include <openssl/evp.h>

#include <string>

#include "libs/base/check.h"
#include "libs/dealing/draws.h"

namespace tarot::dealing {

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
