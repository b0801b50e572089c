#include "absl/strings/ascii.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunCountry(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const std::string code = absl::AsciiStrToUpper(context.line().words[0]);
  ratings::v1::SetCountryRequest request;
  if (code != "NONE") request.set_country(code);
  const auto response = context.Call(&client::Ratings::SetCountry, request);
  if (!response.ok()) return context.Fail("set the country", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else if (code == "NONE") {
    context.out() << "The ladder shows no country beside your name.\n";
  } else {
    context.out() << "The ladder shows " << code << " beside your name.\n";
  }
  return cli::kOk;
}

}  // namespace

cli::Command CountryCommand() {
  return {.name = "country",
          .usage = "country CODE|none",
          .summary = "the country that the ladder shows beside your name",
          .help =
              "  tarotctl country FR                a code of ISO 3166-1\n"
              "  tarotctl country none              removes it\n\n"
              "You can set it after your first finished match. Other players see it.\n\n"
              "  --json\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunCountry)};
}

}  // namespace tarot::tarotctl
