#include "tests/chaos/faulty_surroundings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"

namespace tarot::chaos {

FaultySurroundings::FaultySurroundings(Network* network) : network_(network) {
  char name[] = "/tmp/tarot-clocks-XXXXXX";
  TAROT_CHECK(mkdtemp(name) != nullptr);
  directory_ = name;
}

FaultySurroundings::~FaultySurroundings() { std::filesystem::remove_all(directory_); }

std::string FaultySurroundings::HostOf(const std::string& process) {
  return network_ == nullptr ? "127.0.0.1" : network_->HostOf(process);
}

std::string FaultySurroundings::GatewayListensAt(const std::string& process) {
  return network_ == nullptr ? HostOf(process) : "0.0.0.0";
}

void FaultySurroundings::Enter(const std::string& process) {
  if (network_ != nullptr) network_->Enter(process);
  const std::string file = ClockFile(process);
  if (!std::filesystem::exists(file)) SetClock(process, 0);
  setenv("LD_PRELOAD", TAROT_CLOCK_SHIM, 1);
  setenv("TAROT_CLOCK_FILE", file.c_str(), 1);
}

// `dsn` has the form: host=DIRECTORY user=U dbname=D
std::string FaultySurroundings::DsnOf(const std::string& dsn) {
  std::string directory, rest;
  for (const absl::string_view part : absl::StrSplit(dsn, ' ')) {
    absl::string_view value = part;
    if (absl::ConsumePrefix(&value, "host=")) {
      directory = std::string(value);
    } else {
      absl::StrAppend(&rest, " ", part);
    }
  }
  const std::string host = network_ == nullptr ? "127.0.0.1" : network_->own_host();
  proxy_ = std::make_unique<PgProxy>(host, directory + "/.s.PGSQL.5432");
  return absl::StrCat("host=", host, " port=", proxy_->port(), " sslmode=disable", rest);
}

std::string FaultySurroundings::ClockFile(const std::string& process) const {
  return absl::StrCat(directory_, "/", process);
}

void FaultySurroundings::SetClock(const std::string& process, std::int64_t offset_ns) {
  const int fd = open(ClockFile(process).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  TAROT_CHECK(fd >= 0 && pwrite(fd, &offset_ns, sizeof offset_ns, 0) == sizeof offset_ns);
  close(fd);
}

}  // namespace tarot::chaos
