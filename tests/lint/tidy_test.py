"""Plants one violation of each rule of tools/lint/tidy.py in a small tree. The lint must find each.
"""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "lint"))
import tidy  # noqa: E402

# A tree without a fault. It has one file in every kind of place.
CLEAN = {
    "deploy/alertmanager/alertmanager.yml": 'matchers: [\'alertname =~ "Table.*"\']\n',
    "deploy/prometheus/alerts.yml": """
      - alert: TableLost
        expr: lost > 0
        labels: {severity: page}
        annotations:
          summary: "A table is lost."
          runbook_url: "{{ $externalLabels.runbooks }}/lost.md"
""",
    "deploy/prometheus/alerts_test.yml": """
    alert_rule_test:
      - {alertname: TableLost, eval_time: 1h}
      - alertname: TableLost
        eval_time: 2h
        exp_alerts:
          - exp_labels: {severity: page}
""",
    "deploy/prometheus/levels_test.yml": "",
    "docs/runbook/lost.md": "`TableLost`: run `psql`.\n",
    "docs/errors.md": "| reason |\n| --- |\n| `TABLE_NOT_FOUND` | NOT_FOUND |\n",
    "docs/metrics.md": "| series |\n| --- |\n| `tarot_rules_tables_open` | gauge |\n",
    "libs/base/clock.h": "// Time.\n#pragma once\n",
    "libs/base/real_clock.cc": "auto Now() { return absl::Now(); }\n",
    "libs/rules/deal.cc": '#include <vector>\n\n#include "libs/base/clock.h"\n',
    "services/rules/main.cc": "ABSL_FLAG(int, port, 0, \"\");\n",
    "services/rules/metrics.cc":
        '#include <prometheus/gauge.h>\nconst char* k = "tarot_rules_tables_open";\n',
    "services/rules/app/table.cc":
        '#include "services/rules/metrics.h"\n'
        'auto NotFound() { return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", ""); }\n',
    "services/rules/app/table_test.cc": '#include "libs/testkit/status_matchers.h"\n',
    "services/rules/storage/pg_store.cc":
        '#include <pqxx/pqxx>\nvoid F() { try { } catch (...) { } }\n'
        'constexpr pg::Statement kGet{"rules_get_table", ""};\n',
    "services/rules/storage/migrations/V0001__create_tables.sql": "SELECT 1;\n",
    "services/rules/transport/convert.cc": '#include "tarot/rules/v1/table.pb.h"\n',
    "services/all_in_one/main.cc": '#include "services/rules/service.h"\n',
}


