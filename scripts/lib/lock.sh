# Advisory locks between commands; needs common.sh and process.sh.
# Children inherit the descriptor of a lock on purpose: should this script be
# killed, the lock lasts until the last of them has ended too.
# shellcheck shell=bash

declare -A lock_descriptors=()

# lock shared|exclusive FILE WHAT: takes the lock, or changes its kind.
lock() {
  local kind=$1 file=$2 what=$3 descriptor=${lock_descriptors[$2]:-}
  while true; do
    if [[ -z $descriptor ]]; then
      mkdir -p "${file%/*}"
      exec {descriptor}> "$file"
    fi
    if ! flock "--$kind" --nonblock "$descriptor"; then
      say "waiting for another command that uses $what …"
      run_guarded flock "--$kind" "$descriptor"
    fi
    # The previous holder may have removed the file: then this lock is nobody's.
    [[ $file -ef /proc/self/fd/$descriptor ]] && break
    exec {descriptor}>&-
    descriptor=
  done
  lock_descriptors[$file]=$descriptor
}

unlock() {
  local descriptor=${lock_descriptors[$1]:-}
  [[ -n $descriptor ]] || return 0
  exec {descriptor}>&-
  unset "lock_descriptors[$1]"
}
