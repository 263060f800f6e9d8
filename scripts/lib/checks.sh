# Checks of the sources that need no Kokkos; needs enter.sh.
# shellcheck shell=bash

check_format() {
  local folder folders=() files
  for folder in src unit_test perf_test examples; do
    [[ ! -d $folder ]] || folders+=("$folder")
  done
  mapfile -d '' -t files < <(find "${folders[@]}" \( -name '*.hpp' -o -name '*.cpp' \) -print0)
  ((${#files[@]} > 0)) || die 1 "there are no sources to check"
  in_root tools clang-format --dry-run --Werror "${files[@]}"
}

# The libraries are checked as part of the scripts that source them.
check_scripts() {
  in_root tools shellcheck --check-sourced scripts/{sandbox,demo,test,bench,check-device,check-gpu-run} \
    scripts/lib/{inside,bootstrap,device_unit}.sh perf_test/cluster/{submit,run-process,slurm.sh,pbs.sh,job.sh}
}

check_docs() {
  [[ -f docs/Doxyfile ]] || { say "there is no docs/Doxyfile"; return; }
  mkdir -p build/docs
  # shellcheck disable=SC2016  # the inner shell expands it
  in_root tools bash -c '{ cat docs/Doxyfile && printf "%s\n" \
    "OUTPUT_DIRECTORY = build/docs" "QUIET = YES" "HAVE_DOT = NO" "WARN_AS_ERROR = FAIL_ON_WARNINGS"; } | doxygen -'
}
