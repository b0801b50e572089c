#!/usr/bin/env python3
"""A game day: plants faults on the running platform of tools/dev and waits for its alerts.

Starts a Prometheus with the shipped rules, an Alertmanager with the shipped routes, a receiver, and
an exporter of the Postgres of each cell, on the ports PORT_BASE + 91 to + 96. Then plants one fault
after another, and waits before each fault until no alert fires or is pending. A fault counts as
heard under three conditions: its alerts arrive at the receiver within 3 minutes; no other alert
with the severity "page" arrives; the alerts end after the repair of the fault. Writes
var/bench/ops.json.

With several cells (tools/dev up --cells 2), it also plants faults in cell 1.

On a game day only bots play, and no persons. So a game day does not try the alerts of the service
levels.
"""
import argparse
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
VAR = ROOT / "var"
FOLDER = VAR / "gameday"
BASE = int((VAR / "port_base").read_text())
PROMETHEUS, ALERTMANAGER, RECEIVER, EXPORTER = (BASE + offset for offset in range(91, 95))
# The number of cells. Cell 0 has the label "main", any other cell its number.
CELLS = int((VAR / "cells").read_text()) if (VAR / "cells").exists() else 1
HEARD_WITHIN = 180
ENDED_WITHIN = 300


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps the alerts that Alertmanager sends."""

    lock = threading.Condition()
    heard = []  # (time, receiver, status, labels)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            for alert in message["alerts"]:
                self.heard.append((time.monotonic(), self.path.strip("/"), alert["status"],
                                   alert["labels"], alert["annotations"]))
            self.lock.notify_all()
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def wait_for(condition, seconds):
    """Returns the first true value of condition(), or None after `seconds`."""
    deadline = time.monotonic() + seconds
    with Receiver.lock:
        while not (value := condition()):
            if (left := deadline - time.monotonic()) <= 0:
                return None
            Receiver.lock.wait(min(left, 1))
        return value


def heard(since, status, name, **labels):
    for at, _, state, found, annotations in Receiver.heard:
        if (at >= since and state == status and found["alertname"] == name
                and all(found.get(key) == value for key, value in labels.items())):
            return at, found, annotations
    return None


def alerts_of_prometheus():
    """Returns the names of all firing and pending alerts except DeadMansSwitch."""
    address = f"http://127.0.0.1:{PROMETHEUS}/api/v1/alerts"
    with urllib.request.urlopen(address, timeout=10) as answer:
        alerts = json.load(answer)["data"]["alerts"]
    return {alert["labels"]["alertname"] for alert in alerts} - {"DeadMansSwitch"}


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


class Platform:
    """Runs Prometheus, Alertmanager, the exporter and the receiver of the game day."""

    def __init__(self):
        self.processes = {}
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", FOLDER / "prometheus", FOLDER / "alertmanager"], check=True)
        self.targets = re.sub(r"^  alert_relabel", f"""\
  alertmanagers:
    - static_configs:
        - targets: ['127.0.0.1:{ALERTMANAGER}']
  alert_relabel""", (VAR / "prometheus/prometheus.yml").read_text(), flags=re.MULTILINE) + f"""\
  - job_name: postgres
    static_configs:
