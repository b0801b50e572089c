// French: the sentences of an analysis (docs/analysis.md).
import type { Judge } from "./judge";

const SUITS = ["pique", "cœur", "carreau", "trèfle"];
const many = (n: number, one: string, more: string) => `${n} ${n < 2 ? one : more}`;

export const judge: Judge = {
  sentences: {
    POINTS_GIVEN: "Le pli était déjà perdu : {card} donne {np}, {other} donne {mp}.",
    PETIT_GIVEN: "Le pli était déjà perdu, et le Petit part avec.",
    EXCUSE_SAVES: "Le pli était déjà perdu : l’Excuse sauve {card}.",
    POINTS_MISSED: "Le pli était acquis : {other} rapporte {mp}, {card} rapporte {np}.",
    PETIT_MISSED: "Le pli était acquis : le Petit passait sans risque.",
    TRUMP_TOO_HIGH: "{other} revenait au même dans ce pli, et {card} restait pour la suite.",
    PARTNER_TAKEN: "Le camp tenait déjà le pli : {seat} avait joué {other}.",
    TOP_TRUMP_EARLY: "{card} fait un pli à tout moment, et celui-ci n’avait que {np}.",
    "TOP_TRUMP_EARLY/lead": "{card} fait un pli à tout moment : rien ne presse.",
    SUIT_RUFFED: "{seat} n’a plus de {suit} depuis le pli {trick} et peut couper {card}.",
    FORCES_TRUMP: "{seat} n’a plus de {suit} depuis le pli {trick} et doit couper {other}, si un atout lui reste.",
    EXCUSE_LOST: "L’Excuse est perdue au dernier pli : c’était sa dernière chance.",
    EXCUSE_EARLY: "{other} ne vaut qu’un demi-point, et l’Excuse peut encore servir dans {n} autres plis.",
    SLAM_CERTAIN: "Cette main fait tous les plis, quelles que soient les autres.",
    DISCARD_VOID: "Le meilleur écart fait une coupe à {suit}.",
    DISCARD_POINTS: "Le meilleur écart met {mp} de côté, celui-ci {np}.",
    DISCARD_BARE: "Cet écart laisse {card} sans garde.",
    CALL_OWN: "{card} est dans la main du preneur, qui joue seul.",
    CALL_QUEEN: "{card} chez un partenaire protège {other} de cette main.",
    HIGHER_OUT: "{other} pouvait encore venir : {card} perd le pli dans {n%} des donnes possibles.",
    TRUMPS_OUT: "{card} perd le pli dans {n%} des donnes possibles ; atouts encore dehors : {trumps}.",
    PETIT_DANGER: "Le Petit est perdu dans {n%} des donnes possibles, après {other} dans {m%}.",
    PETIT_CATCH: "Après {other}, le camp prend le Petit dans {m%} des donnes possibles, après {card} dans {n%}.",
    PETIT_LAST: "Après {other}, le camp gagne le Petit au bout dans {m%} des donnes possibles, après {card} dans {n%}.",
    TRICK_CHANCE: "Après {other}, le camp fait ce pli dans {m%} des donnes possibles, après {card} dans {n%}.",
    CONTRACT_CHANCE: "Après {card}, le contrat passe dans {n%} des donnes possibles, après {other} dans {m%}.",
    "CONTRACT_CHANCE/bids": "Cette enchère réussit dans {n%} des donnes probables, la meilleure dans {m%}.",
    "CONTRACT_CHANCE/bid": "Cette enchère réussit dans {n%} des donnes probables.",
    "CONTRACT_CHANCE/pass": "La meilleure enchère réussit dans {m%} des donnes probables.",
    HANDFUL: "La poignée de {trumps} atouts vaut {points} points, et le camp gagne dans {n%} des donnes possibles.",
    CARD_POINTS: "Avec {other}, le camp fait en moyenne {t} de plus en points de cartes.",
    RUFFED_OPEN: "À jeu ouvert : {seat} n’avait pas de {suit} et pouvait couper.",
    FREE_OPEN: "À jeu ouvert, ce choix ne coûtait rien.",
    SLAM_OPEN: "À la fin, l’attaque a fait tous les plis.",
  },
  interval: (low, high) => `${low} à ${high}`, uncertain: "Pas une faute certaine.",
  hand: {
    trumps: (n) => many(n, "atout", "atouts"), bouts: (n) => many(n, "bout", "bouts"), kings: (n) => many(n, "Roi", "Rois"),
    long: (n, suit) => `${n} ${["piques", "cœurs", "carreaux", "trèfles"][suit]}`, single: (suit) => `un seul ${SUITS[suit]}`, none: (suit) => `pas de ${SUITS[suit]}`,
  },
  points: (halves) => (halves === 1 ? "un demi-point" : `${String(halves / 2).replace(".", ",")} ${halves < 4 ? "point" : "points"}`),
  chance: "Réussite", range: "8 sur 10",
};