class TidyTest(unittest.TestCase):
    def found(self, planted):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**CLEAN, **planted}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [str(finding) for finding in tidy.findings(root)]

    def expect(self, where, rule, planted):
        found = self.found(planted)
        self.assertTrue(found, f"nothing found for {planted}")
        self.assertTrue(all(f.startswith(f"{where}: {rule}: ") for f in found), found)

    def expect_include(self, name, header):
        line = f"#include <{header}>\n" if "." not in header else f'#include "{header}"\n'
        self.expect(f"{name}:2", "layers", {name: "\n" + line})

    def expect_code(self, rule, code, name="services/rules/app/submit.cc"):
        self.expect(f"{name}:1", rule, {name: code + "\n"})

    def test_the_clean_tree_is_clean(self):
        self.assertEqual(self.found({}), [])

    def test_libraries_stay_in_their_layer(self):
        for name, header in [
            ("libs/base/ids.cc", "libs/rules/cards.h"),
            ("libs/rules/legal.cc", "libs/ai/policy.h"),
            ("libs/rules/legal.cc", "tarot/rules/v1/table.pb.h"),
            ("libs/rating/rating.cc", "libs/rules/cards.h"),
            ("libs/matching/matcher.cc", "pqxx/pqxx.hxx"),
            ("libs/dealing/shuffle.cc", "libs/rpc/auth.h"),
            ("libs/ai/search.cc", "libs/dealing/shuffle.h"),
            ("libs/status/wire.cc", "libs/rpc/auth.h"),
            ("libs/obs/log.cc", "grpcpp/grpcpp.h"),
            ("libs/pg/pool.cc", "libs/rpc/auth.h"),
            ("libs/rpc/server.cc", "libs/pg/pool.h"),
            ("libs/wire/convert.cc", "libs/rpc/auth.h"),
            ("libs/client/client.cc", "libs/pg/pool.h"),
            ("libs/testkit/golden.cc", "services/rules/app/table.h"),
        ]:
            with self.subTest(name=name, header=header):
                self.expect_include(name, header)

    def test_services_stay_in_their_layer(self):
        for name, header in [
            ("services/rules/app/submit.cc", "tarot/rules/v1/table.pb.h"),
            ("services/rules/app/submit.cc", "grpcpp/grpcpp.h"),
            ("services/rules/app/submit.cc", "libs/pg/pool.h"),
            ("services/rules/app/submit.cc", "libs/obs/log.h"),
            ("services/rules/app/submit.cc", "services/rules/storage/pg_store.h"),
            ("services/rules/app/submit.cc", "services/bot/app/chooser.h"),
            ("services/rules/storage/rows.cc", "grpcpp/grpcpp.h"),
            ("services/rules/storage/rows.cc", "tarot/rules/v1/table.pb.h"),
            ("services/rules/transport/convert.cc", "services/rules/storage/pg_store.h"),
            ("services/rules/transport/convert.cc", "libs/pg/pool.h"),
            ("services/rules/transport/convert.cc", "pqxx/pqxx.hxx"),
            ("services/rules/service.cc", "services/bot/service.h"),
            # A test may include more than other files, but not another service.
            ("services/rules/app/submit_test.cc", "services/bot/app/chooser.h"),
        ]:
            with self.subTest(name=name, header=header):
                self.expect_include(name, header)

    def test_pure_libraries_have_no_threads_files_or_time(self):
        for header in ("thread", "fstream", "chrono"):
            with self.subTest(header=header):
                self.expect_include("libs/rules/legal.cc", header)

    def test_the_world_comes_through_interfaces(self):
        for rule, code in [
            ("clock", "auto now = absl::Now();"),
            ("clock", "auto now = std::chrono::steady_clock::now();"),
            ("clock", "auto now = time(nullptr);"),
            ("sleep", "std::this_thread::sleep_for(d);"),
            ("sleep", "absl::SleepFor(d);"),
            ("random", "std::shuffle(a, b, c);"),
            ("random", "std::mt19937 generator;"),
            ("random", "absl::BitGen generator;"),
            ("flags", "ABSL_FLAG(int, port, 0, \"\");"),
            ("exceptions", "try { F(); } catch (...) { }"),
            ("exceptions", "throw 1;"),
            ("namespace", "namespace tarot::testing {"),
        ]:
            with self.subTest(code=code):
                self.expect_code(rule, code)

    def test_randomness_is_banned_from_tests_too(self):
        self.expect_code("random", "std::mt19937 generator;", "libs/rules/legal_test.cc")

    def test_comments_and_literals_are_not_code(self):
        code = '// absl::Now() /* catch ( */\nconst char* k = "absl::Now()";\n'
        self.assertEqual(self.found({"services/rules/app/submit.cc": code}), [])

    def test_limits(self):
        self.expect_code("columns", "//" + "x" * 99)
        self.assertEqual(self.found({"libs/rules/a.cc": "//" + "x" * 98 + "\n"}), [])
        self.expect_code("lines", ";\n" * 1000)
        self.assertEqual(self.found({"libs/rules/a.cc": ";\n" * 1000}), [])

    def test_headers(self):
        name = "libs/rules/legal.h"
        self.expect(f"{name}:1", "header", {name: "\n#pragma once\n"})
        self.expect(f"{name}:1", "header", {name: "// Legal cards.\n"})

    def test_file_names_and_banners(self):
        name = "libs/rules/LegalCards.cc"
        self.expect(f"{name}:1", "file name", {name: "\n"})
        self.expect_code("banner", "// =======================")

    def test_tests_that_need_postgres_say_so(self):
        name = "libs/pg/pool_test.cc"
        self.expect(f"{name}:1", "pg test", {name: '#include "libs/testkit/pg_fixture.h"\n'})
        self.assertEqual(self.found({"libs/pg/pg_pool_test.cc":
                                     '#include "libs/testkit/pg_fixture.h"\n'}), [])

    def test_statements_are_named_after_their_service(self):
        name = "services/rules/storage/statements.cc"
        for bad in ("append_action", "rules_append", "ratings_append_action"):
            with self.subTest(name=bad):
                self.expect_code("statement", f'constexpr pg::Statement kAppend{{"{bad}", ""}};',
                                 name)

    def test_migrations(self):
        folder = "services/rules/storage/migrations/"
        self.expect(folder + "V0003__more.sql:1", "migration", {folder + "V0003__more.sql": "\n"})
        self.expect(folder + "V0001__other.sql:1", "migration", {folder + "V0001__other.sql": "\n"})
        self.expect(folder + "more.sql:1", "migration", {folder + "more.sql": "\n"})

    def test_reasons_and_their_list_agree(self):
        error = 'auto E() { return Error(absl::StatusCode::kAborted, "%s", ""); }'
        self.expect_code("reason", error % "NOT_LISTED")
        self.expect_code("reason", error % "BUG")
        self.expect_code("reason", 'const char* k = "NOT_LISTED";')
        proto = "proto/tarot/rules/v1/table.proto"
        self.expect(f"{proto}:1", "reason", {proto: "// Errors: ABORTED NOT_LISTED.\n"})
        listed = CLEAN["docs/errors.md"] + "| `NOT_USED` | ABORTED |\n"
        self.expect("docs/errors.md:4", "reason", {"docs/errors.md": listed})

    def test_metrics_and_their_list_agree(self):
        metric = '#include <prometheus/gauge.h>\nconst char* k = "%s";\n'
        name = "services/rules/metrics.cc"
        listed = CLEAN["docs/metrics.md"] + "| `tarot_rules_seats_open` | gauge |\n"
        self.expect("docs/metrics.md:4", "metric", {"docs/metrics.md": listed})
        both = metric % "tarot_rules_tables_open" + 'const char* l = "tarot_rules_seats_open";\n'
        self.expect(f"{name}:3", "metric", {name: both})
        for bad in ("tarot_rules_tables", "tarot_bot_tables_open"):
            with self.subTest(name=bad):
                self.expect(f"{name}:2", "metric name",
                            {"docs/metrics.md": f"| `{bad}` |\n", name: metric % bad})

    def test_each_alert_has_all_that_it_needs(self):
        name = "deploy/prometheus/alerts.yml"
        for old, new in (("severity: page", "severity: loud"), ("summary", "text"),
                         ("lost.md", "none.md"), ("$externalLabels.runbooks", "$labels.runbooks")):
            with self.subTest(old=old):
                self.expect(f"{name}:2", "alert", {name: CLEAN[name].replace(old, new)})
        self.expect(f"{name}:2", "alert", {"docs/runbook/lost.md": "Run psql.\n"})

    def test_each_alert_fires_in_a_test_and_is_silent_in_another(self):
        name = "deploy/prometheus/alerts_test.yml"
        lines = CLEAN[name].splitlines(keepends=True)
        only_silent, only_fires = "".join(lines[:3]), "".join(lines[:2] + lines[3:])
        for test in (only_silent, only_fires):
            with self.subTest(test=test):
                self.expect("deploy/prometheus/alerts.yml:2", "alert", {name: test})

    def test_routes_name_alerts_that_exist(self):
        name = "deploy/alertmanager/alertmanager.yml"
        self.expect(f"{name}:1", "alert", {name: "matchers: ['alertname = TableGone']\n"})

    def test_the_game_day_hears_alerts_that_exist(self):
        name = "tools/dev.d/gameday.py"
        self.expect(f"{name}:1", "alert", {name: 'NAMES = ["TarotTableGone"]\n'})

    def test_runbooks_do_not_name_the_tool_of_developers(self):
        name = "docs/runbook/lost.md"
        self.expect(f"{name}:2", "runbook", {name: "`TableLost`\nRun `tools/dev status`.\n"})

    def test_runbooks_name_commands_that_have_an_effect(self):
        name = "docs/runbook/lost.md"
        unit = {"deploy/systemd/tarot-rules.service": ""}
        right = "`TableLost`\n`journalctl -u tarot-rules`, `systemctl list-units 'tarot-*'`\n"
        self.assertEqual(self.found(unit | {name: right}), [])
        for wrong in ("Set a lower `--population`.", "`systemctl restart tarot-rules@1`",
                      "`journalctl -u\ntarot-bot`"):
            with self.subTest(wrong=wrong):
                self.expect(f"{name}:2", "runbook", unit | {name: f"`TableLost`\n{wrong}\n"})

    def test_the_map_of_the_rules_leads_somewhere(self):
        test = "libs/rules/source_000_club_test.cc"
        there = {"docs/rules.md": "[`Legal`](../libs/rules/legal.cc), [`Club.Cut`](../%s)\n" % test,
                 "libs/rules/legal.cc": "int Legal() { return 0; }\n",
                 test: "TEST(Club, Cut) {}\n"}
        self.assertEqual(self.found(there), [])
        page = "docs/rules/source_000.md"
        for link in ("[page](none.md)", "[`Gone`](../../libs/rules/legal.cc)",
                     f"[`Club.Gone`](../../{test})"):
            with self.subTest(link=link):
                self.expect(f"{page}:2", "rule map", {**there, page: f"\n{link}\n"})
        self.expect(f"{test}:2", "rule map", {**there, test: there[test] + "TEST(Club, New) {}\n"})


if __name__ == "__main__":
    unittest.main()
