"""Tests that tools/check-dashboards finds faulty queries."""
import importlib.machinery
import importlib.util
import json
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
    def test_a_query_with_a_number_has_no_problem(self):
        self.assertIsNone(problem("3"))
        self.assertIsNone(problem("0"))
        self.assertIsNone(problem("NaN", "3"))

    def test_a_query_without_a_number_has_a_problem(self):
        self.assertEqual(problem("NaN", "NaN"), "gives no number")
        self.assertIsNone(problem("NaN", may_have_none=True))

    def test_finds_missing_answers_and_wrong_queries(self):
        self.assertEqual(problem(may_have_none=True), "is empty")
        self.assertEqual(problem("3", expression="tarot_rules_nods"), "tarot_rules_nods is unknown")
        self.assertEqual(problem("3", expression="min("), "unclosed left parenthesis")

    def test_a_comparison_may_leave_no_value(self):
        class Filtered(FakePrometheus):
            def query(self, expression):
                return [] if ">" in expression else super().query(expression)

        expression = "sum(tarot_rules_nodes) > 0"
        ask = lambda may_have_none: check_dashboards.check_query(
            Filtered("0"), expression, may_have_none)
        self.assertIsNone(ask(True))
        self.assertEqual(ask(False), "is empty")

    def test_an_annotation_may_have_no_event(self):
        class Quiet(FakePrometheus):
            def query(self, expression):
                return [] if ">" in expression or "unless" in expression else super().query("x")

        ask = lambda expression: check_dashboards.check_annotation(Quiet("0"), expression)
        self.assertIsNone(ask("changes(tarot_rules_nodes[1m]) > 0"))
        self.assertIsNone(ask("tarot_rules_nodes\nunless tarot_rules_nodes offset 5m"))
        self.assertEqual(ask("changes(tarot_rules_nods[1m])"), "tarot_rules_nods is unknown")

    def test_a_variable_has_values(self):
        class Labels:
            def values_of(self, label, selector):
                return {("job", "up"): ["tarot", "node"],
                        ("cell", 'up{job=~"tarot"}'): ["main"]}.get((label, selector), [])

        def ask(text, first, **more):
            dashboard = {"templating": {"list": [{"name": "job", "current": {"value": "tarot"}}]}}
            variable = {"query": {"query": text}, "current": {"value": first}} | more
            return check_dashboards.check_variable(Labels(), variable, dashboard)

        self.assertIsNone(ask("label_values(up, job)", "tarot", regex="/^(tarot.*)$/"))
        self.assertIsNone(ask('label_values(up{job=~"$job"}, cell)', "$__all"))
        for wrong in (ask("label_values(up, job)", "door"),
                      ask("label_values(up, job)", "tarot", regex="/^(node)$/"),
                      ask("label_values(up, instance)", "$__all"), ask("up", "$__all")):
            self.assertIsNotNone(wrong)

    def test_leaves_out_queries_about_series_that_are_not_scraped(self):
        needs = lambda job, expression: check_dashboards.needs(
            {"templating": {"list": [{"name": "job", "current": {"value": job}}]}}, expression,
            ["pg_"])
        self.assertTrue(needs("postgres", "sum(pg_x)"))
        self.assertTrue(needs("postgres", "label_values(up, job)"))
        self.assertFalse(needs("tarot", "label_values(up, job)"))
        self.assertFalse(needs("tarot", "tarot_pg_x"))

    def test_every_series_is_shown_or_excepted(self):
        names = "grpc_x", "tarot_a_total", "tarot_b_seconds", "process_c"
        listing = "".join(f"| `{name}` | text |\n" for name in names)
        shown = ["sum(rate(tarot_a_total[1m]))", "tarot_b_seconds_bucket{}"]
        unshown = lambda excepted: list(check_dashboards.unshown(listing, shown, excepted))
        self.assertEqual(unshown({}), ["no panel shows process_c"])
        self.assertEqual(unshown({"process_c": "why"}), [])
        self.assertEqual(len(unshown({"process_c": "why", "tarot_a_total": "why"})), 1)
        self.assertEqual(len(unshown({"process_c": "why", "tarot_gone": "why"})), 1)


class CheckPanelTest(unittest.TestCase):
    PANEL = {"type": "stat", "title": "Tables", "description": "x", "targets": [{"expr": "x"}],
             "gridPos": {"x": 0, "y": 0, "w": 4, "h": 4},
             "links": [{"url": "${runbooks}/replicas.md"}],
             "fieldConfig": {"defaults": {"unit": "none", "thresholds": {"steps": []}}}}

    def problems(self, **changes):
        return list(check_dashboards.check_panel(self.PANEL | changes))

    def test_finds_what_a_panel_lacks(self):
        self.assertEqual(self.problems(), [])
        for changes in ({"title": ""}, {"description": ""}, {"links": []}, {"targets": []},
                        {"links": [{"url": "${runbooks}/none.md"}]},
                        {"links": [{"url": "/d/tarot-moves"}]},
                        {"fieldConfig": {"defaults": {"unit": "none"}}}):
            with self.subTest(changes=changes):
                self.assertEqual(len(self.problems(**changes)), 1)

    def test_a_raw_series_has_a_range_of_at_most_an_hour(self):
        of = lambda expression: len(self.problems(targets=[{"expr": expression}]))
        for expression in ("rate(tarot_a_total{a=\"b\"}[1h])",
                           "rate(tarot_a_total[$__rate_interval])",
                           "increase(tarot:a:increase5m{a=\"b\"}[3d])", "tarot_a_total"):
            self.assertEqual(of(expression), 0, expression)
        for expression in ("sum(increase(tarot_a_total{a=\"b\"}[1d]))", "rate(tarot_a_total[1h5m])",
                           "deriv(node_a_bytes[6h])"):
            self.assertEqual(of(expression), 1, expression)

    def test_panels_lie_on_the_screen_and_do_not_overlap(self):
        place = lambda **grid: self.PANEL | {"title": str(grid),
                                             "gridPos": self.PANEL["gridPos"] | grid}
        places = lambda *panels: len(list(check_dashboards.check_places({"panels": panels})))
        self.assertEqual(places(place(), place(x=4)), 0)
        self.assertEqual(places(place(), place(x=3)), 1)
        self.assertEqual(places(place(y=37)), 1)
        self.assertEqual(places(place(x=21)), 1)


if __name__ == "__main__":
    unittest.main()
