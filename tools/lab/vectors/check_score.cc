#include <map>
#include <set>

#include "absl/status/status.h"
#include "tools/lab/vectors/check.h"
#include "tools/lab/vectors/compare.h"
#include "tools/lab/vectors/fields.h"

namespace tarot::lab {
namespace {

using rules::v1::ScoreDealRequest;

// What `name` says, by the words it may use.
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

}  // namespace tarot::lab
