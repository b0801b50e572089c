"""Tests that tools/check-manifests accepts deploy/ and finds planted faults.

Usage: manifests_test.py FOLDER BIN. FOLDER keeps the npm packages, BIN has our programs.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ["deploy/kubernetes", "deploy/compose", "deploy/images", "deploy/systemd",
          "docs/metrics.md"]
BASE = "deploy/kubernetes/base/"
CELL = "deploy/kubernetes/cell/"
LIST = "deploy/kubernetes/overlays/cells/main/addresses.yaml"
SELECTOR = """  selector:
    app.kubernetes.io/name: rules
    cell: "0\""""
LIVENESS = """livenessProbe:
            exec:
              command: [/tarot-bot, --check, "127.0.0.1:7103", liveness]
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
"""
ADMIN_LIVENESS = """livenessProbe:
            exec:
              command: [/tarot-admin, --check, "127.0.0.1:7107", liveness]
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
"""
BUDGET = """kind: PodDisruptionBudget
metadata:
  name: ratings
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: ratings"""
CERTIFICATE = """secretName: tarot-door
            defaultMode: 0440
            items:
              - key: door.pem"""
# Maps each fault to a file, to a text that occurs in this file, and to the faulty text that
# replaces it.
FAULTS = {
    "an unknown field": (BASE + "bot.yaml", "strategy:", "strategi:"),
    "an unknown field of a container": (BASE + "rules/rules.yaml", "failureThreshold:",
                                        "failureTreshold:"),
    "a wrong type": (BASE + "ratings.yaml", "replicas: 2", 'replicas: "2"'),
    "a wrong value": (BASE + "gateway.yaml", "type: LoadBalancer", "type: Balancer"),
    "an unknown kind": (BASE + "network.yaml", "kind: NetworkPolicy", "kind: NetworkPolice"),
    "a missing readiness probe": (
        BASE + "matchmaking.yaml", "readinessProbe:", "lifecycle: {}\n          x:"),
    "a missing liveness probe": (BASE + "bot.yaml", LIVENESS, "stdin: false\n"),
    "a missing limit": (BASE + "rules/rules.yaml",
                        "            limits:\n              memory: 2Gi\n", ""),
    "a missing request": (BASE + "rules/rules.yaml", "              cpu: 500m\n", ""),
    "a capability": (BASE + "ratings.yaml", "drop: [ALL]", "drop: [NET_RAW]"),
    "a writable file system": (BASE + "bot.yaml", "readOnlyRootFilesystem: true",
                               "readOnlyRootFilesystem: false"),
    "root": (BASE + "gateway.yaml", "runAsNonRoot: true", "runAsNonRoot: false"),
    "a missing budget": (BASE + "ratings.yaml", BUDGET, BUDGET + "s"),
    "a missing spread": (BASE + "rules/rules.yaml",
                         "topologyKey: topology.kubernetes.io/zone",
                         "topologyKey: kubernetes.io/os"),
    "an unknown flag": (BASE + "bot.yaml", "--worker_threads=2", "--workers=2"),
    "an unknown flag of a probe": (BASE + "gateway.yaml", "--check", "--health"),
    "an unknown service": (BASE + "gateway.yaml", "--bot_address=bot:7103",
                           "--bot_address=bots:7103"),
    "an unknown service in a variable": (BASE + "bot.yaml", "value: rules:7101",
                                         "value: rule:7101"),
    "an unknown variable": (BASE + "bot.yaml", "TAROT_RULES_ADDRESS", "TAROT_RULE_ADDRESS"),
    "a wrong port": (BASE + "gateway.yaml", "--bot_address=bot:7103", "--bot_address=bot:7104"),
    "an unlisted secret": (BASE + "rules/rules.yaml", "secretName: tarot-rules",
                           "secretName: keys"),
    "the secret of another service": (BASE + "bot.yaml", "secretName: tarot-bot",
                                      "secretName: tarot-ratings"),
    "the owner's role in a service": (
        BASE + "rules/rules.yaml", "name: tarot-database\n", "name: tarot-database-owner\n"),
    "an unknown series": (BASE + "rules/rules.yaml", "tarot_rules_tables_open",
                          "tarot_rules_tables_opened"),
    "an open network": (BASE + "network.yaml", "policyTypes: [Ingress, Egress]",
                        "policyTypes: [Ingress]"),
    "a policy for unknown pods": (BASE + "network.yaml", "app.kubernetes.io/name: bot",
                                  "app.kubernetes.io/name: bots"),
    "a missing migration": ("deploy/kubernetes/migrations/jobs.yaml", "image: tarot-ratings",
                            "image: tarot-rules"),
    "an image without a tag": ("deploy/kubernetes/overlays/small/kustomization.yaml",
                               "newTag: 0.1.0", "newTag: latest"),
    "an unknown field of admin": (BASE + "admin.yaml", "terminationGracePeriodSeconds:",
                                  "terminationGraceSeconds:"),
    "a wrong type in the probe": (BASE + "probe.yaml", "replicas: 1", 'replicas: "1"'),
    "a missing liveness probe of admin": (BASE + "admin.yaml", ADMIN_LIVENESS, "stdin: false\n"),
    "a missing limit of the probe": (BASE + "probe.yaml",
                                     "            limits:\n              memory: 256Mi\n", ""),
    "a second replica of admin": (BASE + "admin.yaml", "replicas: 1", "replicas: 2"),
    "a budget of one replica": (BASE + "ratings.yaml", BUDGET,
                                BUDGET + f"\n---\napiVersion: policy/v1\n{BUDGET}".replace(
                                    "ratings", "admin")),
    "an open operators' door": (BASE + "admin.yaml", "127.0.0.1:7107", "0.0.0.0:7107"),
    "the operators' keys in the gateway": (
        BASE + "gateway.yaml", CERTIFICATE,
        CERTIFICATE.replace("tarot-door", "tarot-operators").replace("door.pem", "operator.keys")),
    "a call that no policy lets in": (
        BASE + "network.yaml", "app.kubernetes.io/name: admin\n      ports:",
        "app.kubernetes.io/name: rules\n      ports:"),
    "a call that no policy lets out": (BASE + "network.yaml", "ratings, admin, migrations]",
                                       "ratings, migrations]"),
    "a policy for a call that the probe does not make": (
        BASE + "network.yaml", "    - ports:\n        - protocol: TCP\n          port: 7100",
        "    - ports:\n        - protocol: TCP\n          port: 7100\n"
        "        - protocol: TCP\n          port: 7101"),
    "a missing migration of admin": ("deploy/kubernetes/migrations/jobs.yaml",
                                     "image: tarot-admin", "image: tarot-rules"),
    "an open operators' door in compose": ("deploy/compose/compose.yml",
                                           "=127.0.0.1:${TAROT_ADMIN_PORT",
                                           "=0.0.0.0:${TAROT_ADMIN_PORT"),
    "the secrets of another service in compose": (
        "deploy/compose/compose.yml", "/etc/tarot/secrets}/bot:", "/etc/tarot/secrets}/gateway:"),
    "all secrets in a service of compose": (
        "deploy/compose/compose.yml", "/etc/tarot/secrets}/bot:", "/etc/tarot/secrets}:"),
    "the password of the schemas' owner in a service of compose": (
        "deploy/compose/compose.yml", "- ${TAROT_SECRETS:-/etc/tarot/secrets}/bot:/run/secrets:ro",
        "- ${TAROT_OWNER:-/etc/tarot/owner}:/run/owner:ro"),
    "an unknown flag in compose": ("deploy/compose/compose.yml", "--population=", "--bots="),
    "another program in a health check": ("deploy/compose/compose.yml", "[CMD, /tarot-bot,",
                                          "[CMD, /tarot-rules,"),
    "a writable container in compose": ("deploy/compose/compose.yml", "read_only: true",
                                        "read_only: false"),
    "a list that leaves out a cell": (LIST, "0=rules:7101;1=rules-1:7101", "rules:7101"),
    "a list with an unknown cell": (LIST, "1=rules-1:7101", "2=rules-1:7101"),
    "a list with the Service of another cell": (LIST, "1=rules-1:7101", "1=rules:7101"),
    "no list in a cell": (LIST, "TAROT_CELLS", "TAROT_REGION"),
    "a cell without its number": (CELL + "rules.yaml", "            - --cell=1\n", ""),
    "an unknown flag of a cell": (CELL + "rules.yaml", "--cell=1", "--cells_number=1"),
    "the database of another cell": (CELL + "rules.yaml", "key: rules-1", "key: rules"),
    "a Service of two cells": (BASE + "rules/rules.yaml", SELECTOR,
                               SELECTOR.replace('\n    cell: "0"', "")),
    "a missing migration of a cell": (CELL + "migrations/job.yaml", "key: rules-1", "key: rules"),
    "an unknown flag of a cell in compose": ("deploy/compose/cells.yml", "--cell=1", "--cel=1"),
    "an unknown variable in compose": ("deploy/compose/cells.yml", "TAROT_RULES_ADDRESS",
                                       "TAROT_RULE_ADDRESS"),
    "the secrets of another service in a cell of compose": (
        "deploy/compose/cells.yml", "- ${TAROT_ARCHIVE_1:-archive_1}:/archive",
        "- ${TAROT_SECRETS:-/etc/tarot/secrets}/gateway:/run/secrets:ro"),
    "an unknown variable in a unit": ("deploy/systemd/tarot-gateway.service",
                                      "TAROT_RULES_ADDRESS", "TAROT_RULE_ADDRESS"),
    "an unknown flag in a unit": ("deploy/systemd/tarot-rules.service", "--seed_key_file=",
                                  "--seed_file="),
}


