// Measures the audit of stored records on one core: decode, replay, check and score. Prints figures
// as a JSON list, each the median of five runs by CPU time. `tools/dev bench rules` adds them to
// its own.
#include <ctime>
#include <functional>

#include "libs/notation/audit.h"
#include "libs/notation/random_records.h"
#include "libs/notation/record_bytes.h"
#include "tests/bench/figures.h"

namespace tarot::notation {
namespace {

constexpr int kRuns = 5;
constexpr std::size_t kRecords = 512;
constexpr double kRunSeconds = 0.4;

// Deals of four under `fft`, played to the end. Redeals are left out, because their audit costs
// nothing.
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

int Main() {
  const std::vector<std::string> bare = Records(false);
  const std::vector<std::string> seeded = Records(true);
  double size = 0;
  for (const std::string& bytes : bare) size += static_cast<double>(bytes.size()) / kRecords;
  std::vector<double> audits, seeded_audits, decodes;
  for (int run = 0; run < kRuns; ++run) {
    audits.push_back(PerSecond(bare, Sound));
    seeded_audits.push_back(PerSecond(seeded, Sound));
    decodes.push_back(PerSecond(bare, [](absl::string_view b) { return DecodeRecord(b).ok(); }));
    std::fprintf(stderr, "run %d: audit_records_per_s %.0f, with seeds %.0f\n", run + 1,
                 audits.back(), seeded_audits.back());
  }
  bench::Figures figures;
  figures.Add("audit_records_per_s", bench::Quantile(audits, 0.5), "1/s");
  figures.Add("audit_records_per_s/with_seed", bench::Quantile(seeded_audits, 0.5), "1/s");
  figures.Add("audit_records_per_s/decode_alone", bench::Quantile(decodes, 0.5), "1/s");
  figures.Add("record_bytes", size, "B");
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::notation

int main() { return tarot::notation::Main(); }
