"""Checks the sizes of four pages in docs/, and the names of files in docs/life_of_a_move.md."""
import re

from source import Finding

LINES_MAX = {
    "docs/bench.md": 120,
    "docs/bots.md": 120,
    "docs/proof.md": 120,
    "docs/life_of_a_move.md": 45,
}
MOVE_PAGE = "docs/life_of_a_move.md"
MOVE_FILES_MAX = 38
# Matches a file in code quotes. `services/rules/app/table.{h,cc}` names two files.
FILE = re.compile(r"`((?:libs|services|proto|tools)/[\w/.]+?)(?:\.\{(\w+(?:,\w+)*)\})?`")


def files_of_a_move(root):
    """Returns the files that docs/life_of_a_move.md names, each once, in the order of the page.
    """
    names = {}
    for stem, suffixes in FILE.findall((root / MOVE_PAGE).read_text()):
        for suffix in suffixes.split(",") if suffixes else [""]:
            name = f"{stem}.{suffix}" if suffix else stem
            if not (root / name).is_dir():
                names[name] = None
    return list(names)


def check(root):
    for name, limit in LINES_MAX.items():
        path = root / name
        lines = len(path.read_text().splitlines()) if path.is_file() else 0
        if lines > limit:
            yield Finding(f"{name}:{limit + 1}", "page", f"{lines} lines, the limit is {limit}")
    if not (root / MOVE_PAGE).is_file():
        return
    files = files_of_a_move(root)
    for name in files:
        if not (root / name).is_file():
            yield Finding(f"{MOVE_PAGE}:1", "page", f"{name} is not there")
    if len(files) > MOVE_FILES_MAX:
        yield Finding(f"{MOVE_PAGE}:1", "page",
                      f"a move passes through {len(files)} files, the limit is {MOVE_FILES_MAX}")
