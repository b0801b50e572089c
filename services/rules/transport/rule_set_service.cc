#include "services/rules/transport/rule_set_service.h"

#include <cstdint>
#include <string>

#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/rule_set.h"
#include "libs/wire/rule_set.h"
#include "tarot/rules/v1/rule_set_service.grpc.pb.h"

namespace tarot::rules_service {
namespace {

namespace v1 = ::tarot::rules::v1;

void AddDifferences(const rules::RuleSet& rules, v1::RuleSetInfo* info) {
  const rules::RuleSet& fft = rules::RuleSets().front().rules;
  for (const rules::Parameter& parameter : rules::Parameters()) {
    const std::string value = parameter.get(rules);
    const std::string fft_value = parameter.get(fft);
    if (value == fft_value) continue;
    v1::ParameterDifference* const difference = info->add_differences();
    difference->set_parameter(std::string(parameter.key));
    difference->set_value(value);
    difference->set_fft_value(fft_value);
    difference->set_meaning(std::string(parameter.meaning));
  }
}

class RuleSetServiceHandler final : public v1::RuleSetService::CallbackService {
 public:
  explicit RuleSetServiceHandler(rpc::Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ListRuleSets(grpc::CallbackServerContext* context,
                                         const v1::ListRuleSetsRequest*,
                                         v1::ListRuleSetsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.rules.v1.RuleSetService/ListRuleSets", rpc::Access::kPlayer,
        [=](const rpc::Caller&) { return rules_service::ListRuleSets(response); });
  }

 private:
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

namespace {

v1::ListRuleSetsResponse AllRuleSets() {
  v1::ListRuleSetsResponse response;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    v1::RuleSetInfo* info = response.add_rule_sets();
    info->set_name(std::string(named.name));
    info->set_description(std::string(named.description));
    wire::EncodeRuleSet(named.rules, info->mutable_rules());
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      info->add_player_counts(static_cast<std::uint32_t>(n));
    }
    AddDifferences(named.rules, info);
  }
  return response;
}

}  // namespace

absl::Status ListRuleSets(v1::ListRuleSetsResponse* response) {
  // The rule sets never change, so a call only copies the response.
  static const auto* const all = new v1::ListRuleSetsResponse(AllRuleSets());
  *response = *all;
  return absl::OkStatus();
}

std::unique_ptr<grpc::Service> MakeRuleSetService(rpc::Dispatcher& dispatcher) {
  return std::make_unique<RuleSetServiceHandler>(dispatcher);
}

}  // namespace tarot::rules_service
