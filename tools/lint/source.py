"""Source files as the lint sees them: their names, their lines, and their code without comments."""
import dataclasses
import functools
import pathlib
import re

# Matches a comment, or a literal that may contain text that looks like a comment.
TOKENS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<raw>\w*)\(.*?\)(?P=raw)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


@dataclasses.dataclass(frozen=True)
class Finding:
    where: str  # path:line
    rule: str
    message: str

    def __str__(self):
        return f"{self.where}: {self.rule}: {self.message}"


@dataclasses.dataclass(frozen=True)
class Source:
    name: str  # The path from the root, with slashes.
    text: str

    @functools.cached_property
    def lines(self):
        return self.text.splitlines()

    @functools.cached_property
    def code(self):
        """Returns the text with comments blanked. Length and lines stay the same."""
        keep = lambda m: _blank(m[0]) if m[0].startswith(("//", "/*")) else m[0]
        return TOKENS.sub(keep, self.text)

    @functools.cached_property
    def bare(self):
        """Returns the code with its literals blanked too."""
        return TOKENS.sub(lambda m: _blank(m[0]), self.text)

    @property
    def is_test(self):
        """Returns whether this file is a test, a helper of tests or a benchmark. Such a file stands
        beside the code, but belongs to no program.
        """
        return bool(re.search(r"(_test|_fuzz|_bench|/test(ing)?_\w+)\.(cc|h)$|/testing/",
                              self.name))

    def at(self, offset, rule, message):
        line = self.text.count("\n", 0, offset) + 1
        return Finding(f"{self.name}:{line}", rule, message)


def read_tree(root):
    """Returns every C++, proto, SQL, Python and shell file of the project, sorted by name."""
    root = pathlib.Path(root)
    suffixes = {".h", ".cc", ".proto", ".sql", ".py", ".sh"}
    sources = []
    for top in ("libs", "services", "proto", "tests", "tools", "deploy"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                sources.append(Source(path.relative_to(root).as_posix(), path.read_text()))
    return sources
