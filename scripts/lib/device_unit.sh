#!/usr/bin/env bash
# Compiles one unit for a device, unless the cache has it, and prints its folder there.
# usage: device_unit.sh BACKEND TARGET FINGERPRINT CACHE SOURCE TYPE
# The folder gets the assembly (unit.ptx or unit.s) and the compiler's messages (log).
set -euo pipefail
backend=$1 target=$2 fingerprint=$3 cache=$4 source=$5 type=$6
folder=$cache/$fingerprint.$target.${source//\//-}.$type

case $type in
  half | bf16) storage_type=KokkosKV::$type ;;
  int8) storage_type=std::int8_t ;;
  *) storage_type=$type ;;
esac
options=(-std=c++20 -O3 -fopenmp -DKOKKOS_DEPENDENCE "-DKOKKOSKV_TEST_STORAGE_TYPE=$storage_type"
  -isystem "build/device/$target/kokkos" -Isrc -Ibuild/device/include -Iunit_test/device)

compile_cuda() {
  # -fopenmp is the host compiler's.
  nvcc -x cu --extended-lambda --expt-relaxed-constexpr "-arch=$target" "${options[@]/#-fopenmp/-Xcompiler=-fopenmp}" \
    -Werror all-warnings -Xptxas -v,-warn-spills --keep --keep-dir "$work" -cubin -o "$work/unit.cubin" \
    "unit_test/device/$source" || return
  mv -- "$work"/*.ptx "$work/keep" && rm -f -- "$work"/*.* && mv -- "$work/keep" "$work/unit.ptx"
}

compile_hip() {
  clang++-21 -x hip "--offload-arch=$target" --offload-device-only -S "${options[@]}" \
    -Wall -Wextra -Wshadow -Werror -Rpass-analysis=kernel-resource-usage -o "$work/unit.s" "unit_test/device/$source"
}

if [[ ! -d $folder ]]; then
  work=$(mktemp -d "$cache/new.XXXXXX")
  trap 'rm -rf -- "$work"' EXIT
  if ! "compile_$backend" > "$work.log" 2>&1; then
    { echo "error: $source does not compile for $target with $type:"; head -n 30 "$work.log"; } >&2
    rm -f -- "$work.log"
    exit 1
  fi
  mv -- "$work.log" "$work/log"
  mv -T -- "$work" "$folder" 2> /dev/null || rm -rf -- "$work"
  [[ -d $folder ]]
  trap - EXIT
fi
touch "$folder"
printf '%s\n' "$folder"
