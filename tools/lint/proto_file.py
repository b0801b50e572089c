"""Reads the part of the proto language that our protos use."""
import dataclasses
import re

TOKEN = re.compile(r'\s+|(?P<comment>//[^\n]*)|"[^"]*"|[\w.]+|.', re.DOTALL)


@dataclasses.dataclass
class Field:
    name: str
    type: str
    label: str
    number: int
    line: int
    comment: str


@dataclasses.dataclass
class Message:
    name: str  # A nested name has the form Outer.Inner.
    full_name: str
    line: int
    fields: list = dataclasses.field(default_factory=list)
    reserved: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Value:
    name: str
    number: int
    line: int


@dataclasses.dataclass
class Enum:
    name: str
    full_name: str
    line: int
    values: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Rpc:
    name: str
    request: str
    response: str
    client_stream: bool
    server_stream: bool
    line: int


@dataclasses.dataclass
class Service:
    name: str
    line: int
    comment: str
    rpcs: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class File:
    name: str
    package: str = ""
    messages: list = dataclasses.field(default_factory=list)
    enums: list = dataclasses.field(default_factory=list)
    services: list = dataclasses.field(default_factory=list)

    def entries(self):
        """Returns key → (value, path:line) of everything that a client may rely on."""
        found = {}
        for message in self.messages:
            for f in message.fields:
                found[f"{message.full_name}.{f.name}"] = (
                    f"{f.number} {f.label} {f.type}".replace("  ", " "), f"{self.name}:{f.line}")
        for enum in self.enums:
            for v in enum.values:
                found[f"{enum.full_name}.{v.name}"] = (str(v.number), f"{self.name}:{v.line}")
        for service in self.services:
            for r in service.rpcs:
                stream = ["", "stream "]
                found[f"{self.package}.{service.name}/{r.name}"] = (
                    f"{stream[r.client_stream]}{r.request} -> "
                    f"{stream[r.server_stream]}{r.response}", f"{self.name}:{r.line}")
        return found


class _Reader:
    """Returns tokens one by one, and remembers the comment just above the current statement."""

    def __init__(self, text):
        self.tokens = []  # Tuples of (token, line, comment above).
        line, comment, last_line = 1, [], 0
        for match in TOKEN.finditer(text):
            token = match[0]
            if match["comment"]:
                # A comment after a statement on the same line does not describe the next statement.
                if line != last_line:
                    comment.append(token[2:].strip())
            elif token.isspace():
                if token.count("\n") > 1:
                    comment = []
            else:
                self.tokens.append((token, line, " ".join(comment)))
                comment, last_line = [], line
            line += token.count("\n")
        self.at = 0

    def more(self):
        return self.at < len(self.tokens)

    def peek(self):
        return self.tokens[self.at][0]

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def until(self, *ends):
        """Returns the tokens before the next token that is in `ends`, and consumes this token
        too."""
        taken = []
        while (token := self.next()[0]) not in ends:
            taken.append(token)
        return taken


def parse(name, text):
    file, reader = File(name), _Reader(text)
    while reader.more():
        token, line, comment = reader.next()
        if token == "package":
            file.package = "".join(reader.until(";"))
        elif token == "message":
            _message(reader, file, "", line)
        elif token == "enum":
            _enum(reader, file, "", line)
        elif token == "service":
            _service(reader, file, line, comment)
        else:
            reader.until(";")
    return file


def _message(reader, file, outer, line):
    name = outer + reader.next()[0]
    message = Message(name, f"{file.package}.{name}", line)
    file.messages.append(message)
    reader.next()  # {
    _body(reader, file, message)


def _body(reader, file, message):
    while True:
        token, line, comment = reader.next()
        if token == "}":
            return
        if token == "message":
            _message(reader, file, message.name + ".", line)
        elif token == "enum":
            _enum(reader, file, message.name + ".", line)
        elif token == "oneof":
            reader.until("{")
            _body(reader, file, message)
        elif token == "reserved":
            message.reserved += _numbers(reader.until(";"))
        else:
            words = [token] + reader.until(";")
            declared, number = words[: words.index("=")], words[words.index("=") + 1]
            label = declared[0] if declared[0] in ("repeated", "optional") else ""
            kind = "".join(declared[bool(label):-1])
            message.fields.append(Field(declared[-1], kind, label, int(number), line, comment))


def _numbers(words):
    numbers, text = [], " ".join(words)
    for part in text.split(","):
        bounds = [int(n) for n in re.findall(r"\b\d+\b", part)]
        if bounds:
            numbers += range(bounds[0], bounds[-1] + 1)
    return numbers


def _enum(reader, file, outer, line):
    name = outer + reader.next()[0]
    enum = Enum(name, f"{file.package}.{name}", line)
    file.enums.append(enum)
    reader.next()  # {
    while (token := reader.next())[0] != "}":
        words = reader.until(";")
        if token[0] != "reserved":
            enum.values.append(Value(token[0], int(words[1]), token[1]))


def _service(reader, file, line, comment):
    service = Service(reader.next()[0], line, comment)
    file.services.append(service)
    reader.next()  # {
    while (token := reader.next())[0] != "}":
        name = reader.next()[0]
        reader.until("(")
        request = reader.until(")")
        reader.until("(")
        response = reader.until(")")
        reader.until(";", "}")
        service.rpcs.append(Rpc(name, request[-1], response[-1], request[0] == "stream",
                                response[0] == "stream", token[1]))
