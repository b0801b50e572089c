#include "tools/cli/reason_text.h"

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "libs/rules/cards.h"

namespace tarot::cli {
namespace {

using bot::v1::Reason;

constexpr ReasonSentence kSentences[] = {
    {"POINTS_GIVEN", "The trick was lost already: {card} gives {np}, {other} gives {mp}.",
     "Le pli était déjà perdu : {card} donne {np}, {other} donne {mp}."},
    {"PETIT_GIVEN", "The trick was lost already, and the Petit goes with it.",
     "Le pli était déjà perdu, et le Petit part avec."},
    {"EXCUSE_SAVES", "The trick was lost already: the Excuse saves {card}.",
     "Le pli était déjà perdu : l’Excuse sauve {card}."},
    {"POINTS_MISSED", "The trick was safe: {other} brings {mp}, {card} brings {np}.",
     "Le pli était acquis : {other} rapporte {mp}, {card} rapporte {np}."},
    {"PETIT_MISSED", "The trick was safe: the Petit could go without risk.",
     "Le pli était acquis : le Petit passait sans risque."},
    {"TRUMP_TOO_HIGH", "{other} does the same in this trick, and {card} stays for later.",
     "{other} revenait au même dans ce pli, et {card} restait pour la suite."},
    {"PARTNER_TAKEN", "The trick already belonged to the camp: {seat} had played {other}.",
     "Le camp tenait déjà le pli : {seat} avait joué {other}."},
    {"TOP_TRUMP_EARLY", "{card} takes a trick at any time, and this one had only {np}.",
     "{card} fait un pli à tout moment, et celui-ci n’avait que {np}."},
    {"TOP_TRUMP_EARLY/lead", "{card} takes a trick at any time: it can wait.",
     "{card} fait un pli à tout moment : rien ne presse."},
    {"SUIT_RUFFED", "{seat} has had no {suit} since trick {trick} and may trump {card}.",
     "{seat} n’a plus de {suit} depuis le pli {trick} et peut couper {card}."},
    {"FORCES_TRUMP",
     "{seat} has had no {suit} since trick {trick} and must trump {other}, if a trump is left.",
     "{seat} n’a plus de {suit} depuis le pli {trick} et doit couper {other}, si un atout lui "
     "reste."},
    {"EXCUSE_LOST", "The Excuse is lost in the last trick: this was its last chance.",
     "L’Excuse est perdue au dernier pli : c’était sa dernière chance."},
    {"EXCUSE_EARLY",
     "{other} has only half a point, and the Excuse can still go to {n} later tricks.",
     "{other} ne vaut qu’un demi-point, et l’Excuse peut encore servir dans {n} autres plis."},
    {"SLAM_CERTAIN", "This hand wins every trick, whatever the others hold.",
     "Cette main fait tous les plis, quelles que soient les autres."},
    {"DISCARD_VOID", "The better écart leaves no {suit} in the hand: a suit to trump.",
     "Le meilleur écart fait une coupe à {suit}."},
    {"DISCARD_POINTS", "The better écart puts {mp} aside, this one {np}.",
     "Le meilleur écart met {mp} de côté, celui-ci {np}."},
    {"DISCARD_BARE", "This écart leaves {card} alone in its suit.",
     "Cet écart laisse {card} sans garde."},
    {"CALL_OWN", "{card} is in the taker’s own hand: the taker plays alone.",
     "{card} est dans la main du preneur, qui joue seul."},
    {"CALL_QUEEN", "{card} in a partner’s hand protects {other} in this hand.",
     "{card} chez un partenaire protège {other} de cette main."},
    {"HIGHER_OUT",
     "{other} could still come: {card} loses the trick in {n%} of the possible deals.",
     "{other} pouvait encore venir : {card} perd le pli dans {n%} des donnes possibles."},
    {"TRUMPS_OUT",
     "{card} loses the trick in {n%} of the possible deals; trumps still out: {trumps}.",
     "{card} perd le pli dans {n%} des donnes possibles ; atouts encore dehors : {trumps}."},
    {"PETIT_DANGER", "The Petit is lost in {n%} of the possible deals, after {other} in {m%}.",
     "Le Petit est perdu dans {n%} des donnes possibles, après {other} dans {m%}."},
    {"PETIT_CATCH",
     "After {other}, the camp catches the Petit in {m%} of the possible deals, after {card} in "
     "{n%}.",
     "Après {other}, le camp prend le Petit dans {m%} des donnes possibles, après {card} dans "
     "{n%}."},
    {"PETIT_LAST",
     "After {other}, the camp wins the Petit in the last trick in {m%} of the possible deals, "
     "after {card} in {n%}.",
     "Après {other}, le camp gagne le Petit au bout dans {m%} des donnes possibles, après {card} "
     "dans {n%}."},
    {"TRICK_CHANCE",
     "After {other}, the camp wins this trick in {m%} of the possible deals, after {card} in {n%}.",
     "Après {other}, le camp fait ce pli dans {m%} des donnes possibles, après {card} dans {n%}."},
    {"CONTRACT_CHANCE",
     "After {card}, the contract is made in {n%} of the possible deals, after {other} in {m%}.",
     "Après {card}, le contrat passe dans {n%} des donnes possibles, après {other} dans {m%}."},
    {"CONTRACT_CHANCE/bids",
     "This bid is made in {n%} of the likely deals, the better bid in {m%}.",
     "Cette enchère réussit dans {n%} des donnes probables, la meilleure dans {m%}."},
    {"CONTRACT_CHANCE/bid", "This bid is made in {n%} of the likely deals.",
     "Cette enchère réussit dans {n%} des donnes probables."},
    {"CONTRACT_CHANCE/pass", "The better bid is made in {m%} of the likely deals.",
     "La meilleure enchère réussit dans {m%} des donnes probables."},
    {"HANDFUL",
     "The handful of {trumps} trumps is worth {points} points, and the camp wins in {n%} of the "
     "possible deals.",
     "La poignée de {trumps} atouts vaut {points} points, et le camp gagne dans {n%} des donnes "
     "possibles."},
    {"CARD_POINTS", "With {other}, the camp takes {t} more card points on average.",
     "Avec {other}, le camp fait en moyenne {t} de plus en points de cartes."},
    {"RUFFED_OPEN", "As the cards lay, {seat} had no {suit} and could trump.",
     "À jeu ouvert : {seat} n’avait pas de {suit} et pouvait couper."},
    {"FREE_OPEN", "As the cards lay, this choice cost nothing.",
     "À jeu ouvert, ce choix ne coûtait rien."},
    {"SLAM_OPEN", "In the end the attack won every trick.",
     "À la fin, l’attaque a fait tous les plis."},
};

constexpr std::array<const char*, 4> kEnglishSuits{"spades", "hearts", "diamonds", "clubs"};
constexpr std::array<const char*, 4> kEnglishSuitsOne{"spade", "heart", "diamond", "club"};
constexpr std::array<const char*, 4> kFrenchSuits{"pique", "cœur", "carreau", "trèfle"};
constexpr std::array<const char*, 4> kFrenchSuitsMany{"piques", "cœurs", "carreaux", "trèfles"};

bool IsFrench(Language language) { return language == Language::kFrench; }

const char* SuitText(std::uint32_t suit, Language language) {
  return (IsFrench(language) ? kFrenchSuits : kEnglishSuits)[suit % 4];
}

// Returns the card with its article, for example "the King of hearts" or "le 14 d’atout".
std::string CardText(std::uint32_t number, Language language) {
  if (!rules::IsCard(static_cast<int>(number))) return "?";
  const rules::Card card = rules::CardAt(static_cast<int>(number));
  const bool french = IsFrench(language);
  const int rank = RankOf(card);
  if (card == rules::kExcuse) return french ? "l’Excuse" : "the Excuse";
  if (card == rules::kPetit) return french ? "le Petit" : "the Petit";
  if (IsTrump(card)) {
    return french ? absl::StrCat("le ", rank, " d’atout") : absl::StrCat("trump ", rank);
  }
  constexpr std::array<const char*, 4> kEnglishCourts{"Jack", "Knight", "Queen", "King"};
  constexpr std::array<const char*, 4> kFrenchCourts{"le Valet", "le Cavalier", "la Dame",
                                                     "le Roi"};
  const char* const suit = SuitText(number / rules::kSuitSize, language);
  const auto court = static_cast<std::size_t>(rank - 11);
  if (french) {
    const std::string name = rank == 1    ? "l’as"
                             : rank <= 10 ? absl::StrCat("le ", rank)
                                          : kFrenchCourts[court];
    return absl::StrCat(name, " de ", suit);
  }
  const std::string name = rank == 1    ? "ace"
                           : rank <= 10 ? absl::StrCat(rank)
                                        : kEnglishCourts[court];
  return absl::StrCat("the ", name, " of ", suit);
}

// Returns card points, for example "half a point" or "2.5 points".
std::string HalfPointsText(std::uint32_t half_points, Language language) {
  if (half_points == 1) return IsFrench(language) ? "un demi-point" : "half a point";
  const bool one = IsFrench(language) ? half_points < 4 : half_points == 2;
  const std::string number = half_points % 2 == 0
                                 ? absl::StrCat(half_points / 2)
                                 : absl::StrCat(half_points / 2, IsFrench(language) ? ",5" : ".5");
  return absl::StrCat(number, one ? " point" : " points");
}

// Returns the name of the sentence for `reason`.
std::string SentenceName(const Reason& reason, bool bid) {
  const std::string& name = Reason::Kind_Name(reason.kind());
  if (reason.kind() == Reason::TOP_TRUMP_EARLY && !reason.has_number()) return name + "/lead";
  if (reason.kind() != Reason::CONTRACT_CHANCE || !bid) return name;
  if (!reason.has_number()) return name + "/pass";
  return name + (reason.has_better_number() ? "/bids" : "/bid");
}

// Makes the first letter a capital. A sentence can begin with a card, a name or a Latin letter.
std::string Capital(std::string text) {
  if (!text.empty()) text[0] = absl::ascii_toupper(static_cast<unsigned char>(text[0]));
  return text;
}

std::string Counted(std::uint32_t number, const char* one, const char* many) {
  return absl::StrCat(number, " ", number == 1 ? one : many);
}

}  // namespace

std::optional<Language> ParseLanguage(absl::string_view text) {
  if (text == "en") return Language::kEnglish;
  if (text == "fr") return Language::kFrench;
  return std::nullopt;
}

absl::Span<const ReasonSentence> ReasonSentences() { return kSentences; }

std::string DecimalText(int hundredths, Language language) {
  const int tenths = (std::abs(hundredths) + 5) / 10;
  return absl::StrFormat("%s%d%s%d", hundredths < 0 && tenths > 0 ? "-" : "", tenths / 10,
                         IsFrench(language) ? "," : ".", tenths % 10);
}

std::string ShareText(std::uint32_t thousandths) {
  return absl::StrCat((thousandths + 5) / 10, " %");
}

std::string ReasonText(const Reason& reason, bool bid,
                       const std::function<std::string(std::uint32_t)>& name, Language language) {
  const std::string wanted = SentenceName(reason, bid);
  for (const ReasonSentence& sentence : kSentences) {
    if (sentence.name != wanted) continue;
    const std::vector<std::pair<absl::string_view, std::string>> values = {
        {"{card}", CardText(reason.card(), language)},
        {"{other}", CardText(reason.other_card(), language)},
        {"{suit}", SuitText(reason.suit(), language)},
        {"{seat}", reason.has_seat() ? name(reason.seat()) : ""},
        {"{trick}", absl::StrCat(reason.trick())},
        {"{trumps}", absl::StrCat(reason.trumps())},
        {"{points}", absl::StrCat(reason.points())},
        {"{n}", absl::StrCat(reason.number())},
        {"{t}", DecimalText(static_cast<int>(10 * reason.number()), language)},
        {"{np}", HalfPointsText(reason.number(), language)},
        {"{mp}", HalfPointsText(reason.better_number(), language)},
        {"{n%}", ShareText(reason.number())},
        {"{m%}", ShareText(reason.better_number())}};
    return Capital(
        absl::StrReplaceAll(IsFrench(language) ? sentence.french : sentence.english, values));
  }
  return "";
}

std::string HandText(const bot::v1::Hand& hand, Language language) {
  const bool french = IsFrench(language);
  std::vector<std::string> parts = {french ? Counted(hand.trumps(), "atout", "atouts")
                                           : Counted(hand.trumps(), "trump", "trumps")};
  if (hand.bouts_size() > 0) {
    const std::string list =
        absl::StrJoin(hand.bouts(), ", ", [](std::string* out, std::uint32_t bout) {
          const rules::Card card = rules::CardAt(static_cast<int>(bout));
          *out += card == rules::kExcuse ? "Excuse" : card == rules::kPetit ? "Petit" : "21";
        });
    parts.push_back(absl::StrCat(
        Counted(static_cast<std::uint32_t>(hand.bouts_size()), "bout", "bouts"), " (", list, ")"));
  }
  if (hand.kings() > 0) {
    parts.push_back(french ? Counted(hand.kings(), "Roi", "Rois")
                           : Counted(hand.kings(), "King", "Kings"));
  }
  // A suit of five cards is long. A void or a single card soon lets the hand trump the suit.
  constexpr std::uint32_t kLong = 5;
  for (int i = 0; i < hand.suit_lengths_size() && i < 4; ++i) {
    const std::uint32_t length = hand.suit_lengths(i);
    const auto suit = static_cast<std::size_t>(i);
    if (length >= kLong) {
      parts.push_back(
          absl::StrCat(length, " ", french ? kFrenchSuitsMany[suit] : kEnglishSuits[suit]));
    } else if (length == 1) {
      parts.push_back(french ? absl::StrCat("un seul ", kFrenchSuits[suit])
                             : absl::StrCat("a single ", kEnglishSuitsOne[suit]));
    } else if (length == 0) {
      parts.push_back(french ? absl::StrCat("pas de ", kFrenchSuits[suit])
                             : absl::StrCat("no ", kEnglishSuits[suit]));
    }
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace tarot::cli
