"""Checks that each file includes only the files that the table of docs/style.md, "Layers", allows.
"""
import re

# Rows of (pattern of a folder, folders and files that its files may include). A folder stands for
# all files below it. The first row whose pattern matches decides. {0} stands for the name of the
# service that the pattern has matched. The table does not list headers of the standard library and
# of POSIX.
LAYERS = [
    ("libs/base", "absl libs/base"),
    ("libs/rules", "absl libs/base libs/rules"),
    ("libs/rating", "absl libs/base libs/rating"),
    ("libs/matching", "absl libs/base libs/matching"),
    ("libs/dealing", "absl libs/base libs/rules libs/dealing openssl"),
    ("libs/notation", "absl libs/base libs/rules libs/dealing libs/notation"),
    ("libs/ai", "absl libs/base libs/rules libs/ai"),
    ("libs/status", "absl libs/base libs/status google grpcpp"),
    ("libs/obs", "absl libs/base libs/obs prometheus"),
    ("libs/pg", "absl libs/base libs/obs libs/pg pqxx prometheus"),
    ("libs/cluster", "absl libs/base libs/status libs/obs libs/pg libs/rpc libs/cluster grpcpp pqxx"
     " prometheus tarot/cluster"),
    ("libs/rpc", "absl libs/base libs/status libs/obs libs/rpc google grpc grpcpp openssl"
     " prometheus"),
    ("libs/wire", "absl libs/base libs/rules libs/dealing libs/notation libs/wire google/protobuf"
     " tarot"),
    ("libs/client", "absl libs/base libs/status libs/rpc libs/client google/protobuf grpcpp tarot"),
    ("libs/testkit", "absl libs gmock gtest pqxx prometheus grpcpp"),
    ("services/all_in_one", ""),
    (r"services/(bot)/app",
     "absl libs/base libs/rules libs/ai services/{0}/app services/{0}/metrics.h"
     " services/{0}/limits.h"),
    (r"services/(ratings)/app",
     "absl libs/base libs/rules libs/rating libs/ai/luck openssl services/{0}/app"
     " services/{0}/metrics.h services/{0}/limits.h"),
    (r"services/(\w+)/app",
     "absl libs/base libs/rules libs/dealing libs/rating libs/matching"
     " libs/cluster/rendezvous.h libs/cluster/membership.h unicode"
     " services/{0}/app services/{0}/metrics.h services/{0}/limits.h"),
    (r"services/(\w+)/storage",
     "absl libs/base libs/rules libs/dealing libs/notation libs/pg pqxx prometheus migrations"
     " services/{0}/app services/{0}/storage services/{0}/metrics.h services/{0}/limits.h"),
    # Only the gateway's HTTP door uses Boost, for Asio and Beast.
    (r"services/(gateway)/transport",
     "absl boost libs/base libs/status libs/rpc libs/wire libs/cluster/rendezvous.h"
     " libs/cluster/membership.h google grpc grpcpp openssl tarot"
     " services/{0}/app services/{0}/transport services/{0}/metrics.h services/{0}/limits.h"),
    (r"services/(\w+)/transport",
     "absl libs/base libs/rules libs/dealing libs/notation libs/status libs/rpc libs/wire"
     " libs/cluster/rendezvous.h libs/cluster/membership.h google grpc grpcpp tarot"
     " services/{0}/app services/{0}/transport services/{0}/metrics.h services/{0}/limits.h"),
    # The files that put a service together may use all of that service and all libraries, but no
    # other service.
    (r"services/(\w+)", "absl google grpcpp libs migrations pqxx prometheus tarot services/{0}"),
]
FREE = {"services/all_in_one"}

# A test may also use the test kit, all of its own service (including its fakes), and the libraries
# that it needs to replace the outside world.
TESTS_ALSO = "libs gmock gtest benchmark google grpc grpcpp migrations prometheus tarot tests"

# These standard headers would bring time, threads or files into the pure libraries.
PURE = re.compile(r"libs/(rules|rating|matching|ai|dealing|notation)/")
IMPURE = {"thread", "mutex", "shared_mutex", "condition_variable", "future", "atomic", "chrono",
          "random", "fstream", "iostream", "filesystem", "unistd.h"}

INCLUDE = re.compile(r'^[ \t]*#include\s+(["<])([^">]+)[">]', re.MULTILINE)


def check(source):
    if not source.name.endswith((".h", ".cc")):
        return
    for folder, allowed in LAYERS:
        match = re.match(folder + "/", source.name)
        if match:
            break
    else:
        return
    if folder in FREE:
        return
    allowed = [part.format(*match.groups()) for part in allowed.split()]
    if source.is_test:
        allowed += TESTS_ALSO.split() + [f"services/{own}" for own in match.groups()]
    for include in INCLUDE.finditer(source.code):
        header = include[2]
        pure = PURE.match(source.name) and not source.is_test
        if pure and header in IMPURE:
            yield source.at(include.start(), "layers", f"a pure library may not include <{header}>")
        if "/" not in header or header.startswith(("sys/", "arpa/", "linux/", "netinet/")):
            continue
        if not any(header == part or header.startswith(part + "/") for part in allowed):
            yield source.at(include.start(), "layers", f"{match[0]} may not include {header}")
