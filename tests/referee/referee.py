#!/usr/bin/env python3
"""A second referee, written from the sources in docs/rules. It shares no code with libs/rules.

Usage: referee.py FILE.jsonl... Each line is a deal in the format of
tests/data/vectors/fullplay_*.jsonl, with the rule set as "preset". The program plays each deal card
by card, counts its points, and compares the result with the "expect" of the line. It prints the
differences. The exit status is 1 if there are differences.
"""
import json
import sys

BOUTS = {"T1", "T21", "EX"}
FACES = {suit + str(rank) for suit in "SHDC" for rank in (11, 12, 13, 14)}
CONTRACTS = ["prise", "garde", "garde_sans", "garde_contre"]


class Fault(Exception):
    """The error for a line whose deal the rules of the game do not allow."""


def demand(holds, what):
    if not holds:
        raise Fault(what)


def suit_of(card):
    return None if card == "EX" else card[0]


def rank_of(card):
    return int(card[1:])


def is_trump(card):
    return card != "EX" and card[0] == "T"


def half_points(card):
    if card in BOUTS:
        return 9
    return 2 * (rank_of(card) - 10) + 1 if card in FACES else 1


def legal_cards(hand, table):
    """Returns the cards that may be played. A player must follow suit. A player without that suit
    must play a trump, above the highest trump if possible. A player without trumps may play any
    card. The Excuse is always legal.
    """
    plain = [card for card in table if card != "EX"]
    if not plain:
        return set(hand)
    asked = suit_of(plain[0])
    highest = max([rank_of(card) for card in plain if is_trump(card)], default=0)
    cards = {card for card in hand if suit_of(card) == asked} if asked != "T" else set()
    trumps = {card for card in hand if is_trump(card)}
    higher = {card for card in trumps if rank_of(card) > highest}
    cards = cards or higher or trumps or set(hand)
    return cards | ({"EX"} & set(hand))


def winning_card(table):
    plain = [card for card in table if card != "EX"]
    trumps = [card for card in plain if is_trump(card)]
    same = [card for card in plain if suit_of(card) == suit_of(plain[0])]
    return table.index(max(trumps or same, key=rank_of))


def barred_cards(text, hand, table, called):
    """Returns the cards that a seat must not play in the first trick of a deal of five players. The
    leader may lead the called suit only with the called card. Under booklet rules, the other seats
    may play the called suit only if the called card was led.
    """
    if text in ("pagat", "shogix_free5"):
        return set()
    suit = {card for card in hand if suit_of(card) == suit_of(called)}
    if not table:
        return suit - {called}
    return suit if text.startswith("booklet") and table[0] != called else set()


