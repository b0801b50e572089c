"""Computes the machines for 10,000, 100,000 and 2,000,000 players from measured costs.

Usage: capacity.py [--check]. Writes docs/capacity.md from docs/capacity.json. A newer figure in
var/bench/*.json replaces the value of docs/capacity.json. With --check, the program writes nothing
and ignores var/bench. It checks that the page is up to date, and that docs/bench.md still has the
figures of docs/capacity.json.
"""
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "docs/capacity.json"
PAGE = ROOT / "docs/capacity.md"
PLAYERS = (10_000, 100_000, 2_000_000)
PAIRS_A_MACHINE = 4  # A pair is a gateway with its door.
RULES_A_MACHINE = 8
LOADS = {
    "tables": "open tables",
    "moves": "moves a second",
    "matches": "matches that begin a second",
    "streams": "open streams",
    "tickets": "waiting tickets",
    "rated": "players with a rating",
}

HEAD = """# Capacity

`tools/dev bench capacity` computes this page from the costs, assumptions and limits of
`docs/capacity.json`. Do not edit it by hand. The number of players is the number of people online
at the same time, at the peak of an evening. No test had these sizes: the page multiplies costs that
were measured on one machine with two cores.
"""

# Maps each resource to what an operator does when the resource is at its limit.
MORE_DOORS = "Each gateway has a door, so add gateways."
CELLS = ("First a larger machine. Then cells: each cell is a Postgres with its replicas of rules, "
         "and a table lives in one cell (docs/runbook/cells.md).")
REMEDIES = {
    "connections of the doors":
        MORE_DOORS + " Or raise `maxconn` and `fd-hard-limit` in `deploy/haproxy/haproxy.cfg`, and "
        "also the hard limit of descriptors.",
    "CPU of the doors": MORE_DOORS + " A door has one thread.",
    "network of the doors": MORE_DOORS,
    "streams of the gateways":
        "More gateways (the autoscaler follows `tarot_gateway_streams_open`).",
    "memory of the gateways": "More gateways, or more memory for each.",
    "CPU of the gateways": "More gateways.",
    "CPU of rules": "More replicas: each table has one host, which looks only at its own tables.",
    "memory of rules": "More replicas of rules.",
    "tables of rules":
        "More replicas of rules (the autoscaler follows `tarot_rules_tables_open`).",
    "CPU of the bots":
        "More replicas of bot. Until then rules plays by heuristics, and an alert fires.",
    "CPU of Postgres": CELLS,
    "moves stored a second": CELLS,
    "WAL of Postgres": CELLS + " Larger batches (`--append_linger_max`) write less WAL.",
    "disk of Postgres":
        "Archive the logs sooner (`--archive_after`): in the archive a deal takes %(record_bytes)d "
        "bytes. " + CELLS,
    "tables placed a second":
        "Several queues may have different replicas; one queue cannot be divided.",
    "matches rated a second": "Larger batches. The ladder is in one Postgres and is not divided.",
    "a wave of the matcher": "A longer pause between the waves of a queue, or more queues.",
}


def read_data(fresh):
    data = json.loads(DATA.read_text())
    figures = {}
    for path in sorted((ROOT / "var/bench").glob("*.json")) if fresh else []:
        try:
            figures.update((f["name"], f["value"]) for f in json.loads(path.read_text()))
        except (KeyError, TypeError, json.JSONDecodeError):
            continue  # Skips a file that is not a list of figures.
    values = {}
    for row in data["costs"] + data["assumptions"] + data["limits"]:
        row["value"] = figures.get(row.get("figure"), row["value"])
        values[row["name"]] = row["value"]
    return data, values


def load(players, v):
    """Returns the load of the players: moves and matches per second, and counts at one time."""
    tables = players * v["at_table"] / (v["seats"] * (1 - v["bot_seats"]))
    moves = tables / v["seconds_a_move"]
    matches = moves / (v["moves_a_deal"] * v["deals_a_match"])
    return {
        "tables": tables, "moves": moves, "matches": matches,
        "streams": players * v["streams_a_player"],
        "tickets": matches * v["seats"] * v["waiting_seconds"],
        "rated": players * v["rated_a_player"],
    }


