"""Plants sentences and words that tools/lint/language.py must refuse, and some that it must accept.
"""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "lint"))
import language  # noqa: E402

GLOSSARY = """# Glossary

## Replaced words
| old | new |
| --- | --- |
| `Sight` | `SeatView` |
| `thumb_*` | `heuristic_*` |
| `rule of thumb` | heuristic |
"""


class LanguageTest(unittest.TestCase):
    def found(self, text, name="libs/rules/deal.h"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in {"docs/glossary.md": GLOSSARY, name: text}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            return [str(finding) for finding in language.check(root)]

    def expect(self, line, text, name="libs/rules/deal.h"):
        found = self.found(text, name)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{name}:{line}: language: "), found)

    def test_refuses_a_subject_without_a_noun(self):
        self.expect(2, "int a;\n// Told to nobody.\n")
        self.expect(1, "// A place for those who wait.\n")
        self.expect(1, "int a;  // Stored by who has the lock.\n")
        self.expect(1, "// Anybody may call it.\n")

    def test_refuses_banned_words_in_names_but_not_in_a_field_of_the_wire(self):
        self.expect(2, "int a;\nbool told_nobody = false;\n", "libs/rules/deal.cc")
        self.expect(1, "constexpr int kAnybody = 1;\n", "libs/rules/deal.cc")
        self.assertEqual(self.found("out->set_call_nobody(legal.call_nobody);\n"), [])

    def test_reads_a_comment_behind_code_apart_from_the_next_line(self):
        self.assertEqual(self.found("int a;  // The table.\n// Its name.\nint b;\n"), [])
        self.expect(2, "int a;  // The table of\n// nobody.\nint b;\n")

    def test_refuses_a_sentence_that_begins_as_a_fragment(self):
        for start in ("Of a table that is hosted elsewhere.", "Which outlive it.", "Who decided.",
                      "What one player has.", "Whose view of it is the answer."):
            with self.subTest(start=start):
                self.expect(1, f"// {start}\n")
                self.expect(1, f"// Opens a table. {start}\n")

    def test_reads_a_comment_of_several_lines_as_one_text(self):
        self.expect(1, "// The table is stored and shown by\n// nobody.\n")
        self.assertEqual(self.found("// The names of the\n// Of-lists.\n"), [])

    def test_reads_documents_strings_and_other_languages(self):
        self.expect(3, "# A page\n\nWhich replica hosts it.\n", "docs/page.md")
        self.expect(1, 'auto a = "Somebody sits here.";\n', "libs/rules/deal.cc")
        self.expect(1, "-- Whoever asks.\n", "deploy/roles.sql")
        self.expect(2, '{\n  "noValue": "nobody watches"\n}\n', "deploy/overview.json")
        self.expect(1, "# Of the last run.\n", "tools/dev.d/run.sh")
        self.expect(1, '"""What the attack wins."""\n', "tools/run.py")

    def test_refuses_a_replaced_word(self):
        self.expect(1, "struct Sight {};\n", "libs/rules/deal.cc")
        self.expect(1, "int thumb_card = 0;\n", "libs/rules/deal.cc")
        self.expect(1, "// Plays by rule of thumb.\n")

    def test_takes_plain_sentences(self):
        self.assertEqual(self.found("// The seat whose turn it is. What is legal?\n"), [])
        self.assertEqual(self.found("// The player who takes plays against the defence.\n"), [])
        self.assertEqual(self.found("int insight_card = 0;  // A sight for sore eyes.\n"), [])


if __name__ == "__main__":
    unittest.main()