class Deal:
    def __init__(self, line):
        self.text = line.get("preset", "fft")
        self.source = self.text.split("_")[0]
        self.n = line["n"]
        self.hands = [set(hand) for hand in line["hands_at_play"]]
        self.seats = [seat for seat in range(self.n) if self.hands[seat]]
        self.taker = line["taker"]
        self.attack = {self.taker, line["partner"]} - {-1}
        self.called = line["called"]
        self.contract = line["contract"]
        self.apart = line["counted_apart"]
        self.announced = line["slam_announced"]
        self.handfuls = [(shown["seat"], shown["level"]) for shown in line["handles"]]
        self.alone = self.text == "booklet_practice1"
        self.tricks = []  # Tuples of (seats in order, winner, cards).
        self.play(line["tricks"])

    def won_by(self, attack):
        return sum((winner in self.attack) == attack for _, winner, _ in self.tricks)

    def play(self, tricks):
        hands = [set(hand) for hand in self.hands]
        leader = tricks[0]["leader"]
        demand(not self.announced or leader == self.taker, "who announces leads")
        for number, trick in enumerate(tricks):
            demand(trick["leader"] == leader, f"trick {number}: leader")
            at = self.seats.index(leader)
            order = self.seats[at:] + self.seats[:at]
            for place, card in enumerate(trick["cards"]):
                hand, table = hands[order[place]], trick["cards"][:place]
                cards = legal_cards(hand, table)
                if number == 0 and self.called and len(self.seats) == 5:
                    cards = cards - barred_cards(self.text, hand, table, self.called) or cards
                demand(card in cards, f"trick {number}: {card} is illegal")
                hand.remove(card)
            leader = order[winning_card(trick["cards"])]
            if number == len(tricks) - 1 and "EX" in trick["cards"]:
                player = order[trick["cards"].index("EX")]
                leader = player if self.excuse_wins(player, order[0]) else leader
            self.tricks.append((order, leader, trick["cards"]))
        demand(not any(hands), "not the whole play")

    def excuse_wins(self, player, leader):
        """Returns whether the Excuse of `player` wins the last trick, which `leader` leads."""
        if self.source == "booklet" or (self.text == "pagat" and player != leader):
            return False
        return self.won_by(player not in self.attack) == 0

    def excuse_owner(self, player, winner, last):
        """Returns whether the attack owns the Excuse that `player` put into a trick that `winner`
        won.
        """
        holder, taken = player in self.attack, winner in self.attack
        if not last or (self.source == "booklet" and self.text != "booklet_customs"):
            return holder
        if self.text == "preneur":
            return holder if self.won_by(holder) > 0 else not holder
        if self.text in ("booklet_customs", "pagat"):
            return taken
        slam = self.won_by(not holder) == 0
        return holder if slam else not holder

    def count(self):
        """Returns the cards that the attack has won, and its half points."""
        cards = set(self.apart) if self.contract != "garde_contre" else set()
        given = 0
        for number, (order, winner, table) in enumerate(self.tricks):
            taken = winner in self.attack
            cards |= set(table) - {"EX"} if taken else set()
            if "EX" in table:
                last = number == len(self.tricks) - 1
                owns = self.excuse_owner(order[table.index("EX")], winner, last)
                cards |= {"EX"} if owns else set()
                if owns != taken and not (self.text == "preneur" and self.n == 3):
                    given = -1 if owns else 1
        return cards, sum(map(half_points, cards)) + given

    def petit_au_bout(self):
        (order, winner, table), before = self.tricks[-1], self.tricks[-2]
        if "T1" not in table and "EX" in table and winner == order[table.index("EX")]:
            order, winner, table = before
        if "T1" not in table:
            return 0
        ours, taken = order[table.index("T1")] in self.attack, winner in self.attack
        if self.text == "webguide" and ours != taken:
            return 0
        return 1 if taken else -1

    def slam(self):
        lost = 1 if self.source == "booklet" else 0
        if self.won_by(False) <= lost:
            return 400 if self.announced else 200
        points = -200 if self.announced else 0
        if self.won_by(True) == 0 and self.source in ("fft", "shogix", "pagat"):
            points -= 200
        return points

    def handful_points(self):
        """Returns the handful points of the attack, and the handful points of the defence."""
        sums = [0, 0]
        sizes = {3: (13, 15, 18), 4: (10, 13, 15), 5: (8, 10, 13)}[len(self.seats)]
        demand(not self.handfuls or self.source != "webguide", "no handfuls")
        for seat, level in self.handfuls:
            own = {card for card in self.hands[seat] if is_trump(card) or card == "EX"}
            shown = set(filter(is_trump, self.apart)) if seat == self.taker else set()
            demand(len(own | shown) >= sizes[level - 1], "handful")
            sums[seat not in self.attack] += 10 + 10 * level
        return sums

    def expect(self):
        winners = [winner for _, winner, _ in self.tricks]
        if self.alone:
            return {"taker_camp_half_points": 0, "bouts": 0, "need": 0, "won": False,
                    "diff_points": 0, "petit_au_bout": 0, "slam_bonus": 0, "unit": 0,
                    "scores": self.alone_scores(), "trick_winners": winners}
        cards, points = self.count()
        bouts = len(cards & BOUTS)
        petit = self.petit_au_bout()
        multipliers = (1, 2, 3, 4) if self.source == "booklet" else (1, 2, 4, 6)
        multiplier = multipliers[CONTRACTS.index(self.contract)]
        honours = len(cards & (BOUTS | FACES))
        practice2 = self.text == "booklet_practice2"
        normal = "practice" not in self.text
        need = ((12, 10, 8, 7) if practice2 else (56, 51, 41, 36))[bouts]
        reached = 2 * honours if practice2 else points
        if normal and self.source == "booklet":
            reached += 20 * petit
        sign = 1 if reached >= 2 * need else -1
        difference = (abs(reached - 2 * need) + 1) // 2
        unit = sign * (honours if practice2 else 25 + difference) * multiplier
        slam = self.slam() if normal else 0
        if normal:
            ours, theirs = self.handful_points()
            if self.source == "booklet":
                unit += sign * (ours - theirs) + slam
            else:
                unit += sign * (ours + theirs) + slam + 10 * multiplier * petit
        return {"taker_camp_half_points": points, "bouts": bouts, "need": need, "won": sign > 0,
                "diff_points": difference, "petit_au_bout": petit, "slam_bonus": slam,
                "unit": unit, "scores": self.shares(unit, normal), "trick_winners": winners}

    def shares(self, unit, normal):
        scores = [0] * self.n
        if not normal:
            scores[self.taker] = unit
            return scores
        defenders = [seat for seat in self.seats if seat not in self.attack]
        for seat in defenders:
            scores[seat] = -unit
        for seat in self.attack - {self.taker}:
            scores[seat] = unit
        scores[self.taker] = -sum(scores)
        return scores

    def alone_scores(self):
        scores = [0] * self.n
        for order, winner, table in self.tricks:
            for seat, card in zip(order, table):
                if card in BOUTS | FACES:
                    scores[seat if card == "EX" else winner] += 1
        return scores


def differences(line):
    try:
        expected = Deal(line).expect()
    except Fault as fault:
        return [str(fault)]
    return [f"{key} is {line['expect'][key]}, by the text {value}"
            for key, value in expected.items() if line["expect"][key] != value]


def main():
    lines = wrong = 0
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for text in file:
                line = json.loads(text)
                lines += 1
                for difference in differences(line):
                    wrong += 1
                    print(f"{name}: {line['id']}: {difference}")
    print(f"{lines} deals, {wrong} differences")
    return wrong > 0 or lines == 0


if __name__ == "__main__":
    sys.exit(main())
