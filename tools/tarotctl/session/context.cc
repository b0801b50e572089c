#include "tools/tarotctl/session/context.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "tools/cli/program.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

// Refreshes a session that expires within this time, which is longer than any match.
constexpr absl::Duration kRefreshBefore = absl::Hours(6);

std::string DefaultName() {
  const char* user = std::getenv("USER");
  return user == nullptr || *user == '\0' ? "guest" : cli::Fit(user, 32);
}

// Returns true if `name` is `wanted`, or `wanted` with a number that the server has added.
bool IsNameOf(absl::string_view name, absl::string_view wanted) {
  if (!absl::ConsumePrefix(&name, wanted)) return false;
  return name.empty() || (absl::ConsumePrefix(&name, " ") && !name.empty() &&
                          name.find_first_not_of("0123456789") == absl::string_view::npos);
}

// Returns true if each address of the comma-separated list is HOST:PORT or https://HOST:PORT.
bool AreGateways(absl::string_view gateways) {
  for (absl::string_view gateway : absl::StrSplit(gateways, ',')) {
    absl::ConsumePrefix(&gateway, "https://");
    if (!rpc::IsTarget(gateway)) return false;
  }
  return true;
}

// Returns one channel for each gateway of the comma-separated list.
std::vector<std::shared_ptr<grpc::Channel>> Channels(const std::string& gateways) {
  std::vector<std::shared_ptr<grpc::Channel>> out;
  for (const std::string& gateway : std::vector<std::string>(absl::StrSplit(gateways, ','))) {
    out.push_back(rpc::MakeChannel(gateway));
  }
  return out;
}

// Returns advice for the person. The advice is empty if the message says enough.
std::string Advice(const absl::Status& status, const std::string& gateway) {
  const ErrorDetails details = GetErrorDetails(status);
  if (details.reason == "RATE_LIMITED") {
    const auto after = details.metadata.find("retry_after_seconds");
    return absl::StrCat("Wait ", after == details.metadata.end() ? "a few" : after->second,
                        " seconds and try again.");
  }
  if (details.reason == "NOT_RANKED") return "A place takes some ranked matches first.";
  if (details.reason == "MATCHES_MISSING") {
    return "Play a casual match first: tarotctl play --queue casual4 (bots fill the free seats).";
  }
  if (details.reason == "LEAVER_PENALTY") return "Casual queues stay open: tarotctl play";
  if (details.reason == "CODE_NOT_FOUND") {
    return "Ask the host for the code again, or see `tarotctl rooms`.";
  }
  if (details.reason == "ROOM_NOT_FOUND") {
    return "The room may have ended. See `tarotctl rooms`.";
  }
  if (details.reason == "REMOVED_FROM_ROOM") return "Ask the host for an invitation.";
  if (details.reason == "ROOM_FULL") return "See `tarotctl rooms`.";
  if (details.reason == "RULE_SET_NOT_FOUND") return "See `tarotctl rule-sets`.";
  if (details.reason == "SEATS_FREE") return "To fill them with bots: tarotctl bot all sociable";
  if (details.reason == "PLAYER_NOT_FOUND") {
    return "The player can become known with one call of `tarotctl rooms`, which also shows the "
           "id.";
  }
  if (details.reason == "BLOCKED")
    return "`tarotctl friends` shows your blocks. The other player may have blocked you.";
  if (details.reason == "REQUEST_NOT_FOUND") return "To ask the player: tarotctl friends request";
  switch (cli::ExitCodeFor(status)) {
    case cli::kUnreachable:
      return absl::StrCat("Nothing useful answers at ", gateway,
                          ". Start the platform with `tools/dev up`, or name its gateway with "
                          "--gateway HOST:PORT or TAROT_GATEWAY.");
    case cli::kNotSignedIn:
      return "Sign in again with `tarotctl play --name NAME`.";
    case cli::kNotFound:
      // An error without a reason is from tarotctl itself. Its message already has advice.
      return details.reason.empty()
                 ? ""
                 : "See `tarotctl tables`, `tarotctl rooms`, `tarotctl ladder` or `tarotctl "
                   "queues`.";
    default:
      return "";
  }
}

}  // namespace

Context::Context(const cli::Invocation& invocation, std::string gateway, int attempts_max)
    : invocation_(invocation),
      gateway_(std::move(gateway)),
      client_(Channels(gateway_), {.retry = {.attempts_max = attempts_max}},
              invocation.environment().scheduler, invocation.environment().entropy) {}

absl::Status Context::SignIn(const std::string& name, bool fresh) {
  TAROT_RETURN_IF_ERROR(UseSession(name, fresh));
  return KeepSession();
}

absl::Status Context::SignInUnkept(const std::string& name) {
  return UseSession(name, /*fresh=*/false);
}

absl::Status Context::KeepSession() {
  const std::optional<Unkept> unkept = std::exchange(unkept_, std::nullopt);
  if (!unkept) return absl::OkStatus();
  const std::string path = TokenPath();
  const std::optional<gateway::v1::Session>& before = unkept->before;
  if (before && ToTime(before->expire_time()) > environment().clock.Now()) {
    TAROT_RETURN_IF_ERROR(SetAside(*before, path, unkept->fresh));
  }
  return SaveSession(path, client_.session());
}

