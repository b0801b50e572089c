#!/usr/bin/env python3
"""Checks the style of our protos (docs/style.md, "Protos"), and that numbers never change.

Usage: proto_lint.py [--update] [ROOT]. proto/baseline.txt lists every field, enum value and RPC.
The check fails if the protos have an entry with another number or type, or an entry that the list
does not have. An entry of the list may be missing in the protos only if its number is reserved.
--update adds new entries to the list, and removes none. Prints `path:line: rule: message` for each
finding. The exit status is 1 if there is a finding.
"""
import pathlib
import re
import sys

import proto_file
from source import Finding

# The verbs of methods that change nothing. All other methods are mutations.
READING_VERBS = ("Get", "List", "BatchGet", "Watch", "Choose", "Analyze", "Apply", "Score",
                 "Explain", "Verify", "Import", "Ping", "Search", "Export")
# Mutations that need no request_id. The value is the field that makes a repeat harmless. None means
# that the method stores nothing, or that a repeat is harmless without such a field.
KEYED_BY = {"CreateTable": "name", "BatchCreateTables": "requests",
            "RecordMatch": "table", "ReleaseTable": "table", "MarkOnline": "players",
            "SubmitActions": "calls",  # Each call in the field `calls` has its own request id.
            "DeleteTicket": "name", "LeaveRoom": "name", "InvitePlayer": "player", "SetBot": "seat",
            "RequestFriend": "player", "AcceptFriend": "player", "RemoveFriend": "player",
            "BlockPlayer": "player", "UnblockPlayer": "player", "ReportPlayer": "player",
            "CreateGuestSession": None, "RefreshSession": None,
            "SignIn": None, "CheckPassphrase": None,  # They store nothing.
            "CreateAccount": "passphrase",  # A repeat only replaces the recovery code.
            "RevokeTokens": "subject", "StartSeason": "ladders",
            "VoidMatch": "table", "SetCountry": "country", "VoidPlayer": "player",
            "BanPlayer": "player", "UnbanPlayer": "player", "DeletePlayer": "player",
            "WithdrawTickets": "player", "SetQueueOpen": "name", "SetPopulation": "population",
            "SetGatewayLimits": "limits",
            "SetDraining": "draining", "SetReplicaDraining": "address",
            "AddCollusionFlags": "flags", "JudgeCollusionFlag": "name",
            "Recompute": None,  # A repeat computes the same ratings again.
            "SignOut": None}  # The caller's token is the key: a repeat gets BAD_TOKEN.
# The methods whose lists have no pages, because the lists have a natural end and fit on a screen.
UNPAGED = {"ListLevels", "ListRuleSets", "ListQueues", "ListLegalActions", "ListHouseBots",
           "ListReplicas"}

FIELD_COMMENT = re.compile(r"(Required|Optional|Output only)\b")


def style(file):
    folder = pathlib.PurePosixPath(file.name).parent.relative_to("proto")
    if file.package.replace(".", "/") != folder.as_posix():
        yield Finding(f"{file.name}:1", "package", f"{file.package} does not live in {folder}")
    if not file.package.startswith("tarot."):
        return  # This proto is a public contract with its own style.
    messages = {m.name: m for m in file.messages}
    for enum in file.enums:
        yield from _enum(file, enum)
    for message in file.messages:
        yield from _message(file, message)
    for service in file.services:
        if not service.comment:
            yield Finding(f"{file.name}:{service.line}", "comment", f"{service.name} has none")
        for rpc in service.rpcs:
            yield from _rpc(file, service, rpc, messages)


def _enum(file, enum):
    value, number = enum.values[0].name, enum.values[0].number
    if number != 0 or not value.endswith(("_UNSPECIFIED", "_NONE")):
        yield Finding(f"{file.name}:{enum.line}", "enum zero",
                      f"{enum.name} begins with {value}, not with ..._UNSPECIFIED = 0")


def _message(file, message):
    for field in message.fields:
        where = f"{file.name}:{field.line}"
        if not re.fullmatch(r"[a-z][a-z0-9_]*", field.name) or field.name.startswith("is_"):
            yield Finding(where, "field name", f"{field.name} is not lower_snake without is_")
        if field.type == "google.protobuf.Timestamp" and not field.name.endswith("_time"):
            yield Finding(where, "field name", f"{field.name} is a time: <verb>_time")
        is_request = "." not in message.name and message.name.endswith("Request")
        if is_request and field.comment and not FIELD_COMMENT.match(field.comment):
            yield Finding(where, "field comment",
                          f"{field.name}: begins with Required, Optional or Output only")


