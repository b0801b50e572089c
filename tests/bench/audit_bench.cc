// Measures the audit of stored records on one core: decode, replay, check and score. For comparison
// it measures a plain audit, which checks the cards one by one (libs/rules/testing/naive_rules.h).
// Prints figures as a JSON list. Speeds are per second of CPU time, each the median of five runs.
// `tools/dev bench rules` adds these figures to its own list.
#include <ctime>
#include <functional>

#include "libs/notation/prove.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/testing/random_records.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/testing/naive_rules.h"
#include "tests/bench/figures.h"

namespace tarot::notation {
namespace {

constexpr int kRuns = 5;
constexpr std::size_t kRecords = 512;
constexpr double kRunSeconds = 0.4;

// Makes deals of four players under `fft`, played to the end. Leaves out deals that all players
// passed, because their audit costs almost nothing.
std::vector<std::string> Records(bool seeds) {
  Rng rng(1);
  std::vector<std::string> all;
  while (all.size() < kRecords) {
    Record record = RandomRecord(*rules::FindRuleSet("fft"), 4, rng);
    if (record.entries.size() < 76) continue;
    record.tags.clear();
    if (!seeds) {
      record.seed.reset();
      record.commitment.reset();
    }
    all.push_back(*EncodeRecord(record));
  }
  return all;
}

double PerSecond(const std::vector<std::string>& records,
                 const std::function<bool(absl::string_view)>& sound) {
  const auto seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double start = seconds();
  double done = 0;
  do {
    for (const std::string& bytes : records) TAROT_CHECK(sound(bytes));
    done += static_cast<double>(records.size());
  } while (seconds() - start < kRunSeconds);
  return done / (seconds() - start);
}

bool Sound(absl::string_view bytes) {
  const auto document = DecodeRecord(bytes);
  return document.ok() && Untruth(*document).empty();
}

// Replays the record with a plain engine, which checks the cards one by one. Returns whether the
// record is correct.
bool PlainlySound(absl::string_view bytes) {
  const auto document = DecodeRecord(bytes);
  if (!document.ok()) return false;
  const Record& record = document->record;
  rules::Deal deal = rules::StartDeal(*rules::ParseRuleSet(record.rule_set), record.players,
                                      record.Dealer(), record.hands, record.dog);
  for (const Entry& entry : record.entries) {
    const bool play = entry.action.kind == rules::Action::Kind::kPlay;
    if (play && !rules::naive::MayPlay(deal, entry.action.card)) return false;
    if (!rules::Apply(deal, entry.seat, entry.action).ok()) return false;
  }
  return document->claims.scores.value_or(deal.result.scores) == deal.result.scores;
}

int Main() {
  const std::vector<std::string> bare = Records(false);
  const std::vector<std::string> seeded = Records(true);
  double size = 0;
  for (const std::string& bytes : bare) size += static_cast<double>(bytes.size()) / kRecords;
  std::vector<double> audits, plain_audits, seeded_audits, decodes;
  for (int run = 0; run < kRuns; ++run) {
    audits.push_back(PerSecond(bare, Sound));
    plain_audits.push_back(PerSecond(bare, PlainlySound));
    seeded_audits.push_back(PerSecond(seeded, Sound));
    decodes.push_back(PerSecond(bare, [](absl::string_view b) { return DecodeRecord(b).ok(); }));
    std::fprintf(stderr, "run %d: audit_records_per_s %.0f, with seeds %.0f\n", run + 1,
                 audits.back(), seeded_audits.back());
  }
  bench::Figures figures;
  const double audit = bench::Quantile(audits, 0.5);
  const double plain = bench::Quantile(plain_audits, 0.5);
  figures.Add("audit_records_per_s", audit, "1/s");
  figures.Add("audit_records_per_s/plain", plain, "1/s");
  figures.Add("audit_records_per_s/ratio_to_plain", audit / plain, "1");
  figures.Add("audit_records_per_s/with_seed", bench::Quantile(seeded_audits, 0.5), "1/s");
  figures.Add("audit_records_per_s/decode_alone", bench::Quantile(decodes, 0.5), "1/s");
  figures.Add("record_bytes", size, "B");
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::notation

int main() { return tarot::notation::Main(); }
