#!/usr/bin/env bash
# as_root.sh COMMAND...: runs the command as root, by sudo if needed. If sudo needs a password, this
# script fails and says so.
((EUID == 0)) && exec "$@"
exec sudo -n "$@"
