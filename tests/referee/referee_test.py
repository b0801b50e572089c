"""Tests that the second referee finds faults in a vector."""
import copy
import json
import pathlib
import unittest

import referee

VECTORS = pathlib.Path(__file__).parents[1] / "data" / "vectors" / "presets.jsonl"


class RefereeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = [json.loads(text) for text in VECTORS.read_text().splitlines()]

    def line(self, preset, players):
        return copy.deepcopy(next(line for line in self.lines
                                  if (line["preset"], line["n"]) == (preset, players)))

    def test_every_rule_set_and_player_count_is_there(self):
        self.assertEqual(len({(line["preset"], line["n"]) for line in self.lines}), 37)

    def test_a_wrong_score_is_found(self):
        line = self.line("fft", 4)
        line["expect"]["scores"][0] += 1
        self.assertEqual(len(referee.differences(line)), 1)

    def test_the_rules_of_two_sources_differ(self):
        lines = [line for line in copy.deepcopy(self.lines) if line["preset"] == "shogix"]
        for line in lines:
            line["preset"] = "booklet"
        self.assertTrue(any(map(referee.differences, lines)))

    def test_a_revoke_is_found(self):
        line = self.line("club", 4)
        deal = referee.Deal(line)
        for number, (order, _, cards) in enumerate(deal.tricks):
            held = deal.hands[order[1]] - {trick[2][trick[0].index(order[1])]
                                           for trick in deal.tricks[:number]}
            illegal = held - referee.legal_cards(held, cards[:1])
            if illegal:
                line["tricks"][number]["cards"][1] = min(illegal)
                break
        self.assertEqual(referee.differences(line), [f"trick {number}: {min(illegal)} is illegal"])

    def test_legal_cards(self):
        hand = {"H2", "T5", "T9", "C4", "EX"}
        self.assertEqual(referee.legal_cards(hand, []), hand)
        self.assertEqual(referee.legal_cards(hand, ["EX"]), hand)
        self.assertEqual(referee.legal_cards(hand, ["H9"]), {"H2", "EX"})
        self.assertEqual(referee.legal_cards(hand, ["D9"]), {"T5", "T9", "EX"})
        self.assertEqual(referee.legal_cards(hand, ["D9", "T7"]), {"T9", "EX"})
        self.assertEqual(referee.legal_cards(hand, ["T12"]), {"T5", "T9", "EX"})
        self.assertEqual(referee.legal_cards({"C4", "H2"}, ["D9"]), {"C4", "H2"})


if __name__ == "__main__":
    unittest.main()