def run(folder, programs, trees):
    return subprocess.run([ROOT / "tools/check-manifests", folder, programs, *trees], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


def plant(tree, fault, file, old, new):
    for needed in NEEDED:
        (tree / needed).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / needed).is_dir() else shutil.copy
        copy(ROOT / needed, tree / needed)
    # Keeps one overlay, so that the check takes less time. It must find the fault there.
    for overlay in (tree / "deploy/kubernetes/overlays").iterdir():
        if overlay.name != ("cells" if "cell" in fault else "small"):
            shutil.rmtree(overlay)
    text = (tree / file).read_text()
    if old not in text:
        raise SystemExit(f"{file} has no text '{old}'")
    (tree / file).write_text(text.replace(old, new, 1))


def main():
    folder, programs = sys.argv[1:]
    result = run(folder, programs, [ROOT])
    print(result.stdout)
    if result.returncode != 0:
        return result.returncode
    with tempfile.TemporaryDirectory() as planted:
        trees = []
        for number, (fault, change) in enumerate(FAULTS.items()):
            trees.append(pathlib.Path(planted) / f"tree{number}")
            plant(trees[-1], fault, *change)
        result = run(folder, programs, trees)
    missed = [fault for number, fault in enumerate(FAULTS)
              if f"/tree{number}: " not in result.stdout]
    if missed:
        print(f"{result.stdout}\nnot found: {', '.join(missed)}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
