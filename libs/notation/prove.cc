#include "libs/notation/prove.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Deal;
using rules::Outcome;

// Returns the first problem with the players, the board's taker, the hands or the dog of `record`.
// Returns "" if there is none.
std::string StartProblem(const Record& record, const rules::RuleSet& rules) {
  if (record.players < rules.players_min || record.players > rules.players_max) {
    return absl::StrCat(record.rule_set, " is not for ", record.players, " players");
  }
  const bool given = record.board_taker >= 0 && record.board_taker < record.players;
  if (rules.taker_by == rules::TakerBy::kBoard && !given) return "the board names no taker";
  if (rules.taker_by != rules::TakerBy::kBoard && record.board_taker != rules::kNoSeat) {
    return "in this rule set the board names no taker";
  }
  CardSet seen = record.dog;
  bool sizes = record.dog.Size() == rules.DogSize(record.players);
  for (rules::Seat seat = 0; seat < record.players; ++seat) {
    // Only the dealer may sit out, and the dealer has the last seat.
    const int size = seat < rules.Playing(record.players) ? rules.HandSize(record.players) : 0;
    seen |= record.hands[Slot(seat)];
    sizes = sizes && record.hands[Slot(seat)].Size() == size;
  }
  if (!sizes) return "a hand or the dog has a wrong number of cards";
  return seen == CardSet::All() ? "" : "hands and dog do not hold every card once";
}

std::string OutcomeText(Outcome outcome) {
  switch (outcome) {
    case Outcome::kNone:
      return "not over";
    case Outcome::kScored:
      return "played to the end";
    case Outcome::kAllPassed:
      return "passed by all";
    case Outcome::kPetitSec:
      return "cancelled by a petit sec";
    // A document never has this outcome. For a deal that the server cancelled, a document has
    // kNone.
    case Outcome::kVoided:
      break;
  }
  return "";
}

std::string Half(int half_points) {
  return absl::StrCat(half_points / 2, half_points % 2 == 0 ? "" : ".5");
}

std::string Signed(int number) { return absl::StrCat(number > 0 ? "+" : "", number); }

class Prover {
 public:
  explicit Prover(const Document& document)
      : doc_(document), record_(document.record), claims_(document.claims) {}

  std::vector<Check> Run() {
    const auto replayed = Replay(record_);
    Add("cards", replayed.ok() ? Truth::kTrue : Truth::kFalse,
        replayed.ok() ? "every card once, in the sizes of the rule set"
                      : std::string(replayed.status().message()),
        Line("Deal"));
    Commitment();
    if (replayed.ok()) {
      Seed(replayed->deal);
      Moves(*replayed);
    } else {
      Unknown({"seed", "moves"}, "the cards are not dealt");
    }
    const bool sound = replayed.ok() && replayed->problem.empty();
    if (sound) Ending(replayed->deal);
    if (sound) Tricks(replayed->deal);
    if (!sound) Unknown({"ending", "tricks"}, "the moves are not legal");
    if (sound && replayed->deal.result.outcome == claims_.outcome) {
      Contract(replayed->deal);
      Result(replayed->deal);
      UnitOf(replayed->deal);
      Score(replayed->deal);
    } else {
      Unknown({"contract", "result", "unit", "score"}, "the deal has another ending");
    }
    return std::move(checks_);
  }

 private:
  int Line(const std::string& tag) const {
    const auto found = doc_.lines.tags.find(tag);
    return found == doc_.lines.tags.end() ? 0 : found->second;
  }

  static int LineAt(const std::vector<int>& lines, std::size_t index) {
    return index < lines.size() ? lines[index] : 0;
  }

  void Add(const std::string& what, Truth truth, const std::string& text, int line = 0) {
    checks_.push_back({.what = what, .truth = truth, .text = text, .line = line});
  }

  // Adds a check that compares `stated`, the value in the document, with `found`, the value that
  // follows from the deal. `stated` is "" if the document does not state the value.
  void Compare(const std::string& what, const std::string& stated, const std::string& found,
               int line) {
    if (stated.empty()) return Add(what, Truth::kUnknown, absl::StrCat("not stated: ", found));
    const bool same = stated == found;
    Add(what, same ? Truth::kTrue : Truth::kFalse,
        same ? found : absl::StrCat("stated ", stated, ", but it is ", found), line);
  }

  void Unknown(const std::vector<std::string>& all, const std::string& why) {
    for (const std::string& what : all) Add(what, Truth::kUnknown, why);
  }

