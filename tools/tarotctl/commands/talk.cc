#include "tools/tarotctl/view/talk.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode WrongWord(Context& context, const std::string& what) {
  context.err() << "tarotctl: " << what << "\n";
  return cli::kUsage;
}

cli::ExitCode RunSay(Context& context) {
  const auto phrase = ParsePhrase(context.line().words[1]);
  if (!phrase) return WrongWord(context, absl::StrCat("the phrases are: ", PhraseList()));
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto name = ResolveTable(context, context.line().words[0]);
  if (!name.ok()) return context.Fail("find the table", name.status());
  rules::v1::SayPhraseRequest request;
  request.set_name(*name);
  request.set_phrase(*phrase);
  request.set_request_id(context.client().NewRequestId());
  const auto said = context.Call(&client::Tables::SayPhrase, request);
  if (!said.ok()) return context.Fail("speak", said.status());
  if (context.json()) context.PrintJson(said->table());
  return cli::kOk;
}

cli::ExitCode RunMute(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto name = ResolveTable(context, context.line().words[0]);
  if (!name.ok()) return context.Fail("find the table", name.status());
  rules::v1::GetTableRequest get;
  get.set_name(*name);
  const auto shown = context.Call(&client::Tables::GetTable, get);
  if (!shown.ok()) return context.Fail("read the table", shown.status());
  const auto seat = ParseSeat(shown->table(), context.line().words[1]);
  if (!seat) return WrongWord(context, "no seat has this number or this player");
  rules::v1::MuteSeatRequest request;
  request.set_name(*name);
  request.set_seat(*seat);
  request.set_muted(!context.line().Has("off"));
  request.set_request_id(context.client().NewRequestId());
  const auto muted = context.Call(&client::Tables::MuteSeat, request);
  if (!muted.ok()) return context.Fail("mute the seat", muted.status());
  if (context.json()) context.PrintJson(muted->table());
  return cli::kOk;
}

}  // namespace

cli::Command SayCommand() {
  return {.name = "say",
          .usage = "say TABLE PHRASE",
          .summary = "say one of the set phrases to your table",
          .help = absl::StrCat("  tarotctl say 5f3c2a10 2             well played\n"
                               "  tarotctl say 5f3c2a10 one-moment    the same by its words\n\n"
                               "The phrases: ",
                               PhraseList(),
                               ".\nA seat may say one phrase in 3 seconds and 20 in a deal.\n"),
          .options = {{"json", false}},
          .words_min = 2,
          .words_max = 2,
          .run = WithClient(RunSay)};
}

cli::Command MuteCommand() {
  return {.name = "mute",
          .usage = "mute TABLE SEAT",
          .summary = "hide the phrases of a seat of your table",
          .help =
              "  tarotctl mute 5f3c2a10 3         hides the phrases of seat 3 from you\n"
              "  tarotctl mute 5f3c2a10 Zoë       the same, by the name of the player\n"
              "  tarotctl mute 5f3c2a10 3 --off   shows them again\n\n"
              "No other player sees what you have muted.\n",
          .options = {{"off", false}, {"json", false}},
          .words_min = 2,
          .words_max = 2,
          .run = WithClient(RunMute)};
}

}  // namespace tarot::tarotctl
