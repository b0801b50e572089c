#!/usr/bin/env python3
"""Compares libs/rules with the second referee on made deals of every rule set and player count.

Usage: compare.py TAROT_LAB [--deals N] [--seed S]

TAROT_LAB makes at least N deals (40,000) and scores them with libs/rules; the referee scores them
again. Most deals are biased: the players keep the Excuse and the Petit, or one camp wins nearly all
tricks (tools/lab/vectors/files.cc). The program prints the number of deals and differences of each
rule set, and how often each rare situation occurred. The exit status is 1 if there is a difference,
or if a situation did not occur.
"""
import argparse
import collections
import json
import subprocess
import sys

import referee

COMBINATIONS = 37  # The pairs of a rule set and a number of players.


def situations(line):
    """Yields the names of the rare situations of this deal."""
    winners = line["expect"]["trick_winners"]
    last = line["tricks"][-1]
    attack = {line["taker"], line["partner"]} - {-1}
    if "EX" in last["cards"]:
        yield "Excuse in the last trick"
        seats = [seat for seat in range(line["n"]) if line["hands_at_play"][seat]]
        at = seats.index(last["leader"])
        if (seats[at:] + seats[:at])[last["cards"].index("EX")] == winners[-1]:
            yield "Excuse wins the last trick"
    if "T1" in last["cards"]:
        yield "Petit in the last trick"
    if not attack:
        return
    taken = sum(winner in attack for winner in winners)
    for name, count in (("attack", taken), ("defence", len(winners) - taken)):
        if count == len(winners):
            yield f"the {name} wins every trick"
        if count == len(winners) - 1:
            yield f"the {name} wins every trick except one"
    if line["slam_announced"] and taken < len(winners):
        yield "an announced slam fails"
    if line["handles"]:
        yield "a handful"


def made(lab, arguments):
    """Yields the deals that `tarot-lab vectors` makes. Raises CalledProcessError if it fails."""
    command = [lab, "vectors"] + arguments
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from map(json.loads, process.stdout)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)


NAMES = ["Excuse in the last trick", "Excuse wins the last trick", "Petit in the last trick",
         "the attack wins every trick", "the attack wins every trick except one",
         "the defence wins every trick", "the defence wins every trick except one",
         "an announced slam fails", "a handful"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lab")
    parser.add_argument("--deals", type=int, default=40000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    each = -(-options.deals // COMBINATIONS)
    deals = collections.Counter()
    wrong = collections.Counter()
    seen = collections.Counter()
    combinations = [(line["preset"], line["n"])
                    for line in made(options.lab, ["--count", "1", "--rules", "all"])]
    for number, (preset, players) in enumerate(combinations):
        # Each rule set gets its own seed. With a common seed, all rule sets would get the same
        # cards.
        arguments = ["--count", str(each), "--rules", preset, "--players", str(players),
                     "--seed", str(options.seed * COMBINATIONS + number)]
        for line in made(options.lab, arguments):
            deals[preset, players] += 1
            seen.update(situations(line))
            found = referee.differences(line)
            wrong[preset, players] += bool(found)
            for difference in found:
                print(f"{line['id']}: {difference}")
    for combination, count in deals.items():
        print(f"{combination[0]:18} {combination[1]} players {count:6} deals "
              f"{wrong[combination]:6} with differences")
    for name in NAMES:
        print(f"{seen[name]:6} deals: {name}")
    complete = len(deals) == COMBINATIONS and set(deals.values()) == {each}
    print(f"{sum(deals.values())} deals of {len(deals)} combinations, "
          f"{sum(wrong.values())} with differences")
    return not complete or any(wrong.values()) or not all(seen[name] for name in NAMES)


if __name__ == "__main__":
    sys.exit(main())
