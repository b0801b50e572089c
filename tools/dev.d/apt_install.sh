#!/usr/bin/env bash
# Installs the given packages as root. Their daemons do not start, neither now nor at the next boot,
# because this project runs its own Postgres and Prometheus under var/.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

cluster_conf=/etc/postgresql-common/createcluster.d/tarot-install.conf
policy=/usr/sbin/policy-rc.d
made=()
cleanup() { ((${#made[@]} == 0)) || rm -f "${made[@]}"; }
trap cleanup EXIT

# The script makes two files if it needs them, and removes them at its end. The first file prevents
# the start of daemons. The second file prevents the creation of a Postgres cluster.
if [[ ! -e $policy ]]; then
  made+=("$policy")
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
if [[ ! -e /usr/bin/pg_createcluster ]]; then
  made+=("$cluster_conf")
  mkdir -p "$(dirname "$cluster_conf")"
  printf 'create_main_cluster = false\n' >"$cluster_conf"
fi

apt-get update -q
apt-get install -qy --no-install-recommends "$@"

for daemon in prometheus haproxy redis-server; do
  if [[ " $* " == *" $daemon "* && -d /run/systemd/system ]]; then
    # Without this command, systemd would start the daemon at the next boot.
    systemctl disable --quiet "$daemon"
  fi
done
if [[ " $* " == *" docker.io "* && -d /run/systemd/system ]]; then
  systemctl disable --quiet --now docker.service docker.socket containerd.service
fi
