// Tests that a browser plays a whole match on the page by clicks.
// services/gateway/web/test/browser/match.ts steers the browser.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

TEST(PageTest, APersonPlaysAWholeMatchByClicks) {
  Cluster cluster({
      .rules_flags = {"--bot_delay=80ms", "--bots_only_delay=10ms", "--deal_pause=1s"},
      .gateway_flags = {absl::StrCat("--page_dir=", TAROT_PAGE_DIR)},
  });
  const int status = std::system(absl::StrCat("node ", TAROT_PAGE_WORK, "/browser/match.mjs ",
                                              "http://127.0.0.1:", cluster.page_port("gateway"))
                                     .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << "The lines above say what the browser found.";
}

}  // namespace
}  // namespace tarot::e2e
