#!/usr/bin/env python3
"""Fails when a file breaks a rule of docs/style.md that a compiler cannot see.

Usage: tidy.py [ROOT]. Prints `path:line: rule: message` for each finding; exit status 1 if any.
"""
import pathlib
import sys

import alerts
import callers
import habits
import language
import layers
import listings
import pages
import rule_map
import source


def findings(root):
    root = pathlib.Path(root)
    sources = source.read_tree(root)
    for each in sources:
        yield from layers.check(each)
        yield from habits.check(each)
    yield from habits.check_migrations(sources)
    yield from listings.check_errors(sources, root)
    yield from listings.check_metrics(sources, root)
    yield from alerts.check(root)
    yield from rule_map.check(sources, root)
    yield from callers.check(sources, root)
    yield from language.check(root)
    yield from pages.check(root)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]
    found = [str(finding) for finding in findings(root)]
    print("\n".join(found) or "tidy")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
