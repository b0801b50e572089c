#include "services/rules/storage/sealed_log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

using dealing::Commitment;
using dealing::DealSeed;

constexpr int kFirstSeedRevision = 0;  // No entry has this revision.
constexpr int kFirstSeedKind = 255;    // No entry has this kind.
constexpr std::size_t kSeedBytes = DealSeed{}.size();
constexpr std::size_t kCommitmentBytes = Commitment{}.size();
constexpr std::size_t kLengthBytes = 2;

template <typename Array>
absl::string_view View(const Array& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Array>
Array ArrayOf(absl::string_view bytes) {
  Array array{};
  std::copy(bytes.begin(), bytes.end(), array.begin());
  return array;
}

// Returns a text that names the place of a secret in the database. The encryption authenticates
// this text. So decryption refuses the bytes if they were copied to any other place.
std::string PlaceOf(TableId table, int revision, int kind) {
  return absl::StrCat(table.ToString(), "/", revision, "/", kind);
}

absl::Status Malformed(int revision) {
  return Error(absl::StatusCode::kInternal, "BUG",
               absl::StrCat("Stored log entry ", revision, " cannot be read."));
}

}  // namespace

std::string LogEncoder::Seal(TableId table, int revision, int kind,
                             absl::string_view secret) const {
  dealing::SecretBox::Nonce nonce;
  entropy_.Fill(absl::MakeSpan(nonce));
  return secrets_.Seal(secret, PlaceOf(table, revision, kind), nonce);
}

// The start of a deal is stored in these parts:
// - the commitments of its two seeds;
// - the length of the encrypted seeds, two bytes, the high byte first;
// - the encrypted seeds;
// - the bytes of EncodeDealStart(), with zeros instead of the seeds.
StoredBody LogEncoder::Encode(TableId table, int revision, const EntryBody& body) const {
  if (const auto* dealt = std::get_if<DealStarted>(&body)) {
    dealing::DealStart open = *dealt->start;
    const DealSeed seed = std::exchange(open.provenance.seed, DealSeed{});
    const DealSeed next_seed = std::exchange(open.next_seed, DealSeed{});
    const std::string sealed =
        Seal(table, revision, kSealedDealKind, absl::StrCat(View(seed), View(next_seed)));
    const char length[kLengthBytes] = {static_cast<char>(sealed.size() >> 8),
                                       static_cast<char>(sealed.size() & 255)};
    return {kSealedDealKind,
            absl::StrCat(View(dealing::Commit(seed)), View(dealing::Commit(next_seed)),
                         absl::string_view(length, kLengthBytes), sealed,
                         dealing::EncodeDealStart(open))};
  }
  if (const auto* action = std::get_if<rules::Action>(&body);
      action != nullptr && action->kind == rules::Action::Kind::kDiscard) {
    return {kSealedDiscardKind,
            Seal(table, revision, kSealedDiscardKind, rules::EncodeAction(*action))};
  }
  return EncodeBody(body);
}

std::string LogEncoder::EncodeFirstSeed(TableId table, const DealSeed& seed) const {
  return absl::StrCat(View(dealing::Commit(seed)),
                      Seal(table, kFirstSeedRevision, kFirstSeedKind, View(seed)));
}

std::string EncodeRevealed(const RevealedDeal& deal) {
  return absl::StrCat(View(deal.seed), deal.discard ? rules::EncodeAction(*deal.discard) : "");
}

const RevealedDeals& LogDecoder::Revealed() {
  if (!known_) known_ = revealed_();
  return *known_;
}

std::optional<DealSeed> LogDecoder::RevealedSeed(int deal, const Commitment& commitment) {
  const auto found = Revealed().find(deal);
  if (found == Revealed().end() || found->second.size() < kSeedBytes) return std::nullopt;
  const auto seed = ArrayOf<DealSeed>(absl::string_view(found->second).substr(0, kSeedBytes));
  if (dealing::Commit(seed) != commitment) return std::nullopt;
  return seed;
}

