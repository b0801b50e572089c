#!/usr/bin/env bash
# Makes the file system of each image and runs its programs in it: on a read-only root, as the user
# 65532, without the libraries of this machine. Docker is not needed, but the rights of root are.
# Usage: image_root_test.sh FOLDER_OF_THE_PROGRAMS
set -euo pipefail
BIN=$1
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT"
VAR=$(mktemp -d)
trap 'rm -rf "$VAR"' EXIT
chmod 755 "$VAR"
# shellcheck source=/dev/null
source tools/dev.d/common.sh
# shellcheck source=/dev/null
source tools/dev.d/images.sh

if ((EUID != 0)); then
  echo "this test needs root"
  exit 1
fi
# The root of the gateway has the page, but this test needs none.
PAGE=$VAR/page
mkdir "$PAGE"

# run_in NAME COMMAND...: runs the command in the root of an image. The root is read-only. With
# EXEC=exec, the command replaces this shell.
run_in() {
  ${EXEC:-} unshare --mount bash -c 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" &&
    exec setpriv --no-new-privs chroot --userspec=65532:65532 "$0" "$@"' "$VAR/$1/root" "${@:2}"
}

for name in "${IMAGES[@]}"; do
  image_root "$name" "$VAR/$name"
  case $name in
    door) run_in door /haproxy -v | grep -E '^HAProxy version' ;;
    operator)
      run_in operator /tarotctl --help | grep -F "tarotctl admin TASK"
      for program in tarot-apply-queues tarot-start-season; do
        run_in operator "/$program" --version | grep " commit "
      done
      ;;
    *) run_in "$name" "/tarot-$name" --version | grep -E "^tarot-$name [0-9.]+ " ;;
  esac
done

# The bot service starts in its root, and the health check of its image finds it.
(umask 077 && printf 'test:%s\n' "$(openssl rand -base64 32)" >"$VAR/bot/root/keys")
chown 65532:65532 "$VAR/bot/root/keys"
read -r port metrics < <(python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))')
EXEC=exec run_in bot /tarot-bot --internal_key_file=/keys --listen_address="127.0.0.1:$port" \
  --metrics_address="127.0.0.1:$metrics" --lame_duck=0 2>"$VAR/bot.log" &
bot=$!
trap 'kill "$bot" 2>/dev/null || true; rm -rf "$VAR"' EXIT
until run_in bot /tarot-bot --check "127.0.0.1:$port" >/dev/null 2>&1; do
  kill -0 "$bot" || { cat "$VAR/bot.log" && exit 1; }
  sleep 0.2
done
echo "the bot service is ready"
kill "$bot"
wait "$bot" || { echo "the bot service ended with $?"; cat "$VAR/bot.log"; exit 1; }
