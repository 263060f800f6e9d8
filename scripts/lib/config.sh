# Configurations: which one, and running commands where its Kokkos is.
# Needs common.sh, process.sh and sandbox.sh.
# shellcheck shell=bash

# root_of CONFIG: the root folder that a configuration is built in.
root_of() {
  case $1 in
    asan) echo openmp ;;
    *) echo "$1" ;;
  esac
}

check_config() {
  case $1 in
    openmp | serial-kernels | native) ;;
    *) die 2 "unknown configuration '$1': openmp, serial-kernels or native" ;;
  esac
}

# probe_kokkos [COMPILER]: what CMake finds on this machine with the presets' generator, in `kokkos_version`,
# `kokkos_devices` (a list with semicolons) and `kokkos_compiler`.
probe_folder=
drop_probe() { [[ -z $probe_folder ]] || rm -rf -- "$probe_folder"; }
at_exit drop_probe
# shellcheck disable=SC2034,SC2120  # check-gpu-run reads the variables and gives a compiler
probe_kokkos() {
  have cmake || return 1
  drop_probe
  probe_folder=$(mktemp -d)
  # shellcheck disable=SC2016  # CMake expands it
  printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(probe LANGUAGES CXX)' \
    'find_package(Kokkos CONFIG REQUIRED)' \
    'file(WRITE ${CMAKE_BINARY_DIR}/found "${Kokkos_VERSION}\n${Kokkos_DEVICES}\n${Kokkos_CXX_COMPILER}\n")' \
    > "$probe_folder/CMakeLists.txt"
  run_guarded cmake -G Ninja -S "$probe_folder" -B "$probe_folder/build" ${1:+"-DCMAKE_CXX_COMPILER=$1"} \
    > /dev/null 2>&1 || return 1
  { read -r kokkos_version; read -r kokkos_devices; read -r kokkos_compiler; } < "$probe_folder/build/found"
}

# Whether the Kokkos that was probed is recent enough.
is_recent_kokkos() {
  [[ $(printf '%s\n' "$native_kokkos_minimum" "$kokkos_version" | sort -V | head -n 1) == "$native_kokkos_minimum" ]]
}
# shellcheck disable=SC2119
have_native_kokkos() { probe_kokkos && is_recent_kokkos; }

can_have_sandbox() { ((EUID == 0)) && have unshare && unshare --mount true 2> /dev/null; }

# The only message where there is neither a Kokkos nor a sandbox.
no_kokkos() {
  cat >&2 << MESSAGE
error: no Kokkos $native_kokkos_minimum or newer was found on this machine, and no sandbox with one can be used
(that needs root, the right to mount, and a --config other than native). Any one of these helps:
  - run it as root, without --config native: it makes a root folder with all that is needed;
  - spack install kokkos +openmp && spack load kokkos;
  - module load kokkos, where the machine has modules;
  - the distribution's package: libkokkos-dev (Debian, Ubuntu), kokkos-devel (Fedora);
and where Kokkos is installed in a folder of its own, name it in CMAKE_PREFIX_PATH or Kokkos_ROOT.
MESSAGE
  exit 2
}

# choose_config [CONFIG]: sets `config`; the machine's own Kokkos comes first.
choose_config() {
  config=${1:-}
  if [[ -z $config ]]; then
    if have_native_kokkos; then config=native; else config=openmp; fi
  elif [[ $config == native ]]; then
    have_native_kokkos || no_kokkos
  fi
  [[ $config == native ]] || can_have_sandbox || no_kokkos
}

# in_config [--nest ROOT] CONFIG COMMAND…: on this machine itself, or in the
# configuration's root.
in_config() {
  local nested=() name data
  if [[ $1 == --nest ]]; then
    nested=(--nest "$2")
    shift 2
  fi
  name=$(root_of "$1")
  shift
  if [[ $name != native ]]; then
    in_root "${nested[@]}" "$name" "$@"
    return
  fi
  data=$(data_folder)
  run_guarded env ${data:+"KOKKOSKV_DATA=$data"} "$@"
}

# Where OpenMP threads run, unless the caller has said so; Kokkos asks for it.
bind_threads() { export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-cores}; }
