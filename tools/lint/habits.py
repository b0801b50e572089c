"""Finds calls that bypass an interface, and violations of limits and of naming rules that a
compiler does not check.
"""
import re

# Rows of (rule, pattern, what to use instead, files where the pattern is allowed).
BANNED = [
    ("clock",
     r"std::chrono::(system|steady|high_resolution)_clock|absl::Now\(|\btime\((nullptr|NULL|0)\)"
     r"|\bclock_gettime\(|\bgettimeofday\(",
     "tarot::Clock", r"libs/base/(real_clock|steady_waits)\."),
    ("sleep", r"\bsleep_(for|until)\(|absl::SleepFor\(|\bu?sleep\(|\bnanosleep\(",
     "tarot::Scheduler", r"libs/base/real_clock\."),
    ("random",
     r"std::(shuffle|sample|mt19937|minstd_rand|random_device|default_random_engine|rand)\b"
     r"|_distribution<|absl::(Insecure)?BitGen|\bgetrandom\(|\brand\(\)",
     "tarot::Rng or tarot::Entropy", r"libs/base/entropy\."),
    ("flags", r"\bABSL_(RETIRED_)?FLAG\(", "an Options struct filled by main.cc",
     r"services/\w+/(\w+/)?main\.cc$|libs/rpc/options\.h$"),
    ("exceptions", r"\bcatch\s*\(|\bthrow\b", "absl::Status",
     # The library of the metrics server reports a taken port only by an exception.
     r"libs/pg/|services/\w+/storage/|/main\.cc$|libs/obs/metrics\.cc$"),
    ("namespace", r"\bnamespace\s+(\w+::)*testing\b", "a name that does not hide GoogleTest's",
     r"$^"),
]

COLUMNS_MAX = 100
LINES_MAX = 1000
FILE_NAME = re.compile(r"[a-z][a-z0-9_]*\.(h|cc|proto|py|sh)|V\d{4}__[a-z0-9_]+\.sql|[a-z_]+\.sql")
BANNER = re.compile(r"^\s*(//|#|--)\s*([-=*#~/])\2{4,}", re.MULTILINE)
NEEDS_POSTGRES = "libs/testkit/pg_fixture.h"
STATEMENT = re.compile(r'\bStatement\s+k\w+\s*\{\s*"([^"]*)"')


def check(source):
    yield from _limits(source)
    yield from _names(source)
    if source.name.endswith((".h", ".cc")):
        yield from _header(source)
        yield from _banned(source)
    yield from _statements(source)


def _banned(source):
    # In tests and tools, only the rules "random" and "namespace" apply. For example, a test may
    # wait on the real clock, but its random numbers must be the same in every run.
    in_program = (source.name.startswith(("libs/", "services/")) and not source.is_test
                  and not source.name.startswith("libs/testkit/"))
    for rule, pattern, instead, fine in BANNED:
        if re.search(fine, source.name) or not (in_program or rule in ("random", "namespace")):
            continue
        for match in re.finditer(pattern, source.bare):
            yield source.at(match.start(), rule, f"use {instead}")


def _limits(source):
    if len(source.lines) > LINES_MAX:
        yield source.at(0, "lines", f"{len(source.lines)} lines, the limit is {LINES_MAX}")
    offset = 0
    for line in source.text.split("\n"):
        if len(line) > COLUMNS_MAX:
            yield source.at(offset, "columns", f"{len(line)} columns, the limit is {COLUMNS_MAX}")
        offset += len(line) + 1


def _names(source):
    folder, _, file = source.name.rpartition("/")
    if not FILE_NAME.fullmatch(file):
        yield source.at(0, "file name", f"{file} is not lower_snake")
    if folder.endswith("/migrations") and not re.fullmatch(r"V\d{4}__[a-z0-9_]+\.sql", file):
        yield source.at(0, "migration", f"{file} is not V0001__what_it_does.sql")
    beside_code = source.name.startswith(("libs/", "services/"))
    if beside_code and file.endswith("_test.cc") and NEEDS_POSTGRES in source.text:
        if not file.startswith("pg_"):
            yield source.at(0, "pg test", "a test that needs Postgres is named pg_*_test.cc")
    for banner in BANNER.finditer(source.text):
        yield source.at(banner.start(), "banner", "no banner art")


def _header(source):
    if not source.name.endswith(".h"):
        return
    if not source.text.startswith("// "):
        yield source.at(0, "header", "the first line says what the header is for")
    if "\n#pragma once\n" not in source.text:
        yield source.at(0, "header", "no #pragma once")


def _statements(source):
    service = re.match(r"services/(\w+)/storage/", source.name)
    if not service or source.is_test:
        return
    for match in STATEMENT.finditer(source.code):
        if not re.fullmatch(service[1] + r"(_[a-z0-9]+){2,}", match[1]):
            yield source.at(match.start(), "statement",
                            f'"{match[1]}" is not {service[1]}_<verb>_<noun>')


def check_migrations(sources):
    """Checks that the migrations of each folder have the numbers from 1 on, without gaps or
    repeats, because the migrations are applied in this order.
    """
    folders = {}
    for source in sources:
        match = re.fullmatch(r"(.*/migrations)/V(\d{4})__\w+\.sql", source.name)
        if match:
            folders.setdefault(match[1], []).append((int(match[2]), source))
    for files in folders.values():
        for expected, (number, source) in enumerate(sorted(files, key=lambda f: f[0]), 1):
            if number != expected:
                yield source.at(0, "migration", f"{number:04} where {expected:04} comes next")
                break
