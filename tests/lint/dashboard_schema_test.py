"""Tests that tools/check-dashboard-schema accepts the dashboards and finds planted faults.

Usage: dashboard_schema_test.py FOLDER. FOLDER keeps the npm packages.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DASHBOARDS = sorted((ROOT / "deploy/grafana/dashboards").glob("*.json"))
FAULTS = {
    "an unknown field": lambda d: d["panels"][0].update(titel="x"),
    "a wrong type": lambda d: d["panels"][0]["gridPos"].update(h="4"),
    "a colour without a value": lambda d: d["panels"][0]["fieldConfig"]["defaults"]["thresholds"][
        "steps"][0].pop("value"),
    "an unknown option": lambda d: d["panels"][0]["options"].update(colourMode="value"),
    "an unknown type of panel": lambda d: d["panels"][0].update(type="graph"),
    "a broken query": lambda d: d["panels"][0]["targets"][0].update(expr="sum(rate(x[5m])"),
    "an unknown variable type": lambda d: d["templating"]["list"][1].update(type="queri"),
    "a broken annotation": lambda d: d["annotations"]["list"][0].update(expr="count(x) unless"),
    "a link without a title": lambda d: d["links"][0].pop("title"),
}


def run(folder, files):
    return subprocess.run([ROOT / "tools/check-dashboard-schema", folder, *files], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def main():
    folder = sys.argv[1]
    result = run(folder, DASHBOARDS)
    print(result.stdout)
    if result.returncode != 0:
        return result.returncode
    overview = json.loads((ROOT / "deploy/grafana/dashboards/overview.json").read_text())
    with tempfile.TemporaryDirectory() as planted:
        for number, plant in enumerate(FAULTS.values()):
            faulty = copy.deepcopy(overview)
            plant(faulty)
            (pathlib.Path(planted) / f"{number}.json").write_text(json.dumps(faulty))
        result = run(folder, sorted(pathlib.Path(planted).glob("*.json")))
    missed = [fault for number, fault in enumerate(FAULTS)
              if f"/{number}.json: " not in result.stdout]
    if missed:
        print(f"{result.stdout}\nnot found: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
