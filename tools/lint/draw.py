#!/usr/bin/env python3
"""Draws comments and paragraphs of the documents at random, for a reader who does not know them.

Usage: draw.py [SEED]. Prints 60 comments of the code and 20 paragraphs of the documents, each with
its place. The same seed draws the same texts from the same tree. The language is plain enough if
the reader needs a second reading for at most 2 of the 80 texts.
"""
import pathlib
import random
import sys

import language

COMMENTS = 60
PARAGRAPHS = 20
WORDS_MIN = 6  # Shorter texts are labels.


def texts(root):
    """Returns (comments, paragraphs), each a list of (place, text)."""
    comments, paragraphs = [], []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] not in language.TOPS or not path.is_file():
            continue
        into = paragraphs if path.suffix == ".md" else comments
        if path.suffix not in (".md", ".h", ".cc", ".proto", ".py", ".sh"):
            continue
        text = path.read_text()
        for offset, prose in language.blocks(name, text):
            quoted = text[offset] == '"' and text[offset:offset + 3] != '"""'
            template = text[offset:offset + 3] == '"""' and text[:offset].rstrip().endswith("=")
            skipped = quoted or template or prose.startswith("|")
            if len(prose.split()) >= WORDS_MIN and not skipped:
                line = text.count("\n", 0, offset) + 1
                into.append((f"{name}:{line}", prose))
    return comments, paragraphs


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    draw = random.Random(seed)
    comments, paragraphs = texts(root)
    drawn = draw.sample(comments, COMMENTS) + draw.sample(paragraphs, PARAGRAPHS)
    for number, (place, prose) in enumerate(drawn, 1):
        print(f"{number}. {place}\n   {prose}\n")


if __name__ == "__main__":
    main()
