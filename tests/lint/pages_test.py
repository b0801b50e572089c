"""Plants pages that are too long, and names of files that do not exist, for tools/lint/pages.py."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "lint"))
import pages  # noqa: E402

MOVE = "docs/life_of_a_move.md"


class PagesTest(unittest.TestCase):
    def found(self, planted):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in planted.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return [str(finding) for finding in pages.check(root)]

    def test_finds_a_page_that_is_too_long(self):
        self.assertEqual(self.found({"docs/bench.md": "| row |\n" * 120}), [])
        self.assertEqual(self.found({"docs/bench.md": "| row |\n" * 121}),
                         ["docs/bench.md:121: page: 121 lines, the limit is 120"])

    def test_finds_a_file_of_the_move_that_is_not_there(self):
        page = {MOVE: "The table (`libs/rules/table.{h,cc}`) moves.\n", "libs/rules/table.h": ""}
        self.assertEqual(self.found(page), [f"{MOVE}:1: page: libs/rules/table.cc is not there"])
        self.assertEqual(self.found({**page, "libs/rules/table.cc": ""}), [])

    def test_counts_the_files_of_a_move(self):
        names = [f"libs/rules/part{number}.h" for number in range(39)]
        page = {MOVE: " ".join(f"`{name}`" for name in names), **dict.fromkeys(names, "")}
        self.assertEqual(self.found(page),
                         [f"{MOVE}:1: page: a move passes through 39 files, the limit is 38"])
        self.assertEqual(self.found({**page, MOVE: f"`{names[0]}` `{names[0]}`"}), [])


if __name__ == "__main__":
    unittest.main()
