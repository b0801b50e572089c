// Runs whole commands against a fake platform on the loopback.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/testing/fake_platform.h"

namespace tarot::tarotctl {

class CommandFixture : public testing::Test {
 protected:
  CommandFixture() {
    token_file_ = absl::StrCat(testing::TempDir(), "/command_token.", getpid());
    unlink(token_file_.c_str());
    setenv("TAROT_TOKEN_FILE", token_file_.c_str(), 1);
  }
  ~CommandFixture() override { unlink(token_file_.c_str()); }

  // Runs a command and returns its exit code.
  int Command(std::vector<std::string> args) {
    args.insert(args.begin() + 1, {"--gateway", platform_.address()});
    return cli::Run(
        Tarotctl(), args,
        {.out = out_, .err = err_, .clock = clock_, .scheduler = scheduler_, .entropy = entropy_});
  }

  // Returns the path of a file with `text`.
  std::string Script(const std::string& text) {
    const std::string path = absl::StrCat(testing::TempDir(), "/command_script.", getpid());
    std::ofstream(path) << text;
    return path;
  }

  RealClock clock_;
  RealScheduler scheduler_;
  SeededEntropy entropy_{1};
  FakePlatform platform_;
  std::string token_file_;
  std::ostringstream out_, err_;
};

// A terminal on which a test types.
class Keyboard {
 public:
  Keyboard() : fd_(posix_openpt(O_RDWR | O_NOCTTY)) {
    TAROT_CHECK(fd_ >= 0 && grantpt(fd_) == 0 && unlockpt(fd_) == 0);
  }
  ~Keyboard() { close(fd_); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  void Type(const std::string& keys) {
    TAROT_CHECK(write(fd_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  std::string path() const { return ptsname(fd_); }

 private:
  const int fd_;
};

}  // namespace tarot::tarotctl
