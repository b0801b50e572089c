"""Tests the units of deploy/systemd with systemd-analyze. Also tests that planted faults are found.

systemd-analyze must have no warning for a unit. On its scale from 0 to 10, the exposure of a unit
must be at most EXPOSURE_MAX, or DOOR_EXPOSURE_MAX for the door. tools/check-manifests checks the
flags of the programs.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

UNITS = pathlib.Path(__file__).resolve().parents[2] / "deploy/systemd"
EXPOSURE_MAX = 1.5
DOOR_EXPOSURE_MAX = 1.7  # HAProxy has the capability to bind the port 443.
FAULTS = {
    "an unknown setting": ("NoNewPrivileges=yes", "NoNewPrivilege=yes"),
    "a wrong value": ("ProtectSystem=strict", "ProtectSystem=strictly"),
    "an open service": ("CapabilityBoundingSet=\n", "CapabilityBoundingSet=CAP_SYS_ADMIN\n"),
}


def findings(folder, name, text):
    # /bin/true replaces each program, because our programs may not be installed on this machine.
    text = re.sub(r"^(Exec\w+=)/usr/s?bin/(tarot-|haproxy)\S*", r"\1/bin/true", text, flags=re.M)
    unit = folder / name
    unit.write_text(text)
    said = subprocess.run(["systemd-analyze", "verify", unit], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False).stdout
    # If systemd does not run here, other units that this unit names may be missing.
    yield from (line for line in said.splitlines() if name in line)
    said = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout
    level = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    limit = DOOR_EXPOSURE_MAX if name == "tarot-door.service" else EXPOSURE_MAX
    if not level or float(level[1]) > limit:
        yield f"{name}: its exposure is {level[1] if level else said}, the limit is {limit}"


def main():
    if not shutil.which("systemd-analyze"):
        print("systemd-analyze is missing; tools/dev.d/packages.sh lists its package, systemd")
        return 1
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for unit in sorted(UNITS.glob("*.service")):
            for finding in findings(folder, unit.name, unit.read_text()):
                print(finding)
                failed = True
        whole = (UNITS / "tarot-rules.service").read_text()
        for fault, (old, new) in FAULTS.items():
            faulty = whole.replace(old, new)
            if faulty == whole or not list(findings(folder, "tarot-rules.service", faulty)):
                print(f"not found: {fault}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
