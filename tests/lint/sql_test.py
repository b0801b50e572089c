"""Tests that tools/check-sql accepts the SQL of this tree and finds planted faults.

Usage: sql_test.py FOLDER. FOLDER keeps the npm packages.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATEMENTS_MIN = 250
SOURCE = "services/x/storage/pg_x.cc"
MIGRATION = "services/x/storage/migrations/V0001__x.sql"
# The file, its text, and what the check must say.
FAULTS = {
    "broken SQL": (SOURCE, 'const S a{"a", R"sql(SELECT a FORM b)sql"};', "syntax error"),
    "a system column": (SOURCE, 'const S a{"a", "SELECT t.ctid FROM t"};', "system column ctid"),
    "a system column in a part": (
        SOURCE, 'const S a{"a", "WITH u AS (UPDATE t SET a = 1 RETURNING xmin) SELECT 1"};',
        "system column xmin"),
    "NOTIFY": (SOURCE, 'void F() { tx.exec0("NOTIFY moves"); }', "uses NOTIFY"),
    "NOTIFY by a function": (
        SOURCE, '''void F() { tx.exec0("SELECT pg_notify('a', 'b')"); }''', "uses NOTIFY"),
    "LISTEN": (
        SOURCE, 'void F() { tx.exec0(absl::StrCat("LISTEN ", Name(1, 2))); }', "uses LISTEN"),
    "a lock of the session": (SOURCE, 'const S a{"a", "SELECT pg_advisory_lock(1)"};',
                              "lock of the session"),
    "a statement in a macro": (
        SOURCE, '#define T(x) "SELECT " x " FROM t"\nconst S a{"a", T("cmax")};',
        "system column cmax"),
    "a statement of parts": (
        SOURCE, 'void F() { tx.exec0(absl::StrCat("SELECT ctid FROM t WHERE a = ", n, " OR b")); }',
        "system column ctid"),
    "a broken migration": (MIGRATION, "CREATE TABLE x.t (a integer,);", "syntax error"),
    "NOTIFY in a trigger": (
        MIGRATION, "CREATE FUNCTION x.f() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN NOTIFY a; RETURN NEW; END$$;", "a function uses NOTIFY"),
}
ALLOWED = {
    "a lock of the transaction": (SOURCE, 'const S a{"a", "SELECT pg_advisory_xact_lock(1)"};'),
    "a lock in a migration": (MIGRATION, "SELECT pg_advisory_lock(1);"),
    "a text that is no SQL": (SOURCE, 'const char* a = "SELECTED"; const S b{"b", "SELECT 1"};'),
}


def check(folder, tree):
    return subprocess.run([ROOT / "tools/check-sql", folder, tree], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def check_text(folder, file, text):
    with tempfile.TemporaryDirectory() as tree:
        path = pathlib.Path(tree) / file
        for needed in ["libs", "deploy/postgres"]:
            (pathlib.Path(tree) / needed).mkdir(parents=True)
        path.parent.mkdir(parents=True)
        path.write_text(text + "\n")
        return check(folder, tree)


def main():
    folder = sys.argv[1]
    result = check(folder, ROOT)
    print(result.stdout)
    if result.returncode != 0:
        return 1
    statements = int(re.search(r"(\d+) statements", result.stdout)[1])
    failed = statements < STATEMENTS_MIN
    if failed:
        print(f"only {statements} statements were found")
    for fault, (file, text, expected) in FAULTS.items():
        result = check_text(folder, file, text)
        if result.returncode == 0 or expected not in result.stdout:
            print(f"not found: {fault}: {result.stdout}")
            failed = True
    for name, (file, text) in ALLOWED.items():
        result = check_text(folder, file, text)
        if result.returncode != 0:
            print(f"refused: {name}: {result.stdout}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
