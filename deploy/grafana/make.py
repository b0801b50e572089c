#!/usr/bin/env python3
"""Writes the dashboards of Grafana from panels.py into dashboards/.

Usage: make.py [--check]. With --check, writes nothing, and the exit status is 1 if a file differs.

The dashboards are generated because a panel needs 60 lines of JSON, and most of these lines are
equal in all panels. README.md says how to use the result.
"""
import argparse
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent / "dashboards"
# This is the prefix of the URLs of the runbook pages. It must equal the external label `runbooks`
# of deploy/prometheus/prometheus.yml.
RUNBOOKS = "https://tarot.example/runbook"
COLUMNS = 24
ROWS_MAX = 40  # A screen.
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# In a query, $S stands for this selector. It selects the processes that the variables name.
SELECTOR = 'job=~"$job", cell=~"$cell", instance=~"$instance"'

# The colours of a number. Each colour has the lowest value at which it is used. The first colour
# has no such value, because it is used for all lower values.
GOOD_IS_ZERO = [("green", None), ("red", 0.5)]
NO_LIMIT = [("blue", None)]


class Panel:
    """One panel. `text` describes it. `page` is its runbook. `queries` are pairs of a query and a
    legend. `steps` are pairs of a colour and the value from which on it is used. `none` is shown
    while there is no value. `more` is the dashboard that leads nearer to the cause.
    """

    def __init__(self, kind, title, unit, page, text, *queries, steps=None, none=None, more=None,
                 width=None, decimals=None):
        self.kind, self.title, self.unit, self.page, self.text = kind, title, unit, page, text
        self.queries, self.steps, self.none, self.more = queries, steps, none, more
        self.width, self.decimals = width, decimals

    def json(self, number, place):
        defaults = {"unit": self.unit}
        if self.none is not None:
            defaults["noValue"] = self.none
        if self.decimals is not None:
            defaults["decimals"] = self.decimals
        if self.steps:
            defaults["color"] = {"mode": "thresholds" if self.kind == "stat" else "palette-classic"}
            defaults["thresholds"] = {
                "mode": "absolute",
                "steps": [{"color": color, "value": value} for color, value in self.steps]}
        if self.kind == "timeseries":
            defaults["custom"] = {"fillOpacity": 10, "showPoints": "never"}
            if self.steps:
                defaults["custom"]["thresholdsStyle"] = {"mode": "line"}
            else:
                defaults["min"] = 0
        panel = {
            "id": number, "type": self.kind, "title": self.title, "description": self.text,
            "datasource": DATASOURCE, "gridPos": place,
            "fieldConfig": {"defaults": defaults, "overrides": []},
            "options": OPTIONS[self.kind],
            "links": [_link(f"Runbook: {self.page}", "${runbooks}/%s.md" % self.page, blank=True)],
            "targets": [self._target(i, query, legend) for i, (query, legend) in
                        enumerate(self.queries)],
        }
        if self.more:
            panel["links"].append(_link(f"Dashboard: {self.more}", _address(self.more)))
        if self.kind == "table":
            panel["transformations"] = [
                {"id": "organize", "options": {"excludeByName": {"Time": True},
                                               "renameByName": {"Value": "count"}}}]
        return panel

    def _target(self, index, query, legend):
        target = {"refId": "ABCDEFGH"[index], "expr": query.replace("$S", SELECTOR)}
        if self.kind == "table":
            target |= {"instant": True, "range": False, "format": "table"}
        elif self.kind == "stat":
            target |= {"instant": True, "range": False}
        if legend:
            target["legendFormat"] = legend
        return target


OPTIONS = {
    "stat": {
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "orientation": "auto", "textMode": "value", "colorMode": "background", "graphMode": "none",
        "justifyMode": "center", "showPercentChange": False, "percentChangeColorMode": "standard",
        "wideLayout": True},
    "timeseries": {
        "tooltip": {"mode": "multi", "sort": "desc"},
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}},
    "table": {"frameIndex": 0, "showHeader": True, "cellHeight": "sm"},
}


def _address(dashboard):
    return (f"/d/tarot-{dashboard}?${{__url_time_range}}&${{datasource:queryparam}}"
            "&${cell:queryparam}")


def _link(title, url, blank=False):
    return {"type": "link", "title": title, "url": url, "targetBlank": blank, "asDropdown": False,
            "icon": "doc" if blank else "dashboard", "includeVars": False, "keepTime": False,
            "tags": [], "tooltip": ""}


