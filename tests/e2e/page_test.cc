// Browsers play at a platform. The programs that drive the browsers are in
// services/gateway/web/test/browser.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

ClusterOptions Options() {
  return {
      .rules_flags = {"--bot_delay=80ms", "--bots_only_delay=10ms", "--deal_pause=1s"},
      .gateway_flags = {absl::StrCat("--page_dir=", TAROT_PAGE_DIR)},
  };
}

// Runs a program that drives a browser, and returns its exit status.
int RunProgram(Cluster& cluster, const std::string& program) {
  return WEXITSTATUS(std::system(absl::StrCat("node ", TAROT_PAGE_WORK, "/browser/", program,
                                              " http://127.0.0.1:", cluster.page_port("gateway"))
                                     .c_str()));
}

TEST(PageTest, APersonPlaysAWholeMatchByClicks) {
  Cluster cluster(Options());
  EXPECT_EQ(RunProgram(cluster, "match.mjs"), 0) << "The lines above say what the browser found.";
}

TEST(PageTest, AGuestBecomesAnAccountAndRecoversIt) {
  Cluster cluster(Options());
  EXPECT_EQ(RunProgram(cluster, "accounts.mjs"), 0)
      << "The lines above say what the browser found.";
}

}  // namespace
}  // namespace tarot::e2e
