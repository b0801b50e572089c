#include "libs/dealing/deal_start.h"

#include <algorithm>

#include "libs/base/check.h"
#include "libs/rules/match.h"

namespace tarot::dealing {
namespace {

constexpr int kNoTaker = 255;

void Append(const DealSeed& seed, std::string& out) { out.append(seed.begin(), seed.end()); }

// Reads bytes from the front of a text. After an attempt to read beyond the end, ok() stays false.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : rest_(bytes) {}

  absl::string_view Take(std::size_t size) {
    ok_ = ok_ && rest_.size() >= size;
    if (!ok_) return {};
    const absl::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  int Byte() {
    const absl::string_view byte = Take(1);
    return ok_ ? static_cast<std::uint8_t>(byte[0]) : 0;
  }
  void Seed(DealSeed& seed) {
    const absl::string_view bytes = Take(seed.size());
    if (ok_) std::copy(bytes.begin(), bytes.end(), seed.begin());
  }
  bool at_end() const { return rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  absl::string_view rest_;
  bool ok_ = true;
};

std::optional<rules::PackOrder> ReadPack(Reader& reader) {
  rules::PackOrder pack;
  rules::CardSet seen;
  for (rules::Card& card : pack) {
    const int number = reader.Byte();
    if (!reader.ok() || number >= rules::kCardCount) return std::nullopt;
    card = rules::CardAt(number);
    seen.Insert(card);
  }
  if (seen != rules::CardSet::All()) return std::nullopt;
  return pack;
}

std::optional<rules::PileSizes> ReadPiles(Reader& reader) {
  rules::PileSizes piles;
  while (!reader.at_end()) {
    const int packets = reader.Byte();
    const absl::string_view sizes = reader.Take(static_cast<std::size_t>(packets));
    if (!reader.ok()) return std::nullopt;
    piles.emplace_back(sizes.begin(), sizes.end());
  }
  if (!rules::HoldsWholePack(piles)) return std::nullopt;
  return piles;
}

std::optional<DealStart> DecodeSeedAlone(absl::string_view bytes, int players, int number) {
  DealStart start{.dealer = rules::DealerOf(players, number)};
  start.provenance.procedure = Procedure::kSeedAlone;
  std::copy(bytes.begin(), bytes.end(), start.provenance.seed.begin());
  return start;
}

}  // namespace

std::string EncodeDealStart(const DealStart& start) {
  const Provenance& from = start.provenance;
  TAROT_CHECK(from.procedure != Procedure::kSeedAlone);
  std::string out;
  out.push_back(static_cast<char>(from.procedure));
  out.push_back(static_cast<char>(start.dealer));
  out.push_back(static_cast<char>(start.taker == rules::kNoSeat ? kNoTaker : start.taker));
  Append(from.seed, out);
  Append(start.next_seed, out);
  for (const std::string& nonce : from.nonces) {
    out.push_back(static_cast<char>(nonce.size()));
    out.append(nonce);
  }
  if (!from.gathered) return out;
  for (const rules::Card card : *from.gathered) {
    out.push_back(static_cast<char>(rules::Index(card)));
  }
  for (const std::vector<std::uint8_t>& packets : from.piles) {
    out.push_back(static_cast<char>(packets.size()));
    out.append(packets.begin(), packets.end());
  }
  return out;
}

std::optional<DealStart> DecodeDealStart(absl::string_view bytes, int players, int number) {
  if (bytes.size() == DealSeed{}.size()) return DecodeSeedAlone(bytes, players, number);
  Reader reader(bytes);
  DealStart start;
  const int procedure = reader.Byte();
  start.provenance.procedure = static_cast<Procedure>(procedure);
  const bool drawn = start.provenance.procedure == Procedure::kDrawnGathering;
  if (!drawn && start.provenance.procedure != Procedure::kSeedAndNonces) return std::nullopt;
  start.dealer = reader.Byte();
  const int taker = reader.Byte();
  start.taker = taker == kNoTaker ? rules::kNoSeat : taker;
  reader.Seed(start.provenance.seed);
  reader.Seed(start.next_seed);
  for (std::string& nonce : start.provenance.nonces) {
    const int size = reader.Byte();
    if (size > static_cast<int>(kNonceBytesMax)) return std::nullopt;
    nonce = std::string(reader.Take(static_cast<std::size_t>(size)));
  }
  if (!reader.ok() || start.dealer >= players || start.taker >= players) return std::nullopt;
  if (reader.at_end()) return start;
  start.provenance.gathered = ReadPack(reader);
  if (!start.provenance.gathered) return std::nullopt;
  if (drawn) {
    std::optional<rules::PileSizes> piles = ReadPiles(reader);
    if (!piles) return std::nullopt;
    start.provenance.piles = *std::move(piles);
  }
  if (!reader.at_end()) return std::nullopt;
  return start;
}

}  // namespace tarot::dealing