absl::Status Context::UseSession(const std::string& name, bool fresh) {
  const std::string path = TokenPath();
  const absl::StatusOr<gateway::v1::Session> kept = LoadSession(path);
  if (!fresh && kept.ok() && (name.empty() || IsNameOf(kept->display_name(), name))) {
    const absl::Time end = ToTime(kept->expire_time());
    const absl::Time now = environment().clock.Now();
    if (now < end) {
      client_.set_session(*kept);
      if (end - now > kRefreshBefore || !client_.RefreshSession().ok()) return absl::OkStatus();
      return SaveSession(path, client_.session());
    }
  }
  if (!kept.ok() && !absl::IsNotFound(kept.status())) return kept.status();
  const std::string kept_name = kept.ok() ? kept->display_name() : DefaultName();
  const std::string wanted = name.empty() ? kept_name : name;
  TAROT_RETURN_IF_ERROR(client_.SignInAsGuest(wanted));
  unkept_ = Unkept{.fresh = fresh};
  if (kept.ok()) unkept_->before = *kept;
  const std::string got = client_.session().display_name();
  if (got != wanted && IsNameOf(got, wanted)) {
    err() << "Another player has the name " << cli::Safe(wanted) << ": you are " << cli::Safe(got)
          << ".\n";
  }
  return absl::OkStatus();
}

absl::Status Context::Keep(const gateway::v1::Session& session) {
  const std::string path = TokenPath();
  const absl::StatusOr<gateway::v1::Session> kept = LoadSession(path);
  if (!kept.ok() && !absl::IsNotFound(kept.status())) return kept.status();
  if (kept.ok() && kept->player() != session.player() &&
      ToTime(kept->expire_time()) > environment().clock.Now()) {
    TAROT_RETURN_IF_ERROR(SetAside(*kept, path, false));
  }
  client_.set_session(session);
  return SaveSession(path, session);
}

absl::Status Context::SetAside(const gateway::v1::Session& session, const std::string& path,
                               bool refused) {
  const std::string id = session.player().substr(session.player().find('/') + 1);
  const std::string aside = absl::StrCat(path, ".", id);
  if (refused) {
    err() << "The old token stays in " << cli::Safe(aside)
          << ". If another gateway knows it: TAROT_TOKEN_FILE=" << cli::Safe(aside)
          << " tarotctl room --gateway HOST:PORT\n";
  } else {
    err() << "This terminal was " << cli::Safe(session.display_name())
          << " until now. To play on as this guest: TAROT_TOKEN_FILE=" << cli::Safe(aside)
          << " tarotctl room\n";
  }
  return SaveSession(aside, session);
}

absl::Status Context::SignInAgain() {
  const std::string name = client_.session().display_name();
  err() << "The gateway does not know your token any more: signing in as a new guest"
        << (name.empty() ? "" : absl::StrCat(" named ", cli::Safe(name))) << ".\n";
  return SignIn(name, true);
}

cli::ExitCode Context::Fail(const std::string& what, const absl::Status& status) const {
  err() << ErrorText(what, status, gateway_);
  return cli::ExitCodeFor(status);
}

cli::ExitCode Context::FailScript() const {
  err() << "tarotctl: cannot read the script " << cli::Safe(line().Get("script")) << ": "
        << std::strerror(errno) << "\n";
  return cli::kUsage;
}

void Context::PrintJson(const google::protobuf::Message& message) const {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  if (google::protobuf::util::MessageToJsonString(message, &text, options).ok()) {
    out() << text << std::endl;
  }
}

std::string ErrorText(const std::string& what, const absl::Status& status,
                      const std::string& gateway) {
  const std::string reason = GetErrorDetails(status).reason;
  const std::string message = cli::Safe({status.message().data(), status.message().size()});
  std::string out =
      absl::StrCat("tarotctl: cannot ", what, ": ",
                   message.empty() ? absl::StatusCodeToString(status.code()) : message,
                   reason.empty() ? "" : absl::StrCat(" (", reason, ")"), "\n");
  const std::string advice = Advice(status, gateway);
  if (!advice.empty()) absl::StrAppend(&out, advice, "\n");
  // An operator finds the call's log lines by its trace. A refusal has a reason, so its message
  // needs no trace.
  if (const std::string trace = client::TraceOf(status); reason.empty() && !trace.empty()) {
    absl::StrAppend(&out, "The call's trace is ", trace, ".\n");
  }
  return out;
}

std::function<cli::ExitCode(const cli::Invocation&)> WithClient(cli::ExitCode (*run)(Context&),
                                                                int attempts_max) {
  return [run, attempts_max](const cli::Invocation& invocation) {
    const char* const env = std::getenv("TAROT_GATEWAY");
    const std::string gateway =
        invocation.line().Get("gateway", env == nullptr || *env == '\0' ? kDefaultGateway : env);
    if (!AreGateways(gateway)) {
      return invocation.Fail(
          absl::StrCat("--gateway, or TAROT_GATEWAY, takes [https://]HOST:PORT[,...], not '",
                       cli::Safe(gateway), "'"),
          cli::kUsage);
    }
    const char* const authorities = std::getenv("SSL_CERT_FILE");
    if (absl::StrContains(gateway, "https://") && authorities != nullptr &&
        !std::ifstream(authorities)) {
      return invocation.Fail(
          absl::StrCat("SSL_CERT_FILE names '", cli::Safe(authorities), "', which cannot be read"),
          cli::kUsage);
    }
    Context context(invocation, gateway, attempts_max);
    return run(context);
  };
}

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
    // Errors are ignored: if a folder is missing, the program cannot open the file and reports
    // this.
    mkdir(path.substr(0, at).c_str(), 0700);
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

absl::Status RemoveSession(const std::string& path) {
  return unlink(path.c_str()) == 0 ? absl::OkStatus() : CannotWrite(path);
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
