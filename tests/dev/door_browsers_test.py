#!/usr/bin/env python3
"""Checks that hostile browsers do not hold up honest calls, and that the door closes them.

The test starts HAProxy with deploy/haproxy/haproxy.cfg. A small server takes the place of the
gateway's HTTP door. It answers a file with 190 kB and a call with some bytes.
"""
import contextlib
import os
import pathlib
import re
import resource
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = b"x" * 190_000
CALL = "/tarot.rules.v1.TableService/SubmitAction"
LIST = "/tarot.rules.v1.TableService/ListTables"
SLOW = "/tarot.rules.v1.TableService/Propose"  # The server never answers this call.
# The backends for files take 250 requests at a time, so these connections are more than enough to
# fill all slots if calls and files shared them.
UNREAD = 700


def serve_connection(client):
    with contextlib.suppress(OSError), client:
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            head, data = data.split(b"\r\n\r\n", 1)
            method, path = head.split(b" ", 2)[:2]
            size = 0
            for line in head.lower().split(b"\r\n")[1:]:
                if line.startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            while len(data) < size:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            data = data[size:]
            if path == SLOW.encode():
                continue
            large = method == b"GET" and path != b"/health" or path == LIST.encode()
            body = FILE if large else b"ok"
            client.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body)


def serve(path):
    """Starts the server in the place of the gateway's HTTP door."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(1024)

    def accept():
        while True:
            client = listener.accept()[0]
            threading.Thread(target=serve_connection, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(path):
    return (f"POST {path} HTTP/1.1\r\nHost: t\r\nContent-Type: application/grpc-web+proto\r\n"
            "Content-Length: 5\r\n\r\n").encode() + bytes(5)


def connect(port, source, small_buffer=False):
    client = socket.socket()
    if small_buffer:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    client.settimeout(10)
    client.bind((source, 0))
    client.connect(("127.0.0.1", port))
    return client


def check_call(port, text):
    """Makes an honest call from another address."""
    with connect(port, "127.0.0.3") as client:
        client.sendall(post(CALL))
        answer = client.recv(4096)
    if not answer.startswith(b"HTTP/1.1 200"):
        sys.exit(f"{text}: an honest call got {answer[:200]!r}")


def check_unread(port, request, text):
    """Leaves many large answers unread. Honest calls must still get their answers."""
    clients = []
    for _ in range(UNREAD):
        clients.append(connect(port, "127.0.0.2", small_buffer=True))
        clients[-1].sendall(request)
    for _ in range(20):
        check_call(port, text)
    for client in clients:
        client.close()


def frame(kind, flags, stream, payload=b""):
    head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + payload


def text_of(text):
    """Returns `text` as a string of HPACK."""
    raw = text.encode()
    assert len(raw) < 127
    return bytes([len(raw)]) + raw


def headers(stream, method, path):
    fields = [(":method", method), (":scheme", "https"), (":path", path), (":authority", "t"),
              ("content-length", "5")]
    block = b"".join(b"\0" + text_of(name) + text_of(value) for name, value in fields)
    return frame(1, 4, stream, block)  # END_HEADERS


def reset(stream):
    return frame(3, 0, stream, bytes([0, 0, 0, 8]))


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0)
DATA = 0


def is_closed(client, seconds):
    """Returns whether the door closes the connection within this time."""
    end = time.monotonic() + seconds
    client.setblocking(False)
    while time.monotonic() < end:
        select.select([client], [], [], min(seconds, 0.1))
        try:
            if client.recv(65536) == b"":
                return True
        except (BlockingIOError, ssl.SSLWantReadError):
            pass
        except OSError:
            return True
    return False


def connect_h2(port, source):
    """Returns a connection over TLS that speaks HTTP/2."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    client = context.wrap_socket(connect(port, source))
    if client.selected_alpn_protocol() != "h2":
        sys.exit("the door does not speak HTTP/2 over TLS")
    client.sendall(PREFACE)
    return client


def streams(count):
    return range(1, 2 * count, 2)


def check_h2(port):
    # An honest browser gets 40 files and makes 100 calls on one connection.
    with connect_h2(port, "127.0.0.3") as honest:
        for stream in streams(100):
            honest.sendall(headers(stream, "POST", CALL) + frame(DATA, 1, stream, bytes(5)))
        for stream in range(201, 281, 2):
            honest.sendall(headers(stream, "GET", "/main.js") + frame(DATA, 1, stream, bytes(5)))
        if is_closed(honest, 1):
            sys.exit("the door closed an honest connection")
    cases = {
        "half calls": [headers(stream, "POST", CALL) for stream in streams(60)],
        "half requests of files": [headers(stream, "GET", "/") for stream in streams(60)],
    }
    for i, (text, requests) in enumerate(cases.items()):
        with connect_h2(port, f"127.0.0.{4 + i}") as client:
            with contextlib.suppress(OSError):
                for request in requests:
                    client.sendall(request)
            # Incomplete requests end after five seconds by themselves. Their connection does not.
            if not is_closed(client, 3):
                sys.exit(f"{text}: the door did not close the connection")
    with connect_h2(port, "127.0.0.6") as client:
        if not is_closed_for_resets(client):
            sys.exit("reset calls: the door did not close the connection")


