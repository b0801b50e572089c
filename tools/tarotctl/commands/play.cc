#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/play/game.h"
#include "tools/tarotctl/play/lobby.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

// The source of the answers. It is closed at the end.
class Script {
 public:
  explicit Script(const std::string& path)
      : fd_(path.empty() ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Script() {
    if (fd_ > STDIN_FILENO) close(fd_);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Returns the table to play at: the player's own, or a new one from the queue.
absl::StatusOr<std::string> FindTable(Context& context, Input& input) {
  auto own = FindOwnTable(context);
  if (!own.ok()) return own;
  if (!own->empty()) {
    context.err() << "You sit at a table already: taking your seat.\n";
    return own;
  }
  if (context.line().Has("resume")) {
    return absl::NotFoundError("no match of yours is in play");
  }
  const std::string queue = context.line().Get("queue", "casual4");
  context.err() << "You are " << cli::Safe(context.client().session().display_name())
                << ", waiting in " << cli::Safe(queue) << ". Ctrl-C leaves the queue.\n";
  return WaitForTable(context, input, absl::StrCat("queues/", absl::StripPrefix(queue, "queues/")));
}

cli::ExitCode RunPlay(Context& context) {
  const Script script(context.line().Get("script"));
  if (script.fd() < 0) {
    context.err() << "tarotctl: cannot read the script " << cli::Safe(context.line().Get("script"))
                  << ": " << std::strerror(errno) << "\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(context.line().Get("name")); !status.ok()) {
    return context.Fail("sign in", status);
  }
  Input input(script.fd());
  const auto table = FindTable(context, input);
  if (absl::IsCancelled(table.status())) {
    context.err() << cli::Safe(table.status().message()) << "\n";
    return cli::kInterrupted;
  }
  if (!table.ok()) return context.Fail("find a table", table.status());
  context.err() << "Table " << cli::Safe(IdOf(*table)) << ". ? helps, q leaves.\n";
  return Game(context, input, context.line().Has("auto"), *table).Play();
}

}  // namespace

cli::Command PlayCommand() {
  return {.name = "play",
          .usage = "play",
          .summary = "queue for a match and play it",
          .help =
              "  tarotctl play --name Ada                   a casual match; bots fill the table\n"
              "  tarotctl play --queue ranked4              a ranked match\n"
              "  tarotctl play --resume                     back to your seat\n"
              "  tarotctl play --auto                       a simple player decides for you\n"
              "  tarotctl play --script moves.txt           answers from a file, one a line\n\n"
              "  --name NAME    plays as a new guest, unless the kept session has this name\n"
              "  --queue QUEUE  a queue of tarotctl queues; casual4 by default\n\n"
              "Your session is kept in $TAROT_TOKEN_FILE, or ~/.config/tarot/token.\n",
          .options = {{"name"}, {"queue"}, {"resume", false}, {"auto", false}, {"script"}},
          .run = WithClient(RunPlay, 8)};
}

}  // namespace tarot::tarotctl
