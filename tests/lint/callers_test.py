"""Plants files that no program uses, fakes that a program links, and files that are too short.
tools/lint/callers.py must find each.
"""
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "lint"))
import callers  # noqa: E402
import source  # noqa: E402

CLEAN = {
    "services/rules/CMakeLists.txt":
        "tarot_library(rules_app SRCS app/table.cc DEPS tarot::rules)\n"
        "tarot_library(rules_testing SRCS testing/fake_store.cc DEPS tarot::rules_app)\n"
        "tarot_binary(tarot-rules SRCS main.cc DEPS tarot::rules_app)\n",
    "libs/rules/CMakeLists.txt": "tarot_library(rules SRCS deal.cc DEPS absl::strings)\n",
    "libs/rules/deal.h": "// Deals.\n",
    "libs/rules/deal.cc": '#include "libs/rules/deal.h"\n',
    "services/rules/app/table.h": "// A table.\n",
    "services/rules/app/table.cc":
        '#include "services/rules/app/table.h"\n#include "libs/rules/deal.h"\n',
    "services/rules/main.cc": '#include "services/rules/app/table.h"\n',
    "services/rules/testing/fake_store.h": "// A store in memory.\n",
    "services/rules/testing/fake_store.cc": '#include "services/rules/testing/fake_store.h"\n',
}


class CallersTest(unittest.TestCase):
    def found(self, planted):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**CLEAN, **planted}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return [str(f) for f in callers.check(source.read_tree(root), root)]

    def expect(self, starts, planted):
        found = self.found(planted)
        self.assertEqual(len(found), len(starts), found)
        for start, finding in zip(starts, sorted(found)):
            self.assertTrue(finding.startswith(start), finding)

    def test_the_clean_tree_is_clean(self):
        self.assertEqual(self.found({}), [])

    def test_finds_a_header_without_a_reader(self):
        self.expect(["libs/rules/lockstep.h:1: caller: "], {"libs/rules/lockstep.h": "// Fast.\n"})

    def test_finds_a_source_that_only_a_test_calls(self):
        self.expect(["libs/rules/playout.cc:1: caller: ", "libs/rules/playout.h:1: caller: "], {
            "libs/rules/CMakeLists.txt": "tarot_library(rules SRCS deal.cc playout.cc)\n",
            "libs/rules/playout.h": "// Plays on.\n",
            "libs/rules/playout.cc": '#include "libs/rules/playout.h"\n',
            "libs/rules/playout_test.cc": '#include "libs/rules/playout.h"\n',
        })

    def test_finds_a_fake_in_a_program(self):
        self.expect(["services/rules/testing/fake_store.cc:1: fake: tarot-rules "], {
            "services/rules/CMakeLists.txt":
                CLEAN["services/rules/CMakeLists.txt"].replace(
                    "main.cc DEPS", "main.cc DEPS tarot::rules_testing"),
        })

    def test_finds_a_header_with_one_reader(self):
        self.expect(["services/rules/app/seat.h:1: one reader: "], {
            "services/rules/app/seat.h": "// A seat.\n",
            "services/rules/app/table.h": '// A table.\n#include "services/rules/app/seat.h"\n',
        })

    def test_counts_reactors_outside_the_stream_library(self):
        reactors = "class A : grpc::ServerWriteReactor<B> {};\n" * 3
        at = "services/rules/app/table.h"
        self.expect([f"{at}:{line}: reactor: " for line in (1, 2, 3)], {at: reactors})
        self.assertEqual(self.found({at: reactors[:reactors.index("\n")]}), [])

    @unittest.mock.patch("callers.SHORT_SHARE_MAX", 0.08)
    def test_finds_splinters_when_they_are_many(self):
        whole = {f"libs/rules/part{i}.h": "// Whole.\n" + "int a;\n" * 30 for i in range(95)}
        short = {f"libs/rules/short{i}.h": "// Short.\n" for i in range(8)}
        reader = {"services/rules/app/table.cc": CLEAN["services/rules/app/table.cc"] + "".join(
            f'#include "{name}"\n' for name in {**whole, **short})}
        second = {"services/rules/main.cc": CLEAN["services/rules/main.cc"] + "".join(
            f'#include "{name}"\n' for name in {**whole, **short})}
        found = self.found({**whole, **short, **reader, **second})
        self.assertTrue(all(": splinter: " in finding for finding in found), found)
        self.assertTrue(any(f.startswith("libs/rules/short0.h:1: ") for f in found))


if __name__ == "__main__":
    unittest.main()
