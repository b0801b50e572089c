"""Turns Google Benchmark's JSON into a list of {name, value, unit}, on stdout."""
import json
import sys

# Fields that Google Benchmark writes about every run and that are not figures.
NOT_COUNTERS = {
    "name", "run_name", "run_type", "family_index", "per_family_instance_index", "repetitions",
    "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
    "aggregate_name", "aggregate_unit", "label", "error_occurred", "error_message",
}


def figures(report):
    for run in report["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run['error_message']}")
        yield {"name": run["name"], "value": run["real_time"], "unit": run["time_unit"]}
        for counter in sorted(run.keys() - NOT_COUNTERS):
            unit = "1/s" if counter.endswith("_per_second") else "1"
            yield {"name": f"{run['name']}/{counter}", "value": run[counter], "unit": unit}


with open(sys.argv[1], encoding="utf-8") as source:
    print(json.dumps(list(figures(json.load(source))), indent=1))
