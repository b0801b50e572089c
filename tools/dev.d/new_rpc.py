"""Adds a unary read method to a gRPC service, as docs/new_rpc.md describes. Until you write its
body, the new method returns the name in its request.

Usage: new_rpc.py SERVICE METHOD, for instance: new_rpc.py rules.RecordService GetRecordCount
SERVICE is the folder of the service and the name of the gRPC service.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

RPC = """
  // Errors: INVALID_ARGUMENT BAD_REQUEST.
  rpc {method}({method}Request) returns ({method}Response);
"""
MESSAGES = """
message {method}Request {{
  // Required.
  string name = 1;
}}

message {method}Response {{
  string name = 1;
}}
"""
HANDLER_DECLARATION = """
  grpc::ServerUnaryReactor* {method}(grpc::CallbackServerContext* context,
      const v1::{method}Request* request, v1::{method}Response* response) override;
"""
HANDLER = """
grpc::ServerUnaryReactor* {qualified}{method}(grpc::CallbackServerContext* context,
    const v1::{method}Request* request, v1::{method}Response* response){override} {{
  return dispatcher_.Unary(
      context, "tarot.{folder}.v1.{service}/{method}", rpc::Access::{access},
      [=, this](const rpc::Caller&) -> absl::Status {{
        TAROT_ASSIGN_OR_RETURN(*response->mutable_name(), {member}.{method}(request->name()));
        return absl::OkStatus();
      }});
}}
"""
USE_CASE_DECLARATION = """
  // Returns the answer to {method}, or INVALID_ARGUMENT BAD_REQUEST if `name` is empty.
  absl::StatusOr<std::string> {method}(const std::string& name);
"""
USE_CASE = """
absl::StatusOr<std::string> {use_case}::{method}(const std::string& name) {{
  if (name.empty()) return BadRequest("name", "must not be empty");
  return name;
}}
"""


def snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def insert(text, at, part):
    return text[:at].rstrip("\n") + "\n" + part + "\n" + text[at:].lstrip("\n")


def end_of_block(text, opening):
    """Returns the index of the line that closes a block. `opening` is a regular expression that
    matches the beginning of the block.
    """
    begin = re.search(opening, text, re.MULTILINE)
    if not begin:
        sys.exit(f"cannot find {opening}")
    return text.index("\n}", begin.end()) + 1


def public_end(text, name):
    """Returns the index of the first `private:` of class `name`."""
    begin = re.search(rf"^class {name}\b[^;]*?\{{", text, re.MULTILINE)
    if not begin:
        sys.exit(f"cannot find class {name}")
    return text.index(" private:", begin.end())


def include(text, line):
    if line in text:
        return text
    kind = r"#include <[a-z_]+>" if "<" in line else r'#include "'
    others = [m.start() for m in re.finditer(rf"^{kind}.*$", text, re.MULTILINE)]
    if "<" not in line and text.startswith("#include") and len(others) > 1:
        others = others[1:]  # The first include of a source is its own header.
    at = others[0] if others else text.index("\n\nnamespace") + 1
    return text[:at] + line + "\n" + ("" if others else "\n") + text[at:]


def main(arguments):
    usage = ("usage: tools/dev new-rpc SERVICE METHOD"
             "   (for instance: rules.RecordService GetRecordCount)")
    match = len(arguments) == 2 and re.fullmatch(r"([a-z_]+)\.([A-Z]\w*Service)", arguments[0])
    if not match or not re.fullmatch(r"[A-Z][A-Za-z0-9]+", arguments[1]):
        sys.exit(usage)
    folder, service = match.groups()
    names = {"folder": folder, "service": service, "method": arguments[1]}
    proto = ROOT / f"proto/tarot/{folder}/v1/{snake(service)}.proto"
    transport = ROOT / f"services/{folder}/transport/{snake(service)}"
    header, source = transport.with_suffix(".h"), transport.with_suffix(".cc")
    for path in proto, header, source:
        if not path.is_file():
            sys.exit(f"{path.relative_to(ROOT)} does not exist")

    # Finds the class of the handlers, in the header or in the source. The first member of this
    # class that is a reference refers to the class that the handlers call. A header in app/
    # declares that class.
    classes = re.compile(rf"^class (Grpc{service}|{service}(?:Handler|Impl))\b", re.MULTILINE)
    place = next((path for path in (header, source) if classes.search(path.read_text())), None)
    if place is None:
        sys.exit(f"{transport.relative_to(ROOT)}.h and .cc have no class Grpc{service}")
    text = place.read_text()
    names["handler"] = classes.search(text)[1]
    private = text[public_end(text, names["handler"]):]
    names["use_case"], names["member"] = re.search(
        r"^  (?:const )?(?:\w+::)*(\w+)& (\w+_);", private, re.MULTILINE).groups()
    for app_header in re.findall(rf'"(services/{folder}/app/\w+\.h)"',
                                 header.read_text() + source.read_text()):
        app_header = ROOT / app_header
        if re.search(rf"^class {names['use_case']}\b", app_header.read_text(), re.MULTILINE):
            break
    else:
        sys.exit(f"{place.relative_to(ROOT)} includes no header in app/ with class "
                 f"{names['use_case']}")
    app_source = app_header.with_suffix(".cc")
    names["access"] = re.search(r"Access::(k\w+)", source.read_text())[1]
    inline = place == source
    names["qualified"] = "" if inline else names["handler"] + "::"
    names["override"] = " override" if inline else ""

    changed = {}
    text = proto.read_text()
    if re.search(rf"\brpc {names['method']}\(", text):
        sys.exit(f"{service} has a method {names['method']}")
    text = insert(text, end_of_block(text, rf"^service {service} \{{"),
                  RPC.format(**names).rstrip())
    changed[proto] = text.rstrip() + "\n" + MESSAGES.format(**names)
    handler = HANDLER.format(**names)
    text = include(source.read_text(), '#include "libs/base/error.h"')
    if inline:
        changed[source] = insert(text, public_end(text, names["handler"]), handler)
    else:
        changed[source] = insert(text, text.rindex("}  // namespace"), handler)
        text = header.read_text()
        changed[header] = insert(text, public_end(text, names["handler"]),
                                 HANDLER_DECLARATION.format(**names).strip("\n") + "\n")
    text = app_header.read_text()
    text = insert(text, public_end(text, names["use_case"]),
                  USE_CASE_DECLARATION.format(**names))
    text = include(text, '#include "absl/status/statusor.h"')
    changed[app_header] = include(text, "#include <string>")
    text = include(app_source.read_text(), '#include "libs/base/error.h"')
    changed[app_source] = insert(text, text.rindex("}  // namespace"), USE_CASE.format(**names))

    for path, text in changed.items():
        path.write_text(text)
        if path.suffix != ".proto":
            subprocess.run(["clang-format", "-i", path], check=True)
        print(f"changed  {path.relative_to(ROOT)}")
    subprocess.run([sys.executable, ROOT / "tools/lint/proto_lint.py", "--update"], check=True,
                   stdout=subprocess.DEVNULL)
    print("changed  proto/baseline.txt\n\nNext: fill in the messages and the use case, by "
          "docs/new_rpc.md.")


if __name__ == "__main__":
    main(sys.argv[1:])
