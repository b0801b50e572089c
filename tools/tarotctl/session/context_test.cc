#include "tools/tarotctl/session/context.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"

namespace tarot::tarotctl {
namespace {

TEST(ErrorTextTest, SaysWhatFailedWhyAndWhatToDo) {
  EXPECT_EQ(ErrorText("list the tables", absl::UnavailableError("connection refused"), "h:1"),
            "tarotctl: cannot list the tables: connection refused\n"
            "Nothing useful answers at h:1. Start the platform with `tools/dev up`, or name its "
            "gateway with --gateway HOST:PORT or TAROT_GATEWAY.\n");
  const absl::Status limited = Error(absl::StatusCode::kResourceExhausted, "RATE_LIMITED",
                                     "too\x1b many", {{"retry_after_seconds", "7"}});
  EXPECT_EQ(ErrorText("play", limited, ""),
            "tarotctl: cannot play: too? many (RATE_LIMITED)\nWait 7 seconds and try again.\n");
}

TEST(TokenStoreTest, KeepsTheSessionForItsOwnerOnly) {
  const std::string path = absl::StrCat(testing::TempDir(), "/tarotctl_test/a/token");
  EXPECT_TRUE(absl::IsNotFound(LoadSession(path + ".none").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(LoadSession(testing::TempDir()).status()));
  gateway::v1::Session session;
  session.set_player("players/x");
  session.set_token("secret");
  ASSERT_TRUE(SaveSession(path, session).ok());
  ASSERT_TRUE(SaveSession(path, session).ok());  // This overwrites the old session.
  EXPECT_EQ(LoadSession(path)->token(), "secret");
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);

  EXPECT_TRUE(RemoveSession(path).ok());
  EXPECT_TRUE(absl::IsNotFound(LoadSession(path).status()));
  EXPECT_FALSE(RemoveSession(path).ok());

  std::ofstream(path) << "nonsense";
  EXPECT_TRUE(absl::IsFailedPrecondition(LoadSession(path).status()));
}

TEST(TokenStoreTest, TakesThePathFromTheEnvironment) {
  setenv("TAROT_TOKEN_FILE", "", 1);
  setenv("XDG_CONFIG_HOME", "", 1);
  setenv("HOME", "/home/ada", 1);
  EXPECT_EQ(TokenPath(), "/home/ada/.config/tarot/token");
  setenv("XDG_CONFIG_HOME", "/xdg", 1);
  EXPECT_EQ(TokenPath(), "/xdg/tarot/token");
  setenv("TAROT_TOKEN_FILE", "/t", 1);
  EXPECT_EQ(TokenPath(), "/t");
}

}  // namespace
}  // namespace tarot::tarotctl
