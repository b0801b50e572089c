#include "libs/testkit/golden.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/str_split.h"

namespace tarot::testkit {
namespace {

testing::AssertionResult FirstDifference(const std::string& path, const std::string& golden,
                                         const std::string& actual) {
  const std::vector<std::string> want = absl::StrSplit(golden, '\n');
  const std::vector<std::string> got = absl::StrSplit(actual, '\n');
  std::size_t line = 0;
  while (line < want.size() && line < got.size() && want[line] == got[line]) ++line;
  return testing::AssertionFailure()
         << path << ":" << line + 1
         << ": golden file differs\n  golden: " << (line < want.size() ? want[line] : "(the end)")
         << "\n  actual: " << (line < got.size() ? got[line] : "(the end)")
         << "\nIf the change is meant, run again with TAROT_UPDATE_GOLDEN=1 and review the diff.";
}

}  // namespace

testing::AssertionResult MatchesGolden(const std::string& path, const std::string& actual) {
  const char* update = std::getenv("TAROT_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream out(path, std::ios::binary);
    out << actual << std::flush;
    if (!out) return testing::AssertionFailure() << "cannot write " << path;
    return testing::AssertionSuccess();
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return testing::AssertionFailure()
           << "no golden file " << path << "; make it with TAROT_UPDATE_GOLDEN=1";
  }
  const std::string golden{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (golden == actual) return testing::AssertionSuccess();
  return FirstDifference(path, golden, actual);
}

}  // namespace tarot::testkit
