// English: the sentences of an analysis (docs/analysis.md). The screen of the replay loads them.
import type { Judge } from "./judge";

const SUITS = ["spade", "heart", "diamond", "club"];

export const judge: Judge = {
  sentences: {
    POINTS_GIVEN: "The trick was lost already: {card} gives {np}, {other} gives {mp}.",
    PETIT_GIVEN: "The trick was lost already, and the Petit goes with it.",
    EXCUSE_SAVES: "The trick was lost already: the Excuse saves {card}.",
    POINTS_MISSED: "The trick was safe: {other} brings {mp}, {card} brings {np}.",
    PETIT_MISSED: "The trick was safe: the Petit could go without risk.",
    TRUMP_TOO_HIGH: "{other} does the same in this trick, and {card} stays for later.",
    PARTNER_TAKEN: "The trick already belonged to the camp: {seat} had played {other}.",
    TOP_TRUMP_EARLY: "{card} takes a trick at any time, and this one had only {np}.",
    "TOP_TRUMP_EARLY/lead": "{card} takes a trick at any time: it can wait.",
    SUIT_RUFFED: "{seat} has had no {suit} since trick {trick} and can trump {card}.",
    FORCES_TRUMP: "{other} makes {seat} trump: no {suit} since trick {trick}.",
    EXCUSE_LOST: "The Excuse is lost in the last trick: this was its last chance.",
    EXCUSE_EARLY: "{other} costs half a point here; the Excuse has {n} later tricks.",
    SLAM_CERTAIN: "This hand wins every trick, whatever the others hold.",
    DISCARD_VOID: "The better écart leaves no {suit} in the hand: a suit to trump.",
    DISCARD_POINTS: "The better écart puts {mp} aside, this one {np}.",
    DISCARD_BARE: "This écart leaves {card} alone in its suit.",
    CALL_OWN: "{card} is in the taker’s own hand: the taker plays alone.",
    CALL_QUEEN: "{card} with a partner protects {other} of this hand.",
    HIGHER_OUT: "{other} was still out: {card} loses the trick in {n%} of the possible deals.",
    TRUMPS_OUT: "{card} loses the trick in {n%} of the possible deals; trumps still out: {trumps}.",
    PETIT_DANGER: "The Petit is lost in {n%} of the possible deals, after {other} in {m%}.",
    PETIT_CATCH: "After {other}, the camp catches the Petit in {m%} of the possible deals, after {card} in {n%}.",
    PETIT_LAST: "After {other}, the camp wins the Petit in the last trick in {m%} of the possible deals, after {card} in {n%}.",
    TRICK_CHANCE: "After {other}, the camp wins this trick in {m%} of the possible deals, after {card} in {n%}.",
    CONTRACT_CHANCE: "After {card}, the contract is made in {n%} of the possible deals, after {other} in {m%}.",
    "CONTRACT_CHANCE/bids": "This bid is made in {n%} of the likely deals, the better bid in {m%}.",
    "CONTRACT_CHANCE/bid": "This bid is made in {n%} of the likely deals.",
    "CONTRACT_CHANCE/pass": "The better bid is made in {m%} of the likely deals.",
    HANDFUL: "The handful of {trumps} trumps is worth {points} points, and the camp wins in {n%} of the possible deals.",
    RUFFED_OPEN: "As the cards lay, {seat} had no {suit} and could trump.",
    FREE_OPEN: "As the cards lay, it cost nothing.",
    SLAM_OPEN: "In the end the attack won every trick.",
  },
  interval: (low, high) => `${low} to ${high}`, uncertain: "Not a certain fault.",
  hand: {
    trumps: (n) => `${n} ${n === 1 ? "trump" : "trumps"}`, bouts: (n) => `${n} ${n === 1 ? "bout" : "bouts"}`, kings: (n) => `${n} ${n === 1 ? "King" : "Kings"}`,
    long: (n, suit) => `${n} ${SUITS[suit]}s`, single: (suit) => `a single ${SUITS[suit]}`, none: (suit) => `no ${SUITS[suit]}s`,
  },
  points: (halves) => (halves === 1 ? "half a point" : `${halves / 2} ${halves === 2 ? "point" : "points"}`),
  chance: "Made", range: "8 of 10 results",
};
