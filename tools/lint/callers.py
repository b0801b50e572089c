"""Checks that all code has a caller in a program that ships, and that few files are very short.

The programs are the tarot_binary targets of services/ and tools/. A header is live if a live file
includes it. A source file is live in three cases: a program names it in SRCS; it lies in tools/ and
a program links it; a program links it and the header with its name is live.
"""
import re

from source import Finding

VERB = re.compile(
    r"^\s*(tarot_(?:binary|library|migrations|proto))\(\s*([\w-]+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#include\s+"([^"]+)"', re.MULTILINE)
ONE_READER = re.compile(
    r"//.*\bincluded (?:only )?by (?:one|only|\S+ only|\S+ alone)\b", re.IGNORECASE)
REACTOR = re.compile(r"\b\w*Reactor<")

# A service has one header for its errors and one header for its limits. Such a header is allowed
# even if only one file includes it.
OWN_HEADER = re.compile(r"^services/.*/(errors|limits)$")

SHORT_LINES = 30
SHORT_SHARE_MAX = 0.08
REACTORS_MAX = 2


def _is_product(source):
    return (source.name.startswith(("libs/", "services/", "tools/"))
            and source.name.endswith((".h", ".cc")) and not source.is_test
            and not source.name.startswith("libs/testkit/"))


def _targets(root):
    """Maps the name of each target to (verb, sources, dependencies), as the CMakeLists.txt files of
    libs, services and tools define them.
    """
    targets = {}
    for top in ("libs", "services", "tools"):
        for path in sorted((root / top).rglob("CMakeLists.txt")):
            folder = path.parent.relative_to(root).as_posix()
            text = re.sub(r"#.*", "", path.read_text())
            for verb, name, rest in VERB.findall(text):
                parts = {"": []}
                key = ""
                for word in rest.split():
                    if word in ("SRCS", "DEPS", "PRIVATE_DEPS"):
                        key = word
                    else:
                        parts.setdefault(key, []).append(word)
                sources = [f"{folder}/{file}" for file in parts.get("SRCS", [])]
                deps = parts.get("DEPS", []) + parts.get("PRIVATE_DEPS", [])
                own = name if verb == "tarot_binary" else f"tarot::{name}"
                targets[own] = (verb, sources, deps)
    return targets


def _linked(target, targets):
    seen, queue = set(), [target]
    while queue:
        name = queue.pop()
        if name not in seen and name in targets:
            seen.add(name)
            queue += targets[name][2]
    return seen


def _live(programs, by_name, linked):
    live, queue = set(), [name for name in programs if name in by_name]
    while queue:
        name = queue.pop()
        if name in live:
            continue
        live.add(name)
        queue += [header for header in INCLUDE.findall(by_name[name].code) if header in by_name]
        if name.endswith(".h"):
            queue += [source for source in _sources_of(name, by_name) if source in linked]
    return live


def _sources_of(header, by_name):
    """Yields the source with the header's name. Also yields the sources in the header's folder that
    include it and have no header of their own.
    """
    folder = header.rpartition("/")[0]
    for name, source in by_name.items():
        if not name.endswith(".cc") or name.rpartition("/")[0] != folder or source.is_test:
            continue
        own = name[:-3] + ".h"
        if own == header or own not in by_name and header in INCLUDE.findall(source.code):
            yield name


def check(sources, root):
    by_name = {source.name: source for source in sources}
    targets = _targets(root)
    programs = [name for name, (verb, _, _) in targets.items() if verb == "tarot_binary"]
    if not programs:
        return
    yield from _check_links(programs, targets)
    linked = {file for program in programs for name in _linked(program, targets)
              for file in targets[name][1]}
    roots = {file for name in programs for file in targets[name][1]}
    live = _live(roots | {file for file in linked if file.startswith("tools/")}, by_name, linked)
    readers = {}
    for source in sources:
        if source.name.endswith((".h", ".cc")) and not source.is_test:
            for header in INCLUDE.findall(source.code):
                readers.setdefault(header, set()).add(source.name)
    products = [source for source in sources if _is_product(source)]
    for source in products:
        if source.name not in live and source.name != "libs/pch.h":
            yield source.at(0, "caller", "no program that ships reaches this file; tests' helpers"
                                         " live in a testing/ folder")
        for match in ONE_READER.finditer(source.text):
            yield source.at(match.start(), "one reader",
                            "only one file includes this header: merge the two files")
        one = readers.get(source.name, set())
        stem = source.name[:-2]
        whole = stem + ".cc" in by_name or stem + "_test.cc" in by_name or OWN_HEADER.search(stem)
        if source.name.endswith(".h") and len(one) == 1 and not whole:
            yield source.at(0, "one reader", f"only {next(iter(one))} includes it: merge the two")
    yield from _check_sizes(products)
    yield from _check_reactors(products)


def _check_links(programs, targets):
    for program in sorted(programs):
        for name in sorted(_linked(program, targets)):
            fakes = [file for file in targets[name][1] if "/testing/" in file or "testkit" in file]
            if fakes:
                yield Finding(f"{fakes[0]}:1", "fake", f"{program} links it through {name}")


def _check_sizes(products):
    short = [source for source in products if len(source.lines) < SHORT_LINES]
    if len(short) >= SHORT_SHARE_MAX * len(products) and len(products) > 100:
        for source in short:
            yield source.at(0, "splinter", f"{len(short)} of {len(products)} files have less than"
                                           f" {SHORT_LINES} lines; merge by concept")


def _check_reactors(products):
    uses = [source.at(match.start(), "reactor", "use the streams of libs/rpc")
            for source in products if not source.name.startswith(("libs/rpc/", "libs/client/"))
            for match in REACTOR.finditer(source.bare)]
    if len(uses) > REACTORS_MAX:
        yield from uses
