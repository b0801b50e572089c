#include "tools/lab/vectors/check.h"

#include <grpcpp/grpcpp.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/view.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "libs/wire/finished_deal.h"
#include "libs/wire/rule_set.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"
#include "tools/lab/vectors/fields.h"

namespace tarot::lab {
namespace {

// Collects the differences between expected and actual values.
class Comparison {
 public:
  void Equal(absl::string_view what, long long expected, long long actual) {
    if (expected != actual) Add(what, absl::StrCat(expected), absl::StrCat(actual));
  }

  template <typename Container>
  void Equal(absl::string_view what, const std::vector<int>& expected, const Container& actual) {
    const std::vector<int> values(actual.begin(), actual.end());
    if (expected != values) Add(what, absl::StrJoin(expected, " "), absl::StrJoin(values, " "));
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  void Add(absl::string_view what, const std::string& expected, const std::string& actual) {
    problems_.push_back(absl::StrCat(what, ": expected ", expected, ", got ", actual));
  }

  std::vector<std::string> problems_;
};

using rules::v1::ScoreDealRequest;

// Returns words[text], where `text` is the value of the field `name`. Records an error for an
// unknown word.
template <typename T>
T Word(Fields& fields, const char* name, const std::map<std::string, T>& words) {
  const std::string text = fields.Text(name);
  const auto found = words.find(text);
  if (found != words.end()) return found->second;
  fields.Fail(name, absl::StrCat("'", text, "' is not known"));
  return T{};
}

ScoreDealRequest Request(Fields& fields) {
  ScoreDealRequest request;
  request.set_rule_set(fields.Text("preset"));
  request.set_player_count(static_cast<std::uint32_t>(fields.Int("n")));
  request.set_contract(fields.Contract("contract"));
  request.set_bouts(static_cast<std::uint32_t>(fields.Int("bouts")));
  request.set_attack_half_points(static_cast<std::uint32_t>(fields.Halves("points")));
  if (fields.Has("honours")) {
    request.set_honours(static_cast<std::uint32_t>(fields.Int("honours")));
  }
  if (fields.Has("petit_au_bout")) {
    request.set_petit_au_bout(Word<int>(fields, "petit_au_bout", {{"attack", 1}, {"defence", -1}}));
  }
  if (fields.Has("handles_attack")) {
    for (const int level : fields.Ints("handles_attack")) {
      request.add_attack_handfuls(static_cast<std::uint32_t>(level));
    }
  }
  if (fields.Has("handles_defence")) {
    for (const int level : fields.Ints("handles_defence")) {
      request.add_defence_handfuls(static_cast<std::uint32_t>(level));
    }
  }
  if (fields.Has("slam")) {
    request.set_slam(Word<ScoreDealRequest::SlamOutcome>(
        fields, "slam",
        {{"announced_made", ScoreDealRequest::SLAM_ANNOUNCED_MADE},
         {"unannounced_made", ScoreDealRequest::SLAM_UNANNOUNCED_MADE},
         {"announced_failed", ScoreDealRequest::SLAM_ANNOUNCED_FAILED},
         {"defence", ScoreDealRequest::SLAM_DEFENCE}}));
  }
  if (fields.Has("partner")) {
    request.set_has_partner(Word<bool>(fields, "partner", {{"other", true}, {"alone", false}}));
  }
  return request;
}

using rules::v1::ScorePlayRequest;

std::uint32_t Unsigned(int value) { return static_cast<std::uint32_t>(value); }

void AddTricks(Fields& fields, ScorePlayRequest& request) {
  for (Fields& trick : fields.Objects("tricks")) {
    rules::v1::Trick* out = request.add_tricks();
    out->set_leader(Unsigned(trick.Int("leader")));
    for (const int card : trick.Cards("cards")) out->add_cards(Unsigned(card));
    fields.Join(trick);
  }
}

// Sets the rule set of the request. `text` is the name of a rule set, or a custom rule set.
void SetRules(const std::string& text, Fields& fields, ScorePlayRequest& request) {
  const auto rules = rules::ParseRuleSet(text);
  if (!rules.ok()) return fields.Fail("preset", rules.status().message());
  wire::EncodeRuleSetOf(rules::RuleSetText(*rules), *rules, &request);
}

ScorePlayRequest Request(Fields& fields, const std::string& fallback) {
  ScorePlayRequest request;
  SetRules(fields.Has("preset") ? fields.Text("preset") : fallback, fields, request);
  request.set_player_count(Unsigned(fields.Int("n")));
  request.set_taker(Unsigned(fields.Int("taker")));
  if (const int partner = fields.Int("partner"); partner != -1) {
    request.set_partner(Unsigned(partner));
  }
  if (fields.Has("called")) request.set_called_card(Unsigned(fields.Card("called")));
  request.set_contract(fields.Contract("contract"));
  for (const int card : fields.Cards("counted_apart")) request.add_counted_apart(Unsigned(card));
  for (const std::vector<int>& hand : fields.CardLists("hands_at_play")) {
    auto* out = request.add_hands();
    for (const int card : hand) out->add_cards(Unsigned(card));
  }
  AddTricks(fields, request);
  request.set_slam_announced(fields.Bool("slam_announced"));
  for (Fields& handful : fields.Objects("handles")) {
    auto* out = request.add_handfuls();
    out->set_seat(Unsigned(handful.Int("seat")));
    out->set_level(Unsigned(handful.Int("level")));
    fields.Join(handful);
  }
  return request;
}

// The lines of the score must add up to the card points, to the unit and to the scores.
void CompareLines(const rules::v1::DealResult& result, Comparison& comparison) {
  int half_points = 0;
  for (const auto& line : result.card_points()) half_points += line.half_points();
  comparison.Equal("card_points", half_points, result.attack_half_points());
  int unit = 0;
  for (const auto& line : result.unit_lines()) unit += line.points();
  comparison.Equal("unit_lines", unit, result.unit());
  std::vector<int> scores;
  for (const int share : result.shares()) scores.push_back(share * result.unit());
  if (result.has_taker()) comparison.Equal("shares", scores, result.scores());
}

// Adds to `comparison` each difference between the fields of `expect` and `response`.
void Compare(Fields& expect, const rules::v1::ScorePlayResponse& response, Comparison& comparison) {
  const rules::v1::DealResult& result = response.result();
  comparison.Equal("taker_camp_half_points", expect.Int("taker_camp_half_points"),
                   result.attack_half_points());
  comparison.Equal("bouts", expect.Int("bouts"), result.bouts());
  comparison.Equal("need", expect.Halves("need"), result.needed_half_points());
  comparison.Equal("won", expect.Bool("won"), result.won());
  comparison.Equal("diff_points", expect.Int("diff_points"), result.difference());
  comparison.Equal("petit_au_bout", expect.Int("petit_au_bout"), result.petit_au_bout());
  comparison.Equal("slam_bonus", expect.Int("slam_bonus"), result.slam_points());
  comparison.Equal("unit", expect.Int("unit"), result.unit());
  comparison.Equal("scores", expect.Ints("scores"), result.scores());
  CompareLines(result, comparison);
  comparison.Equal("trick_winners", expect.Ints("trick_winners"), response.trick_winners());
}

std::string JsonText(const google::protobuf::Value& value);

// Returns the object as JSON with sorted keys. Equal objects give equal texts.
std::string JsonText(const google::protobuf::Struct& object) {
  const std::map<std::string, google::protobuf::Value> fields(object.fields().begin(),
                                                              object.fields().end());
  std::vector<std::string> parts;
  for (const auto& [key, value] : fields) {
    google::protobuf::Value name;
    name.set_string_value(key);
    parts.push_back(absl::StrCat(JsonText(name), ":", JsonText(value)));
  }
  return absl::StrCat("{", absl::StrJoin(parts, ","), "}");
}

std::string JsonText(const google::protobuf::Value& value) {
  if (value.has_struct_value()) return JsonText(value.struct_value());
  std::string text;
  if (!value.has_list_value()) {
    const bool written = google::protobuf::util::MessageToJsonString(value, &text).ok();
    return written ? text : "null";
  }
  std::vector<std::string> parts;
  for (const auto& part : value.list_value().values()) parts.push_back(JsonText(part));
  return absl::StrCat("[", absl::StrJoin(parts, ","), "]");
}

// Returns the result in the form of the field "expect", which Compare() reads.
std::string ExpectText(const rules::v1::ScorePlayResponse& response) {
  const rules::v1::DealResult& result = response.result();
  const std::uint32_t needed = result.needed_half_points();
  return absl::StrCat(
      "{\"taker_camp_half_points\":", result.attack_half_points(), ",\"bouts\":", result.bouts(),
      ",\"need\":", needed / 2, needed % 2 == 0 ? "" : ".5",
      ",\"won\":", result.won() ? "true" : "false", ",\"diff_points\":", result.difference(),
      ",\"petit_au_bout\":", result.petit_au_bout(), ",\"slam_bonus\":", result.slam_points(),
      ",\"unit\":", result.unit(), ",\"scores\":[", absl::StrJoin(result.scores(), ","),
      "],\"trick_winners\":[", absl::StrJoin(response.trick_winners(), ","), "]}");
}

}  // namespace

Checked CheckScore(const google::protobuf::Struct& entry, Referee& referee) {
  Fields fields(entry);
  Checked checked{.id = fields.Has("id") ? fields.Text("id") : ""};
  const ScoreDealRequest request = Request(fields);
  const int unit = fields.Int("expect_unit");
  const std::vector<int> scores = fields.Ints("expect_scores");
  if (!fields.status().ok()) {
    checked.problems.push_back(std::string(fields.status().message()));
    return checked;
  }
  const auto response = referee.ScoreDeal(request);
  if (!response.ok()) {
    checked.problems.push_back(std::string(response.status().message()));
    return checked;
  }
  Comparison comparison;
  comparison.Equal("unit", unit, response->result().unit());
  comparison.Equal("scores", scores, response->result().scores());
  checked.problems = comparison.Take();
  return checked;
}

Checked CheckPlay(const google::protobuf::Struct& entry, const std::string& fallback,
                  Referee& referee) {
  Fields fields(entry);
  Checked checked{.id = fields.Has("id") ? fields.Text("id") : ""};
  const ScorePlayRequest request = Request(fields, fallback);
  const auto expect = entry.fields().find("expect");
  if (expect == entry.fields().end() || !expect->second.has_struct_value()) {
    fields.Fail("expect", "is missing");
  }
  if (!fields.status().ok()) {
    checked.problems.push_back(std::string(fields.status().message()));
    return checked;
  }
  const auto response = referee.ScorePlay(request);
  if (!response.ok()) {
    checked.problems.push_back(std::string(response.status().message()));
    return checked;
  }
  Comparison comparison;
  Fields expected(expect->second.struct_value(), "expect.");
  Compare(expected, *response, comparison);
  checked.problems = comparison.Take();
  if (!expected.status().ok()) {
    checked.problems.push_back(std::string(expected.status().message()));
  }
  return checked;
}

absl::StatusOr<std::string> AnswerPlay(google::protobuf::Struct entry, const std::string& fallback,
                                       Referee& referee) {
  entry.mutable_fields()->erase("expect");
  Fields fields(entry);
  const ScorePlayRequest request = Request(fields, fallback);
  TAROT_RETURN_IF_ERROR(fields.status());
  TAROT_ASSIGN_OR_RETURN(const auto response, referee.ScorePlay(request));
  std::string text = JsonText(entry);
  text.pop_back();  // Removes the last brace.
  return absl::StrCat(text, ",\"expect\":", ExpectText(response), "}");
}

namespace {

using rules::v1::DealResult;
using rules::v1::ScoreDealResponse;
using rules::v1::ScorePlayResponse;

class LocalReferee final : public Referee {
 public:
  absl::StatusOr<ScoreDealResponse> ScoreDeal(const ScoreDealRequest& request) override {
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, wire::RuleSetFor(request, "rules"));
    TAROT_ASSIGN_OR_RETURN(const rules::ScoreInput input, wire::DecodeScore(request, rule_set));
    const rules::Score score = rules::ComputeScore(rule_set, input);
    ScoreDealResponse response;
    DealResult* result = response.mutable_result();
    result->set_unit(score.unit);
    result->add_scores(score.taker);
    if (input.has_partner) result->add_scores(score.partner);
    while (result->scores_size() < input.players) result->add_scores(score.defender);
    if (static_cast<int>(request.player_count()) > input.players) result->add_scores(0);
    return response;
  }

