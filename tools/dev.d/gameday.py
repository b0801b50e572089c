#!/usr/bin/env python3
"""A game day: plants faults on the running platform of tools/dev and waits for its alerts.

Starts a Prometheus with the shipped rules, an Alertmanager with the shipped routes, a receiver, the
exporter of the machine, and an exporter of the Postgres of each cell, on the ports PORT_BASE + 91
to + 97. Then plants one fault after another, and waits before each fault until no page and no alert
of this fault fires or is pending. A fault counts as heard under three conditions: its alerts arrive
at the receiver within 3 minutes; no other alert with the severity "page" arrives; the alerts end
after the repair of the fault.

With several cells (tools/dev up --cells 2), it also plants faults in cell 1.

During the faults only bots play, and no persons. So a game day does not try the alerts of the
service levels. After the faults, persons play too, and tools/check-dashboards runs each query of
the dashboards. Writes var/bench/ops.json.
"""
import argparse
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from alert_path import ROOT, AlertPath, Fault, wait_for

VAR = ROOT / "var"
FOLDER = VAR / "gameday"
BASE = int((VAR / "port_base").read_text())
PROMETHEUS, NODE_EXPORTER, EXPORTER = BASE + 91, BASE + 94, BASE + 95
# The number of cells. Cell 0 has the label "main", any other cell its number.
CELLS = int((VAR / "cells").read_text()) if (VAR / "cells").exists() else 1
QUIET_WITHIN = 600
HEARD_WITHIN = 180
ENDED_WITHIN = 300
SHOWN_WITHIN = 300


def dev(*arguments, **environment):
    subprocess.run([ROOT / "tools/dev", *arguments], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=os.environ | environment)


def sql(statement):
    dev("psql", "-q", "-c", statement)


def pid(name):
    return int((VAR / f"run/{name}.pid").read_text().split()[0])


def send(signal_number, *names):
    for name in names:
        os.kill(pid(name), signal_number)


def send_to_postgres(signal_number, name="postgres"):
    """Sends the signal to every process of Postgres."""
    parent = pid(name)
    children = subprocess.run(["pgrep", "-P", str(parent)], check=False, text=True,
                              stdout=subprocess.PIPE).stdout.split()
    for each in [parent, *map(int, children)]:
        try:
            os.kill(each, signal_number)
        except ProcessLookupError:
            pass


def replicas(service, cell=0):
    """Returns the replicas of a service. Those of rules belong to the cells in turn."""
    count = int((VAR / "replicas").read_text()) if (VAR / "replicas").exists() else 1
    step = CELLS if service == "rules" else 1
    numbers = range(1 + cell, 1 + count * step, step)
    return [service if number == 1 else f"{service}.{number}" for number in numbers]


def start_again(*names):
    for name in names:
        dev("restart", name)


def bots(count):
    """Lets so many bots queue for ranked matches. Returns the number before."""
    before = int((VAR / "population").read_text())
    (VAR / "population").write_text(f"{count}\n")
    start_again(*replicas("matchmaking"))
    return before


def as_root(*command):
    subprocess.run([ROOT / "tools/dev.d/as_root.sh", *command], check=True, capture_output=True)


class Disk:
    """A small disk, nearly full. It is a file with a file system, so it needs root."""

    def __init__(self):
        self.folder = FOLDER / "disk"
        image = FOLDER / "disk.img"
        self.folder.mkdir(exist_ok=True)
        if self.folder.is_mount():  # An interrupted game day left it.
            self.remove()
        with image.open("wb") as file:
            file.truncate(64 << 20)
        subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", "-E", f"root_owner={os.getuid()}:0", image],
                       check=True)
        as_root("mount", "-o", "loop", image, self.folder)
        free = shutil.disk_usage(self.folder).free
        with (self.folder / "large_file").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free * 95 // 100)

    def remove(self):
        as_root("umount", self.folder)


def write_backup_time(age):
    """Says that the last backup ended `age` seconds ago, like deploy/backup/pg_backup.sh."""
    folder = FOLDER / "metrics"
    folder.mkdir(exist_ok=True)
    file = folder / "tarot_backup.prom.new"
    file.write_text(f"pg_backup_success_time_seconds {time.time() - age:.0f}\n")
    file.rename(folder / "tarot_backup.prom")


REFUSE_RESULTS = """
  CREATE FUNCTION ratings.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'This is a game day.'; END$$;
  CREATE TRIGGER refuse BEFORE INSERT ON ratings.matches
    FOR EACH ROW EXECUTE FUNCTION ratings.refuse()"""
ACCEPT_RESULTS = "DROP FUNCTION IF EXISTS ratings.refuse CASCADE"


