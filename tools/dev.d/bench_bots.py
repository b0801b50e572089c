#!/usr/bin/env python3
"""Plays the matches of the bots and writes their figures and the cross-table of docs/bots.md.

Usage: bench_bots.py BIN FIGURES TABLE [--deals N] [--cross-deals N] [--level expert]
                     [--only PATTERN] [--old NAME=COMMAND]... [--jobs N] [--keep DIR]
Every match runs `tarot-lab arena` with duplicate deals: both players get the same cards in turn, so
they have the same luck. A gain is the points of the measured player minus the points of the other
player at the same seat. Intervals
come from a bootstrap over the deals.
Each figure is added to the JSON list in FIGURES as soon as it is known. The cross-table, as
Markdown in TABLE, comes last, because it takes longest. --old adds an older version of our bots, or
any other engine, to the cross-table. --keep stores the results of each deal in DIR, so
a run that was stopped can continue.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys


# The levels whose difference in strength counts, weakest first. `sociable` plays cards as `strong`.
LEVELS = ["novice", "club", "strong", "expert", "master"]


def match(args, one, rest, deals, *options):
    command = [f"{args.bin}/tarot-lab", "arena", one, rest, "--json", "--timeout", "120",
               "--deals", str(deals), "--seed", "20261121", *options]
    if args.jobs:
        command += ["--jobs", str(args.jobs)]
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^A-Za-z0-9.]+", "_", f"{one} {rest} {' '.join(options)}")[-150:]
        command += ["--out", str(args.keep / f"{name}.txt")]
    print("+ " + " ".join(command), file=sys.stderr, flush=True)
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if answer.returncode != 0:
        sys.exit(f"the match {one} against {rest} failed: run it by itself to see why")
    return json.loads(answer.stdout)


def worst(result):
    """Returns the lowest lower bound of all intervals, over all seats and roles."""
    means = result["by_seat"] + list(result["by_role"].values())
    return min(mean["low95"] for mean in means)


def program(args, what, *options):
    """Returns the figures that bots_bench measures under the name `what`."""
    answer = subprocess.run([f"{args.bin}/bots_bench", what, *options], stdout=subprocess.PIPE,
                            check=True)
    return json.loads(answer.stdout)


def level_steps(args):
    """Returns the gain of each level over the level below it, and the lowest lower bound."""
    found = []
    for below, above in zip(LEVELS, LEVELS[1:]):
        for players in "345":
            result = match(args, above, below, args.deals, "--players", players)
            found += points(f"level_step_{above}_{players}p", result)
    lowest = min(each["value"] for each in found if each["name"].endswith("_low95"))
    return [*found, figure("level_step_low95", lowest)]


def points(name, result):
    return [figure(f"{name}_{key}", result[key]) for key in ("points", "low95", "high95")]


def figure(name, value):
    return {"name": name, "value": round(value, 3), "unit": "points a deal"}


def figures(args):
    """Returns functions by name. Each function takes no argument and returns a list of figures."""
    rule, pimc = f"{args.bin}/rival rule", f"{args.bin}/rival pimc 100"

    def with_contract(rest, *options, deals=args.deals):
        return match(args, args.level, rest, deals, "--contract", "G", *options)

    return {
        "speed": lambda: program(args, "speed"),
        "company": lambda: [
            *program(args, "company", str(2 * args.deals)),
            *points("sociable_among_strong", match(args, "sociable", "strong", args.deals))],
        "contracts": lambda: program(args, "contracts", str(args.deals), args.level),
        "vs_rule": lambda: points("vs_rule", with_contract(rule)),
        "vs_pimc100": lambda: points("vs_pimc100", with_contract(pimc)),
        "vs_rule_3p": lambda: [figure(
            "vs_rule_3p_low95", worst(with_contract(rule, "--players", "3")))],
        # This figure is the lowest of eight numbers: the lower bounds of eight intervals. Luck
        # changes it more than the other figures. So it needs twice as many deals.
        "vs_rule_5p": lambda: [figure("vs_rule_5p_low95", worst(
            with_contract(rule, "--players", "5", deals=2 * args.deals)))],
        "bidding_gain": lambda: points("bidding_gain", match(
            args, args.level, f"{args.level}/classic", args.deals)),
        "calibration": lambda: program(args, "calibration", str(args.deals), args.level),
        # The rival is `expert` as it was on 2026-11-22, so the figure shows later progress.
        "vs_frozen_expert": lambda: [
            *points("vs_frozen_expert", match(args, args.level, "frozen_expert", args.deals)),
            *(figure(f"vs_frozen_expert_{players}p_low95", match(
                args, args.level, "frozen_expert", args.deals, "--players", players)["low95"])
              for players in "35")],
        "faults": lambda: program(args, "faults", "500", args.level),
        "level_step": lambda: level_steps(args),
    }


def keep(path, found):
    """Prints the figures and adds them to the list in the file `path`. Replaces older figures with
    the same names.
    """
    names = {each["name"] for each in found}
    kept = json.loads(path.read_text()) if path.exists() else []
    kept = [each for each in kept if each["name"] not in names]
    path.write_text(json.dumps(kept + found, indent=1) + "\n")
    for each in found:
        print(f"{each['name']} {each['value']:.2f} {each['unit']}", flush=True)


def cross_table(args):
    players = {"random": "python3 -B tests/engine/random_engine.py",
               "rule": f"{args.bin}/rival rule", "pimc 100": f"{args.bin}/rival pimc 100",
               "novice": "novice", "club": "club", "strong": "strong", "expert": "expert"}
    players.update(old.split("=", 1) for old in args.old)
    rows = [f"Points a deal of the row among three of the column, whole game, four players, "
            f"{args.cross_deals} deals from every seat, 95 % intervals; "
            f"{datetime.date.today()}, commit {revision()}.", "",
            "| | " + " | ".join(players) + " |", "|---" * (len(players) + 1) + "|"]
    for one in players:
        cells = [cell(args, players[one], players[rest]) if one != rest else "–"
                 for rest in players]
        rows.append(f"| **{one}** | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def cell(args, one, rest):
    result = match(args, one, rest, args.cross_deals)
    half = (result["high95"] - result["low95"]) / 2
    return f"{result['points']:+.1f} ± {half:.1f}"


def revision():
    return subprocess.run(["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bin")
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--cross-deals", type=int, default=30)
    parser.add_argument("--level", default="expert")
    parser.add_argument("--only", default=".")
    parser.add_argument("--old", action="append", default=[])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    for name, run in figures(args).items():
        if re.search(args.only, name):
            keep(args.figures, run())
    if re.search(args.only, "cross_table"):
        table = cross_table(args)
        args.table.write_text(table)
        print(table)


if __name__ == "__main__":
    main()
