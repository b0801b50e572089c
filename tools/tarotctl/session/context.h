// The session of the person at this terminal, and the connection to the gateway, for the commands
// of tarotctl.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "libs/client/client.h"
#include "tarot/gateway/v1/session_service.pb.h"
#include "tools/cli/program.h"

namespace tarot::tarotctl {

class Context {
 public:
  // `gateway` is HOST:PORT[,...]; https:// before HOST means TLS. `attempts_max` is the maximum
  // number of attempts of a call.
  Context(const cli::Invocation& invocation, std::string gateway, int attempts_max);

  const cli::CommandLine& line() const { return invocation_.line(); }
  const cli::TextStyle& style() const { return invocation_.style(); }
  bool json() const { return invocation_.json(); }
  std::ostream& out() const { return invocation_.out(); }
  std::ostream& err() const { return invocation_.err(); }
  const cli::Environment& environment() const { return invocation_.environment(); }
  const cli::Invocation& invocation() const { return invocation_; }
  client::Client& client() { return client_; }

  // Returns the player of this terminal, "players/…". Before SignIn, returns an empty text.
  std::string me() const { return client_.session().player(); }

  // Normally uses the session in the session file. This session must not have expired, and its
  // player must have the name `name`. An empty `name` fits every player. A number that the server
  // has added to the player's name does not count. If there is no such session, creates a guest
  // named `name` and keeps the guest's session. If `name` is empty, the guest gets the name of the
  // session in the file, or a default name. If the session in the file has not expired, it moves to
  // another file.
  //
  // With `fresh`, always creates a guest, because the gateway refused the kept token. Fails if
  // LoadSession() cannot read an existing session file.
  absl::Status SignIn(const std::string& name, bool fresh = false);

  // Does the same as SignIn, but does not keep the session of a new guest. If the next step
  // succeeds, call KeepSession(). If it fails, for example because of a wrong code, the file still
  // has the session from before.
  absl::Status SignInUnkept(const std::string& name);
  // Keeps the session of a guest that SignInUnkept() has created. If it has created none, does
  // nothing.
  absl::Status KeepSession();

  // Uses `session` from now on and keeps it. If the kept session of another player has not expired,
  // it moves to a file of its own, as in SignIn.
  absl::Status Keep(const gateway::v1::Session& session);

  // Makes a call as the signed-in player and returns the answer. If the gateway rejects the token,
  // this function signs in once as a new guest, says so on err and repeats the call. A gateway
  // rejects a token if the gateway has a new key, or if the token is from another gateway.
  template <typename Service, typename Request, typename Response>
  absl::StatusOr<Response> Call(client::Method<Service, Request, Response> method,
                                const std::type_identity_t<Request>& request) {
    absl::StatusOr<Response> response = client_.Call(method, request);
    if (response.ok() || !absl::IsUnauthenticated(response.status())) return response;
    if (const absl::Status again = SignInAgain(); !again.ok()) return again;
    return client_.Call(method, request);
  }

  // Writes to err what failed, why, and what the person can do. Returns the exit code.
  cli::ExitCode Fail(const std::string& what, const absl::Status& status) const;

  // Writes to err that the file of --script cannot be read, with the reason in `errno`. Returns the
  // exit code.
  cli::ExitCode FailScript() const;

  // Prints one message to out() as JSON, on one line.
  void PrintJson(const google::protobuf::Message& message) const;

 private:
  // A guest whose session is not in the file yet.
  struct Unkept {
    std::optional<gateway::v1::Session> before = std::nullopt;  // The session in the file.
    bool fresh = false;
  };

  absl::Status SignInAgain();
  // Uses the session in the file, or creates a guest and sets `unkept_`.
  absl::Status UseSession(const std::string& name, bool fresh);
  // Moves the session of another guest to a file of its own beside `path`, and says so on err. So
  // the person can return to the old guest, who may sit in a room or at a table. If the gateway
  // refused the token, `refused` is true; another gateway may still accept the token.
  absl::Status SetAside(const gateway::v1::Session& session, const std::string& path, bool refused);

  const cli::Invocation invocation_;
  const std::string gateway_;
  client::Client client_;
  std::optional<Unkept> unkept_;
};

// Returns a text such as "cannot list the tables: …" with advice, on up to two lines. `what` is the
// part after "cannot", for example "list the tables".
std::string ErrorText(const std::string& what, const absl::Status& status,
                      const std::string& gateway);

// Returns a function for cli::Command that calls `run`. The gateway comes from --gateway,
// $TAROT_GATEWAY or kDefaultGateway. `attempts_max` is the maximum number of attempts of each call
// while the gateway does not answer.
std::function<cli::ExitCode(const cli::Invocation&)> WithClient(cli::ExitCode (*run)(Context&),
                                                                int attempts_max = 4);

inline constexpr char kDefaultGateway[] = "127.0.0.1:7100";

// Returns the path of the session file: $TAROT_TOKEN_FILE, or $XDG_CONFIG_HOME/tarot/token, or
// ~/.config/tarot/token.
std::string TokenPath();

// Reads the session file. Returns NOT_FOUND when there is none, and FAILED_PRECONDITION when it
// cannot be read or contains no session.
absl::StatusOr<gateway::v1::Session> LoadSession(const std::string& path);

// Removes the session file.
absl::Status RemoveSession(const std::string& path);

// Writes the session file with mode 0600, and makes the folders above it with mode 0700. If this
// fails, the old file stays as it was.
absl::Status SaveSession(const std::string& path, const gateway::v1::Session& session);

}  // namespace tarot::tarotctl
