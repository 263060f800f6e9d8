# Compiling kernels for devices that are not there; needs sandbox.sh.
# shellcheck shell=bash

device_targets() {
  case $1 in
    cuda) echo sm_90 ;;
    hip) echo gfx90a gfx942 ;;
  esac
}

# The toolkit's usual folder, where its compiler is not on the path.
find_nvcc() {
  have nvcc || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  have nvcc || die 2 "nvcc was not found: install the CUDA toolkit, or check HIP alone with '$0 hip'"
  have g++ || die 2 "nvcc needs g++"
}

# define FILE NAME [VALUE]: turns Kokkos' commented macro into a definition.
define() {
  sed -i -E "s@^/\* #undef $2 \*/@#define $2${3:+ $3}@" "$1"
  grep -q "^#define $2\b" "$1" || die 1 "Kokkos' $1 has no $2 to define"
}

# include_after FILE LINE HEADER
include_after() {
  sed -i "s@^$2\$@&\n#include <$3>@" "$1"
  grep -q "^#include <$3>" "$1" || die 1 "Kokkos' $1 has no line $2"
}

# prepare_headers BACKEND TARGET: Kokkos' headers with a device backend beside the host's.
prepare_headers() {
  local backend=$1 target=$2 folder=$source_root/build/device/$2/kokkos name
  local stamp=$folder/.made
  [[ ! -e $stamp || $(cat "$stamp") != "$(headers_identity)" ]] || return 0
  rm -rf -- "$folder"
  mkdir -p "${folder%/*}"
  cp -r -- "$(root_path device)/usr/include/kokkos" "$folder"
  case $backend in
    cuda)
      for name in KOKKOS_ENABLE_CUDA KOKKOS_ARCH_HOPPER KOKKOS_ARCH_HOPPER90; do
        define "$folder/KokkosCore_config.h" $name
      done
      define "$folder/desul/atomics/Config.hpp" DESUL_ATOMICS_ENABLE_CUDA
      name=CUDA
      ;;
    hip)
      for name in KOKKOS_ENABLE_HIP "KOKKOS_ARCH_AMD_${target^^}"; do
        define "$folder/KokkosCore_config.h" "$name"
      done
      define "$folder/KokkosCore_config.h" KOKKOS_ARCH_AMD_GPU "\"$target\""
      define "$folder/desul/atomics/Config.hpp" DESUL_ATOMICS_ENABLE_HIP
      name=HIP
      ;;
  esac
  include_after "$folder/KokkosCore_Config_DeclareBackend.hpp" '#include <decl/Kokkos_Declare_OPENMP.hpp>' "decl/Kokkos_Declare_$name.hpp"
  include_after "$folder/KokkosCore_Config_FwdBackend.hpp" '#include <fwd/Kokkos_Fwd_OPENMP.hpp>' "fwd/Kokkos_Fwd_$name.hpp"
  [[ $name != CUDA ]] || name=Cuda
  include_after "$folder/KokkosCore_Config_SetupBackend.hpp" '#define KOKKOS_SETUP_HPP_' "setup/Kokkos_Setup_$name.hpp"
  headers_identity > "$stamp"
}
# What the copies are made from, and how.
headers_identity() {
  stat -c '%i %Y' "$(root_path device)/etc/kokkos-kv-root"
  sha256sum "$source_root/scripts/lib/device.sh"
}

# prepare_version: the generated header, which a configured build would have made.
prepare_version() {
  local folder=$source_root/build/device/include file version parts
  file=$folder/KokkosKV_Version.hpp
  version=$(sed -n -E 's/^project\(KokkosKV VERSION ([0-9.]+).*/\1/p' "$source_root/CMakeLists.txt")
  IFS=. read -r -a parts <<< "$version"
  mkdir -p "$folder"
  sed -e "s/@PROJECT_VERSION_MAJOR@/${parts[0]}/" -e "s/@PROJECT_VERSION_MINOR@/${parts[1]}/" \
    -e "s/@PROJECT_VERSION_PATCH@/${parts[2]}/" -e "s/@PROJECT_VERSION@/$version/" \
    "$source_root/src/KokkosKV_Version.hpp.in" > "$file.new"
  mv -- "$file.new" "$file"
}

# prepare_target BACKEND TARGET: everything but the units themselves; sets `fingerprint`,
# of all that a unit is compiled from beside its own name and type.
prepare_target() {
  prepare_headers "$1" "$2"
  prepare_version
  fingerprint=$({
    headers_identity
    [[ $1 != cuda ]] || nvcc --version
    cd "$source_root"
    find src unit_test/device build/device/include scripts/lib/device_unit.sh -type f -print0 | sort -z | xargs -0 sha256sum
  } | sha256sum | cut -c1-32)
}

# prepare_cache: drops what no run has used for long, and shows the folder to the root.
device_cache=$cache_folder/device
prepare_cache() {
  mkdir -p "$device_cache"
  find "$device_cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
  visible_folders+=("$device_cache")
}

# units_of_list: "SOURCE TYPE" of every unit; functions may share one.
units_of_list() {
  local function source types type
  while read -r function source types; do
    [[ -n $function && $function != \#* && $source != - ]] || continue
    for type in $types; do printf '%s %s\n' "$source" "$type"; done
  done < "$source_root/unit_test/device/kernels.txt" | sort -u
}

# compile_units BACKEND TARGET: standard input: "SOURCE TYPE" lines; in parallel; what
# is compiled already is kept. Prints the folder of each unit that compiled.
compile_units() {
  local runner=()
  [[ $1 != hip ]] || runner=(in_root device)
  "${runner[@]}" xargs -P "$(nproc)" -L 1 bash "$source_root/scripts/lib/device_unit.sh" \
    "$1" "$2" "$fingerprint" "$device_cache"
}

# report_units TARGET OPTION…: standard input: the folders.
report_units() { in_root device python3 scripts/lib/device_report.py "$@"; }

# check_kernels BACKEND: compiles all units and prints the report.
check_kernels() {
  local backend=$1 target units status=0 count begin
  count=$(units_of_list | wc -l)
  for target in $(device_targets "$backend"); do
    begin=$SECONDS
    prepare_target "$backend" "$target"
    units=build/device/$target/units
    say "compiling $count units for $target …"
    units_of_list | compile_units "$backend" "$target" > "$units" || status=1
    say "compiled $(wc -l < "$units") of $count units for $target in $((SECONDS - begin)) s"
    report_units "$target" --allowed unit_test/device/allowed.txt < "$units" || status=1
  done
  return $status
}

# check_broken BACKEND: each broken kernel must be caught for the reason in its first line.
check_broken() {
  local backend=$1 target units source expected output status=0
  target=$(device_targets "$backend")
  target=${target%% *}
  prepare_target "$backend" "$target"
  units=build/device/$target/broken
  for source in unit_test/device/broken/*.cpp; do
    expected=$(sed -n '1s@^// Caught as: @@p' "$source")
    [[ -n $expected ]] || { say "$source does not say how it is caught"; status=1; continue; }
    if output=$(printf '%s float\n' "broken/${source##*/}" | compile_units "$backend" "$target" 2>&1 > "$units") &&
      output=$(report_units "$target" < "$units" 2>&1); then
      output='no finding'
    fi
    if grep -q -E -- "$expected" <<< "$output"; then
      printf '%s: %s is caught: %s\n' "$target" "${source##*/}" "$(grep -m 1 -E -- "$expected" <<< "$output")"
    else
      printf '%s: %s is NOT caught; expected: %s\n%s\n' "$target" "${source##*/}" "$expected" "$output"
      status=1
    fi
  done
  return $status
}