absl::StatusOr<EntryBody> LogDecoder::Decode(int revision, int kind, absl::string_view payload) {
  if (kind == kSealedDealKind) return DecodeStart(revision, payload);
  if (kind == kSealedDiscardKind) return DecodeDiscard(revision, payload);
  std::optional<EntryBody> body = DecodeBody(kind, payload, log_.players, log_.first_deal + deals_);
  if (!body) return Malformed(revision);
  if (std::holds_alternative<DealStarted>(*body)) ++deals_;
  return *std::move(body);
}

absl::StatusOr<EntryBody> LogDecoder::DecodeStart(int revision, absl::string_view payload) {
  constexpr std::size_t kHeadBytes = 2 * kCommitmentBytes + kLengthBytes;
  if (payload.size() < kHeadBytes) return Malformed(revision);
  const auto commitment = ArrayOf<Commitment>(payload.substr(0, kCommitmentBytes));
  const auto next_commitment =
      ArrayOf<Commitment>(payload.substr(kCommitmentBytes, kCommitmentBytes));
  const std::size_t length = static_cast<std::uint8_t>(payload[kHeadBytes - 2]) * 256u +
                             static_cast<std::uint8_t>(payload[kHeadBytes - 1]);
  if (payload.size() < kHeadBytes + length) return Malformed(revision);
  const int deal = log_.first_deal + deals_++;
  std::optional<dealing::DealStart> start =
      dealing::DecodeDealStart(payload.substr(kHeadBytes + length), log_.players, deal);
  if (!start) return Malformed(revision);

  const absl::StatusOr<std::string> seeds = secrets_->Open(
      payload.substr(kHeadBytes, length), PlaceOf(log_.table, revision, kSealedDealKind));
  if (seeds.ok() && seeds->size() == 2 * kSeedBytes) {
    const absl::string_view both = *seeds;
    start->provenance.seed = ArrayOf<DealSeed>(both.substr(0, kSeedBytes));
    start->next_seed = ArrayOf<DealSeed>(both.substr(kSeedBytes));
  } else if (const auto seed = RevealedSeed(deal, commitment)) {
    const auto next_seed = RevealedSeed(deal + 1, next_commitment);
    if (!next_seed && !log_.ended) return seeds.status();
    start->provenance.seed = *seed;
    start->next_seed = next_seed.value_or(DealSeed{});
  } else {
    return seeds.ok() ? Malformed(revision) : seeds.status();
  }
  return DealStarted{std::make_shared<const dealing::DealStart>(*std::move(start))};
}

absl::StatusOr<EntryBody> LogDecoder::DecodeDiscard(int revision, absl::string_view payload) {
  absl::StatusOr<std::string> bytes =
      secrets_->Open(payload, PlaceOf(log_.table, revision, kSealedDiscardKind));
  if (!bytes.ok()) {
    const auto found = Revealed().find(log_.first_deal + deals_ - 1);
    if (found == Revealed().end() || found->second.size() <= kSeedBytes) return bytes.status();
    bytes = found->second.substr(kSeedBytes);
  }
  const std::optional<rules::Action> action = rules::DecodeAction(*bytes);
  if (!action) return Malformed(revision);
  return *action;
}

absl::StatusOr<DealSeed> LogDecoder::DecodeFirstSeed(absl::string_view bytes) {
  // The secrets of this entry were stored before the service had encryption.
  if (bytes.size() == kSeedBytes) return ArrayOf<DealSeed>(bytes);
  if (bytes.size() < kCommitmentBytes) return Malformed(kFirstSeedRevision);
  const absl::StatusOr<std::string> seed = secrets_->Open(
      bytes.substr(kCommitmentBytes), PlaceOf(log_.table, kFirstSeedRevision, kFirstSeedKind));
  if (seed.ok() && seed->size() == kSeedBytes) return ArrayOf<DealSeed>(*seed);
  const auto commitment = ArrayOf<Commitment>(bytes.substr(0, kCommitmentBytes));
  if (const auto revealed = RevealedSeed(1, commitment)) return *revealed;
  return seed.ok() ? Malformed(kFirstSeedRevision) : seed.status();
}

}  // namespace tarot::rules_service
