#!/usr/bin/env python3
"""Plants small faults in a copy of libs/rules, of the solver and of the bots' play-out.
The tests must find each fault.

  tools/mutate.py           plants every fault, and lists the faults that no test found. A fault
                            takes some seconds, or a minute if it is in a header.
  tools/mutate.py --only 'tally|Excuse'   plants only the faults whose file or description matches
                            this pattern.
  tools/mutate.py --check   checks only that each fault still applies. The tests run this command.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from mutations import FAST_DEAL_MUTATIONS, MUTATIONS, SOLVER_MUTATIONS

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Maps each folder to its CMake targets, to the tests that must find its faults, and to the faults.
# The first test builds in seconds. The next tests run only for faults that the first test does not
# find.
FOLDERS = {
    "libs/rules": (["tarot_rules"], ["rules_test", "lab_test"], MUTATIONS),
    "libs/ai/solver": (["tarot_ai_position", "tarot_ai_search_bmi2", "tarot_ai_solver"],
                       ["ai_solver_test"], SOLVER_MUTATIONS),
    "libs/ai": (["tarot_ai"], ["ai_fast_deal_test"], FAST_DEAL_MUTATIONS),
}
FAULTS = [(folder, *fault) for folder, (_, _, faults) in FOLDERS.items() for fault in faults]
TEST_SECONDS_MAX = 30  # A fault may make a loop endless.


def misfits():
    """Returns one line for each fault that does not apply. A fault applies if the file has its text
    exactly once, and if the fault changes this text.
    """
    for folder, file, old, new, what in FAULTS:
        count = (ROOT / folder / file).read_text(encoding="utf-8").count(old)
        if count != 1 or old == new:
            yield f"{folder}/{file}: {what}: stands there {count} times: {old!r}"


def copy_tree(work):
    """Copies the last commit to `work`, and then FOLDERS as they are in the working tree. All files
    get the present time, so ninja builds everything again.
    """
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-m", "-C", work], input=archive.stdout, check=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, work / folder, copy_function=shutil.copy, dirs_exist_ok=True)
    # A fault may leave a variable or a function unused. These options prevent the compiler's
    # warning, which would be an error.
    with open(work / "CMakeLists.txt", "a", encoding="utf-8") as lists:
        for target in sum((libraries + tests[:1] for libraries, tests, _ in FOLDERS.values()), []):
            lists.write(f"target_compile_options({target} PRIVATE -Wno-unused-variable "
                        "-Wno-unused-parameter -Wno-unused-but-set-variable "
                        "-Wno-unused-function)\n")
    # The build folder is in the copy, as in the real tree, so that both share the entries of the
    # compiler cache.
    subprocess.run(["cmake", "-S", work, "-B", work / "build", "-G", "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release"], check=True, stdout=subprocess.DEVNULL)


def failure(work, target):
    """Returns how `target` fails, as one word for people, or None when it passes."""
    build = subprocess.run(["ninja", "-C", work / "build", target], capture_output=True)
    if build.returncode != 0:
        # If a static_assert has found the fault, the fault counts as found. Any other fault that
        # does not compile proves nothing.
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
    for target in dict.fromkeys(t for folder, *_ in chosen for t in FOLDERS[folder][1]):
        if why := failure(work, target):
            sys.exit(f"fails without any fault: {why}")
    survivors = []
    for number, (folder, file, old, new, what) in enumerate(chosen, 1):
        start = time.monotonic()
        path = work / folder / file
        sound = path.read_text(encoding="utf-8")
        path.write_text(sound.replace(old, new), encoding="utf-8")
        caught = next(filter(None, (failure(work, target) for target in FOLDERS[folder][1])), None)
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
        print("\n".join(wrong) or f"{len(FAULTS)} faults apply")
        return 1 if wrong else 0
    chosen = [f for f in FAULTS if re.search(options.only, f"{f[0]}/{f[1]} {f[4]}")]
    if options.work:
        return run(pathlib.Path(options.work).resolve(), chosen)
    with tempfile.TemporaryDirectory(prefix="tarot-mutate-") as work:
        return run(pathlib.Path(work), chosen)


if __name__ == "__main__":
    sys.exit(main())
