#!/usr/bin/env python3
"""Checks that the door limits all addresses of an IPv6 /48 together.

The test starts HAProxy with a copy of deploy/haproxy/haproxy.cfg. Clients of the copy name their
address in the header of the PROXY protocol, because a test machine has too few addresses. HAProxy
knows this address only after the rules "tcp-request connection", so in the copy these rules run as
"tcp-request session". The limits of connections are a hundredth of the real limits.
"""
import os
import pathlib
import re
import select
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PER_ADDRESS = 10
PER_NETWORK = 40


def configuration():
    text = (ROOT / "deploy/haproxy/haproxy.cfg").read_text()
    text = text.replace("tcp-request connection ", "tcp-request session ")
    text = re.sub(r"^( +bind .*proto h2)", r"\1 accept-proxy", text, flags=re.M)
    for table, real, small in [("addresses", 1000, PER_ADDRESS), ("networks", 4000, PER_NETWORK)]:
        rule = f"table_conn_cur({table}) ge "
        text = text.replace(f"{rule}{real}\n", f"{rule}{small}\n")
    return text


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(port, address):
    """Returns a connection that comes from `address`."""
    client = socket.create_connection(("127.0.0.1", port), timeout=5)
    family, to = ("TCP6", "2001:db8:ffff::1") if ":" in address else ("TCP4", "192.0.2.1")
    client.sendall(f"PROXY {family} {address} {to} 4711 7100\r\n".encode())
    return client


def count_open(clients):
    """Returns how many connections the door has not closed within a second."""
    closed = set()
    end = time.monotonic() + 1
    while (left := end - time.monotonic()) > 0:
        readable = select.select([c for c in clients if c not in closed], [], [], left)[0]
        for client in readable:
            try:
                if client.recv(4096) == b"":
                    closed.add(client)
            except ConnectionResetError:
                closed.add(client)
    return len(clients) - len(closed)


def expect(text, got, wanted):
    if got != wanted:
        sys.exit(f"{text}: {got} connections are open, not {wanted}")


def check(port):
    clients = [connect(port, "2001:db8:1:0::%x" % i) for i in range(PER_ADDRESS + 5)]
    expect("one /64", count_open(clients), PER_ADDRESS)
    clients += [connect(port, "2001:db8:1:%x::1" % (i % 20 + 1)) for i in range(2 * PER_NETWORK)]
    expect("one /48", count_open(clients), PER_NETWORK)
    others = [connect(port, "2001:db8:2::1") for i in range(5)]
    expect("another /48", count_open(others), 5)
    others = [connect(port, "198.51.100.%d" % (i % 10 + 1)) for i in range(2 * PER_NETWORK)]
    expect("IPv4 addresses", count_open(others), 2 * PER_NETWORK)


def main():
    with tempfile.TemporaryDirectory(prefix="door_") as folder:
        path = pathlib.Path(folder) / "haproxy.cfg"
        path.write_text(configuration())
        port = free_port()
        environment = dict(os.environ, TAROT_DOOR_FOLDER=folder,
                           TAROT_DOOR_ADDRESS=f"127.0.0.1:{port}", TAROT_DOOR_PLAINTEXT="network",
                           TAROT_DOOR_PAGE_ADDRESS=f"127.0.0.1:{free_port()}",
                           TAROT_DOOR_METRICS=f"127.0.0.1:{free_port()}", TAROT_DOOR_TRUSTED="")
        door = subprocess.Popen(["/usr/sbin/haproxy", "-q", "-f", str(path)], env=environment)
        try:
            for _ in range(100):
                try:
                    connect(port, "203.0.113.1").close()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            check(port)
        finally:
            door.kill()
            door.wait()


main()
