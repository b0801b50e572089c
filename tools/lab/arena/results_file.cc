#include "tools/lab/arena/results_file.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/notation/names.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::lab {
namespace {

std::string Header(const MatchSettings& settings) {
  return absl::StrCat("tarot arena 2 | ", settings.one, " | ", settings.rest, " | players ",
                      settings.players, " | seed ", settings.seed, " | nodes ",
                      settings.node_budget, " | ",
                      settings.contract ? notation::ContractName(*settings.contract) : "auction",
                      " | ", rules::RuleSetText(settings.rules));
}

// Reads a text such as "-40d": the points, and the role in which the player made them.
bool ReadSeatResult(absl::string_view word, SeatResult& result) {
  constexpr absl::string_view kRoles = "tpd-";
  if (word.empty() || kRoles.find(word.back()) == absl::string_view::npos) return false;
  result.role = static_cast<Role>(word.back());
  return absl::SimpleAtoi(word.substr(0, word.size() - 1), &result.points);
}

bool ReadDeal(absl::string_view line, std::size_t seats,
              std::map<int, std::vector<SeatResult>>& kept) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  int deal = 0;
  if (words.size() != seats + 1 || !absl::SimpleAtoi(words[0], &deal)) return false;
  std::vector<SeatResult> games(seats);
  for (std::size_t seat = 0; seat < seats; ++seat) {
    if (!ReadSeatResult(words[seat + 1], games[seat])) return false;
  }
  return kept.try_emplace(deal, std::move(games)).second;
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

absl::Status ResultsFile::Append(int deal, const std::vector<SeatResult>& games) {
  out_ << deal;
  for (const SeatResult& result : games)
    out_ << " " << result.points << static_cast<char>(result.role);
  out_ << "\n" << std::flush;
  return out_ ? absl::OkStatus() : absl::UnavailableError("the results cannot be written");
}

}  // namespace tarot::lab
