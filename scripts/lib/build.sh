# Configures and builds one configuration; needs config.sh and lock.sh.
# shellcheck shell=bash

build_lock_file() { printf '%s' "$source_root/build/.$1.lock"; }

# lock_build CONFIG: this command is alone in the build folder from here on.
lock_build() { lock exclusive "$(build_lock_file "$1")" "the folder build/$1"; }

# Others may run what is built there, but not build.
share_build() { lock shared "$(build_lock_file "$1")" "the folder build/$1"; }

# Which root the folder was built with; a remade one has other compilers and headers.
root_identity() {
  [[ $1 == native ]] || stat -c '%i %Y' "$(root_path "$(root_of "$1")")/etc/kokkos-kv-root"
}

# build CONFIG [TARGET]: everything, or one target. CMake configures again by itself
# where its files have changed: it has to be asked the first time and for new presets.
build() {
  local name=$1 target=${2:-} folder=$source_root/build/$1 stamp
  stamp=$folder/.configured
  cd "$source_root"
  if [[ -e $stamp && $(cat "$stamp") != "$(root_identity "$name")" ]]; then
    rm -rf -- "$folder"
  fi
  if [[ ! -e $stamp || CMakePresets.json -nt $stamp ]]; then
    say "configuring build/$name …"
    in_config "$name" cmake --preset "$name" >&2
    root_identity "$name" > "$stamp"
  fi
  say "building ${target:-everything} in build/$name …"
  in_config "$name" cmake --build "$folder" ${target:+--target "$target"} >&2
}