def _rpc(file, service, rpc, messages):
    where = f"{file.name}:{rpc.line}"
    if (rpc.request, rpc.response) != (rpc.name + "Request", rpc.name + "Response"):
        yield Finding(where, "rpc messages",
                      f"{rpc.name} takes {rpc.name}Request and answers {rpc.name}Response")
    if rpc.client_stream and not service.comment.startswith("Only services may call"):
        yield Finding(where, "client stream", f"{rpc.name}: browsers have none")
    fields = lambda name: {f.name for f in messages[name].fields} if name in messages else set()
    if rpc.name.startswith("List") and rpc.name not in UNPAGED:
        missing = {"page_size", "page_token"} - fields(rpc.request)
        missing |= {"next_page_token"} - fields(rpc.response)
        if missing:
            yield Finding(where, "pages", f"{rpc.name} lacks {', '.join(sorted(missing))}")
    if not rpc.name.startswith(READING_VERBS):
        key = KEYED_BY.get(rpc.name, "request_id")
        if key is not None and key not in fields(rpc.request):
            yield Finding(where, "request id", f"{rpc.request} has no {key}")


def compare(files, baseline):
    """Yields a finding for each difference between the protos and `baseline`, which maps keys to
    values as the lines of proto/baseline.txt do.
    """
    now = {}
    for file in files:
        now.update(file.entries())
    for key, (value, where) in now.items():
        if key not in baseline:
            yield Finding(where, "baseline", f"{key} is new: proto_lint.py --update")
        elif baseline[key] != value:
            yield Finding(where, "baseline", f"{key} was {baseline[key]} and is {value}")
    reserved = {(message.full_name, number)
                for file in files for message in file.messages for number in message.reserved}
    retired = {key for key in baseline.keys() - now.keys() if _is_reserved(key, baseline, reserved)}
    for key in sorted(baseline.keys() - now.keys() - retired):
        if not _left_with_its_fields(key, baseline, now, retired):
            yield Finding("proto/baseline.txt:1", "baseline", f"{key} is gone and not reserved")


def _is_reserved(key, baseline, reserved):
    owner, _, _ = key.rpartition(".")
    number = baseline[key].split(" ")[0]
    return number.isdigit() and (owner, int(number)) in reserved


def _left_with_its_fields(key, baseline, now, retired):
    """Returns whether `key` is a value of a nested enum that was removed as a whole, together with
    all fields that use it.
    """
    enum, _, _ = key.rpartition(".")
    message, _, name = enum.rpartition(".")
    fields = [field for field, value in baseline.items()
              if field.startswith(message + ".") and value.split(" ")[-1] == name]
    return (bool(fields) and retired.issuperset(fields)
            and not any(other.startswith(enum + ".") for other in now))


def read_baseline(root):
    path = root / "proto" / "baseline.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(line.split(" = ", 1) for line in lines if not line.startswith("#"))


def write_baseline(root, baseline):
    lines = [f"{key} = {value}\n" for key, value in sorted(baseline.items())]
    head = "# Clients rely on these names. tools/dev proto-lint --update adds new ones\n"
    (root / "proto" / "baseline.txt").write_text(head + "".join(lines))


def main(arguments):
    update = "--update" in arguments
    rest = [a for a in arguments if a != "--update"]
    root = pathlib.Path(rest[0] if rest else pathlib.Path(__file__).parents[2])
    if not (root / "proto").is_dir():
        sys.exit(f"usage: proto_lint.py [--update] [ROOT]; there is no {root}/proto")
    files = [proto_file.parse(path.relative_to(root).as_posix(), path.read_text())
             for path in sorted((root / "proto").rglob("*.proto"))]
    baseline = read_baseline(root)
    if update:
        new = {key: value for file in files for key, (value, _) in file.entries().items()}
        baseline = {**new, **baseline}
        write_baseline(root, baseline)
    found = [str(f) for file in files for f in style(file)]
    found += [str(f) for f in compare(files, baseline)]
    print("\n".join(found) or "protos are fine")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
