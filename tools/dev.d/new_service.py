"""Makes a new service with one method, as docs/new_service.md describes.

Usage: new_service.py NAME. The templates are in new_service/. For NAME "chat", this program
replaces @name@ by chat, @Name@ by Chat and @NAME@ by CHAT.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = pathlib.Path(__file__).parent / "new_service"


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def add_line(file, before, line):
    """Inserts `line` before the first line that begins with `before`, or at the end."""
    path = ROOT / file
    lines = path.read_text().splitlines()
    at = next((i for i, text in enumerate(lines) if before and text.startswith(before)), len(lines))
    path.write_text("\n".join(lines[:at] + [line] + lines[at:]) + "\n")


def main(arguments):
    if len(arguments) != 1 or not re.fullmatch(r"[a-z][a-z0-9_]*", arguments[0]):
        sys.exit("usage: tools/dev new-service NAME   (lower_snake, for instance: chat)")
    name = arguments[0]
    if (ROOT / "services" / name).exists():
        sys.exit(f"services/{name} exists already")
    fill = lambda text: text.replace("@name@", name).replace("@Name@", camel(name)) \
        .replace("@NAME@", name.upper())
    for template in sorted(TEMPLATES.rglob("*.in")):
        path = ROOT / fill(template.relative_to(TEMPLATES).as_posix()[: -len(".in")])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(template.read_text()))
        print(f"made     {path.relative_to(ROOT)}")

    services = ROOT / "services" / "CMakeLists.txt"
    services.write_text(services.read_text().replace(" all_in_one)", f" {name} all_in_one)", 1))
    add_line("proto/CMakeLists.txt", None,
             f"\ntarot_proto({name} FILES tarot/{name}/v1/{name}_service.proto)")
    print("changed  services/CMakeLists.txt proto/CMakeLists.txt\n\n"
          "Next: tools/dev proto-lint --update, then docs/new_service.md from step 5.")


if __name__ == "__main__":
    main(sys.argv[1:])