""" + "".join(f"      - {{targets: ['127.0.0.1:{EXPORTER + cell}'], "
              f"labels: {{cell: \"{cell or 'main'}\"}}}}\n" for cell in range(CELLS))
        for name in ("levels.yml", "alerts.yml"):
            (FOLDER / name).write_text((ROOT / "deploy/prometheus" / name).read_text())
        self.write_targets(self.targets)
        routes = (ROOT / "deploy/alertmanager/alertmanager.yml").read_text()
        # Alertmanager reports the end of an alert with the next message of its group, so the groups
        # send a message every 10 seconds.
        routes = routes.replace("127.0.0.1:9095", f"127.0.0.1:{RECEIVER}")
        routes = re.sub(r"group_interval: \w+", "group_interval: 10s", routes)
        (FOLDER / "alertmanager.yml").write_text(routes)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", RECEIVER), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for cell in range(CELLS):
            self.start(f"exporter{cell}", "prometheus-postgres-exporter",
                       f"--web.listen-address=127.0.0.1:{EXPORTER + cell}",
                       f"--extend.query-path={ROOT}/deploy/prometheus/postgres_queries.yml",
                       DATA_SOURCE_NAME=self.dsn(cell))
        self.start("alertmanager", "prometheus-alertmanager", "--cluster.listen-address=",
                   f"--config.file={FOLDER}/alertmanager.yml",
                   f"--storage.path={FOLDER}/alertmanager",
                   f"--web.listen-address=127.0.0.1:{ALERTMANAGER}")
        self.start("prometheus", "prometheus", f"--config.file={FOLDER}/prometheus.yml",
                   f"--storage.tsdb.path={FOLDER}/prometheus",
                   f"--web.listen-address=127.0.0.1:{PROMETHEUS}")

    @staticmethod
    def dsn(cell):
        password = re.search(r"^\*:\*:\*:postgres:(.*)$", (VAR / "keys/pgpass").read_text(),
                             re.MULTILINE)[1]
        return f"postgresql://postgres:{password}@127.0.0.1:{BASE + 32 - cell}/tarot" \
               "?sslmode=disable"

    def start(self, name, *command, **environment):
        log = (FOLDER / f"{name}.log").open("w")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log,
                                                env=os.environ | environment)

    def write_targets(self, text):
        (FOLDER / "prometheus.yml").write_text(text)
        if "prometheus" in self.processes:
            self.processes["prometheus"].send_signal(signal.SIGHUP)

    def forget(self, service):
        """Removes a service from the list of targets."""
        self.write_targets(re.sub(rf"^.*service: {service},.*\n", "", self.targets,
                                  flags=re.MULTILINE))

    def stop(self):
        for process in self.processes.values():
            process.terminate()
            process.wait()


def faults(platform):
    """Yields (text about the fault, its alert, labels of the alert, plant, repair). `plant` and
    `repair` are functions. A fault with further alerts has a map from their names to their labels
    at its end.
    """
    stop, go_on, kill = signal.SIGSTOP, signal.SIGCONT, signal.SIGKILL
    for service in ("ratings", "matchmaking"):
        names = replicas(service)
        yield (f"all replicas of {service} are frozen", "TarotServiceDown", {"service": service},
               lambda names=names: send(stop, *names),
               lambda names=names: send(go_on, *names))
    for service in ("bot", "rules"):
        names = replicas(service)
        yield (f"all replicas of {service} are killed", "TarotServiceDown",
               {"service": service, "cell": "main"},
               lambda names=names: send(kill, *names),
               lambda names=names: start_again(*names))
    yield ("the last replica of rules is killed", "TarotReplicaDown", {"service": "rules"},
           lambda: send(kill, replicas("rules")[-1]),
           lambda: start_again(replicas("rules")[-1]))
    yield ("the bot service is gone from the list of targets", "TarotServiceVanished",
           {"service": "bot"}, lambda: platform.forget("bot"),
           lambda: platform.write_targets(platform.targets))
    yield ("the door is stopped", "TarotDoorClosed", {},
           lambda: send(signal.SIGTERM, "door"), lambda: dev("restart", "door"))
    yield ("Postgres is killed", "PostgresNoPrimary", {},
           lambda: send(signal.SIGQUIT, "postgres"), lambda: start_again("postgres"))
    yield ("Postgres is frozen", "PostgresNoPrimary", {},
           lambda: send_to_postgres(stop), lambda: send_to_postgres(go_on))
    if CELLS > 1:
        no_tables = {"TarotCellGetsNoTables": {"rules_cell": "1"}}
        yield ("Postgres of cell 1 is frozen", "PostgresNoPrimary", {"cell": "1"},
               lambda: send_to_postgres(stop, "postgres.cell1"),
               lambda: send_to_postgres(go_on, "postgres.cell1"), no_tables)
        names = replicas("rules", cell=1)
        yield ("all replicas of rules of cell 1 are frozen", "TarotServiceDown", {"cell": "1"},
               lambda: send(stop, *names), lambda: send(go_on, *names), no_tables)
    yield ("the synchronous standby is lost", "PostgresNoSynchronousStandby", {},
           lambda: (sql("ALTER SYSTEM SET synchronous_standby_names = 'lost'"),
                    sql("SELECT pg_reload_conf()")),
           lambda: (sql("ALTER SYSTEM RESET synchronous_standby_names"),
                    sql("SELECT pg_reload_conf()")))
    yield ("the heartbeats of rules are refused", "TarotHeartbeatsFailing", {"service": "rules"},
           lambda: sql("REVOKE ALL ON rules.nodes FROM tarot_rules"),
           lambda: sql("GRANT SELECT, INSERT, UPDATE, DELETE ON rules.nodes TO tarot_rules"))
    forgers = []
    yield ("a program signs tokens with a wrong key", "TarotTokensRefused",
           {"service": "matchmaking"}, lambda: forgers.append(Forger()),
           lambda: forgers[0].stopped.set())
    yield ("the replicas of rules have too little room", "TarotTablesWithoutRoom", {},
           lambda: [dev("restart", name, TAROT_TABLES_OPEN_MAX="1") for name in replicas("rules")],
           lambda: start_again(*replicas("rules")))


def play(fault):
    """Plants one fault and repairs it. Returns (seconds until its alert was heard, None), or (None,
    text about the problem).
    """
    what, name, labels, plant, repair, *further = fault
    wanted = {name: labels} | (further[0] if further else {})
    print(f"==> {what}: {', '.join(wanted)}", flush=True)
    # Waits until no alert is left, because an alert of the previous fault could look like an alert
    # of this fault.
    if wait_for(lambda: not alerts_of_prometheus(), ENDED_WITHIN) is None:
        return None, f"{', '.join(sorted(alerts_of_prometheus()))} fired before the fault"
    begin = time.monotonic()

    def all_heard():
        found = {each: heard(begin, "firing", each, **wanted[each]) for each in wanted}
        return found if all(found.values()) else None

    plant()
    alerts = wait_for(all_heard, HEARD_WITHIN)
    repair()
    if alerts is None:
        return None, f"{' and '.join(wanted)} were not heard within {HEARD_WITHIN} s"
    for each, (_, _, annotations) in alerts.items():
        page = annotations.get("runbook_url", "").removeprefix("file://")
        if not pathlib.Path(page).is_file():
            return None, f"{each} has no runbook at {page}"
    at = max(moment for moment, _, _ in alerts.values())
    repaired = time.monotonic()
    for each in wanted:
        if wait_for(lambda each=each: heard(repaired, "resolved", each, **wanted[each]),
                    ENDED_WITHIN) is None:
            return None, f"{each} did not end within {ENDED_WITHIN} s"
    others = {other["alertname"] for moment, receiver, state, other, _ in Receiver.heard
              if moment >= begin and receiver == "pages" and state == "firing"
              and other["alertname"] not in wanted}
    if others:
        return None, f"{', '.join(sorted(others))} paged too"
    print(f"    heard after {at - begin:.0f} s, "
          f"ended {time.monotonic() - repaired:.0f} s after the repair", flush=True)
    return at - begin, None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="PATTERN", default="", help="the faults with this text")
    arguments = parser.parse_args()
    platform = Platform()
    slowest, tried, wrong = 0.0, 0, []
    try:
        if wait_for(lambda: heard(0, "firing", "DeadMansSwitch"), 120) is None:
            wrong.append("DeadMansSwitch was not heard: see var/gameday/*.log")
        else:
            for fault in faults(platform):
                if not re.search(arguments.only, fault[0] + " " + fault[1]):
                    continue
                tried += 1
                seconds, problem = play(fault)
                slowest = max(slowest, seconds or 0)
                if problem:
                    wrong.append(f"{fault[0]}: {problem}")
                    print(f"    {problem}", flush=True)
    finally:
        platform.stop()
    figures = [{"name": "gameday_faults_heard", "value": tried - len(wrong), "unit": "1"},
               {"name": "gameday_faults_planted", "value": tried, "unit": "1"},
               {"name": "gameday_slowest_seconds", "value": round(slowest, 1), "unit": "s"}]
    (VAR / "bench").mkdir(exist_ok=True)
    (VAR / "bench/ops.json").write_text(json.dumps(figures, indent=1) + "\n")
    print(f"{tried - len(wrong)} of {tried} faults were heard" +
          "".join(f"\n  {problem}" for problem in wrong))
    return bool(wrong) or tried == 0


if __name__ == "__main__":
    sys.exit(main())