def cores(seconds_a_second, v):
    return seconds_a_second / v["core_speed"] / v["utilization"]


def resources(players, v):
    """Returns the load of the players, and one row for each resource: its name, the amount that is
    needed, the most that one unit (such as a gateway) gives, the name of the unit, the measure
    (such as cores), and the number of units.
    """
    a = load(players, v)
    moves, used = a["moves"], v["utilization"]
    gateway_bytes = a["streams"] * v["stream_bytes"]
    wal = moves * v["entry_wal_bytes"]
    entries_a_day = moves * v["mean_of_peak"] * 86400
    disk = entries_a_day * v["entry_disk_bytes"] * v["log_days"]
    wire = moves * (v["move_in_bytes"] + v["move_out_bytes"])
    bots = moves * v["bot_seats"] * v["bot_cpu"]
    rows = [
        ("connections of the doors", players, v["door_browsers"], "door", "connections"),
        ("CPU of the doors", cores(moves * v["door_cpu"], v), 1, "door", "cores"),
        ("network of the doors", wire, v["network_bytes"] * used, "door", "bytes/s"),
        ("streams of the gateways", a["streams"], v["gateway_streams"], "gateway", "streams"),
        ("memory of the gateways", gateway_bytes, v["process_memory"], "gateway", "bytes"),
        ("CPU of the gateways", cores(moves * v["gateway_cpu"], v), 2, "gateway", "cores"),
        ("CPU of rules", cores(moves * v["rules_cpu"], v), 2, "replica of rules", "cores"),
        ("tables of rules", a["tables"], v["rules_tables"], "replica of rules", "tables"),
        ("memory of rules", a["tables"] * v["table_bytes"], v["process_memory"],
         "replica of rules", "bytes"),
        ("CPU of the bots", cores(bots, v), 2, "replica of bot", "cores"),
        ("CPU of Postgres", cores(moves * v["postgres_cpu"], v), v["machine_cores"], "Postgres",
         "cores"),
        ("moves stored a second", moves, v["append_rate"] * used, "Postgres", "moves/s"),
        ("WAL of Postgres", wal, v["wal_bytes"], "Postgres", "bytes/s"),
        ("disk of Postgres", disk, v["disk_bytes"] * used, "Postgres", "bytes"),
        ("tables placed a second", a["matches"], v["place_rate"] * used, "queue", "tables/s"),
        ("matches rated a second", a["matches"], v["record_rate"] * used, "ladder", "matches/s"),
        ("a wave of the matcher", a["tickets"] * v["wave_cpu"], used, "queue", "s a wave"),
    ]
    return a, [(*row, max(1, math.ceil(row[1] / row[2]))) for row in rows]


def number(value):
    for size, suffix in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:,.3g}{suffix}"
    return f"{value:,.2g}" if value < 10 else f"{value:,.0f}"


def machines(a, rows, v):
    """Returns the number of machines of each kind, with a remark. There are at least two of each
    kind, because a machine may fail.
    """
    units = {}
    for _, _, _, unit, _, count in rows:
        units[unit] = max(units.get(unit, 2), count)
    units["Postgres"] = max(row[5] for row in rows if row[3] == "Postgres")
    need = {row[0]: row[1] for row in rows}
    m = v["machine_cores"]
    pairs = max(units["door"], units["gateway"])
    gateways = max(pairs / PAIRS_A_MACHINE,
                   (need["CPU of the doors"] + need["CPU of the gateways"]) / m,
                   need["memory of the gateways"] / (v["machine_memory"] * v["utilization"]))
    rules = max(units["replica of rules"] / RULES_A_MACHINE, need["CPU of rules"] / m)
    primaries = units["Postgres"]
    places = number(a["rated"] * v["rank_bytes"])
    return {
        "gateways with doors": (max(2, math.ceil(gateways)), f"{pairs} of each"),
        "rules": (max(2, math.ceil(rules)), f"{units['replica of rules']} replicas"),
        "bots": (max(2, math.ceil(need["CPU of the bots"] / m)),
                 f"{units['replica of bot']} replicas"),
        "matchmaking and ratings": (2, f"the leaderboards take {places}B of memory"),
        "Postgres": (2 * primaries + 1, f"{primaries} with a standby each, and one more for etcd"),
    }


