#!/usr/bin/env python3
"""Refuses words and sentence forms that docs/style.md bans, also in names of C++ code. Also refuses
the words that docs/glossary.md lists as replaced.

Usage: language.py [PATH...]. Prints `path:line: language: message` for each finding below the given
paths (by default the whole tree); exit status 1 if any.
"""
import pathlib
import re
import sys

import source as tree
from source import Finding

BANNED_WORD = re.compile(r"\b(nobody|somebody|everybody|anybody|whoever)\b", re.IGNORECASE)
BANNED_NAME = re.compile(r"\w*(?:nobody|somebody|everybody|anybody|whoever)\w*", re.IGNORECASE)
WIRE_NAME = re.compile(r"(?:set_|has_|clear_)?call_nobody")  # deal.proto has this field.
# Matches a clause that hides its subject, such as "for who asks" or "those who wait".
HIDDEN_SUBJECT = re.compile(
    r"\b(?:(?:by|for|from|of|than|to|with|tells?|asks?) who|those who|all who|one who)\s+\w+"
    r"|\bwho (?:is|has|comes|asks|waits|plays) \w+(?: \w+)? (?:is|has|are|gets|waits)\b",
    re.IGNORECASE)
FRAGMENT = re.compile(r"(Of|Which|Whose|Who|What|Whom) [a-z`][^?]*?(?:[.:;!](?=\s|$)|$)", re.DOTALL)
SENTENCE_START = re.compile(r"(?:^|(?<=[.!?]) +|(?<=\|) *)(?=[A-Z])")

C_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
PYTHON_STRING = re.compile(r'"""(.*?)"""', re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]*`")
FENCE = re.compile(r"^( *)```.*?^ *```", re.DOTALL | re.MULTILINE)
INDENTED_CODE = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n+)+")

TOPS = {"libs", "services", "proto", "tests", "tools", "deploy", "docs", "README.md"}
SUFFIXES = {".h", ".cc", ".proto", ".sql", ".py", ".sh", ".md", ".yml", ".json"}

# These files are not checked: texts that must quote the banned words, and applied migrations, which
# never change.
EXEMPT = re.compile(
    r"tools/lint/|tests/lint/|docs/glossary\.md$|docs/style\.md$|/migrations/|tests/data/")


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def _comment_blocks(text, mark):
    """Yields (offset, prose) of each run of comment lines. A comment after code on the same line
    begins a new run.
    """
    pattern = re.compile(rf"(?:^|(?<=[\s;{{}},)]))(?<!\${{){mark}(?!!/)[ !/]?(.*)$", re.MULTILINE)
    block, begin, last, column = [], 0, -2, 0
    for match in pattern.finditer(text):
        line = text.count("\n", 0, match.start())
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        continues = line == last + 1 and len(before) == column and not before.strip()
        if block and continues and match[1].strip():
            block.append(match[1].strip())
        else:
            if block:
                yield begin, " ".join(block)
            block, begin = [match[1].strip()], match.start()
        last, column = line, len(before)
    if block:
        yield begin, " ".join(block)


def _markdown_blocks(text):
    text = INDENTED_CODE.sub(_blank, FENCE.sub(_blank, text))
    offset = 0
    for paragraph in re.split(r"(\n(?=\s*\n|\s*[-*] |\s*\d+\. |\||#))", text):
        prose = re.sub(r"^\s*(?:#+ |> |[*-] |\d+\. )?", "", paragraph)
        if prose.strip():
            blank = len(paragraph) - len(paragraph.lstrip())
            yield offset + blank, " ".join(prose.split())
        offset += len(paragraph)


def blocks(name, text):
    """Yields (offset, prose) of everything in the file that a person reads as text."""
    suffix = pathlib.PurePath(name).suffix
    if suffix == ".md":
        yield from _markdown_blocks(text)
    elif suffix in (".h", ".cc", ".proto"):
        yield from _comment_blocks(text, "//")
        for match in C_STRING.finditer(text):
            if " " in match[1] and not text[:match.start()].rstrip().endswith("#include"):
                yield match.start(), match[1]
    elif suffix == ".json":
        for match in C_STRING.finditer(text):
            if " " in match[1]:
                yield match.start(), match[1]
    elif suffix == ".sql":
        yield from _comment_blocks(text, "--")
    elif suffix in (".py", ".sh", ".yml", ".txt", ".cmake", ""):
        yield from _comment_blocks(text, "#")
        for match in PYTHON_STRING.finditer(text):
            yield match.start(), " ".join(match[1].split())
        for match in C_STRING.finditer(PYTHON_STRING.sub(_blank, text)):
            if " " in match[1]:
                yield match.start(), match[1]


def replaced_words(root):
    """Returns the patterns of the words under "Replaced" in docs/glossary.md, each with its
    replacement.
    """
    page = root / "docs/glossary.md"
    if not page.is_file():
        return []
    _, _, table = page.read_text().partition("\n## Replaced")
    words = []
    for row in re.findall(r"^\| (`[^|]+)\| ([^|]+)\|", table, re.MULTILINE):
        for old in re.findall(r"`([^`]+)`", row[0]):
            body = re.escape(old).replace(r"\*", r"\w*")
            words.append((re.compile(rf"(?<![\w/]){body}(?!\w)"), old, row[1].strip()))
    return words


def check_file(name, text, replaced):
    if EXEMPT.search(name):
        return
    at = lambda offset, message: Finding(
        f"{name}:{text.count(chr(10), 0, offset) + 1}", "language", message)
    for offset, prose in blocks(name, text):
        for match in BANNED_WORD.finditer(prose):
            yield at(offset, f'"{match[0]}": name the subject')
        for match in HIDDEN_SUBJECT.finditer(prose):
            yield at(offset, f'"{match[0]}": name the subject')
        for start in SENTENCE_START.finditer(prose):
            match = FRAGMENT.match(prose, start.end())
            if match:
                yield at(offset, f'"{match[0][:40]}" begins like a riddle: subject, verb, object')
        for pattern, old, new in replaced:
            if not re.fullmatch(r"[A-Z]\w*", old) and pattern.search(CODE_SPAN.sub("", prose)):
                yield at(offset, f'"{old}" is now "{new}" (docs/glossary.md)')
    if name.endswith((".h", ".cc")):
        bare = tree.Source(name, text).bare
        for match in BANNED_NAME.finditer(bare):
            if not WIRE_NAME.fullmatch(match[0]):
                yield at(match.start(), f"`{match[0]}`: name the subject")
        for pattern, old, new in replaced:
            if " " not in old:
                match = pattern.search(bare)
                if match:
                    yield at(match.start(), f"`{old}` is now {new} (docs/glossary.md)")


def check(root):
    root = pathlib.Path(root)
    replaced = replaced_words(root)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        top = name.split("/")[0]
        if top in TOPS and path.is_file() and (path.suffix in SUFFIXES or name == "tools/dev"):
            yield from check_file(name, path.read_text(), replaced)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    wanted = [pathlib.Path(arg).resolve().relative_to(root).as_posix() for arg in sys.argv[1:]]
    found = [f for f in check(root)
             if not wanted or any(f.where.startswith(("" if w == "." else w)) for w in wanted)]
    print("\n".join(map(str, found)) or "plain")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
