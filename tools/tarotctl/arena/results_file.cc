#include "tools/tarotctl/arena/results_file.h"

#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/rules/parameters.h"

namespace tarot::tarotctl {
namespace {

std::string Header(const MatchSettings& settings) {
  return absl::StrCat("tarot arena 1 | ", settings.one, " | ", settings.rest, " | players ",
                      settings.players, " | seed ", settings.seed, " | nodes ",
                      settings.node_budget, " | ", rules::RuleSetText(settings.rules));
}

bool ReadDeal(absl::string_view line, std::size_t seats, std::map<int, std::vector<int>>& kept) {
  std::vector<int> numbers;
  for (const absl::string_view word : absl::StrSplit(line, ' ')) {
    numbers.emplace_back();
    if (!absl::SimpleAtoi(word, &numbers.back())) return false;
  }
  if (numbers.size() != seats + 1) return false;
  return kept.try_emplace(numbers[0], numbers.begin() + 1, numbers.end()).second;
}

}  // namespace

absl::StatusOr<ResultsFile> ResultsFile::Open(const std::string& path,
                                              const MatchSettings& settings) {
  ResultsFile file;
  std::string text;
  {
    std::ifstream in(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  const std::string header = Header(settings);
  const bool cut_header = whole == 0 && absl::string_view(header).substr(0, text.size()) == text;
  std::vector<std::string> lines = absl::StrSplit(text.substr(0, whole), '\n');
  lines.pop_back();
  if ((whole == 0 && !cut_header) || (whole > 0 && lines[0] != header)) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is not of this match: ", header));
  }
  const auto seats = static_cast<std::size_t>(settings.rules.Playing(settings.players));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (ReadDeal(lines[i], seats, file.kept_)) continue;
    return absl::FailedPreconditionError(absl::StrCat(path, ":", i + 1, ": no deal"));
  }
  std::error_code none;
  if (whole < text.size()) std::filesystem::resize_file(path, whole, none);
  file.out_.open(path, std::ios::binary | std::ios::app);
  if (whole == 0) file.out_ << header << "\n" << std::flush;
  if (!file.out_ || none) return absl::NotFoundError(absl::StrCat(path, " cannot be written"));
  return file;
}

absl::Status ResultsFile::Append(int deal, const std::vector<int>& points) {
  out_ << deal << " " << absl::StrJoin(points, " ") << "\n" << std::flush;
  return out_ ? absl::OkStatus() : absl::UnavailableError("the results cannot be written");
}

}  // namespace tarot::tarotctl
