"""Compares the error reasons and metrics in docs/ with those in the code, in both directions."""
import re

from source import Finding

# REASON_CALL matches a reason that is given to tarot::Error. UPPER_LITERAL matches every literal
# that looks like a reason, because docs/errors.md also lists the values of `why`.
REASON_CALL = re.compile(
    r'(?:\bError\(|\bStatusCode::k\w+,)\s*(?:absl::StatusCode::k\w+,\s*)?"([A-Z][A-Z0-9_]*)"')
UPPER_LITERAL = re.compile(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"')
STATUS_CODES = """
    CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
    RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE
    DATA_LOSS UNAUTHENTICATED""".split()
PROTO_REASON = re.compile(
    rf"\b(?:{'|'.join(STATUS_CODES)})\s+(?://\s*)?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b")

# The grpc_* series are not compared, because libs/rpc builds their names from a prefix.
METRIC_LITERAL = re.compile(r'"((?:tarot|process)_[a-z0-9_]+)"')
# These names are the same in every Prometheus client.
METRIC_OF_ALL = re.compile(r"process_\w+|tarot_build_info")
# The name of a metric has the form tarot_<service or library>_<noun>_<unit>[_total]. The last part
# of a gauge's name may be the state of the things that it counts, for example `waiting`.
METRIC_NAME = (
    r"tarot_{owner}_([a-z0-9]+_)*"
    r"(total|seconds|bytes|ratio|rows|nodes|points|players|spread|rms|open|pending|waiting|active"
    r"|free|in_use|capacity|limit)")

ROW = re.compile(r"^\| `((?!grpc_)[A-Za-z0-9_]+)`", re.MULTILINE)


def _rows(document, root):
    """Returns name → line of each table row of docs/<document> that begins with `name`."""
    text = (root / "docs" / document).read_text()
    return {m[1]: text.count("\n", 0, m.start()) + 1 for m in ROW.finditer(text)}


def _in_program(source):
    return (source.name.startswith(("libs/", "services/", "tools/probe/")) and not source.is_test
            and source.name.endswith((".h", ".cc")) and not source.name.startswith("libs/testkit/"))


def _compare(document, rule, listed, used):
    for name, finding_of in sorted(used.items()):
        if name not in listed:
            yield finding_of(rule, f"{name} is not listed in docs/{document}")
    for name in sorted(listed.keys() - used.keys()):
        yield Finding(f"docs/{document}:{listed[name]}", rule, f"{name} is nowhere in the code")


def _collect(used, source, pattern, text):
    for match in pattern.finditer(text):
        at = match.start(1)
        used.setdefault(match[1], lambda rule, message, s=source, a=at: s.at(a, rule, message))


def check_errors(sources, root):
    """Checks that docs/errors.md has a row for each reason that the code gives to tarot::Error, and
    for each reason that a proto names.
    """
    used = {}
    for source in sources:
        if _in_program(source):
            _collect(used, source, REASON_CALL, source.code)
            _collect(used, source, UPPER_LITERAL, source.code)
        elif source.name.endswith(".proto"):
            _collect(used, source, PROTO_REASON, source.text)
    for name in list(used):
        # Skips gRPC status codes and the names of environment variables.
        if name in STATUS_CODES or name.startswith("TAROT_"):
            del used[name]
    yield from _compare("errors.md", "reason", _rows("errors.md", root), used)


def check_metrics(sources, root):
    used = {}
    for source in sources:
        if not _in_program(source) or "prometheus" not in source.text:
            continue
        owner = source.name.split("/")[1]
        for match in METRIC_LITERAL.finditer(source.code):
            if METRIC_OF_ALL.fullmatch(match[1]):
                continue
            if not re.fullmatch(METRIC_NAME.format(owner=owner), match[1]):
                yield source.at(match.start(), "metric name",
                                f"{match[1]} is not tarot_{owner}_<noun>_<unit>[_total]")
        _collect(used, source, METRIC_LITERAL, source.code)
    yield from _compare("metrics.md", "metric", _rows("metrics.md", root), used)