  void Commitment() {
    if (!record_.seed || !record_.commitment) {
      return Add("commitment", Truth::kUnknown,
                 record_.seed ? "no commitment is stated" : "no seed is stated");
    }
    const bool fits = dealing::Commit(*record_.seed) == *record_.commitment;
    Add("commitment", fits ? Truth::kTrue : Truth::kFalse,
        fits ? "it is the SHA-256 of the seed" : "it is not the SHA-256 of the seed",
        Line("Commit"));
  }

  // Returns the provenance of the cards, with the nonces in the order of the table's seats. The
  // record must have a seed.
  dealing::Provenance Origin() const {
    dealing::Provenance from{.procedure = record_.procedure,
                             .seed = *record_.seed,
                             .gathered = record_.gathered,
                             .piles = record_.piles};
    for (rules::Seat chair = 0; chair < record_.players; ++chair) {
      from.nonces[Slot(chair)] =
          record_.nonces[Slot((record_.first_chair + chair) % record_.players)];
    }
    return from;
  }

  // Checks the cards against the seed. `deal` is the replayed deal; it gives the rule set.
  void Seed(const Deal& deal) {
    if (!record_.seed) return Add("seed", Truth::kUnknown, "no seed is stated");
    const dealing::Provenance from = Origin();
    const std::string strange = OriginProblem(deal.rules, from, record_.first_deal);
    if (!strange.empty()) return Add("seed", Truth::kFalse, strange, Line("Dealing"));
    const rules::DealtCards dealt =
        rules::DealOut(deal.rules, record_.players, record_.Dealer(),
                       dealing::PackOf(deal.rules, record_.players, from));
    const rules::Seat drawn =
        (record_.first_chair + FirstDealerOf(deal.rules, record_.players, from)) % record_.players;
    if (record_.first_deal && drawn != record_.Dealer()) {
      return Add("seed", Truth::kFalse,
                 absl::StrCat("it draws ", SeatName(drawn), " for the first dealer"),
                 Line("Dealing"));
    }
    std::string wrong;
    for (rules::Seat seat = 0; seat < record_.players; ++seat) {
      if (dealt.hands[Slot(seat)] == record_.hands[Slot(seat)]) continue;
      absl::StrAppend(&wrong, wrong.empty() ? "" : ", ", "the hand of ", SeatName(seat));
    }
    if (dealt.dog != record_.dog) absl::StrAppend(&wrong, wrong.empty() ? "" : ", ", "the dog");
    Add("seed", wrong.empty() ? Truth::kTrue : Truth::kFalse,
        wrong.empty() ? "every hand and the dog follow from it"
                      : absl::StrCat("it gives other cards: ", wrong),
        Line("Seed"));
  }

  void Moves(const Replayed& replayed) {
    if (replayed.problem.empty()) {
      return Add("moves", Truth::kTrue, absl::StrCat(replayed.legal, " actions, each legal"));
    }
    Add("moves", Truth::kFalse,
        absl::StrCat("action ", replayed.legal + 1, " of ", record_.entries.size(), ", by ",
                     SeatName(record_.entries[replayed.legal].seat), ": ", replayed.problem),
        LineAt(doc_.lines.entries, replayed.legal));
  }

  void Ending(const Deal& deal) {
    const rules::DealResult& result = deal.result;
    std::string stated = OutcomeText(claims_.outcome), found = OutcomeText(result.outcome);
    if (claims_.petit_sec_seat && result.outcome == Outcome::kPetitSec) {
      absl::StrAppend(&stated, " of ", SeatName(*claims_.petit_sec_seat));
      absl::StrAppend(&found, " of ", SeatName(result.petit_sec_seat));
    }
    if (claims_.petit_sec_hand && result.outcome == Outcome::kPetitSec) {
      absl::StrAppend(&stated, " with ", HandName(*claims_.petit_sec_hand));
      absl::StrAppend(&found, " with ", HandName(result.petit_sec_hand));
    }
    Compare("ending", stated, found, Line("Termination"));
  }

  void Tricks(const Deal& deal) {
    std::size_t played = Slot(deal.trick_count);
    if (played > 0 && deal.tricks[played - 1].winner == rules::kNoSeat) --played;
    const std::size_t stated = claims_.winners.size();
    for (std::size_t i = 0; i < std::min(played, stated); ++i) {
      if (claims_.winners[i] == deal.tricks[i].winner) continue;
      return Add("tricks", Truth::kFalse,
                 absl::StrCat("trick ", i + 1, " goes to ", SeatName(deal.tricks[i].winner),
                              ", not to ", SeatName(claims_.winners[i])),
                 LineAt(doc_.lines.winners, i));
    }
    if (stated == 0) {
      return Add("tricks", Truth::kUnknown, absl::StrCat(played, " tricks, no winner is stated"));
    }
    Add("tricks", stated == played ? Truth::kTrue : Truth::kFalse,
        absl::StrCat(stated, " winners of ", played, " tricks as stated"), Line("Play"));
  }