class Forger(threading.Thread):
    """Calls matchmaking with tokens that are signed with an unknown key, until stop()."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopped = threading.Event()
        subprocess.run(["deploy/identity/identity.sh", "make", FOLDER / "identity", "operator"],
                       check=True, cwd=ROOT)
        self.start()

    def run(self):
        while not self.stopped.wait(3):
            subprocess.run([ROOT / "build/bin/tarot-apply-queues", "--file=deploy/queues.json",
                            f"--matchmaking_address=127.0.0.1:{BASE + 2}",
                            f"--signing_key_file={FOLDER}/identity/operator/signing.keys",
                            f"--service_keys_file={FOLDER}/identity/public/service.keys",
                            f"--tls_cert_file={VAR}/keys/identity/operator/tls.pem",
                            f"--tls_key_file={VAR}/keys/identity/operator/tls.pem",
                            f"--tls_ca_file={VAR}/keys/identity/public/ca.pem"],
                           check=False, cwd=ROOT, capture_output=True)


def exporter_dsn(cell):
    password = re.search(r"^\*:\*:\*:postgres:(.*)$", (VAR / "keys/pgpass").read_text(),
                         re.MULTILINE)[1]
    return f"postgresql://postgres:{password}@127.0.0.1:{BASE + 32 - cell}/tarot?sslmode=disable"


def targets_of_exporters():
    yield "  - job_name: node\n    static_configs:\n"
    yield f"      - {{targets: ['127.0.0.1:{NODE_EXPORTER}'], labels: {{cell: main}}}}\n"
    yield "  - job_name: postgres\n    static_configs:\n"
    for cell in range(CELLS):
        yield (f"      - {{targets: ['127.0.0.1:{EXPORTER + cell}'], "
               f"labels: {{cell: \"{cell or 'main'}\"}}}}\n")


def start_path():
    """Starts the programs of the game day. Returns the AlertPath."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_backup_time(0)
    # Alertmanager reports the end of an alert with the next message of its group, so the groups
    # send a message every 10 seconds.
    path = AlertPath(FOLDER, PROMETHEUS, (VAR / "prometheus/prometheus.yml").read_text() +
                     "".join(targets_of_exporters()), routes=lambda text: re.sub(
                         r"group_interval: \w+", "group_interval: 10s", text))
    for cell in range(CELLS):
        path.start(f"exporter{cell}", "prometheus-postgres-exporter",
                   f"--web.listen-address=127.0.0.1:{EXPORTER + cell}",
                   f"--extend.query-path={ROOT}/deploy/prometheus/postgres_queries.yml",
                   DATA_SOURCE_NAME=exporter_dsn(cell))
    path.start("node_exporter", "prometheus-node-exporter",
               f"--collector.textfile.directory={FOLDER}/metrics",
               f"--web.listen-address=127.0.0.1:{NODE_EXPORTER}")
    return path


def faults(path):
    """Yields the faults."""
    stop, go_on, kill = signal.SIGSTOP, signal.SIGCONT, signal.SIGKILL
    for service in ("ratings", "matchmaking"):
        names = replicas(service)
        yield Fault(f"all replicas of {service} are frozen",
                    {"TarotServiceDown": {"service": service}},
                    lambda names=names: send(stop, *names),
                    lambda names=names: send(go_on, *names))
    for service in ("bot", "rules"):
        names = replicas(service)
        yield Fault(f"all replicas of {service} are killed",
                    {"TarotServiceDown": {"service": service, "cell": "main"}},
                    lambda names=names: send(kill, *names),
                    lambda names=names: start_again(*names))
    yield Fault("the last replica of rules is killed", {"TarotReplicaDown": {"service": "rules"}},
                lambda: send(kill, replicas("rules")[-1]),
                lambda: start_again(replicas("rules")[-1]))
    yield Fault("the bot service is gone from the list of targets",
                {"TarotServiceVanished": {"service": "bot"}},
                lambda: path.forget("service: bot,"), path.remember)
    yield Fault("the exporter of the machine is gone from the list of targets",
                {"ExporterVanished": {"job": "node"}},
                lambda: path.forget(f":{NODE_EXPORTER}'"), path.remember)
    yield Fault("the door is stopped", {"TarotDoorClosed": {}},
                lambda: send(signal.SIGTERM, "door"), lambda: start_again("door"))
    yield Fault("Postgres is killed", {"PostgresNoPrimary": {}},
                lambda: send(signal.SIGQUIT, "postgres"), lambda: start_again("postgres"))
    yield Fault("Postgres is frozen", {"PostgresNoPrimary": {}},
                lambda: send_to_postgres(stop), lambda: send_to_postgres(go_on))
    if CELLS > 1:
        no_tables = {"TarotCellGetsNoTables": {"rules_cell": "1"}}
        yield Fault("Postgres of cell 1 is frozen",
                    {"PostgresNoPrimary": {"cell": "1"}} | no_tables,
                    lambda: send_to_postgres(stop, "postgres.cell1"),
                    lambda: send_to_postgres(go_on, "postgres.cell1"))
        names = replicas("rules", cell=1)
        yield Fault("all replicas of rules of cell 1 are frozen",
                    {"TarotServiceDown": {"cell": "1"}} | no_tables,
                    lambda: send(stop, *names), lambda: send(go_on, *names))
    yield Fault("the synchronous standby is lost", {"PostgresNoSynchronousStandby": {}},
                lambda: (sql("ALTER SYSTEM SET synchronous_standby_names = 'lost'"),
                         sql("SELECT pg_reload_conf()")),
                lambda: (sql("ALTER SYSTEM RESET synchronous_standby_names"),
                         sql("SELECT pg_reload_conf()")))
    yield Fault("the heartbeats of rules are refused",
                {"TarotHeartbeatsFailing": {"service": "rules"}},
                lambda: sql("REVOKE ALL ON rules.nodes FROM tarot_rules"),
                lambda: sql("GRANT SELECT, INSERT, UPDATE, DELETE ON rules.nodes TO tarot_rules"))
    undo = []

    def undo_last():
        if undo:
            undo.pop()()

    yield Fault("a program signs tokens with a wrong key",
                {"TarotTokensRefused": {"service": "matchmaking"}},
                lambda: undo.append(Forger().stopped.set), undo_last)
    yield Fault("a disk is full", {"HostDiskNearlyFull": {"mountpoint": f"{FOLDER}/disk"}},
                lambda: undo.append(Disk().remove), undo_last)
    yield Fault("the last backup is 27 hours old", {"PostgresNoBackup": {}},
                lambda: write_backup_time(27 * 3600), lambda: write_backup_time(0))
    # Waits for the end of a match, because its result must be refused. Then no further match
    # begins, because many late results would cause a page.
    yield Fault("ratings refuses results", {"TarotResultsRefused": {}},
                lambda: (sql(REFUSE_RESULTS), path.wait_for_value(
                    "min_over_time(max(tarot_rules_outbox_pending)[30s:5s])", 1, 900),
                    undo.append(functools.partial(bots, bots(0)))),
                lambda: (sql(ACCEPT_RESULTS), undo_last()))
    # There must be more tables than the replicas may hold.
    names = [name for cell in range(CELLS) for name in replicas("rules", cell)]
    yield Fault("the replicas of rules have too little room", {"TarotTablesWithoutRoom": {}},
                lambda: (undo.append(functools.partial(bots, bots(24))), path.wait_for_value(
                    "sum(tarot_rules_tables_open)", len(names) + 2, 600),
                    [dev("restart", name, TAROT_TABLES_OPEN_MAX="1") for name in names]),
                lambda: (start_again(*names), undo_last()))


