#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {
namespace {

constexpr std::size_t kRandomBytes = 16;
constexpr std::size_t kBytesMax = 32;  // The server refuses longer nonces.

bool IsHex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

// Returns the bytes of --hex. Without --hex, returns random bytes.
absl::StatusOr<std::string> NonceBytes(Context& context) {
  if (!context.line().Has("hex")) {
    std::array<std::uint8_t, kRandomBytes> bytes{};
    context.environment().entropy.Fill(absl::MakeSpan(bytes));
    return std::string(bytes.begin(), bytes.end());
  }
  const std::string hex = context.line().Get("hex");
  if (hex.empty() || hex.size() % 2 != 0 || hex.size() > 2 * kBytesMax || !IsHex(hex)) {
    return absl::InvalidArgumentError("--hex takes 1 to 32 bytes, two hexadecimal digits each");
  }
  return absl::HexStringToBytes(hex);
}

cli::ExitCode RunNonce(Context& context) {
  const auto nonce = NonceBytes(context);
  if (!nonce.ok()) {
    context.err() << "tarotctl: " << nonce.status().message() << "\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto name = ResolveTable(context, context.line().words[0]);
  if (!name.ok()) return context.Fail("find the table", name.status());

  rules::v1::GetTableRequest get;
  get.set_name(*name);
  const auto shown = context.Call(&client::Tables::GetTable, get);
  if (!shown.ok()) return context.Fail("read the table", shown.status());
  const rules::v1::NextDeal& next = shown->table().next_deal();

  rules::v1::AddNonceRequest add;
  add.set_name(*name);
  add.set_deal_number(next.deal_number());
  add.set_nonce(*nonce);
  add.set_request_id(context.client().NewRequestId());
  const auto added = context.Call(&client::Tables::AddNonce, add);
  if (!added.ok()) return context.Fail("add the nonce", added.status());
  if (context.json()) {
    context.PrintJson(added->table().next_deal());
    return cli::kOk;
  }
  context.out()
      << absl::StrCat("Deal ", next.deal_number(), " of ", *name, "\n  commitment  ",
                      absl::BytesToHexString(next.seed_commitment()), "\n  your nonce  ",
                      absl::BytesToHexString(*nonce), "\n")
      << "Keep both: `tarotctl record` of that deal must show them, and `tarotctl verify` "
         "proves that its cards follow from them.\n";
  return cli::kOk;
}

}  // namespace

cli::Command NonceCommand() {
  return {
      .name = "nonce",
      .usage = "nonce TABLE",
      .summary = "add bytes of your own to the shuffle of the next deal",
      .help =
          "  tarotctl nonce 5f3c2a10                16 random bytes, for your table's next deal\n"
          "  tarotctl nonce 5f3c2a10 --hex c0ffee   bytes of your choice, 1 to 32\n"
          "\n"
          "Works once a deal, before it starts. The server is committed to its seed already and "
          "does\n"
          "not know your bytes, so neither side can choose the cards. See docs/dealing.md.\n",
      .options = {{"hex"}, {"json", false}},
      .words_min = 1,
      .words_max = 1,
      .run = WithClient(RunNonce)};
}

}  // namespace tarot::tarotctl
