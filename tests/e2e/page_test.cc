// Browsers play at a platform. The programs that drive the browsers are in
// services/gateway/web/test/browser.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

ClusterOptions Options(int deal_count) {
  return {
      .deal_count = deal_count,
      .rules_flags = {"--bot_delay=80ms", "--bots_only_delay=10ms", "--deal_pause=1s"},
      .gateway_flags = {absl::StrCat("--page_dir=", TAROT_PAGE_DIR)},
  };
}

// Runs a program of the browser and returns its exit status. A line "restart PROCESS" of its output
// kills the process and starts it again.
int RunProgram(Cluster& cluster, const std::string& program) {
  const std::string command = absl::StrCat("node ", TAROT_PAGE_WORK, "/browser/", program,
                                           " http://127.0.0.1:", cluster.page_port("gateway"));
  std::FILE* output = popen(command.c_str(), "r");
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    std::cout << line.data() << std::flush;
    absl::string_view text = line.data();
    if (absl::ConsumePrefix(&text, "restart ")) {
      const std::string process(absl::StripSuffix(text, "\n"));
      cluster.Kill(process, SIGKILL);
      cluster.Start(process);
    }
  }
  return WEXITSTATUS(pclose(output));
}

TEST(PageTest, APersonPlaysAWholeMatchByClicks) {
  Cluster cluster(Options(0));
  EXPECT_EQ(RunProgram(cluster, "match.mjs"), 0) << "The lines above say what the browser found.";
}

// `tools/dev browsers` runs this test, which takes minutes.
TEST(PageTest, DISABLED_PeoplePlayByMouseFingerAndKeyboard) {
  Cluster cluster(Options(1));
  EXPECT_EQ(RunProgram(cluster, "tables.mjs"), 0) << "The lines above say what the browsers found.";
}

TEST(PageTest, AMatchGoesOnAfterReloadsACutNetworkAndRestarts) {
  Cluster cluster(Options(0));
  EXPECT_EQ(RunProgram(cluster, "troubles.mjs"), 0)
      << "The lines above say what the browser found.";
}

TEST(PageTest, AGuestBecomesAnAccountAndRecoversIt) {
  Cluster cluster(Options(0));
  EXPECT_EQ(RunProgram(cluster, "accounts.mjs"), 0)
      << "The lines above say what the browser found.";
}

}  // namespace
}  // namespace tarot::e2e
