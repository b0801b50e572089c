// Stores the session of the person at this terminal in a file that only this person can read.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tarot/gateway/v1/session_service.pb.h"

namespace tarot::tarotctl {

// Returns $TAROT_TOKEN_FILE, or $XDG_CONFIG_HOME/tarot/token, or ~/.config/tarot/token.
std::string TokenPath();

// Returns NOT_FOUND when there is none, and FAILED_PRECONDITION when it cannot be read.
absl::StatusOr<gateway::v1::Session> LoadSession(const std::string& path);

// Writes the file whole or not at all, with mode 0600. Makes the folders above it with mode 0700.
absl::Status SaveSession(const std::string& path, const gateway::v1::Session& session);

}  // namespace tarot::tarotctl