def check_dashboards():
    """Lets persons play, and runs each query of the dashboards. Returns a text about problems."""
    print("==> persons play, and each query of the dashboards has an answer", flush=True)
    persons = [subprocess.Popen(
        [ROOT / "build/bin/tarot-load", f"--gateways=127.0.0.1:{BASE}", f"--queue=queues/{queue}",
         "--tables=1", "--think=200ms", f"--seconds={SHOWN_WITHIN}",
         f"--history={FOLDER}/{queue}.gz"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for queue in ("casual4", "ranked4")]
    command = ["tools/check-dashboards", "--prometheus", f"http://127.0.0.1:{PROMETHEUS}",
               *sorted(map(str, (ROOT / "deploy/grafana/dashboards").glob("*.json"))),
               # tools/dev up --ha has Patroni, and a game day needs one Postgres.
               "--without", "patroni_"]
    answers = []

    def answered():
        answers.append(subprocess.run(command, cwd=ROOT, check=False, text=True,
                                      stdout=subprocess.PIPE))
        return answers[-1].returncode == 0

    try:
        complete = wait_for(answered, SHOWN_WITHIN)
    finally:
        for each in persons:
            each.terminate()
            each.wait()
    print(answers[-1].stdout, end="", flush=True)
    return None if complete else "queries of the dashboards have no answer"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="",
                        help="the faults with this text, or dashboards")
    arguments = parser.parse_args()
    if len(replicas("rules")) < 2:
        # The alert about the loss of a replica needs another replica that answers.
        print("gameday needs two replicas of each service: tools/dev up --replicas 2")
        return 2
    path = start_path()
    slowest, tried, wrong, unanswered = 0.0, 0, [], None
    try:
        if not path.is_alive(120):
            wrong.append("DeadMansSwitch was not heard: see var/gameday/*.log")
        else:
            for fault in faults(path):
                if not re.search(arguments.only, " ".join([fault.text, *fault.alerts])):
                    continue
                tried += 1
                seconds, problem = path.play(fault, QUIET_WITHIN, HEARD_WITHIN, ENDED_WITHIN)
                slowest = max(slowest, seconds or 0)
                if problem:
                    wrong.append(f"{fault.text}: {problem}")
                    print(f"    {problem}", flush=True)
            if re.search(arguments.only, "dashboards"):
                unanswered = check_dashboards()
    finally:
        path.stop()
    figures = [{"name": "gameday_faults_heard", "value": tried - len(wrong), "unit": "1"},
               {"name": "gameday_faults_planted", "value": tried, "unit": "1"},
               {"name": "gameday_slowest_seconds", "value": round(slowest, 1), "unit": "s"}]
    (VAR / "bench").mkdir(exist_ok=True)
    (VAR / "bench/ops.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(f"{tried - len(wrong)} of {tried} faults were heard" +
          "".join(f"\n  {problem}" for problem in [*wrong, *([unanswered] if unanswered else [])]))
    return bool(wrong or unanswered) or not (tried or re.search(arguments.only, "dashboards"))


if __name__ == "__main__":
    sys.exit(main())
