#!/usr/bin/env python3
"""Makes a small libicudata, with only those tables of ICU that our programs use.

Usage: icu_data.py LIBRARY OUTPUT. LIBRARY is Debian's libicudata.so, 31 MB, mostly translations.
The gateway needs 0.2 MB of it, to compare the names of players. The test images.icu_data runs the
gateway's tests with the small library.
"""
import pathlib
import subprocess
import sys
import tempfile

# The tables for normalization, and the table of characters that look alike.
TABLES = {"confusables.cfu", "nfkc.nrm", "nfkc_cf.nrm"}
OUTPUT_BYTES_MAX = 1_000_000


def run(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def data_of(library):
    """Returns the name and the bytes of the library's only object, which is a package of tables."""
    for line in run("readelf", "--wide", "--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[3] == "OBJECT" and fields[7].endswith("_dat"):
            name, address, size = fields[7], int(fields[1], 16), int(fields[2], 0)
            break
    else:
        raise SystemExit(f"{library} has no table of ICU")
    for line in run("readelf", "--wide", "--segments", library).splitlines():
        fields = line.split()
        if fields[:1] == ["LOAD"]:
            offset, start, length = (int(fields[i], 16) for i in (1, 2, 4))
            if start <= address < start + length:
                at = offset + address - start
                return name, library.read_bytes()[at:at + size]
    raise SystemExit(f"{library}: {name} is in no segment")


def main():
    library, output = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    name, data = data_of(library)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The name of the file becomes a part of the names of the tables, so both files have the
        # original name, such as icudt72l.dat.
        whole = folder / "whole" / f"{name.removesuffix('_dat')}l.dat"
        small = folder / whole.name
        whole.parent.mkdir()
        whole.write_bytes(data)
        every = set(run("/usr/sbin/icupkg", "-l", str(whole)).split())
        if not TABLES <= every:
            raise SystemExit(f"ICU has no {', '.join(sorted(TABLES - every))}")
        (folder / "remove.txt").write_text("\n".join(sorted(every - TABLES)) + "\n")
        run("/usr/sbin/icupkg", "-r", str(folder / "remove.txt"), str(whole),
            str(small))
        (folder / "small.s").write_text(
            f'.section .rodata\n.balign 16\n.global {name}\n.type {name}, @object\n{name}:\n'
            f'.incbin "{small}"\n.size {name}, . - {name}\n'
            '.section .note.GNU-stack,"",@progbits\n')
        soname = ".".join(library.name.split(".")[:3])  # libicudata.so.72
        run("g++", "-shared", "-nostdlib", f"-Wl,-soname,{soname}", "-o", str(output),
            str(folder / "small.s"))
    if output.stat().st_size > OUTPUT_BYTES_MAX:
        raise SystemExit(f"{output} has {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
