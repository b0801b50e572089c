"""Adds the figures of the second file, a JSON list, to the list in the first file.

A figure of the second file replaces a figure of the first file with the same name.
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
