#include "tools/tarotctl/cli/context.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/status_macros.h"
#include "libs/rpc/channel.h"
#include "tools/tarotctl/cli/token_store.h"
#include "tools/tarotctl/text/columns.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

constexpr absl::Duration kRefreshBefore = absl::Hours(6);  // A long match fits in what is left.

std::string DefaultName() {
  const char* user = std::getenv("USER");
  return user == nullptr || *user == '\0' ? "guest" : Fit(user, 32);
}

// One a gateway of the comma list.
std::vector<std::shared_ptr<grpc::Channel>> Channels(const std::string& gateways) {
  std::vector<std::shared_ptr<grpc::Channel>> out;
  for (const std::string& gateway : std::vector<std::string>(absl::StrSplit(gateways, ','))) {
    out.push_back(rpc::MakeChannel(gateway));
  }
  return out;
}

}  // namespace

Context::Context(const World& world, CommandLine line, const Style& style, std::string gateway,
                 int attempts_max)
    : world_(world),
      line_(std::move(line)),
      style_(style),
      gateway_(std::move(gateway)),
      client_(Channels(gateway_), {.retry = {.attempts_max = attempts_max}}, world.scheduler,
              world.entropy) {}

absl::Status Context::SignIn(const std::string& name, bool fresh) {
  const std::string path = TokenPath();
  const absl::StatusOr<gateway::v1::Session> kept = LoadSession(path);
  if (!fresh && kept.ok() && (name.empty() || name == kept->display_name())) {
    const absl::Time end = ToTime(kept->expire_time());
    const absl::Time now = world_.clock.Now();
    if (now < end) {
      client_.set_session(*kept);
      if (end - now > kRefreshBefore || !client_.RefreshSession().ok()) return absl::OkStatus();
      return SaveSession(path, client_.session());
    }
  }
  if (!kept.ok() && !absl::IsNotFound(kept.status())) return kept.status();
  const std::string kept_name = kept.ok() ? kept->display_name() : DefaultName();
  TAROT_RETURN_IF_ERROR(client_.SignInAsGuest(name.empty() ? kept_name : name));
  return SaveSession(path, client_.session());
}

absl::Status Context::SignInAgain() {
  const std::string name = client_.session().display_name();
  world_.err << "The gateway no longer knows your token: signing in as a new guest"
             << (name.empty() ? "" : absl::StrCat(" named ", Safe(name))) << ".\n";
  return SignIn(name, true);
}

ExitCode Context::Fail(const std::string& what, const absl::Status& status) const {
  world_.err << ErrorText(what, status, gateway_);
  return ExitCodeFor(status);
}

void Context::PrintJson(const google::protobuf::Message& message) const {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  if (google::protobuf::util::MessageToJsonString(message, &text, options).ok()) {
    world_.out << text << std::endl;
  }
}

}  // namespace tarot::tarotctl
