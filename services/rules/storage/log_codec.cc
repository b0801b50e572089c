#include "services/rules/storage/log_codec.h"

#include <utility>

#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

enum Kind { kAction = 0, kDeal = 1, kResume = 2, kNonce = 3 };

struct Encoder {
  StoredBody operator()(const DealStarted& dealt) const {
    return {kDeal, dealing::EncodeDealStart(*dealt.start)};
  }
  StoredBody operator()(const rules::Action& action) const {
    return {kAction, rules::EncodeAction(action)};
  }
  StoredBody operator()(const NonceAdded& added) const { return {kNonce, added.nonce}; }
  StoredBody operator()(const SeatResumed&) const { return {kResume, ""}; }
};

}  // namespace

StoredBody EncodeBody(const EntryBody& body) { return std::visit(Encoder(), body); }

std::optional<EntryBody> DecodeBody(int kind, absl::string_view payload, int players,
                                    int deal_number) {
  switch (kind) {
    case kAction:
      return rules::DecodeAction(payload);
    case kDeal: {
      auto start = dealing::DecodeDealStart(payload, players, deal_number);
      if (!start) return std::nullopt;
      return DealStarted{std::make_shared<const dealing::DealStart>(*std::move(start))};
    }
    case kResume:
      return SeatResumed();
    case kNonce:
      return NonceAdded{std::string(payload)};
    default:
      return std::nullopt;
  }
}

}  // namespace tarot::rules_service