def row_of(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def table(*columns):
    return ["", row_of(*columns), "|" + " --- |" * len(columns)]


def breaks_first(players, rows, v):
    single = {"Postgres", "queue", "ladder"}
    many = max((row for row in rows if row[3] not in single), key=lambda row: row[1] / row[2])
    hard = max((row for row in rows if row[3] in single), key=lambda row: row[1] / row[2])
    yield f"- **{players:,} players**"
    for name, need, most, unit, _, _ in (many, hard):
        remedy = REMEDIES[name].replace("%(record_bytes)d", str(v["record_bytes"]))
        yield f"  - {name}: {number(need / most)} times what one {unit} gives. {remedy}"


def source_of(row):
    if "bench" in row:
        return "[benchmarks](bench.md)"
    return "`tools/dev compose-match`" if "figure" in row else "a trial with Postgres 15"


def page(fresh):
    data, v = read_data(fresh)
    results = {players: resources(players, v) for players in PLAYERS}
    sizes = [f"{players:,} players" for players in PLAYERS]
    lines = [HEAD, "## Load", *table("at the peak", *sizes)]
    for key, text in LOADS.items():
        lines.append(row_of(text, *(number(results[p][0][key]) for p in PLAYERS)))
    lines += ["", "## Machines", "", f"A machine has {v['machine_cores']} cores and "
              f"{number(v['machine_memory'])}B of memory. At the peak, {v['utilization']:.0%} of "
              "its cores, network and disk are in use. The service `admin` and the probe are idle "
              "nearly all the time, so they run beside matchmaking and ratings.",
              *table("machines for", *sizes)]
    kinds = {p: machines(*results[p], v) for p in PLAYERS}
    for kind in kinds[PLAYERS[0]]:
        lines.append(row_of(kind, *(f"{kinds[p][kind][0]} ({kinds[p][kind][1]})"
                                    for p in PLAYERS)))
    lines.append(row_of("all", *(sum(n for n, _ in kinds[p].values()) for p in PLAYERS)))
    lines += ["", "## Resources", "", "Each cell has the amount that is needed at the peak, and "
              "in brackets the number of units that give it. The last column is the most that one "
              "unit gives.",
              *table("resource", *sizes, "one unit")]
    for index, (name, _, most, unit, measure, _) in enumerate(results[PLAYERS[0]][1]):
        cells = (results[p][1][index] for p in PLAYERS)
        lines.append(row_of(f"{name} ({measure})", *(f"{number(c[1])} ({c[5]})" for c in cells),
                            f"{number(most)} a {unit}"))
    lines += ["", "## The first limits", "", "For each size, the first line names the most "
              "used resource to which you can add processes. The second line names the most used "
              "resource of Postgres, a queue or a ladder: there more processes do not help.", ""]
    for players in PLAYERS:
        lines += breaks_first(players, results[players][1], v)
    lines += ["", "## Costs", *table("cost", "value", "source")]
    for row in data["costs"]:
        text = f"{row['value']} B, {row['text']}" if "figure" in row else row["text"]
        lines.append(row_of(row["unit"], text, source_of(row)))
    lines += ["", "## Assumptions and limits", "",
              "Change these values in `docs/capacity.json` for your own platform.",
              *table("value", "meaning")]
    for row in data["assumptions"] + data["limits"]:
        value = row["value"]
        lines.append(row_of(number(value) if value >= 1e4 else value, row["text"]))
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        data, _ = read_data(False)
        bench = (ROOT / "docs/bench.md").read_text()
        failed = False
        for row in data["costs"]:
            if "bench" in row and row["bench"] not in bench:
                print(f"docs/capacity.json: docs/bench.md has no '{row['bench']}'")
                failed = True
        if PAGE.read_text() != page(False):
            print("docs/capacity.md is old: run tools/dev bench capacity")
            failed = True
        return failed
    PAGE.write_text(page(True))
    _, values = read_data(True)
    figures = [{"name": f"capacity_machines/{players}",
                "value": sum(n for n, _ in machines(*resources(players, values), values).values()),
                "unit": "machines"} for players in PLAYERS]
    (ROOT / "var/bench").mkdir(parents=True, exist_ok=True)
    (ROOT / "var/bench/capacity.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
