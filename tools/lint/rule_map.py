"""Checks docs/rules.md and docs/rules/: every function, test and file that these pages name must
exist. The pages must also name every test in libs/rules/source_*_test.cc.
"""
import re

from source import Finding

LINK = re.compile(r"\[(`?)([^\]`]+)`?\]\(([^)\s]+)\)")
TEST = re.compile(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)")
SOURCE_TEST = re.compile(r"libs/rules/source_\w+_test\.cc$")


def _pages(root):
    return sorted([*root.glob("docs/rules.md"), *root.glob("docs/rules/*.md")])


def _missing(name, target, source):
    """Returns the problem with a link from `name` in backquotes to `source`, or None."""
    if "." in name:
        suite, _, test = name.partition(".")
        if (suite, test) not in TEST.findall(source.code):
            return f"no test {name} in {target.name}"
    elif not re.search(rf"\b{name.rpartition('::')[2]}\b", source.bare):
        return f"no {name} in {target.name}"
    return None


def check(sources, root):
    root = root.resolve()
    by_name = {source.name: source for source in sources}
    linked = set()
    for page in _pages(root):
        text = page.read_text()
        for match in LINK.finditer(text):
            quoted, name, link = match.groups()
            if "://" in link or link.startswith("#"):
                continue
            target = (page.parent / link.partition("#")[0]).resolve()
            where = f"{page.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}"
            if not target.exists():
                yield Finding(where, "rule map", f"{link} is not there")
                continue
            source = by_name.get(target.relative_to(root).as_posix())
            if not quoted or source is None or name == target.name:
                continue
            problem = _missing(name, target, source)
            if problem:
                yield Finding(where, "rule map", problem)
            linked.add((source.name, name))
    for source in filter(lambda s: SOURCE_TEST.search(s.name), sources):
        for match in TEST.finditer(source.code):
            if (source.name, f"{match[1]}.{match[2]}") not in linked:
                yield source.at(match.start(), "rule map", "no page of docs/rules leads here")
