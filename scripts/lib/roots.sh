# The root folders: their state, creation and removal.
# Needs common.sh, process.sh, lock.sh, mirror.sh, progress.sh and fixups.sh.
# shellcheck shell=bash

packages_folder=$source_root/scripts/lib/packages
roots_folder=$cache_folder/roots
all_roots=(openmp serial-kernels device tools)

root_path() { printf '%s' "$roots_folder/$1"; }
root_lock_file() { printf '%s' "$roots_folder/$1.lock"; }

check_root_name() {
  [[ -f $packages_folder/$1.txt ]] || die 2 "there is no root '$1'; the roots are: ${all_roots[*]}"
}

# What a root was made from: another fingerprint means that it is outdated.
root_fingerprint() { { cat "$packages_folder/$1.txt"; printf 'fixups %s\n' "$fixup_version"; } | sha256sum | cut -c1-16; }

root_state() {
  local root
  root=$(root_path "$1")
  if [[ ! -d $root ]]; then
    echo absent
  elif [[ $(cat "$root/etc/kokkos-kv-root" 2> /dev/null) == "$(root_fingerprint "$1")" ]]; then
    echo complete
  else
    echo outdated
  fi
}

require_namespaces() {
  local tool
  for tool in unshare setpriv flock; do
    have "$tool" || die 2 "the sandbox needs '$tool' (package util-linux)"
  done
  ((EUID == 0)) || die 2 "the sandbox makes a root folder and so needs root: run it with sudo, or in a container as root, or install Kokkos $native_kokkos_minimum or newer and use --config native"
  run_guarded unshare --mount --propagation private --pid --fork mount -t proc proc /proc 2> /dev/null ||
    die 2 "this machine refuses private mounts ('unshare --mount --pid'), as a container without the right to mount does: start the container with that right (docker: --privileged), or install Kokkos $native_kokkos_minimum or newer and use --config native"
}

require_debootstrap() {
  have debootstrap && return
  have apt-get || die 2 "the sandbox needs 'debootstrap' and Debian's archive keys: install the packages debootstrap and debian-archive-keyring of this distribution"
  say "debootstrap is missing: installing it with apt-get …"
  { run_guarded apt-get -qq update && run_guarded env DEBIAN_FRONTEND=noninteractive \
      apt-get -qq install --yes --no-install-recommends debootstrap debian-archive-keyring; } >&2 ||
    die 2 "apt-get could not install debootstrap; install it and run this again"
}

delete_tree() {
  [[ $1 == "$cache_folder"/?* ]] || die 1 "not deleting $1, which is not below $cache_folder"
  rm -rf --one-file-system -- "$1"
}

partial_root=
drop_partial_root() { [[ -z $partial_root ]] || delete_tree "$partial_root"; }
at_exit drop_partial_root

# Makes the root in a folder beside it and renames that when it is complete. The
# caller holds the exclusive lock, so a partial folder that lies there is a leftover.
make_root() {
  local name=$1 root log mirror begin=$SECONDS status=0 reader
  root=$(root_path "$name")
  log=$cache_folder/logs/$name.log
  mirror=$(debian_mirror)
  delete_tree "$root.partial"
  partial_root=$root.partial
  mkdir -p "$partial_root" "${log%/*}"
  chmod 755 "$partial_root"
  : > "$log"
  say "making the $name root (Debian sid, about a minute) in $root"

  exec {reader}> >(trap '' INT TERM HUP; root_progress "$name" "$log")
  local reader_pid=$!
  export_apt_proxy
  run_guarded unshare --mount --propagation private --pid --fork --kill-child \
    bash "$source_root/scripts/lib/bootstrap.sh" "$partial_root" "$packages_folder/$name.txt" ${mirror:+"$mirror"} \
    < /dev/null >&"$reader" 2>&1 || status=$?
  exec {reader}>&-
  wait "$reader_pid" || true
  if ((status != 0)); then
    say "the last lines of $log:"
    tail -n 15 "$log" >&2
    die 1 "the $name root could not be made"
  fi
  apply_fixups "$partial_root"
  root_fingerprint "$name" > "$partial_root/etc/kokkos-kv-root"
  delete_tree "$root"
  mv -T "$partial_root" "$root"
  partial_root=
  say "the $name root is complete ($((SECONDS - begin)) s)"
}

# ensure_root NAME: holds the shared lock on a complete root from here on. Whoever
# needs several takes them in the order of all_roots, so that none waits in a circle.
ensure_root() {
  local name=$1 file what
  check_root_name "$name"
  require_namespaces
  file=$(root_lock_file "$name")
  what="the $name root"
  lock shared "$file" "$what"
  while [[ $(root_state "$name") != complete ]]; do
    unlock "$file" # two holders of shared locks that both want more would wait forever
    lock exclusive "$file" "$what"
    if [[ $(root_state "$name") != complete ]]; then
      require_debootstrap
      make_root "$name"
    fi
    lock shared "$file" "$what"
  done
}

# remove_roots NAME…: waits until no command uses any of them.
remove_roots() {
  local name
  for name in "$@"; do
    lock exclusive "$(root_lock_file "$name")" "the $name root"
  done
  for name in "$@"; do
    delete_tree "$(root_path "$name")"
    delete_tree "$(root_path "$name").partial"
    rm -f -- "$cache_folder/logs/$name.log"
  done
}

# With every root locked nobody uses the rest of the folder either.
remove_sandbox() {
  [[ -d $cache_folder ]] || return 0
  remove_roots "${all_roots[@]}"
  delete_tree "$cache_folder/ccache"
  delete_tree "$cache_folder/home"
  delete_tree "$cache_folder/device"
  rm -f -- "$roots_folder"/*.lock
  rmdir --ignore-fail-on-non-empty -- "$cache_folder"/{logs,roots} 2> /dev/null || true
  rmdir --ignore-fail-on-non-empty -- "$cache_folder"
}

root_status() {
  local name=$1 root state size=- made=-
  root=$(root_path "$name")
  state=$(root_state "$name")
  if [[ $state != absent ]]; then
    size=$(du -sxh -- "$root" 2> /dev/null | cut -f1)
    made="$(((EPOCHSECONDS - $(stat -c %Y "$root/etc/kokkos-kv-root" 2> /dev/null || echo "$EPOCHSECONDS")) / 3600)) h"
  fi
  printf '%-16s %-10s %-7s %-7s %s\n' "$name" "$state" "$size" "$made" "$root"
}
