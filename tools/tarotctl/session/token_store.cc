#include "tools/tarotctl/session/token_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "tools/cli/read_file.h"

namespace tarot::tarotctl {
namespace {

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::Status CannotWrite(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

void MakeFoldersAbove(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0700);  // If this fails, opening the file fails later.
  }
}

}  // namespace

std::string TokenPath() {
  if (const std::string path = Env("TAROT_TOKEN_FILE"); !path.empty()) return path;
  if (const std::string config = Env("XDG_CONFIG_HOME"); !config.empty()) {
    return config + "/tarot/token";
  }
  return Env("HOME") + "/.config/tarot/token";
}

absl::StatusOr<gateway::v1::Session> LoadSession(const std::string& path) {
  const absl::StatusOr<std::string> text = cli::ReadFile(path);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat("there is no ", path));
  }
  if (!text.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(path, " ", text.status().message()));
  }
  gateway::v1::Session session;
  if (!google::protobuf::util::JsonStringToMessage(*text, &session).ok() ||
      session.token().empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " holds no session; remove it to sign in as a new guest"));
  }
  return session;
}

absl::Status SaveSession(const std::string& path, const gateway::v1::Session& session) {
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(session, &text).ok()) {
    return absl::InternalError("the session cannot be written as JSON");
  }
  text += "\n";
  MakeFoldersAbove(path);
  const std::string draft = absl::StrCat(path, ".", getpid());
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return CannotWrite(draft);
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) != 0 || !written || rename(draft.c_str(), path.c_str()) != 0) {
    const absl::Status status = CannotWrite(path);
    unlink(draft.c_str());
    return status;
  }
  return absl::OkStatus();
}

}  // namespace tarot::tarotctl
