#include "tests/e2e/operator.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace tarot::e2e {

std::string Operator::Run(const std::string& command) {
  const std::string file = cluster_.directory() + "/operator.out";
  const int status = std::system(
      absl::StrCat("cd ", TAROT_BIN_DIR, " && ./", command, " >", file, " 2>&1").c_str());
  exit_code_ = WEXITSTATUS(status);
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string Operator::Admin(const std::string& words, const std::string& why) {
  return Run(absl::StrCat("tarotctl admin ", words, " --why '", why, "' --admin ",
                          cluster_.AddressOf("admin"), " --key ", cluster_.directory(),
                          "/operator.keys"));
}

}  // namespace tarot::e2e
