// The short form of a game day (tools/dev gameday): the alerts of two faults reach a receiver
// through Prometheus and Alertmanager.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

using testing::HasSubstr;

class AlertsTest : public testing::Test {
 protected:
  // Runs alerts_heard.py, stores its output in `said_`, and returns whether it succeeded.
  bool Heard(const std::string& flags = "") {
    const std::string folder = absl::StrCat(cluster_.directory(), "/alerts", ++runs_);
    std::string command =
        absl::StrCat("python3 -B ", TAROT_SOURCE_DIR,
                     "/tests/e2e/alerts_heard.py --folder=", folder, " --port=", FreePorts(3),
                     " --bot_pid=", cluster_.pids().at("bot"), " ", flags, " --metrics");
    for (const char* service : {"gateway", "rules", "matchmaking", "bot", "ratings"}) {
      absl::StrAppend(&command, " ", service, "=", cluster_.metrics_port(service));
    }
    const std::string log = folder + ".txt";
    const bool heard = std::system(absl::StrCat(command, " >", log, " 2>&1").c_str()) == 0;
    std::ifstream file(log);
    said_.assign(std::istreambuf_iterator<char>(file), {});
    return heard;
  }

  Cluster cluster_{{.population = 0}};
  std::string said_;
  int runs_ = 0;
};

TEST_F(AlertsTest, FaultsAreHeardUnlessTheirAlertIsMissing) {
  EXPECT_TRUE(Heard()) << said_;
  EXPECT_FALSE(Heard("--without=TarotServiceDown"));
  EXPECT_THAT(said_, HasSubstr("the bot service is frozen: TarotServiceDown not heard"));
}

}  // namespace
}  // namespace tarot::e2e