def _variables(job, jobs):
    def query(name, label, text, **more):
        return {"name": name, "label": label, "type": "query", "datasource": DATASOURCE,
                "query": {"query": text, "refId": name}, "refresh": 2, "sort": 1, "hide": 0} | more

    everything = {"includeAll": True, "multi": True, "allValue": ".*",
                  "current": {"text": "All", "value": "$__all"}}
    return [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus",
         "hide": 0},
        query("job", "Job", "label_values(up, job)", regex=f"/^({jobs})$/",
              current={"text": job, "value": job}),
        query("cell", "Cell", 'label_values(up{job=~"$job"}, cell)', **everything),
        query("instance", "Instance", 'label_values(up{job=~"$job", cell=~"$cell"}, instance)',
              **everything),
        {"name": "runbooks", "label": "Runbooks", "type": "constant", "query": RUNBOOKS, "hide": 2,
         "current": {"text": RUNBOOKS, "value": RUNBOOKS}},
    ]


def _annotation(name, color, expression, title, text):
    return {"name": name, "enable": True, "iconColor": color, "datasource": DATASOURCE,
            "expr": expression, "step": "30s", "titleFormat": title, "textFormat": text}


ANNOTATIONS = [
    # The query finds a version or commit that no process had five minutes ago. Its last condition
    # is needed because a Prometheus that has just started knows no older data. It would report
    # every version as new.
    _annotation("Deploys", "blue", """\
count by (version, commit) (tarot_build_info{cell=~"$cell"})
unless count by (version, commit) (tarot_build_info{cell=~"$cell"} offset 5m)
and on () count(tarot_build_info offset 5m)""", "New version", "{{version}} {{commit}}"),
    _annotation("Restarts", "orange",
                'changes(process_start_time_seconds{job="tarot", cell=~"$cell"}[1m]) > 0',
                "Restart", "{{service}} {{instance}}"),
]


def dashboard(name, title, text, rows, job="tarot", jobs="tarot.*"):
    """`rows` are pairs of a height and the panels of this row. Panels without a width share the
    rest of the row.
    """
    panels, y = [], 0
    for height, row in rows:
        free = COLUMNS - sum(panel.width or 0 for panel in row)
        sharing = sum(1 for panel in row if not panel.width)
        x = 0
        for panel in row:
            width = panel.width or free // sharing
            place = {"h": height, "w": width, "x": x, "y": y}
            panels.append(panel.json(len(panels) + 1, place))
            x += width
        if x > COLUMNS:
            raise ValueError(f"{name}: a row has {x} columns")
        y += height
    if y > ROWS_MAX:
        raise ValueError(f"{name}: {y} rows, the limit is {ROWS_MAX}")
    return {
        "uid": f"tarot-{name}", "title": f"Tarot: {title}", "description": text,
        "tags": ["tarot"], "schemaVersion": 39, "version": 1, "editable": True, "graphTooltip": 1,
        "refresh": "10s", "timezone": "", "time": {"from": "now-1h", "to": "now"}, "timepicker": {},
        "annotations": {"list": ANNOTATIONS},
        "links": [{"type": "dashboards", "title": "Tarot", "tags": ["tarot"], "asDropdown": False,
                   "icon": "external link", "includeVars": True, "keepTime": True,
                   "targetBlank": False, "tooltip": "", "url": ""}],
        "templating": {"list": _variables(job, jobs)},
        "panels": panels,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    check = parser.parse_args().check
    sys.path.insert(0, str(FOLDER.parent))
    import panels  # panels.py imports Panel from this module.

    wanted = {f"{name}.json": json.dumps(dashboard(name, *rest), indent=1) + "\n"
              for name, *rest in panels.DASHBOARDS}
    FOLDER.mkdir(exist_ok=True)
    differing = [path.name for path in FOLDER.glob("*.json") if path.name not in wanted]
    if not check:
        for name in differing:
            (FOLDER / name).unlink()
    for name, text in wanted.items():
        path = FOLDER / name
        if not path.is_file() or path.read_text() != text:
            differing.append(name)
            if not check:
                path.write_text(text)
    if check and differing:
        print(f"dashboards that differ from panels.py: {' '.join(sorted(differing))}; "
              "run deploy/grafana/make.py")
    return bool(check and differing)


if __name__ == "__main__":
    sys.exit(main())