  void Contract(const Deal& deal) {
    const auto text = [&](rules::Seat taker, rules::Contract contract) {
      if (taker == rules::kNoSeat) return std::string("no taker");
      return absl::StrCat(SeatName(taker), " takes, ", rules::ContractText(contract));
    };
    const auto with = [](rules::Seat partner) {
      return partner == rules::kNoSeat ? " alone" : " with " + SeatName(partner);
    };
    std::string stated, found = text(deal.taker, deal.contract);
    if (claims_.taker || claims_.contract) {
      stated = text(claims_.taker.value_or(deal.taker), claims_.contract.value_or(deal.contract));
    }
    if (claims_.partner) {
      absl::StrAppend(&stated, with(*claims_.partner));
      absl::StrAppend(&found, with(deal.partner));
    }
    Compare("contract", stated, found, Line(deal.taker == claims_.taker ? "Contract" : "Taker"));
  }

  void Result(const Deal& deal) {
    if (deal.result.outcome != Outcome::kScored)
      return Unknown({"result"}, "the deal has no score");
    const auto text = [](int made, int needed, int bouts) {
      return absl::StrCat(Half(made), " points, ", Half(needed), " needed, bouts: ", bouts);
    };
    const int made = deal.result.attack_half_points;
    const int needed = deal.result.score.needed_half_points;
    std::string stated;
    if (claims_.attack_half_points || claims_.needed_half_points || claims_.bouts) {
      stated = text(claims_.attack_half_points.value_or(made),
                    claims_.needed_half_points.value_or(needed),
                    claims_.bouts.value_or(deal.result.bouts));
    }
    Compare("result", stated, text(made, needed, deal.result.bouts), Line("Result"));
  }

  void UnitOf(const Deal& deal) {
    const rules::Score& score = deal.result.score;
    const auto text = [](const Account& account) {
      return absl::StrCat(account.won ? "made by " : "failed by ", account.difference,
                          ", petit au bout ", account.petit_au_bout, ", slam ", account.slam_points,
                          ", handfuls ", account.handful_points, ": ", account.unit,
                          " from each defender");
    };
    if (deal.result.outcome != Outcome::kScored) return Unknown({"unit"}, "the deal has no score");
    Compare("unit", claims_.account ? text(*claims_.account) : "",
            text({.won = score.won,
                  .difference = score.difference,
                  .petit_au_bout = deal.result.petit_au_bout,
                  .slam_points = score.slam_points,
                  .handful_points = score.handful_points,
                  .unit = score.unit}),
            0);
  }

  void Score(const Deal& deal) {
    const auto text = [&](const std::array<int, rules::kPlayersMax>& scores) {
      std::string out;
      for (rules::Seat seat = 0; seat < record_.players; ++seat) {
        absl::StrAppend(&out, seat == 0 ? "" : " ", SeatName(seat), ":",
                        Signed(scores[Slot(seat)]));
      }
      return out;
    };
    Compare("score", claims_.scores ? text(*claims_.scores) : "", text(deal.result.scores),
            Line("Score"));
  }

  const Document& doc_;
  const Record& record_;
  const Claims& claims_;
  std::vector<Check> checks_;
};

// Returns true only if every check of Prove() would pass or be unknown. Returns false if the
// document has a claim that this function does not check, although the claim may be true.
bool QuicklyTrue(const Document& document) {
  const Record& record = document.record;
  const Claims& claims = document.claims;
  if (record.seed || record.commitment || claims.taker || claims.partner || claims.contract ||
      !claims.winners.empty() || claims.needed_half_points || claims.account) {
    return false;
  }
  const auto replayed = Replay(record);
  if (!replayed.ok() || !replayed->problem.empty()) return false;
  const rules::DealResult& result = replayed->deal.result;
  return claims.outcome == result.outcome &&
         claims.attack_half_points.value_or(result.attack_half_points) ==
             result.attack_half_points &&
         claims.bouts.value_or(result.bouts) == result.bouts &&
         claims.scores.value_or(result.scores) == result.scores;
}

}  // namespace

bool AllTrue(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.truth == Truth::kFalse; });
}

