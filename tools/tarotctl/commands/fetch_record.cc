#include "tools/tarotctl/commands/fetch_record.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tools/tarotctl/commands/names.h"

namespace tarot::tarotctl {

std::optional<rules::v1::GetRecordResponse> FetchRecord(Context& context, const std::string& typed,
                                                        cli::ExitCode& exit_code) {
  const std::string name = absl::StrReplaceAll(typed, {{"/deals/", "/"}});
  const std::size_t slash = name.rfind('/');
  int number = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(name.substr(slash + 1), &number) ||
      number < 1) {
    context.err() << "tarotctl: a deal is TABLE/N, for instance 5f3c2a10-…/1\n";
    exit_code = cli::kUsage;
    return std::nullopt;
  }
  const auto fail = [&](const std::string& what, const absl::Status& status) {
    exit_code = context.Fail(what, status);
    return std::nullopt;
  };
  if (const absl::Status status = context.SignIn(""); !status.ok()) return fail("sign in", status);
  const auto table = ResolveTable(context, name.substr(0, slash));
  if (!table.ok()) return fail("find the table", table.status());
  rules::v1::GetRecordRequest request;
  request.set_name(absl::StrCat(*table, "/deals/", number));
  auto response = context.Call(&client::Records::GetRecord, request);
  if (!response.ok()) return fail("read the deal", response.status());
  return *std::move(response);
}

}  // namespace tarot::tarotctl
