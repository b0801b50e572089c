"""Plants faults and waits for their alerts. gameday.py and tests/e2e/alerts_heard.py use this file.

The way of an alert leads from a Prometheus with the shipped rules over an Alertmanager with the
shipped routes to a receiver.
"""
import collections
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A fault. `alerts` maps the names of its alerts to labels that they must have. `plant` and `repair`
# are functions.
Fault = collections.namedtuple("Fault", "text alerts plant repair")


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps the alerts that Alertmanager sends."""

    lock = threading.Condition()
    heard = []  # (time, receiver, status, labels, annotations)

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


def is_alert(found, name, labels):
    return found["alertname"] == name and labels.items() <= found.items()


def heard(since, status, name, labels):
    for at, _, state, found, annotations in Receiver.heard:
        if at >= since and state == status and is_alert(found, name, labels):
            return at, annotations
    return None


def other_pages(since, wanted):
    """Returns texts about the pages that are none of the alerts `wanted`."""
    return {" ".join([found["alertname"], *(found[key] for key in ("service", "cell", "queue")
                                            if key in found)])
            for at, receiver, state, found, _ in Receiver.heard
            if at >= since and receiver == "pages" and state == "firing"
            and not any(is_alert(found, name, labels) for name, labels in wanted.items())}


class AlertPath:
    """Runs the three programs on the ports `port`, + 1 and + 2. `configuration` is the text of
    prometheus.yml with the targets, without Alertmanager. `rules` and `routes` change the texts of
    the shipped rules and routes. `flags` are further flags of Prometheus.
    """

    def __init__(self, folder, port, configuration, rules=lambda text: text,
                 routes=lambda text: text, flags=()):
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.processes = {}
        for each in ("prometheus", "alertmanager"):
            shutil.rmtree(folder / each, ignore_errors=True)
        self.configuration = re.sub(r"^  alert_relabel", f"""\
  alertmanagers:
    - static_configs:
        - targets: ['127.0.0.1:{port + 1}']
  alert_relabel""", configuration, flags=re.MULTILINE)
        self.write_targets(self.configuration)
        for name in ("levels.yml", "alerts.yml"):
            (folder / name).write_text(rules((ROOT / "deploy/prometheus" / name).read_text()))
        shipped = (ROOT / "deploy/alertmanager/alertmanager.yml").read_text()
        (folder / "alertmanager.yml").write_text(
            routes(shipped.replace("127.0.0.1:9095", f"127.0.0.1:{port + 2}")))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port + 2), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.start("alertmanager", "prometheus-alertmanager", "--cluster.listen-address=",
                   f"--config.file={folder}/alertmanager.yml",
                   f"--storage.path={folder}/alertmanager",
                   f"--web.listen-address=127.0.0.1:{port + 1}")
        self.start("prometheus", "prometheus", f"--config.file={folder}/prometheus.yml",
                   f"--storage.tsdb.path={folder}/prometheus",
                   f"--web.listen-address=127.0.0.1:{port}", *flags)

    def start(self, name, *command, **environment):
        log = (self.folder / f"{name}.log").open("w")
        self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log,
                                                env=os.environ | environment)

    def stop(self):
        for process in self.processes.values():
            process.terminate()
            process.wait()

    def write_targets(self, text):
        (self.folder / "prometheus.yml").write_text(text)
        if "prometheus" in self.processes:
            self.processes["prometheus"].send_signal(signal.SIGHUP)

    def forget(self, text):
        """Removes the lines with this text from the list of targets."""
        self.write_targets("".join(line for line in self.configuration.splitlines(keepends=True)
                                   if "targets:" not in line or text not in line))

    def remember(self):
        self.write_targets(self.configuration)

    def is_alive(self, seconds):
        """Waits until the alert that always fires reaches the receiver."""
        return wait_for(lambda: heard(0, "firing", "DeadMansSwitch", {}), seconds) is not None

    def ask(self, path, **parameters):
        """Returns the data of an answer of Prometheus, or None if it does not answer."""
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{query}", timeout=10) as answer:
                return json.load(answer)["data"]
        except (urllib.error.URLError, TimeoutError):
            return None

    def wait_for_value(self, query, at_least, seconds):
        """Waits until Prometheus has a value for the query that is at least `at_least`."""
        def reached():
            answer = self.ask("query", query=query)
            return answer and any(float(each["value"][1]) >= at_least for each in answer["result"])
        if not wait_for(reached, seconds):
            raise TimeoutError(f"{query} did not become {at_least} within {seconds} s")

    def disturbing(self, fault):
        """Returns the names of the firing and pending alerts that could be mistaken for an effect
        of the fault. These are all pages, and the alerts that the fault must cause.
        """
        answer = self.ask("alerts")
        return {"no answer of Prometheus"} if answer is None else {
            alert["labels"]["alertname"] for alert in answer["alerts"]
            if alert["labels"].get("severity") == "page"
            or alert["labels"]["alertname"] in fault.alerts}

    def play(self, fault, quiet_within, heard_within, ended_within):
        """Plants one fault and repairs it. Returns (seconds until its alerts were heard, None), or
        (None, text about the problem).
        """
        print(f"==> {fault.text}: {', '.join(fault.alerts)}", flush=True)
        if wait_for(lambda: not self.disturbing(fault), quiet_within) is None:
            return None, f"{', '.join(sorted(self.disturbing(fault)))} fired before the fault"
        begin = time.monotonic()

        def reported(since, status):
            found = [heard(since, status, *alert) for alert in fault.alerts.items()]
            return found if all(found) else None

        try:
            fault.plant()
        except (OSError, subprocess.CalledProcessError) as error:  # TimeoutError is an OSError.
            fault.repair()
            return None, f"the fault could not be planted: {error}"
        planted = time.monotonic()
        alerts = wait_for(lambda: reported(begin, "firing"), heard_within)
        repairing = time.monotonic()
        fault.repair()
        if alerts is None:
            return None, f"{' and '.join(fault.alerts)} not heard within {heard_within} s"
        for name, (_, annotations) in zip(fault.alerts, alerts):
            page = annotations.get("runbook_url", "").removeprefix("file://")
            if not pathlib.Path(page).is_file():
                return None, f"{name} has no runbook at {page}"
        # The alert may end before a long repair is complete.
        if wait_for(lambda: reported(repairing, "resolved"), ended_within) is None:
            return None, f"{' and '.join(fault.alerts)} did not end within {ended_within} s"
        if others := other_pages(begin, fault.alerts):
            return None, f"{', '.join(sorted(others))} paged too"
        seconds = max(at for at, _ in alerts) - planted
        print(f"    heard after {seconds:.0f} s, "
              f"ended {time.monotonic() - repairing:.0f} s after the repair began", flush=True)
        return seconds, None
