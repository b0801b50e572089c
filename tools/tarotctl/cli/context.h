// What every command works with.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/client/client.h"
#include "tools/tarotctl/cli/command_line.h"
#include "tools/tarotctl/cli/exit_code.h"
#include "tools/tarotctl/text/style.h"

namespace tarot::tarotctl {

class Context {
 public:
  struct World {
    std::ostream& out;  // Data.
    std::ostream& err;  // Messages.
    Clock& clock;
    Scheduler& scheduler;
    Entropy& entropy;
    bool out_is_terminal = false;
    bool err_is_terminal = false;
  };

  // `attempts_max`: how often a call is tried; long games are more patient than a list.
  Context(const World& world, CommandLine line, const Style& style, std::string gateway,
          int attempts_max);

  const CommandLine& line() const { return line_; }
  const Style& style() const { return style_; }
  bool json() const { return line_.Has("json"); }
  std::ostream& out() const { return world_.out; }
  std::ostream& err() const { return world_.err; }
  const World& world() const { return world_; }
  client::Client& client() { return client_; }

  // The player of this terminal, "players/…"; empty before SignIn.
  std::string me() const { return client_.session().player(); }

  // Uses the session kept from before, or makes a guest of that name and keeps it. A name that is
  // not the kept one's makes a new guest; an empty one takes whoever is kept. `fresh` ignores what
  // is kept.
  absl::Status SignIn(const std::string& name, bool fresh = false);

  // A call of the signed-in player. A token that the gateway does not know any more (its key is
  // gone, or it is another gateway) is replaced once by a new guest's, with a message.
  template <typename Service, typename Request, typename Response>
  absl::StatusOr<Response> Call(client::Method<Service, Request, Response> method,
                                const std::type_identity_t<Request>& request) {
    absl::StatusOr<Response> response = client_.Call(method, request);
    if (response.ok() || !absl::IsUnauthenticated(response.status())) return response;
    if (const absl::Status again = SignInAgain(); !again.ok()) return again;
    return client_.Call(method, request);
  }

  // Tells on err what could not be done, and answers the exit code.
  ExitCode Fail(const std::string& what, const absl::Status& status) const;

  // One message as JSON, on one line.
  void PrintJson(const google::protobuf::Message& message) const;

 private:
  absl::Status SignInAgain();

  const World world_;
  const CommandLine line_;
  const Style style_;
  const std::string gateway_;
  client::Client client_;
};

}  // namespace tarot::tarotctl
