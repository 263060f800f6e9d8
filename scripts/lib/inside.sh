#!/usr/bin/env bash
# First process of a command's own mount and process namespaces.
# usage: inside.sh ROOT [--nest NAME ROOT] [--bind PATH] [--bind-to FROM TO] [--read-only PATH]
#                  [--chdir PATH] [--env NAME=VALUE]… -- COMMAND…
# Mounts made here are seen by nobody else and end with the last process; when
# this one ends, the kernel ends all others of the namespace.
set -euo pipefail

root=$1
shift
nested_name=
nested_root=
binds=()
environment=()
directory=/
while [[ $1 != -- ]]; do
  case $1 in
    --nest) nested_name=$2 nested_root=$3; shift 3 ;;
    --bind) binds+=(read-write "$2" "$2"); shift 2 ;;
    --bind-to) binds+=(read-write "$2" "$3"); shift 3 ;;
    --read-only) binds+=(read-only "$2" "$2"); shift 2 ;;
    --chdir) directory=$2; shift 2 ;;
    --env) environment+=("$2"); shift 2 ;;
  esac
done
shift

# The first process of a namespace gets only the signals that it handles.
command_pid=
# shellcheck disable=SC2317,SC2329  # called by the traps
leave() {
  trap '' INT TERM HUP
  kill -TERM -1 2> /dev/null || true
  for ((i = 0; i < 20; i++)); do
    kill -0 "$command_pid" 2> /dev/null || break
    sleep 0.1
  done
  exit "$1"
}
trap 'leave 129' HUP
trap 'leave 130' INT
trap 'leave 143' TERM

furnish() {
  local at=$1 i target
  mount -t proc proc "$at/proc"
  mount --rbind /sys "$at/sys"
  mount --rbind /dev "$at/dev"
  mount -t tmpfs -o mode=1777 tmpfs "$at/tmp"
  for ((i = 0; i < ${#binds[@]}; i += 3)); do
    target=$at${binds[i + 2]}
    mkdir -p "$target"
    mount --bind "${binds[i + 1]}" "$target"
    if [[ ${binds[i]} == read-only ]]; then
      mount -o remount,bind,ro "$target"
    fi
  done
}

furnish "$root"
if [[ -n $nested_root ]]; then
  furnish "$nested_root"
  mkdir -p "$root/nested/$nested_name"
  mount --rbind "$nested_root" "$root/nested/$nested_name"
fi

# Bash makes a background command ignore SIGINT; `env` undoes it.
chroot "$root" /usr/bin/env --default-signal=INT,QUIT --chdir="$directory" -i "${environment[@]}" "$@" <&0 &
command_pid=$!
status=0
{ wait "$command_pid"; } 2> /dev/null || status=$?
if ((status > 128)) && signal=$(kill -l "$status" 2> /dev/null); then
  printf 'the command was ended by signal %s\n' "$signal" >&2
fi
exit "$status"
