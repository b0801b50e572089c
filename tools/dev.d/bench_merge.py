"""Appends the figures of the second file, a JSON list, to those of the first."""
import json
import sys

figures = []
for path in sys.argv[1:3]:
    with open(path, encoding="utf-8") as source:
        figures += json.load(source)
with open(sys.argv[1], "w", encoding="utf-8") as out:
    json.dump(figures, out, indent=1)
    out.write("\n")
