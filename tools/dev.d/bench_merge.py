"""Adds the figures of the second file, a JSON list, to those of the first.

A figure replaces the older one of its name.
"""
import json
import pathlib
import sys

figures = {}
for path in map(pathlib.Path, sys.argv[1:3]):
    if path.exists():
        figures.update((figure["name"], figure) for figure in json.loads(path.read_text()))
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump(list(figures.values()), out, indent=1)
    out.write("\n")
