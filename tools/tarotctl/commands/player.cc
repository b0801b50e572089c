#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunPlayer(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto player = ResolvePlayer(context, context.line().words[0]);
  if (!player.ok()) return context.Fail("find the player", player.status());

  ratings::v1::GetRatingRequest rating_request;
  rating_request.set_player(*player);
  auto rating = context.Call(&client::Ratings::GetRating, rating_request);
  if (!rating.ok()) return context.Fail("read the rating", rating.status());
  if (*player == context.me() && rating->rating().display_name().empty()) {
    // A name appears on the ladder with the player's first ranked match.
    rating->mutable_rating()->set_display_name(context.client().session().display_name());
  }

  ratings::v1::ListRatingChangesRequest changes_request;
  changes_request.set_player(*player);
  changes_request.set_page_size(10);
  const auto changes = context.Call(&client::Ratings::ListRatingChanges, changes_request);
  if (!changes.ok()) return context.Fail("read the ranked matches", changes.status());

  ratings::v1::GetPlayerStatisticsRequest statistics_request;
  statistics_request.set_player(*player);
  const auto statistics = context.Call(&client::Ratings::GetPlayerStatistics, statistics_request);
  if (!statistics.ok()) return context.Fail("read the statistics", statistics.status());

  rules::v1::ListRecordsRequest records_request;
  records_request.set_player(*player);
  records_request.set_page_size(10);
  const auto records = context.Call(&client::Records::ListRecords, records_request);
  if (!records.ok()) return context.Fail("read the deals", records.status());

  // The ladder returns a rating for any id, so only finished deals show that the player exists.
  if (!HasFinishedDeal(rating->rating(), *records) && *player != context.me()) {
    return context.Fail("show the player",
                        absl::NotFoundError("no player with this id has finished a deal"));
  }
  if (context.json()) {
    context.PrintJson(*rating);
    context.PrintJson(*changes);
    context.PrintJson(*statistics);
    context.PrintJson(*records);
  } else {
    context.out() << RenderPlayer(rating->rating(), *changes, *statistics, *records,
                                  context.style());
  }
  return cli::kOk;
}

}  // namespace

cli::Command PlayerCommand() {
  return {.name = "player",
          .usage = "player me|ID|NAME",
          .summary = "a player's rating, its history, roles, and recent deals",
          .help =
              "  tarotctl player me\n"
              "  tarotctl player Ada                by the name on the ladder\n"
              "  tarotctl player 5f3c2a10-…  --json four lines: rating, changes, roles, records\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunPlayer)};
}

}  // namespace tarot::tarotctl
