// The commands about accounts: register, login and recover. A passphrase comes from the terminal,
// without echo, or from a file. It never comes from the command line, because other users of the
// machine can read command lines.
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

// While an object of this class exists, the terminal does not show what is typed.
class WithoutEcho {
 public:
  explicit WithoutEcho(int fd) : fd_(fd), is_terminal_(tcgetattr(fd, &before_) == 0) {
    if (!is_terminal_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    tcsetattr(fd_, TCSAFLUSH, &quiet);
  }
  ~WithoutEcho() {
    if (is_terminal_) tcsetattr(fd_, TCSAFLUSH, &before_);
  }

 private:
  const int fd_;
  termios before_{};
  const bool is_terminal_;
};

absl::StatusOr<std::string> AskTerminal(Context& context, const std::string& what) {
  const int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (fd < 0) return absl::FailedPreconditionError("there is no terminal; name a file instead");
  const std::string prompt = absl::StrCat(what, ": ");
  std::string text;
  bool ended = write(fd, prompt.data(), prompt.size()) < 0;
  {
    const WithoutEcho quiet(fd);
    for (char c = 0; !ended && c != '\n';) {
      ended = read(fd, &c, 1) != 1;
      if (!ended && c != '\n') text += c;
    }
  }
  close(fd);
  context.err() << "\n";
  if (ended) return absl::CancelledError("no line was typed");
  return text;
}

// Returns the first line of the file that the option names. Without the option, asks the person.
absl::StatusOr<std::string> Secret(Context& context, const std::string& option,
                                   const std::string& what) {
  const std::string path = context.line().Get(option);
  if (path.empty()) return AskTerminal(context, what);
  TAROT_ASSIGN_OR_RETURN(const std::string text, cli::ReadFile(path));
  const std::vector<std::string> lines = absl::StrSplit(text, absl::MaxSplits('\n', 1));
  return lines[0];
}

// Like Secret(), for a new passphrase. At a terminal, the person types it twice.
absl::StatusOr<std::string> NewPassphrase(Context& context) {
  TAROT_ASSIGN_OR_RETURN(std::string first, Secret(context, "passphrase-file", "New passphrase"));
  if (!context.line().Get("passphrase-file").empty()) return first;
  TAROT_ASSIGN_OR_RETURN(const std::string second, AskTerminal(context, "The same again"));
  if (first != second) return absl::InvalidArgumentError("the two passphrases differ");
  return first;
}

void ShowCode(Context& context, const std::string& code) {
  context.out() << "Recovery code: " << cli::Safe(code) << "\n";
  context.err() << "Write the code down: it sets a new passphrase, and is shown only now.\n";
}

cli::ExitCode Keep(Context& context, const gateway::v1::Session& session) {
  if (const absl::Status status = context.Keep(session); !status.ok()) {
    return context.Fail("keep the token", status);
  }
  context.out() << "Signed in as " << cli::Safe(session.display_name()) << ".\n";
  return cli::kOk;
}

cli::ExitCode RunRegister(Context& context) {
  const std::string& name = context.line().words[0];
  const absl::StatusOr<std::string> passphrase = NewPassphrase(context);
  if (!passphrase.ok()) return context.Fail("read the passphrase", passphrase.status());
  // The player of this terminal gets the account. If the terminal has no session, a new guest gets
  // it.
  const bool known = LoadSession(TokenPath()).ok();
  if (const absl::Status status = context.SignIn(known ? "" : name); !status.ok()) {
    return context.Fail("sign in", status);
  }
  gateway::v1::CreateAccountRequest request;
  request.set_display_name(name);
  request.set_passphrase(*passphrase);
  const auto response = context.client().Call(&client::Sessions::CreateAccount, request);
  if (!response.ok()) return context.Fail("make the account", response.status());
  ShowCode(context, response->recovery_code());
  return Keep(context, response->session());
}

cli::ExitCode RunLogin(Context& context) {
  const absl::StatusOr<std::string> passphrase = Secret(context, "passphrase-file", "Passphrase");
  if (!passphrase.ok()) return context.Fail("read the passphrase", passphrase.status());
  gateway::v1::SignInRequest request;
  request.set_display_name(context.line().words[0]);
  request.set_passphrase(*passphrase);
  const auto response = context.client().Call(&client::Sessions::SignIn, request);
  if (!response.ok()) return context.Fail("sign in", response.status());
  return Keep(context, response->session());
}

cli::ExitCode RunRecover(Context& context) {
  const absl::StatusOr<std::string> code = Secret(context, "code-file", "Recovery code");
  if (!code.ok()) return context.Fail("read the code", code.status());
  const absl::StatusOr<std::string> passphrase = NewPassphrase(context);
  if (!passphrase.ok()) return context.Fail("read the passphrase", passphrase.status());
  gateway::v1::RecoverAccountRequest request;
  request.set_display_name(context.line().words[0]);
  request.set_recovery_code(*code);
  request.set_new_passphrase(*passphrase);
  request.set_request_id(context.environment().entropy.NewUuid().ToString());
  const auto response = context.client().Call(&client::Sessions::RecoverAccount, request);
  if (!response.ok()) return context.Fail("recover the account", response.status());
  ShowCode(context, response->recovery_code());
  return Keep(context, response->session());
}

}  // namespace

cli::Command RegisterCommand() {
  return {.name = "register",
          .usage = "register NAME",
          .summary = "make an account of the guest at this terminal",
          .help =
              "  tarotctl register Ada                           asks for a passphrase\n"
              "  tarotctl register Ada --passphrase-file secret  reads the first line of a file\n"
              "\n"
              "The guest keeps the rating and the history. Again with the same name and\n"
              "passphrase, the command only gives a new recovery code.\n",
          .options = {{"passphrase-file"}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunRegister)};
}

cli::Command LoginCommand() {
  return {.name = "login",
          .usage = "login NAME",
          .summary = "sign in to an account",
          .help =
              "  tarotctl login Ada                           asks for the passphrase\n"
              "  tarotctl login Ada --passphrase-file secret  reads the first line of a file\n",
          .options = {{"passphrase-file"}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunLogin)};
}

cli::Command RecoverCommand() {
  return {.name = "recover",
          .usage = "recover NAME",
          .summary = "set a new passphrase with the recovery code",
          .help =
              "  tarotctl recover Ada  asks for the code and for a new passphrase\n"
              "  tarotctl recover Ada --code-file code --passphrase-file secret\n"
              "\n"
              "All other devices are signed out. The code works once; a new one replaces it.\n",
          .options = {{"code-file"}, {"passphrase-file"}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunRecover)};
}

}  // namespace tarot::tarotctl
