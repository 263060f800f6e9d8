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
  [[ ! -e $stamp || $(cat "$stamp") != "$(device_root_identity)" ]] || return 0
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
  device_root_identity > "$stamp"
}
device_root_identity() { stat -c '%i %Y' "$(root_path device)/etc/kokkos-kv-root"; }

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

# What a unit is compiled from, beside its own name, type and target.
sources_fingerprint() {
  {
    device_root_identity
    [[ $1 != cuda ]] || nvcc --version
    cd "$source_root"
    find src unit_test/device build/device/include scripts/lib/device.sh scripts/lib/device_unit.sh -type f -print0 | sort -z | xargs -0 sha256sum
  } | sha256sum | cut -c1-32
}

# units_of_list: "SOURCE TYPE" of every unit.
units_of_list() {
  local function source types type
  while read -r function source types; do
    [[ -n $function && $function != \#* && $source != - ]] || continue
    for type in $types; do printf '%s %s\n' "$source" "$type"; done
  done < "$source_root/unit_test/device/kernels.txt"
}

# compile_units BACKEND TARGET: standard input: "SOURCE TYPE" lines; in parallel; what
# is compiled already is kept. Prints the folder of each unit that compiled.
compile_units() {
  local backend=$1 target=$2 fingerprint runner=()
  prepare_headers "$backend" "$target"
  prepare_version
  fingerprint=$(sources_fingerprint "$backend")
  mkdir -p "$device_cache"
  find "$device_cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
  if [[ $backend == hip ]]; then
    visible_folders+=("$device_cache")
    runner=(in_root device)
  fi
  "${runner[@]}" xargs -P "$(nproc)" -L 1 bash "$source_root/scripts/lib/device_unit.sh" \
    "$backend" "$target" "$fingerprint" "$device_cache"
}
device_cache=$cache_folder/device

# check_kernels BACKEND: compiles all units and prints the report.
check_kernels() {
  local backend=$1 target status=0 count begin
  count=$(units_of_list | wc -l)
  for target in $(device_targets "$backend"); do
    begin=$SECONDS
    mkdir -p "build/device/$target"
    say "compiling $count units for $target …"
    units_of_list | compile_units "$backend" "$target" > "build/device/$target/units" || status=1
    say "compiled $(wc -l < "build/device/$target/units") of $count units for $target in $((SECONDS - begin)) s"
    show_folder "$device_cache" || true
    in_root device python3 scripts/lib/device_report.py "$target" --allowed unit_test/device/allowed.txt \
      < "build/device/$target/units" || status=1
  done
  return $status
}

# check_broken BACKEND: each broken kernel must be caught for the reason in its first line.
check_broken() {
  local backend=$1 target source expected output status=0
  target=$(device_targets "$backend")
  target=${target%% *}
  for source in unit_test/device/broken/*.cpp; do
    expected=$(sed -n '1s@^// Caught as: @@p' "$source")
    [[ -n $expected ]] || { say "$source does not say how it is caught"; status=1; continue; }
    mkdir -p "build/device/$target"
    if ! output=$(printf '%s float\n' "broken/${source##*/}" | compile_units "$backend" "$target" 2>&1 > "build/device/$target/broken"); then
      :
    elif output=$(show_folder "$device_cache"; in_root device python3 scripts/lib/device_report.py "$target" \
        < "build/device/$target/broken" 2>&1); then
      output="no finding"
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
