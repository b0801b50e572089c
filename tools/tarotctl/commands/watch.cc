#include <unistd.h>

#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/play/screen.h"
#include "tools/tarotctl/view/table_view.h"

namespace tarot::tarotctl {
namespace {

using rules::v1::Table;

cli::ExitCode WatchUntilOver(Context& context, const std::string& name) {
  Input input(STDIN_FILENO);
  Screen screen(context.out(), context.style(), context.environment().out_is_terminal);
  TableFeed tables(context, input, OpenTable(context, name));
  Table last;
  while (true) {
    const auto end = tables.End();
    if (const auto message = tables.Take()) {
      const absl::Time now = context.environment().clock.Now();
      last = message->table();
      if (context.json()) {
        context.PrintJson(last);
      } else {
        screen.Show(last, now);
        screen.ShowConnections(message->disconnected_seats(), now);
      }
    }
    if (end && !end->ok()) return context.Fail("watch the table", *end);
    if (end || last.state() == Table::FINISHED) break;
    std::string line;
    const InputEvent event = input.Wait(absl::Seconds(30), false, &line);
    if (event == InputEvent::kInterrupt) return cli::kInterrupted;
  }
  if (!context.json()) context.out() << RenderMatchResult(last, {}, context.style());
  return cli::kOk;
}

// Returns the newest table in play. While there is none, waits for one. Returns CANCELLED after
// Ctrl-C.
absl::StatusOr<std::string> NextTable(Context& context) {
  Input input(STDIN_FILENO);
  bool told = false;
  while (true) {
    const auto name = ResolveTable(context, "");
    if (!absl::IsNotFound(name.status())) return name;
    if (!told) context.err() << "No table is in play yet: waiting for one. Ctrl-C leaves.\n";
    told = true;
    std::string line;
    if (input.Wait(absl::Seconds(1), false, &line) == InputEvent::kInterrupt) {
      return absl::CancelledError("interrupted");
    }
  }
}

cli::ExitCode RunWatch(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto& words = context.line().words;
  const auto name = words.empty() ? NextTable(context) : ResolveTable(context, words[0]);
  if (absl::IsCancelled(name.status())) return cli::kInterrupted;
  if (!name.ok()) return context.Fail("find a table", name.status());
  context.err() << "Watching " << *name << ". Ctrl-C leaves.\n";
  return WatchUntilOver(context, *name);
}

}  // namespace

cli::Command WatchCommand() {
  return {.name = "watch",
          .usage = "watch [TABLE]",
          .summary = "watch a table until its match is over",
          .help =
              "  tarotctl watch                 the newest table, or the next one\n"
              "  tarotctl watch 5f3c2a10        a table by the last letters of its id\n"
              "  tarotctl watch --json          every view as one line of JSON\n",
          .options = {{"json", false}},
          .words_min = 0,
          .words_max = 1,
          .run = WithClient(RunWatch, 8)};
}

}  // namespace tarot::tarotctl
