#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunSignOut(Context& context) {
  const absl::StatusOr<gateway::v1::Session> kept = LoadSession(TokenPath());
  if (!kept.ok()) {
    context.err() << "tarotctl: you are not signed in: " << kept.status().message() << "\n";
    return cli::kNotSignedIn;
  }
  context.client().set_session(*kept);
  gateway::v1::SignOutRequest request;
  request.set_everywhere(context.line().Has("everywhere"));
  const auto response = context.client().Call(&client::Sessions::SignOut, request);
  // UNAUTHENTICATED means that the token no longer works. For example, an earlier sign-out has
  // revoked it, but the answer was lost.
  if (!response.ok() && !absl::IsUnauthenticated(response.status())) {
    return context.Fail("sign out", response.status());
  }
  if (const absl::Status status = RemoveSession(TokenPath()); !status.ok()) {
    return context.Fail("remove the token", status);
  }
  if (context.json()) {
    context.out() << "{}\n";
  } else if (request.everywhere() && !response.ok()) {
    context.out() << "The token of this terminal was not valid any more and is removed. "
                     "Other tokens of the player were not revoked.\n";
  } else {
    context.out() << "Signed out " << cli::Safe(kept->display_name())
                  << (request.everywhere() ? " everywhere.\n" : ".\n");
  }
  return cli::kOk;
}

}  // namespace

cli::Command SignOutCommand() {
  return {.name = "sign-out",
          .usage = "sign-out [--everywhere]",
          .summary = "revoke the token of this terminal and remove it",
          .help =
              "  tarotctl sign-out               this terminal only\n"
              "  tarotctl sign-out --everywhere  all tokens of this player, also stolen ones\n"
              "\n"
              "A guest has no passphrase. After the last sign-out, the guest is lost for ever.\n"
              "`tarotctl register` makes an account of the guest.\n",
          .options = {{"everywhere", false}, {"json", false}},
          .run = WithClient(RunSignOut)};
}

}  // namespace tarot::tarotctl
