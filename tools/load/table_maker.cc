#include "tools/load/table_maker.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"

namespace tarot::load {
namespace {

// Returns the name of bot `number` of a table. Different tables have different bots. A table always
// has the same bots.
std::string BotName(const std::string& table, int number) {
  std::string uuid = table.substr(table.find('/') + 1);
  uuid.replace(0, 2, absl::StrCat("b", number % 10));
  return absl::StrCat("players/", uuid);
}

constexpr TableKind kKinds[] = {{"fft", 4},      {"fft", 3},   {"fft", 5},     {"pagat", 4},
                                {"webguide", 4}, {"pagat", 3}, {"booklet", 4}, {"shogix_free5", 5}};

}  // namespace

TableKind KindOf(const Options& options, int group) {
  const bool varied = options.varied && options.queue.empty();
  return kKinds[varied ? static_cast<std::size_t>(group) % std::size(kKinds) : 0];
}

TableMaker::TableMaker(const Options& options, rpc::KeyRing keys, Clock& clock)
    : options_(options),
      identity_(std::move(keys), clock),
      rules_(rules::v1::TableAdminService::NewStub(
          rpc::MakeChannel(absl::StrJoin(options.rules, ",")))) {}

absl::StatusOr<std::unique_ptr<TableMaker>> TableMaker::Create(const Options& options,
                                                               Clock& clock) {
  TAROT_ASSIGN_OR_RETURN(rpc::KeyRing keys, rpc::KeyRing::FromFile(options.internal_key_file));
  return std::unique_ptr<TableMaker>(new TableMaker(options, std::move(keys), clock));
}

absl::Status TableMaker::Make(const std::string& table, const std::string& rule_set,
                              const std::vector<std::string>& players) {
  rules::v1::CreateTableRequest request;
  request.set_name(table);
  request.set_rule_set(rule_set);
  request.set_deal_count(static_cast<std::uint32_t>(options_.deal_count));
  request.set_ranked(true);
  request.mutable_clocks()->mutable_move_limit()->set_seconds(60);
  request.mutable_clocks()->mutable_time_bank()->set_seconds(60);
  for (const std::string& player : players) {
    rules::v1::Seat* seat = request.add_seats();
    seat->set_player(player);
    seat->set_display_name("load");
  }
  for (int i = 0; i < options_.bots; ++i) {
    rules::v1::Seat* seat = request.add_seats();
    seat->set_player(BotName(table, i));
    seat->set_display_name("bot");
    seat->set_bot_level("novice");
  }
  grpc::ClientContext context;
  rpc::SetTimeout(context, absl::Seconds(5));
  identity_.Sign(context, rpc::Caller{.service = "matchmaking"});
  rules::v1::CreateTableResponse response;
  return status::FromGrpc(rules_->CreateTable(&context, request, &response));
}

}  // namespace tarot::load
