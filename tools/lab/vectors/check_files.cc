#include "tools/lab/vectors/check_files.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/util/json_util.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/cli/columns.h"
#include "tools/cli/read_file.h"
#include "tools/lab/vectors/check.h"
#include "tools/lab/vectors/make_play.h"

namespace tarot::lab {
namespace {

using google::protobuf::Value;

// Tells one vector's outcome and counts it.
void Report(const std::string& where, const Checked& checked, Tally& tally, std::ostream& out) {
  if (checked.problems.empty()) {
    ++tally.passed;
    return;
  }
  ++tally.failed;
  for (const std::string& problem : checked.problems) {
    out << cli::Safe(absl::StrCat(where, checked.id.empty() ? "" : " ", checked.id, ": ", problem))
        << "\n";
  }
}

// The JSON value of `text`, or why there is none; without the text itself, which may be anything.
Checked Parse(absl::string_view text, Value* value) {
  const auto status =
      google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, value);
  if (status.ok()) return {};
  const std::string why = status.message().as_string();
  return {.problems = {absl::StrCat("is not JSON: ", why.substr(0, why.find('\n')))}};
}

absl::StatusOr<std::string> ReadAll(const std::string& file) {
  return cli::ReadFile(file == "-" ? "/dev/stdin" : file);
}

bool IsList(absl::string_view text) {
  return absl::StartsWith(absl::StripLeadingAsciiWhitespace(text), "[");
}

// One line answered, or counted as failed and told.
void Answer(const std::string& where, absl::string_view line, const std::string& rules,
            Referee& referee, Tally& tally, std::ostream& out, std::ostream& err) {
  Value entry;
  Checked checked = Parse(line, &entry);
  if (checked.problems.empty() && !entry.has_struct_value()) {
    checked.problems = {"is not an object"};
  }
  if (checked.problems.empty()) {
    const auto answer = AnswerPlay(entry.struct_value(), rules, referee);
    if (answer.ok()) {
      out << *answer << "\n";
    } else {
      checked.problems = {std::string(answer.status().message())};
    }
  }
  Report(where, checked, tally, err);
}

Tally CheckScoreList(const std::string& file, const std::string& text, Referee& referee,
                     std::ostream& out) {
  Tally tally;
  Value list;
  if (const Checked parsed = Parse(text, &list); !parsed.problems.empty()) {
    Report(file, parsed, tally, out);
    return tally;
  }
  int index = 0;
  for (const Value& entry : list.list_value().values()) {
    const std::string where = absl::StrCat(file, "[", index++, "]");
    Report(where,
           entry.has_struct_value() ? CheckScore(entry.struct_value(), referee)
                                    : Checked{.problems = {"is not an object"}},
           tally, out);
  }
  return tally;
}

Tally CheckPlayLines(const std::string& file, const std::string& text, const std::string& rules,
                     Referee& referee, std::ostream& out) {
  Tally tally;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::string where = absl::StrCat(file, ":", number);
    Value entry;
    Checked checked = Parse(line, &entry);
    if (checked.problems.empty()) {
      checked = entry.has_struct_value() ? CheckPlay(entry.struct_value(), rules, referee)
                                         : Checked{.problems = {"is not an object"}};
    }
    Report(where, checked, tally, out);
  }
  return tally;
}

}  // namespace

Tally CheckText(const std::string& file, const std::string& text, const std::string& rules,
                Referee& referee, std::ostream& out) {
  Tally tally = IsList(text) ? CheckScoreList(file, text, referee, out)
                             : CheckPlayLines(file, text, rules, referee, out);
  if (tally.passed + tally.failed == 0) Report(file, {.problems = {"holds no vector"}}, tally, out);
  return tally;
}

Tally CheckFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                 std::ostream& out) {
  Tally sum;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadAll(file);
    if (!text.ok()) {
      Report(file, {.problems = {std::string(text.status().message())}}, sum, out);
      continue;
    }
    const Tally tally = CheckText(file, *text, rules, referee, out);
    sum.passed += tally.passed;
    sum.failed += tally.failed;
  }
  out << sum.passed << " passed, " << sum.failed << " failed\n";
  return sum;
}

Tally AnswerFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                  std::ostream& out, std::ostream& err) {
  Tally tally;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadAll(file);
    if (!text.ok() || IsList(*text)) {
      const std::string why = text.ok() ? "is a list of scores: deals stand one a line"
                                        : std::string(text.status().message());
      Report(file, {.problems = {why}}, tally, err);
      continue;
    }
    int number = 0;
    for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
      ++number;
      if (absl::StripAsciiWhitespace(line).empty()) continue;
      Answer(absl::StrCat(file, ":", number), line, rules, referee, tally, out, err);
    }
  }
  return tally;
}

Tally MakePlays(const std::string& rules, int players, int count, std::uint64_t seed,
                Referee& referee, std::ostream& out, std::ostream& err) {
  Tally tally;
  const auto parsed = rules::ParseRuleSet(rules);
  if (!parsed.ok() || players < parsed->players_min || players > parsed->players_max) {
    const std::string why = parsed.ok() ? absl::StrCat("not for ", players, " players")
                                        : std::string(parsed.status().message());
    Report(rules, {.problems = {why}}, tally, err);
    return tally;
  }
  for (int number = 0; number < count; ++number) {
    const std::string line = RandomPlayLine(*parsed, rules, players, seed, number);
    Answer(absl::StrCat(rules, ":", number), line, rules, referee, tally, out, err);
  }
  return tally;
}

}  // namespace tarot::lab