  absl::StatusOr<ScorePlayResponse> ScorePlay(const ScorePlayRequest& request) override {
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rule_set, wire::RuleSetFor(request, "rules"));
    TAROT_ASSIGN_OR_RETURN(const rules::PlayedDeal played, wire::DecodePlay(request, rule_set));
    TAROT_ASSIGN_OR_RETURN(const rules::Deal deal, rules::ScorePlay(played));
    ScorePlayResponse response;
    wire::EncodeResult(rules::MakeView(deal, rules::kNoSeat), response.mutable_result());
    for (int i = 0; i < deal.trick_count; ++i) {
      response.add_trick_winners(
          static_cast<std::uint32_t>(deal.tricks[static_cast<std::size_t>(i)].winner));
    }
    return response;
  }
};

using rules::v1::RefereeService;

constexpr int kPatienceSeconds = 3;

class RemoteReferee final : public Referee {
 public:
  explicit RemoteReferee(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(RefereeService::NewStub(channel)) {}

  absl::StatusOr<rules::v1::ScoreDealResponse> ScoreDeal(
      const rules::v1::ScoreDealRequest& request) override {
    return Call<rules::v1::ScoreDealResponse>(&RefereeService::Stub::ScoreDeal, request);
  }

  absl::StatusOr<rules::v1::ScorePlayResponse> ScorePlay(
      const rules::v1::ScorePlayRequest& request) override {
    return Call<rules::v1::ScorePlayResponse>(&RefereeService::Stub::ScorePlay, request);
  }

 private:
  template <typename Response, typename Method, typename Request>
  absl::StatusOr<Response> Call(Method method, const Request& request) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(10));
    Response response;
    const grpc::Status status = (stub_.get()->*method)(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  std::unique_ptr<RefereeService::Stub> stub_;
};

}  // namespace

std::unique_ptr<Referee> MakeLocalReferee() { return std::make_unique<LocalReferee>(); }

absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address) {
  const std::shared_ptr<grpc::Channel> channel = rpc::MakeChannel(address);
  const gpr_timespec patience = gpr_time_from_seconds(kPatienceSeconds, GPR_TIMESPAN);
  if (!channel->WaitForConnected(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), patience))) {
    return absl::UnavailableError(absl::StrCat("no rules service answers at ", address));
  }
  return std::make_unique<RemoteReferee>(channel);
}

}  // namespace tarot::lab
