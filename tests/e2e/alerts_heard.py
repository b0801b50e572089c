#!/usr/bin/env python3
"""The short form of a game day, for alerts_test.cc: plants two faults in a cluster of the tests.

The rules and routes are those of deploy/, with shorter waits. The exit status is 1 if a fault is
not heard, or if another page arrives. With --without ALERT, the rules lack this alert, so the test
must fail.
"""
import argparse
import os
import pathlib
import re
import signal
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/dev.d"))
from alert_path import AlertPath, Fault  # noqa: E402

# The ports of /metrics in deploy/prometheus/prometheus.yml.
SHIPPED = {"gateway": 8100, "rules": 8101, "matchmaking": 8102, "bot": 8103, "ratings": 8104,
           "door": 8106, "admin": 8107, "probe": 8109}
# A healthy alert arrives after a quarter of a minute on a free machine.
HEARD_WITHIN = 90
# For the run that must fail.
NOT_HEARD_WITHIN = 25


def configuration(ports):
    """Returns the shipped targets with the ports of the cluster. It has no door, no probe and no
    admin service, so a gateway stands for them. It has no exporters.
    """
    text = (ROOT / "deploy/prometheus/prometheus.yml").read_text()
    for service, port in SHIPPED.items():
        text = text.replace(f"127.0.0.1:{port}'",
                            f"127.0.0.1:{ports.get(service, ports['gateway'])}'")
    text = re.sub(r"^  alertmanagers:\n.*?\n\n", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = text[:text.index("  # One prometheus-postgres-exporter")]
    for pattern, new in ((r"scrape_interval: \w+", "scrape_interval: 3s"),
                         (r"evaluation_interval: \w+", "evaluation_interval: 1s"),
                         (r"runbooks: https\S+", f"runbooks: file://{ROOT}/docs/runbook")):
        text = re.sub(pattern, new, text)
    return text


def faster_rules(text, without):
    """Shortens the waits of the alerts of the two faults. Leaves out the alert `without`."""
    alerts = re.split(r"(?=^ +- alert: )", text, flags=re.MULTILINE)
    return "".join(re.sub(r"for: \w+", "for: 10s", each)
                   if re.match(r" +- alert: TarotService(Down|Vanished)\n", each) else each
                   for each in alerts
                   if not (without and re.match(rf" +- alert: {without}\n", each)))


def faster_routes(text):
    return re.sub(r"(group_wait|group_interval): \w+", r"\1: 1s", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--port", type=int, required=True, help="the first of three free ports")
    parser.add_argument("--metrics", metavar="SERVICE=PORT", nargs="+", required=True)
    parser.add_argument("--bot_pid", type=int, required=True)
    parser.add_argument("--without", metavar="ALERT", default="")
    arguments = parser.parse_args()
    arguments.folder.mkdir()
    ports = dict(each.split("=") for each in arguments.metrics)
    path = AlertPath(arguments.folder, arguments.port, configuration(ports),
                     lambda text: faster_rules(text, arguments.without), faster_routes,
                     # Prometheus loses an alert that fires before it has found Alertmanager, and
                     # would send it again only after a minute.
                     ["--rules.alert.resend-delay=2s"])
    faults = [
        Fault("the bot service is frozen", {"TarotServiceDown": {"service": "bot"}},
              lambda: os.kill(arguments.bot_pid, signal.SIGSTOP),
              lambda: os.kill(arguments.bot_pid, signal.SIGCONT)),
        Fault("matchmaking is gone from the list of targets",
              {"TarotServiceVanished": {"service": "matchmaking"}},
              lambda: path.forget("service: matchmaking,"), path.remember)]
    heard_within = NOT_HEARD_WITHIN if arguments.without else HEARD_WITHIN
    problems = [] if path.is_alive(60) else ["DeadMansSwitch was not heard"]
    try:
        for fault in faults if not problems else []:
            if arguments.without and arguments.without not in fault.alerts:
                continue
            _, problem = path.play(fault, 60, heard_within, 60)
            problems += [f"{fault.text}: {problem}"] if problem else []
    finally:
        path.stop()
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
