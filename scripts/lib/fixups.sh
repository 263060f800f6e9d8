# Repairs of faults in Debian's packages, made once in a new root.
# shellcheck shell=bash

# Raise it with every change here: roots made before count as outdated.
fixup_version=2

# Kokkos' CMake package names static libraries that libkokkos-dev lacks, and CMake
# refuses the whole package for it. They hold no code (both parts are headers
# alone): an empty archive, which is this one line, is all that is missing.
add_missing_kokkos_archives() {
  local root=$1 targets name
  for targets in "$root"/usr/lib/*/cmake/Kokkos/KokkosTargets-*.cmake; do
    [[ -f $targets ]] || continue
    while IFS= read -r name; do
      [[ -e $root/usr/$name ]] || printf '!<arch>\n' > "$root/usr/$name"
    done < <(grep -o 'lib/[^"]*/libkokkos[a-z]*\.a' "$targets")
  done
}

apply_fixups() { add_missing_kokkos_archives "$1"; }
