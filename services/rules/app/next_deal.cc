#include "services/rules/app/next_deal.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/deck.h"

namespace tarot::rules_service {

NextDeal NextDealOf(const dealing::DealSeed& seed) {
  return {.seed = seed, .commitment = dealing::Commit(seed)};
}

absl::Status NonceRefused(absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "NONCE_REFUSED",
               absl::StrCat("The nonce cannot be added: ", why, "."), {{"why", std::string(why)}});
}

absl::Status AddNonce(const rules::Match& match, rules::Seat seat, absl::string_view nonce,
                      std::optional<NextDeal>& next) {
  if (match.Finished()) return NonceRefused("MATCH_OVER");
  if (!next) return NonceRefused("NO_SEED_YET");
  if (nonce.empty() || nonce.size() > dealing::kNonceBytesMax) return NonceRefused("NONCE_SIZE");
  std::string& slot = next->nonces[static_cast<std::size_t>(seat)];
  if (!slot.empty()) return NonceRefused("NONCE_GIVEN");
  slot = std::string(nonce);
  return absl::OkStatus();
}

dealing::DealStart StartOf(const rules::Match& match, const NextDeal& next,
                           const dealing::DealSeed& seed) {
  dealing::DealStart start{.dealer = match.next_dealer, .next_seed = seed};
  start.provenance.seed = next.seed;
  start.provenance.nonces = next.nonces;
  const bool first = match.deals_dealt == 0;
  if (first) start.dealer = FirstDealerOf(match.rules, match.players, start.provenance);
  const bool over = !first && match.deal.phase == rules::Phase::kDone;
  if (over && match.rules.shuffle == rules::Shuffle::kNoneBetweenDeals) {
    start.provenance.gathered = GatheredPack(match.deal);
  }
  if (match.rules.taker_by == rules::TakerBy::kBoard) {
    start.taker = rules::BoardTaker(match.players, match.deals_scored + 1);
  }
  return start;
}

}  // namespace tarot::rules_service
