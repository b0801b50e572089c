#include "tools/lab/engine/engine.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/ai/knowledge.h"
#include "libs/base/check.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/tdn.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/cli/text.h"

namespace tarot::lab {
namespace {

constexpr std::size_t kViewBytesMax = 100'000;
constexpr std::size_t kEchoBytesMax = 200;

// Formats hundredths of a point as a decimal number.
std::string Points(int hundredths) {
  const int size = std::abs(hundredths);
  return absl::StrCat(hundredths < 0 ? "-" : "", size / 100, ".", size / 10 % 10, size % 10);
}

// The answer to "help", for people who try the engine by hand. docs/engine_protocol.md is the
// reference.
constexpr absl::string_view kHelp[] = {
    "help tarot: my name and my options",
    "help setoption level NAME: selects the bot",
    "help isready: answers readyok when everything before is done",
    "help newdeal players 4 seat B seed 17 rules fft: the seat and the table that I play at",
    "help view, then lines of TDN up to *: the present view of my seat",
    "help legal: lists my legal actions",
    "help go, go nodes N: I decide, and play at most N cards in the search",
    "help stop: ends a search; I answer with the best action so far",
    "help quit: ends the program",
};

absl::Status Refuse(absl::string_view why) { return absl::InvalidArgumentError(why); }

}  // namespace

std::string LevelNames(absl::string_view between) {
  return absl::StrCat(absl::StrJoin(ai::Levels(), between), between, "master", between, "oracle");
}

Engine::Engine(const std::string& level, std::ostream& out, std::function<bool()> stop)
    : out_(out), stop_(std::move(stop)), level_(level) {
  TAROT_CHECK(ai::FindOpponent(level) != nullptr);
}

bool Engine::Take(absl::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (in_view_) {
    TakeViewLine(line);
    return true;
  }
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.empty()) return true;
  if (words == std::vector<std::string>{"quit"}) return false;
  if (const absl::Status done = Obey(words); !done.ok()) {
    Answer(absl::StrCat("error ", done.message()));
  }
  return true;
}

absl::Status Engine::Obey(const std::vector<std::string>& words) {
  const std::string& verb = words[0];
  if (verb == "newdeal") return StartDeal(words);
  if (verb == "setoption") return SetOption(words);
  if (verb == "go") return Go(words);
  if (verb == "legal") return words.size() == 1 ? Legal() : absl::OkStatus();
  if (words.size() == 1 && verb == "tarot") {
    Introduce();
  } else if (words.size() == 1 && verb == "help") {
    for (const absl::string_view line : kHelp) Answer(line);
    Answer("helpok");
  } else if (words.size() == 1 && verb == "isready") {
    Answer("readyok");
  } else if (words.size() == 1 && verb == "view") {
    in_view_ = true;
    view_text_.clear();
  } else if (words.size() != 1 || verb != "stop") {
    const std::string said = absl::StrJoin(words, " ");
    return Refuse(
        absl::StrCat("unknown: ", cli::Safe(said.substr(0, kEchoBytesMax)), " (try help)"));
  }
  return absl::OkStatus();
}

void Engine::Introduce() {
  Answer("id name tarot-lab");
  Answer("protocol 1");
  Answer(absl::StrCat("option level default ", level_, " choice ", LevelNames(" ")));
  Answer("tarotok");
}

absl::Status Engine::SetOption(const std::vector<std::string>& words) {
  if (words.size() != 3 || words[1] != "level") return Refuse("expected: setoption level NAME");
  if (ai::FindOpponent(words[2]) == nullptr) {
    return Refuse(absl::StrCat("there is no level ", cli::Safe(words[2])));
  }
  level_ = words[2];
  return absl::OkStatus();
}

absl::Status Engine::StartDeal(const std::vector<std::string>& words) {
  NewDeal deal;
  if (words.size() < 9 || words[1] != "players" || words[3] != "seat" || words[5] != "seed" ||
      words[7] != "rules") {
    return Refuse("expected: newdeal players N seat SEAT seed S rules RULES");
  }
  const auto parsed = rules::ParseRuleSet(absl::StrJoin(words.begin() + 8, words.end(), " "));
  if (!parsed.ok()) return Refuse(cli::Safe(parsed.status().message()));
  deal.rules = rules::RuleSetText(*parsed);
  deal.players = notation::ParseCount(words[2]).value_or(0);
  if (deal.players < parsed->players_min || deal.players > parsed->players_max) {
    return Refuse("the rule set is not for this number of players");
  }
  const auto seat = notation::ParseSeatName(words[4], parsed->Playing(deal.players));
  if (!seat) return Refuse("there is no such seat");
  deal.seat = *seat;
  if (!absl::SimpleAtoi(words[6], &deal.seed)) return Refuse("the seed is not a number below 2^64");
  deal_ = deal;
  view_.reset();
  return absl::OkStatus();
}

