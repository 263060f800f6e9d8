# Runs a command in a root folder; needs roots.sh.
# shellcheck shell=bash

# Inside the root these hold the compiler cache and the home folder.
inside_ccache=/var/cache/kokkos-kv/ccache
inside_home=/var/cache/kokkos-kv/home

# The data folder's absolute path; nothing where there is none.
data_folder() {
  local folder=${KOKKOSKV_DATA:-$source_root/../shared/data}
  [[ ! -d $folder ]] || (cd -P "$folder" && pwd)
}

# Sets the array `passed_environment`: what a command may see of the caller's.
collect_environment() {
  local name data
  passed_environment=(--env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    --env LANG=C.UTF-8 --env "HOME=$inside_home" --env "CCACHE_DIR=$inside_ccache" --env CCACHE_MAXSIZE=2G
    --env CMAKE_CXX_COMPILER_LAUNCHER=ccache
    # The owner of the checkout need not be the user in the root.
    --env GIT_CONFIG_COUNT=1 --env GIT_CONFIG_KEY_0=safe.directory --env 'GIT_CONFIG_VALUE_0=*')
  for name in $(compgen -e); do
    case $name in
      KOKKOSKV_DATA) ;;
      CI | TERM | KOKKOSKV_* | OMP_* | KOKKOS_* | CTEST_* | GTEST_* | ASAN_OPTIONS | UBSAN_OPTIONS | CXXFLAGS | NO_COLOR)
        passed_environment+=(--env "$name=${!name}") ;;
    esac
  done
  data=$(data_folder)
  [[ -z $data ]] || passed_environment+=(--env "KOKKOSKV_DATA=$data")
}

# Folders outside the source tree that commands may read and write, at their own paths.
visible_folders=()

# show_folder FOLDER: makes it visible, unless it is one that the root has of its own.
show_folder() {
  case $1/ in
    "$source_root"/*) ;;
    // | /bin/* | /boot/* | /dev/* | /etc/* | /lib*/* | /proc/* | /run/* | /sbin/* | /sys/* | /usr/* | /var/*) return 1 ;;
    *) visible_folders+=("$1") ;;
  esac
}

# in_root [--nest OTHER] NAME COMMAND…: exit status, standard input and working
# directory (unless it is one that the root has of its own) are the command's. With --nest the
# other root is found at /nested/OTHER, furnished alike.
in_root() {
  local nested=() name directory=$source_root folder data mounts=() passed_environment
  if [[ $1 == --nest ]]; then
    nested=(--nest "$2" "$(root_path "$2")")
    shift 2
  fi
  name=$1
  shift
  ensure_root "$name"
  ((${#nested[@]} == 0)) || ensure_root "${nested[1]}"
  mkdir -p "$cache_folder/ccache" "$cache_folder/home"
  data=$(data_folder)
  if show_folder "$(pwd -P)"; then directory=$(pwd -P); fi
  # Wider folders first: a bind hides what was bound below it.
  for folder in "${visible_folders[@]}"; do mounts+=(--bind "$folder"); done
  mounts+=(--bind-to "$cache_folder/ccache" "$inside_ccache" --bind-to "$cache_folder/home" "$inside_home"
    --bind "$source_root")
  [[ -z $data ]] || mounts+=(--read-only "$data")
  collect_environment
  run_guarded unshare --mount --propagation private --pid --fork --kill-child \
    bash "$source_root/scripts/lib/inside.sh" "$(root_path "$name")" "${nested[@]}" "${mounts[@]}" \
    --chdir "$directory" "${passed_environment[@]}" -- "$@"
}
