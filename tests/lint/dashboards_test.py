"""Tests that tools/check-dashboards finds faulty queries."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "tools/check-dashboards"
LOADER = importlib.machinery.SourceFileLoader("check_dashboards", str(PATH))
SPEC = importlib.util.spec_from_loader("check_dashboards", LOADER)
check_dashboards = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(check_dashboards)


class FakePrometheus:
    series = {"tarot_rules_nodes"}

    def __init__(self, *values):
        self.values = values

    def query(self, expression):
        if "(" in expression and ")" not in expression:
            raise ValueError("unclosed left parenthesis")
        return [{"metric": {}, "value": [0, value]} for value in self.values]


def problem(*values, expression='min(tarot_rules_nodes{job="$job"})', may_have_none=False):
    return check_dashboards.check_query(FakePrometheus(*values), expression, may_have_none)


class CheckQueryTest(unittest.TestCase):
    def test_a_number_is_an_answer(self):
        self.assertIsNone(problem("3"))
        self.assertIsNone(problem("0"))
        self.assertIsNone(problem("NaN", "3"))

    def test_no_number_is_none(self):
        self.assertEqual(problem("NaN", "NaN"), "gives no number")
        self.assertIsNone(problem("NaN", may_have_none=True))

    def test_what_is_missing_or_wrong(self):
        self.assertEqual(problem(may_have_none=True), "is empty")
        self.assertEqual(problem("3", expression="tarot_rules_nods"), "tarot_rules_nods is unknown")
        self.assertEqual(problem("3", expression="min("), "unclosed left parenthesis")

    def test_every_series_is_shown(self):
        listing = "| `grpc_x` |\n| `tarot_a_total` | a\n| `tarot_b_seconds` | b\n| `tarot_b` | c\n"
        shown = ["sum(rate(tarot_a_total[1m]))", "tarot_b_seconds_bucket{}"]
        self.assertEqual(list(check_dashboards.unshown(listing, shown)), ["no panel shows tarot_b"])
        by_pattern = shown + [r'rate({__name__=~\"tarot_b.*\"}[1m])']
        self.assertEqual(list(check_dashboards.unshown(listing, by_pattern)), [])


if __name__ == "__main__":
    unittest.main()
