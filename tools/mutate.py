#!/usr/bin/env python3
"""Plants small faults in a copy of libs/rules and expects the tests to fail for each.

  tools/mutate.py           every fault, seconds each (a minute in a header); lists the survivors
  tools/mutate.py --only 'tally|Excuse'   those whose file or description the pattern is in
  tools/mutate.py --check   only that each fault still applies; the tests run this
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from mutations import MUTATIONS

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = "libs/rules"
# In this order: the first is built in seconds, the second only for what survives it.
TARGETS = ["rules_test", "tarotctl_vectors_test"]
TEST_SECONDS_MAX = 30  # A fault may make a loop endless.


def misfits():
    """What is wrong with the list itself, one line each."""
    for file, old, new, what in MUTATIONS:
        count = (ROOT / RULES / file).read_text(encoding="utf-8").count(old)
        if count != 1 or old == new:
            yield f"{RULES}/{file}: {what}: stands there {count} times: {old!r}"


def copy_tree(work):
    """The last commit, with libs/rules as it is now; all of it newer than what was built there."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-m", "-C", work], input=archive.stdout, check=True)
    shutil.copytree(ROOT / RULES, work / RULES, copy_function=shutil.copy,
                    dirs_exist_ok=True)
    # A fault may leave a variable unused.
    with open(work / RULES / "CMakeLists.txt", "a", encoding="utf-8") as lists:
        for target in ("tarot_rules", "rules_test"):
            lists.write(f"target_compile_options({target} PRIVATE -Wno-unused-variable "
                        "-Wno-unused-parameter -Wno-unused-but-set-variable "
                        "-Wno-unused-function)\n")
    # Beside the sources as in the real tree, so that the compiler cache serves both.
    subprocess.run(["cmake", "-S", work, "-B", work / "build", "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release"], check=True, stdout=subprocess.DEVNULL)


def failure(work, target):
    """How `target` fails: a word for people, or None when it passes."""
    build = subprocess.run(["ninja", "-C", work / "build", target], capture_output=True)
    if build.returncode != 0:
        # A fault that does not compile proves nothing, unless a static_assert has caught it.
        text = build.stdout.decode()
        return "static_assert" if "static assertion failed" in text else "DOES NOT BUILD\n" + text
    try:
        test = subprocess.run([work / "build/bin" / target, "--gtest_brief=1"],
                              capture_output=True, timeout=TEST_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return target + " (endless)"
    return target if test.returncode != 0 else None


def run(work, chosen):
    copy_tree(work)
    for target in TARGETS:
        if why := failure(work, target):
            sys.exit(f"fails without any fault: {why}")
    survivors = []
    for number, (file, old, new, what) in enumerate(chosen, 1):
        start = time.monotonic()
        path = work / RULES / file
        sound = path.read_text(encoding="utf-8")
        path.write_text(sound.replace(old, new), encoding="utf-8")
        caught = next(filter(None, (failure(work, target) for target in TARGETS)), None)
        path.write_text(sound, encoding="utf-8")
        if caught is None or caught.startswith("DOES NOT BUILD"):
            survivors.append(f"{file}: {what}")
        print(f"[{number}/{len(chosen)} {time.monotonic() - start:.0f}s] {file}: {what}: "
              f"{caught or 'SURVIVED'}", flush=True)
    print(f"{len(chosen)} faults, {len(chosen) - len(survivors)} caught")
    for survivor in survivors:
        print("survived:", survivor)
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--work", help="folder for the copy, kept afterwards")
    options = parser.parse_args()
    wrong = list(misfits())
    if wrong or options.check:
        print("\n".join(wrong) or f"{len(MUTATIONS)} faults apply")
        return 1 if wrong else 0
    chosen = [m for m in MUTATIONS if re.search(options.only, f"{m[0]} {m[3]}")]
    if options.work:
        return run(pathlib.Path(options.work).resolve(), chosen)
    with tempfile.TemporaryDirectory(prefix="tarot-mutate-") as work:
        return run(pathlib.Path(work), chosen)


if __name__ == "__main__":
    sys.exit(main())
