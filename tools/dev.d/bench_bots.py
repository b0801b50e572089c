#!/usr/bin/env python3
"""Matches of the bots: the figures of var/bench/bots.json and the cross-table of docs/bots.md.

Usage: bench_bots.py BIN TABLE [--deals N] [--cross-deals N] [--level expert] [--only PATTERN]
                    [--old NAME=COMMAND]... [--jobs N] [--keep DIR]
Every match is `tarotctl arena`: duplicate deals, the same luck, gains against what REST makes at
the same seat, bootstrap intervals by deal. Figures go to stdout as a JSON list, the cross-table as
Markdown to TABLE. --old puts an older version of ours, or anybody's engine, into the cross-table.
With --keep each deal is kept in DIR, and a run that was stopped goes on where it was.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys


def match(args, one, rest, deals, *options):
    command = [f"{args.bin}/tarotctl", "arena", one, rest, "--json", "--timeout", "120",
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
    """The lowest end of an interval, of all seats and roles."""
    means = result["by_seat"] + list(result["by_role"].values())
    return min(mean["low95"] for mean in means)


def figures(args):
    """Each a function of nothing that gives {name: value}, by its name."""
    rule, pimc = f"{args.bin}/rival rule", f"{args.bin}/rival pimc 100"
    garde = ("--contract", "G")

    def points(name, result):
        return {f"{name}_points": result["points"], f"{name}_low95": result["low95"],
                f"{name}_high95": result["high95"]}

    return {
        "vs_rule": lambda: points("vs_rule", match(args, args.level, rule, args.deals, *garde)),
        "vs_pimc100": lambda: points("vs_pimc100",
                                     match(args, args.level, pimc, args.deals, *garde)),
        "vs_rule_3p": lambda: {"vs_rule_3p_low95": worst(
            match(args, args.level, rule, args.deals, *garde, "--players", "3"))},
        "vs_rule_5p": lambda: {"vs_rule_5p_low95": worst(
            match(args, args.level, rule, args.deals, *garde, "--players", "5"))},
        "bidding_gain": lambda: points("bidding_gain", match(
            args, args.level, f"{args.level}/classic", max(args.deals // 2, 10))),
    }


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
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("--deals", type=int, default=200)
    parser.add_argument("--cross-deals", type=int, default=30)
    parser.add_argument("--level", default="expert")
    parser.add_argument("--only", default=".")
    parser.add_argument("--old", action="append", default=[])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    found = {}
    for name, run in figures(args).items():
        if re.search(args.only, name):
            found.update(run())
    if re.search(args.only, "cross_table"):
        table = cross_table(args)
        args.table.write_text(table)
        print(table, file=sys.stderr)
    print(json.dumps([{"name": name, "value": round(value, 3), "unit": "points a deal"}
                      for name, value in found.items()], indent=1))


if __name__ == "__main__":
    main()
