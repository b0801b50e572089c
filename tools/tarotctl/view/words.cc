#include "tools/tarotctl/view/words.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/rules/deal.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

using rules::v1::Contract;

rules::Seat SitsOut(const rules::v1::DealView& deal) {
  const auto players = static_cast<int>(deal.player_count());
  const bool all = players != rules::kPlayersMax || RulesOf(deal).Playing(players) == players;
  return all ? rules::kNoSeat : static_cast<rules::Seat>(deal.dealer());
}

std::uint32_t SeatAfter(const rules::v1::DealView& deal, std::uint32_t seat, int steps) {
  const auto players = static_cast<int>(deal.player_count());
  if (players == 0 || seat >= deal.player_count()) return 0;
  return static_cast<std::uint32_t>(
      rules::SeatAfter(players, SitsOut(deal), static_cast<rules::Seat>(seat), steps % players));
}

std::uint32_t SeatOfBid(const rules::v1::DealView& deal, int bid) {
  const bool board = RulesOf(deal).taker_by == rules::TakerBy::kBoard;
  return board ? deal.taker() : SeatAfter(deal, deal.dealer(), bid + 1);
}

std::string MarkedName(const std::string& name, bool bot) {
  constexpr int kWidth = 20;
  return bot ? absl::StrCat(kBotMark, cli::Fit(name, kWidth - 4)) : cli::Fit(name, kWidth);
}

std::string SeatName(const rules::v1::Table& table, std::uint32_t seat) {
  if (seat < static_cast<std::uint32_t>(table.seats_size())) {
    const rules::v1::Seat& shown = table.seats(static_cast<int>(seat));
    if (!shown.display_name().empty()) {
      return MarkedName(shown.display_name(), !shown.bot_level().empty());
    }
  }
  return absl::StrCat("seat ", seat + 1);
}

std::string ContractWord(Contract contract) {
  switch (contract) {
    case Contract::PASS:
      return "pass";
    case Contract::PRISE:
      return "prise";
    case Contract::GARDE:
      return "garde";
    case Contract::GARDE_SANS:
      return "garde sans";
    case Contract::GARDE_CONTRE:
      return "garde contre";
    default:
      return "?";
  }
}

std::string HalfPointsText(std::uint32_t half_points) {
  return absl::StrCat(half_points / 2, half_points % 2 == 1 ? ".5" : "");
}

std::string Signed(long long points) { return absl::StrCat(points > 0 ? "+" : "", points); }

std::string ClockText(absl::Duration left) {
  const long long seconds = std::max<long long>(0, absl::ToInt64Seconds(left));
  return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
}

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

std::string DateText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M", ToTime(time), absl::LocalTimeZone());
}

std::string IdOf(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::string ShortId(const std::string& name) {
  const std::string id = cli::Safe(IdOf(name));
  return id.substr(id.size() - std::min<std::size_t>(id.size(), 8));
}

}  // namespace tarot::tarotctl