void Engine::TakeViewLine(absl::string_view line) {
  if (view_text_.size() <= kViewBytesMax) absl::StrAppend(&view_text_, line, "\n");
  if (line != "*") return;
  in_view_ = false;
  if (const absl::Status done = EndView(); !done.ok()) {
    Answer(absl::StrCat("error view: ", cli::Safe(done.message())));
  }
}

absl::Status Engine::EndView() {
  if (view_text_.size() > kViewBytesMax) return Refuse("too long");
  TAROT_ASSIGN_OR_RETURN(const rules::View view, notation::ReadTdnView(view_text_));
  if (!deal_) return Refuse("there is no newdeal");
  if (view.players != deal_->players || view.viewer != deal_->seat ||
      rules::RuleSetText(view.rules) != deal_->rules) {
    return Refuse("differs from newdeal in players, seat or rules");
  }
  if (view.turn == view.viewer) {
    if (const absl::string_view wrong = ai::ValidateView(view); !wrong.empty())
      return Refuse(wrong);
  }
  view_ = view;
  return absl::OkStatus();
}

absl::Status Engine::InTurn() const {
  if (!view_) return Refuse("there is no view");
  return view_->turn == view_->viewer ? absl::OkStatus() : Refuse("the seat is not in turn");
}

absl::Status Engine::Legal() {
  TAROT_RETURN_IF_ERROR(InTurn());
  for (const std::string& line : LegalLines(*view_)) Answer(line);
  Answer("legalok");
  return absl::OkStatus();
}

absl::Status Engine::Go(const std::vector<std::string>& words) {
  std::uint64_t nodes = 0;
  const bool budget =
      words.size() == 3 && words[1] == "nodes" && absl::SimpleAtoi(words[2], &nodes);
  if (words.size() != 1 && !budget) return Refuse("expected: go, or go nodes N");
  TAROT_RETURN_IF_ERROR(InTurn());
  const ai::Decision decision = ai::FindOpponent(level_)->Choose(
      *view_, Rng(deal_->seed), {.node_budget = nodes, .stop = stop_});
  Answer(absl::StrCat("info level ", level_, " nodes ", decision.nodes, " worlds ", decision.worlds,
                      " solved ", decision.solved));
  for (const ai::Candidate& candidate : decision.candidates) {
    if (!candidate.value) continue;
    Answer(absl::StrCat("info candidate ", notation::ActionName(candidate.action), " value ",
                        Points(*candidate.value), " worlds ", candidate.worlds));
  }
  Answer(absl::StrCat("bestaction ", notation::ActionName(decision.action),
                      decision.value() ? absl::StrCat(" value ", Points(*decision.value())) : ""));
  return absl::OkStatus();
}

void Engine::Answer(absl::string_view line) { out_ << std::string(line) << "\n" << std::flush; }

namespace {

std::string Names(rules::CardSet cards) {
  std::string out;
  for (const rules::Card card : cards) absl::StrAppend(&out, " ", notation::CardName(card));
  return out;
}

std::string Bids(const rules::LegalActions& legal) {
  std::string out;
  for (std::size_t bid = 0; bid < legal.bids.size(); ++bid) {
    if (!legal.bids[bid]) continue;
    absl::StrAppend(&out, " ", notation::ContractName(static_cast<rules::Contract>(bid)));
  }
  return out;
}

std::vector<std::string> Play(const rules::View& view) {
  const rules::LegalActions& legal = view.legal;
  std::string sizes;
  for (int level = 1; level <= 3; ++level) {
    if (!legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    absl::StrAppend(&sizes, " ", view.rules.HandfulSize(view.players, level));
  }
  std::vector<std::string> lines;
  if (!sizes.empty()) {
    lines.push_back(
        absl::StrCat("legal handful", sizes, " of ", notation::TrumpsName(legal.handful_cards)));
  }
  lines.push_back("legal play" + Names(legal.cards));
  return lines;
}

}  // namespace

std::vector<std::string> LegalLines(const rules::View& view) {
  if (view.turn != view.viewer) return {};
  const rules::LegalActions& legal = view.legal;
  switch (view.phase) {
    case rules::Phase::kBidding:
      return {"legal bid" + Bids(legal)};
    case rules::Phase::kCalling:
      return {absl::StrCat("legal call", Names(legal.calls), legal.call_nobody ? " -" : "")};
    case rules::Phase::kDiscarding:
      return {absl::StrCat("legal discard ", legal.discard_count, " trumps ",
                           legal.discard_trump_count, " of ", notation::HandName(legal.discards))};
    case rules::Phase::kSlam:
      return {"legal slam yes no"};
    case rules::Phase::kPlaying:
      return Play(view);
    case rules::Phase::kDone:
      break;
  }
  return {};
}

}  // namespace tarot::lab