std::string OriginProblem(const rules::RuleSet& rules, const dealing::Provenance& from,
                          bool first_deal) {
  const bool nonces = std::any_of(from.nonces.begin(), from.nonces.end(),
                                  [](const std::string& nonce) { return !nonce.empty(); });
  if (from.procedure == dealing::Procedure::kSeedAlone) {
    return nonces || from.gathered ? "an old deal has neither nonces nor a gathered pack" : "";
  }
  for (const std::string& nonce : from.nonces) {
    if (nonce.size() > dealing::kNonceBytesMax) return "a nonce is longer than 32 bytes";
  }
  const bool no_shuffle = rules.shuffle == rules::Shuffle::kNoneBetweenDeals;
  if (first_deal && from.gathered) return "the pack of a first deal is shuffled";
  if (from.procedure == dealing::Procedure::kDrawnGathering) {
    if (!no_shuffle) return "the rule set shuffles the pack";
    // Without gathered cards the pack is shuffled, for example after a deal without a score.
    if (!from.gathered) return from.piles.empty() ? "" : "the cards of the piles are missing";
    return rules::HoldsWholePack(from.piles) ? "" : "the piles do not hold the pack";
  }
  if (!from.piles.empty()) return "a pack with piles has another procedure";
  const bool cut_only = no_shuffle && !first_deal;
  if (from.gathered.has_value() == cut_only) return "";
  return cut_only ? "the pack that was cut is missing" : "the pack of this deal is shuffled";
}

std::vector<Check> Prove(const Document& document) { return Prover(document).Run(); }

absl::StatusOr<rules::RuleSet> RulesOf(const Record& record) {
  const rules::NamedRuleSet* named = rules::FindRuleSet(record.rule_set);
  if (named != nullptr) return named->rules;
  return rules::ParseRuleSet(record.rule_set);
}

absl::StatusOr<rules::Deal> Start(const Record& record) {
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, RulesOf(record));
  const std::string problem = StartProblem(record, rules);
  if (!problem.empty()) return BadRequest("deal", problem);
  return rules::StartDeal(rules, record.players, record.Dealer(), record.hands, record.dog,
                          record.board_taker);
}

absl::StatusOr<Replayed> Replay(const Record& record) {
  Replayed replayed;
  TAROT_ASSIGN_OR_RETURN(replayed.deal, Start(record));
  for (const Entry& entry : record.entries) {
    const rules::Verdict verdict = rules::Apply(replayed.deal, entry.seat, entry.action);
    if (!verdict.ok()) {
      replayed.problem = std::string(rules::RefusalStatus(entry.action, verdict).message());
      break;
    }
    ++replayed.legal;
  }
  return replayed;
}

std::optional<Check> ProveGathered(const Document* before, const Document& document) {
  const Record& record = document.record;
  const auto rules = RulesOf(record);
  const bool leaves_pack = rules.ok() && rules->shuffle == rules::Shuffle::kNoneBetweenDeals;
  if (record.first_deal || !leaves_pack) return std::nullopt;
  Check check{.what = "gathered", .truth = Truth::kUnknown};
  if (before == nullptr) {
    check.text = "the previous deal is missing";
    return check;
  }
  const auto replayed = Replay(before->record);
  const bool over = replayed.ok() && replayed->deal.phase == rules::Phase::kDone;
  if (!over || !replayed->problem.empty()) {
    check.text = "the end of the previous deal is not known";
    return check;
  }
  const Deal& deal = replayed->deal;
  const bool scored = deal.result.outcome == Outcome::kScored;
  if (!record.gathered) {
    const bool drawn = record.procedure == dealing::Procedure::kDrawnGathering;
    if (drawn && scored && MayGather(*rules, record.players)) {
      // Before 2026-11-23, the server shuffled the pack of custom rule sets in more cases than
      // today. So for a custom rule set, this check is unknown and not false.
      const bool named = rules::FindRuleSet(record.rule_set) != nullptr;
      check.truth = named ? Truth::kFalse : Truth::kUnknown;
      check.text = "the pack was shuffled, but the previous deal left one";
    } else {
      check.truth = Truth::kTrue;
      check.text = scored ? "shuffled, as for these packets"
                          : "shuffled, because the previous deal had no score";
    }
    return check;
  }
  bool same = *record.gathered == GatheredPack(deal);
  if (record.procedure == dealing::Procedure::kDrawnGathering) {
    same = same && scored && dealing::SamePiles(record.piles, GatheredPiles(deal));
  }
  check.truth = same ? Truth::kTrue : Truth::kFalse;
  check.text = same ? "it is the pack that the previous deal left"
                    : "it is not the pack that the previous deal left";
  return check;
}

std::string Untruth(const Document& document) {
  std::string untruth;
  if (QuicklyTrue(document)) return untruth;
  for (const Check& check : Prove(document)) {
    if (check.truth != Truth::kFalse) continue;
    absl::StrAppend(&untruth, untruth.empty() ? "" : "; ", check.what, ": ", check.text);
  }
  return untruth;
}

}  // namespace tarot::notation