def is_closed_for_resets(client):
    """Resets up to 2,000 calls that the door has passed on, ten at a time. Returns whether the door
    closes the connection.
    """
    for first in range(1, 4_000, 20):
        batch = range(first, first + 20, 2)
        with contextlib.suppress(OSError):
            client.sendall(b"".join(headers(stream, "POST", SLOW) + frame(DATA, 1, stream, bytes(5))
                                    for stream in batch))
            # The door passes these calls on before it reads the resets.
            if is_closed(client, 0.02):
                return True
            client.sendall(b"".join(reset(stream) for stream in batch))
    return is_closed(client, 1)


def check_list_methods():
    """Checks that the door sends each expensive method of players to the slots for lists. IsList in
    services/gateway/transport/routes.cc says which methods are expensive.
    """
    text = (ROOT / "deploy/haproxy/haproxy.cfg").read_text()
    patterns = re.findall(r"^  acl list path_reg (.*)$", text, flags=re.M)
    if len(patterns) != 2:
        sys.exit(f"haproxy.cfg has {len(patterns)} patterns of lists, not 2")
    for name in ["rules/v1/table", "rules/v1/record", "rules/v1/rule_set",
                 "matchmaking/v1/matchmaking", "matchmaking/v1/room", "matchmaking/v1/friend",
                 "ratings/v1/rating"]:
        proto = (ROOT / f"proto/tarot/{name}_service.proto").read_text()
        package = re.search(r"^package (.*);", proto, flags=re.M)[1]
        service = re.search(r"^service (\w+)", proto, flags=re.M)[1]
        for method in re.findall(r"^  rpc (\w+)", proto, flags=re.M):
            request = re.search(rf"^message {method}Request {{(.*?)}}\n\n", proto,
                                flags=re.M | re.S)
            if (method in ("GetScoreSheet", "GetRecord", "GetPlayerStatistics") or
                    request and " page_size = " in request[1]):
                path = f"/{package}.{service}/{method}"
                if not all(re.search(pattern, path) for pattern in patterns):
                    sys.exit(f"haproxy.cfg does not treat {path} as a list")
    if any(re.search(pattern, CALL) for pattern in patterns):
        sys.exit(f"haproxy.cfg treats {CALL} as a list")


@contextlib.contextmanager
def door(folder, **more):
    """Runs HAProxy. Returns the port for browsers."""
    port, address = free_port(), f"127.0.0.1:{free_port()}"
    environment = dict(os.environ, TAROT_DOOR_FOLDER=folder, TAROT_DOOR_ADDRESS=address,
                       TAROT_DOOR_PLAINTEXT="loopback", TAROT_DOOR_TRUSTED="",
                       TAROT_DOOR_PAGE_ADDRESS=f"127.0.0.1:{port}",
                       TAROT_DOOR_METRICS=f"127.0.0.1:{free_port()}", **more)
    process = subprocess.Popen(
        ["/usr/sbin/haproxy", "-q", "-f", str(ROOT / "deploy/haproxy/haproxy.cfg")],
        env=environment)
    try:
        for _ in range(100):
            with contextlib.suppress(ConnectionRefusedError):
                connect(port, "127.0.0.1").close()
                break
            time.sleep(0.1)
        yield port
    finally:
        process.kill()
        process.wait()


def main():
    check_list_methods()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 10_000), hard))
    with tempfile.TemporaryDirectory(prefix="door_") as folder:
        serve(folder + "/gateway.sock.http")
        with door(folder) as port:
            check_call(port, "before the attacks")
            check_unread(port, b"GET /main.js HTTP/1.1\r\nHost: t\r\n\r\n", "unread files")
            check_unread(port, post(LIST), "unread lists")
            with connect(port, "127.0.0.1") as client:
                client.sendall(PREFACE + headers(1, "POST", CALL))
                if not is_closed(client, 3):
                    sys.exit("without TLS, the door for browsers speaks HTTP/2")
        certificate = folder + "/door.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=t", "-days", "1",
                        "-keyout", certificate, "-out", folder + "/certificate"],
                       check=True, capture_output=True)
        with open(certificate, "a") as out:
            out.write(pathlib.Path(folder + "/certificate").read_text())
        with door(folder, TAROT_DOOR_CERTIFICATE=certificate) as port:
            check_h2(port)


main()
