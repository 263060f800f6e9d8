# Shared by all scripts: where things lie, and how messages are printed.
# shellcheck shell=bash

source_root=$(cd -P "${BASH_SOURCE[0]%/*}/../.." && pwd)
cache_home=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}
cache_folder=$cache_home/kokkos-kv

# Where debootstrap is; not every user's path has it.
PATH=$PATH:/usr/sbin:/sbin

say() { printf '%s\n' "$*" >&2; }
warn() { printf 'warning: %s\n' "$*" >&2; }

# die STATUS MESSAGE: 2 stands for "this machine or call is not fit", 1 for the rest.
die() {
  local status=$1
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$status"
}

have() { command -v "$1" > /dev/null 2>&1; }

# The head comment of the calling script is its help text.
print_help() { sed -n -e '1d' -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0"; }

# need_value OPTION COUNT: an option that takes a value is the last word.
need_value() { (($2 >= 2)) || die 2 "$1 needs a value, see $0 --help"; }
