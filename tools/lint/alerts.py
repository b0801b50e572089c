"""Checks that each alert of deploy/prometheus/alerts.yml has all its parts.

Each alert must have: a severity; a summary; a runbook page that contains its name; a test in which
it fires; a test in which it is silent (except for the alert that always fires). Each alert that
deploy/alertmanager/alertmanager.yml or tools/dev.d/gameday.py names must exist.

The pages of the runbook, except README.md, must not name tools/dev. They must not name a flag if
`tarotctl admin` sets the same value, because this value wins over the flag. A unit that they give
to systemctl or journalctl must be in deploy/systemd.
"""
import fnmatch
import re

from source import Finding

ALERTS = "deploy/prometheus/alerts.yml"
TESTS = ("deploy/prometheus/alerts_test.yml", "deploy/prometheus/levels_test.yml")
ROUTES = "deploy/alertmanager/alertmanager.yml"
GAMEDAY = "tools/dev.d/gameday.py"
PAGES = "docs/runbook"
# This page has a table of the commands of the runbooks and the commands of tools/dev that do the
# same.
PAGE_OF_COMMANDS = "README.md"
# Maps each flag whose value operators change at run time to the command that changes it.
COMMANDS = {"--population": "tarotctl admin population"}
UNITS = "deploy/systemd"
# Operators make this unit by deploy/backup/README.md. SERVICE stands for the name of any service.
OTHER_UNITS = ("tarot-log-receiver", "tarot-SERVICE")
# This alert always fires.
ALWAYS = "DeadMansSwitch"
RUNBOOK = re.compile(
    r'^ *runbook_url: "\{\{ \$externalLabels\.runbooks \}\}/(\w+\.md)"$', re.MULTILINE)


def _alerts(text):
    """Yields (name, line, text) of each alert."""
    starts = list(re.finditer(r"^ *- alert: (\w+)$", text, re.MULTILINE))
    for match, end in zip(starts, [m.start() for m in starts[1:]] + [len(text)]):
        yield match[1], text.count("\n", 0, match.start()) + 1, text[match.start():end]


def _tested(text):
    """Returns two sets of names: the alerts that tests expect to fire, and the alerts that tests
    expect to be silent.
    """
    fires, silent = set(), set()
    for case in re.split(r"^ *- (?=\{?alertname:)", text, flags=re.MULTILINE)[1:]:
        name = re.match(r"\{?alertname: (\w+)", case)[1]
        case = re.split(r"\n {0,6}\S", case)[0]
        (fires if "exp_alerts:" in case else silent).add(name)
    return fires, silent


def _check_alert(name, text, root):
    if not re.search(r"labels: \{severity: (page|ticket|none)\}", text):
        yield f"{name} has no severity (page, ticket or none)"
    if "summary: " not in text:
        yield f"{name} has no summary"
    page = RUNBOOK.search(text)
    if not page:
        yield f"{name} has no runbook_url that begins with the external label runbooks"
    elif not (root / PAGES / page[1]).is_file():
        yield f"{PAGES}/{page[1]} is not there"
    elif f"`{name}`" not in (root / PAGES / page[1]).read_text():
        yield f"{PAGES}/{page[1]} does not name {name}"


def _check_routes(names, root):
    text = (root / ROUTES).read_text()
    for number, line in enumerate(text.splitlines(), 1):
        for patterns in re.findall(r'alertname =~? "?([\w|.*]+)', line):
            for pattern in patterns.split("|"):
                if not any(re.fullmatch(pattern, name) for name in names):
                    yield Finding(f"{ROUTES}:{number}", "alert", f"there is no alert {pattern}")


def _check_gameday(names, root):
    if not (root / GAMEDAY).is_file():
        return
    for number, line in enumerate((root / GAMEDAY).read_text().splitlines(), 1):
        for name in re.findall(r'"((?:Tarot|Postgres|Host)[A-Z]\w+)"', line):
            if name not in names:
                yield Finding(f"{GAMEDAY}:{number}", "alert", f"there is no alert {name}")


def _check_page(text, units):
    """Yields (line, problem) of a page of the runbook. `units` are the names of our units."""
    for flag, command in COMMANDS.items():
        for match in re.finditer(rf"{flag}\b", text):
            yield text.count("\n", 0, match.start()) + 1, f"{command} wins over {flag}"
    for match in re.finditer(r"tools/dev", text):
        yield text.count("\n", 0, match.start()) + 1, "an operator does not have tools/dev"
    for command in re.finditer(r"\b(?:systemctl|journalctl)\s[^`|\n]*(?:\n[^`|\n]*`)?", text):
        for unit in re.findall(r"\btarot-[\w*@-]+", command[0]):
            if not fnmatch.filter(units, unit):
                yield text.count("\n", 0, command.start()) + 1, f"{UNITS} has no unit {unit}"


def check(root):
    fires, silent, names = set(), set(), set()
    for test in TESTS:
        for found, each in zip((fires, silent), _tested((root / test).read_text())):
            found |= each
    for name, line, text in _alerts((root / ALERTS).read_text()):
        names.add(name)
        found = list(_check_alert(name, text, root))
        if name not in fires:
            found.append(f"{name} has no test in which it fires")
        if name not in silent and name != ALWAYS:
            found.append(f"{name} has no test in which it is silent")
        yield from (Finding(f"{ALERTS}:{line}", "alert", message) for message in found)
    yield from _check_routes(names, root)
    yield from _check_gameday(names, root)
    units = [path.stem for path in (root / UNITS).glob("*.service")] + list(OTHER_UNITS)
    for page in sorted((root / PAGES).glob("*.md")):
        if page.name == PAGE_OF_COMMANDS:
            continue
        for line, problem in _check_page(page.read_text(), units):
            yield Finding(f"{PAGES}/{page.name}:{line}", "runbook", problem)
